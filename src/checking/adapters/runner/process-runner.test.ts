import { createHash } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CommandRequest } from "#kernel/operations/ports/runner.ts";
import { temporaryFolder } from "../../../../test/kit/folder.ts";
import { createProcessRunner } from "./process-runner.ts";

const OWN = {
  PATH: process.env["PATH"],
  HOME: "/nowhere/home",
  LC_ALL: "C.UTF-8",
  API_KEY: "secret",
  NODE_OPTIONS: "-x",
};

/** Runs with limits that nothing here should meet. */
async function run(
  running: Partial<CommandRequest> & Pick<CommandRequest, "run">,
  way: "cell" | "group",
  spoolLimit?: number,
) {
  using folder = temporaryFolder();
  const runner = createProcessRunner(OWN, {
    way,
    graceMs: 10_000,
    ...(spoolLimit === undefined ? {} : { spoolLimit }),
  });
  const done = await runner.run({ folder: folder.path, timeout_s: 30, silence_s: 30, ...running });
  const { forget: _, ms: __, text, ...ended } = done;
  const { file, spool, ...said } = ended.output;
  const kept = file === "" ? undefined : [fs.readFileSync(file, "utf8"), fs.readFileSync(spool, "utf8").length];
  expect(await text(64)).toBe(
    (kept?.[0] ?? "").toString().length > 64 || ended.output.isCut ? undefined : (kept?.[0] ?? ""),
  );
  await done.forget();
  expect(file !== "" && fs.existsSync(file)).toBe(false);
  return { ...ended, output: said, kept };
}

const sha = (text: string): string => createHash("sha256").update(text).digest("hex");

describe.each(["cell", "group"] as const)("in a %s", (way) => {
  test("reports the exit code and output of a command", async () => {
    expect(await run({ run: { shell: "echo out; exit 3" } }, way)).toEqual({
      how: "exited",
      code: 3,
      output: { bytes: 4, hash: sha("out\n"), tail: "out\n", isCut: false },
      kept: ["out\n", 4],
    });
  });

  test.each([
    ["exit 0", { how: "exited", code: 0 }],
    ["exit 137", { how: "exited", code: 137 }],
    ["kill -9 $$", { how: "signalled", signal: "SIGKILL" }],
    ["kill -TERM $$", { how: "signalled", signal: "SIGTERM" }],
    ["kill -SEGV $$", { how: "signalled", signal: "SIGSEGV" }],
  ])("reports %s unchanged", async (shell, expected) => {
    expect(await run({ run: { shell } }, way)).toMatchObject(expected);
  });

  test("keeps standard output alone, and standard output with errors", async () => {
    const done = await run({ run: { shell: "echo out; echo error >&2" } }, way);
    expect(done.kept).toEqual(["out\n", 10]);
    expect(done.output.bytes).toBe(10);
  });

  test("passes the arguments of a program without a shell", async () => {
    const argv = ["printf", "%s\n", "$HOME", "; exit 9", "a b", "*", ""];
    const done = await run({ run: { argv } }, way);
    expect(done).toMatchObject({ how: "exited", code: 0, output: { tail: "$HOME\n; exit 9\na b\n*\n\n" } });
  });

  test("runs in the given folder, with allowed variables only and without a terminal", async () => {
    using folder = temporaryFolder();
    const shell = 'pwd; env | sort; if read -r line; then echo "$line"; fi';
    const done = await run({ run: { shell }, folder: folder.path, variables: { TENON_REPORT: "r" } }, way);
    expect(
      done.output.tail
        .trim()
        .split("\n")
        .filter((line) => !/^(?:_|SHLVL|TENON_RUN)=/.test(line)),
    ).toEqual([
      folder.path,
      "CI=1",
      "FORCE_COLOR=0",
      "HOME=/nowhere/home",
      "LC_ALL=C.UTF-8",
      "NO_COLOR=1",
      `PATH=${OWN.PATH}`,
      `PWD=${folder.path}`,
      "PYTHONDONTWRITEBYTECODE=1",
      "TENON_REPORT=r",
      "TERM=dumb",
      "npm_config_yes=false",
    ]);
  });

  test("passes the input to a program, which may ignore it", async () => {
    const input = `${"x".repeat(1_000_000)}\nend\n`;
    expect(await run({ run: { shell: "tail -n 1; wc -c" }, input }, way)).toMatchObject({
      code: 0,
      output: { tail: "end\n0\n" },
    });
    expect(await run({ run: { shell: "exit 3" }, input }, way)).toMatchObject({ how: "exited", code: 3 });
    expect(await run({ run: { argv: ["cat"] }, input: "" }, way)).toMatchObject({ code: 0, output: { tail: "" } });
  });

  test("passes the variables that a user allows, except those that load code", async () => {
    const done = await run({ run: { argv: ["env"] }, passes: ["API_KEY", "NODE_OPTIONS", "MISSING"] }, way);
    expect(done.output.tail).toMatch(/^API_KEY=secret$/m);
    expect(done.output.tail).not.toMatch(/NODE_OPTIONS|MISSING/);
  });

  test.each([
    ["takes too long", "echo a; while :; do echo b; sleep 0.05; done", { timeout_s: 0.4 }, "timed-out"],
    ["says nothing", "echo a; exec sleep 100", { silence_s: 0.3 }, "silent"],
  ])("ends a process that %s", async (_, shell, limits, how) => {
    const done = await run({ run: { shell }, ...limits }, way);
    expect(done).toMatchObject({ how });
    expect(done.output.tail).toMatch(/^a\n/);
    expect(done).not.toHaveProperty("code");
  });

  test("sends a cancelled process a signal first, and lets it clean up", async () => {
    const stopping = new AbortController();
    const shell = "trap 'echo tidy; exit 0' TERM; echo ready; sleep 1000 & wait";
    const done = await run({ run: { shell }, cancelled: stopping.signal, progress: () => stopping.abort() }, way);
    expect(done).toMatchObject({ how: "cancelled", output: { tail: "ready\ntidy\n" } });
  });

  test("does not start a process that was cancelled before", async () => {
    const done = await run({ run: { shell: "touch started" }, cancelled: AbortSignal.abort() }, way);
    expect(done).toMatchObject({ how: "cancelled", kept: undefined });
  });

  test("reports the last line without its colours", async () => {
    const lines: string[] = [];
    const shell = "printf 'first\\n\\033[32msecond\\033[0m\\r\\n\\n'; sleep 1.2";
    await run({ run: { shell }, progress: (line) => void lines.push(line) }, way);
    expect(lines).toEqual(["second"]);
  });

  test("cuts long output in the files and hashes all of it", async () => {
    const done = await run({ run: { shell: "head -c 200000 /dev/zero | tr '\\0' x; echo end" } }, way, 1000);
    const said = `${"x".repeat(200_000)}end\n`;
    expect(done).toMatchObject({
      output: { bytes: said.length, hash: sha(said), tail: said.slice(-65_536), isCut: true },
      kept: ["x".repeat(1000), 1000],
    });
  });

  test("replaces bytes that are not text in the tail, which stays small", async () => {
    expect(await run({ run: { argv: ["printf", "a\\377b\\303"] } }, way)).toMatchObject({
      output: { bytes: 4, tail: "a\ufffdb\ufffd" },
    });
    const { output } = await run({ run: { shell: "head -c 100000 /dev/zero | tr '\\0' '\\377'" } }, way);
    expect(output.tail).toBe("\ufffd".repeat(65_535 / 3));
  });

  test.each([
    ["a program that is not there", { argv: ["no-such-program"] }, "not-found", "There is no program no-such-program."],
    ["a path that is not there", { argv: ["./no"] }, "not-found", "There is no program ./no."],
    ["a folder", { argv: ["./a"] }, "not-found", "There is no program ./a."],
    ["a file that may not be run", { argv: ["./plain"] }, "not-started", "./plain is not executable."],
    [
      "a script for nobody",
      { argv: ["./script"] },
      "not-started",
      "./script asks for /no/such/shell, which does not exist.",
    ],
    ["no program", { argv: [] }, "not-started", "It does not name a program."],
  ])("reports %s", async (_, invocation, how, why) => {
    using folder = temporaryFolder();
    fs.mkdirSync(join(folder.path, "a"));
    fs.writeFileSync(join(folder.path, "plain"), "true\n", { mode: 0o644 });
    fs.writeFileSync(join(folder.path, "script"), "#!/no/such/shell\n", { mode: 0o755 });
    expect(await run({ run: invocation, folder: folder.path }, way)).toEqual({
      how,
      why,
      output: { bytes: 0, hash: sha(""), tail: "", isCut: false },
      kept: undefined,
    });
  });

  test.each([
    ["a word that no program can be given", { run: { argv: ["printf", "a\0b"] } }, /null bytes/],
    ["more words than the system takes", { run: { argv: ["printf", "x".repeat(4_000_000)] } }, /E2BIG/],
    ["a folder that is not there", { run: { argv: ["true"] }, folder: "/no/such/folder" }, /no folder \/no\/such/],
  ])("reports %s", async (_, running, why) => {
    expect(await run(running, way)).toMatchObject({ how: "not-started", why: expect.stringMatching(why) });
  });

  test("does not wait for a process that ended while a child holds its output", async () => {
    const done = await run({ run: { shell: "sleep 1000 & echo done" } }, way);
    expect(done).toMatchObject({ how: "exited", code: 0, output: { tail: "done\n" } });
  });
});
