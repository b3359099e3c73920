import fs from "node:fs";
import { join } from "node:path";
import { spawn, spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { BIN, environment, finished, tenon } from "../kit/process.ts";

/** A repository with a client, a stack whose tests can run, and enough code to draft specs from. */
function prepareRepository(root: string): void {
  fs.mkdirSync(join(root, ".cursor"));
  fs.mkdirSync(join(root, "src"));
  fs.writeFileSync(join(root, "go.mod"), "module example.com/shop\n\ngo 1.22\n");
  for (let i = 0; i < 12; i++) fs.writeFileSync(join(root, `src/shop${i}.go`), "package shop\n");
}

async function initAs(answers: readonly boolean[], ...flags: string[]) {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  prepareRepository(repository.path);
  const asked: string[] = [];
  const io = {
    isTerminal: true,
    canAsk: true,
    askKey: async (question: string) => {
      asked.push(question);
      return answers[asked.length - 1] ?? false;
    },
    ask: async (question: string) => asked.push(question) > 0,
  };
  using house = testHouse(repository.path, { dataFolder: home.path }, io);
  const { code, out } = await house.run("init", ...flags);
  const has = (path: string): boolean => fs.existsSync(join(repository.path, path));
  const trust = JSON.parse((await house.run("trust", "--json")).out) as { state: string };
  return {
    code,
    out,
    asked,
    client: has(".cursor/mcp.json"),
    specs: has("sdd/drafts/requirements.md"),
    trust: trust.state,
  };
}

test("offers clients, trust and drafts on a terminal, and does nothing without a yes", async () => {
  const { asked, out, ...done } = await initAs([]);
  expect(asked).toEqual([
    "Set up Cursor here?",
    expect.stringMatching(/^Review \d+ commands? that gates would run\?$/),
    "Draft requirements from 12 source files?",
  ]);
  expect(done).toEqual({ code: 0, client: false, specs: false, trust: "untrusted" });
  expect(out).toContain("\nstack:   Go, go test\nclients: Cursor\n");
});

test("does what each key confirms, and asks for trust again below its commands", async () => {
  const { asked, out: _, ...done } = await initAs([true, true, true, true]);
  expect(asked[2]).toBe("Trust these commands?");
  expect(done).toEqual({ code: 0, client: true, specs: true, trust: "trusted" });
});

test("sets up the clients with --yes, asks nothing and trusts nothing", async () => {
  const { asked, out, ...done } = await initAs([true, true, true], "--yes");
  expect(out).toMatch(/next: tenon trust\nnext: tenon change start "…"\nnext: tenon help\n$/);
  expect([asked, done]).toEqual([[], { code: 0, client: true, specs: false, trust: "untrusted" }]);
});

test("suggests each command once with --yes in a pipe, without the guide to setup", () => {
  using repository = temporaryRepository();
  prepareRepository(repository.path);
  const { code, out } = tenon(["init", "--yes"], { cwd: repository.path });
  expect([code, out.match(/^next: .*/gm)]).toEqual([
    0,
    ["next: tenon trust", 'next: tenon change start "…"', "next: tenon help"],
  ]);
  expect(out).not.toContain("Connect your agent");
});

test("asks nothing in a pipe, and suggests setup and trust", () => {
  using repository = temporaryRepository();
  prepareRepository(repository.path);
  const { code, out } = tenon(["init"], { cwd: repository.path });
  expect([code, fs.existsSync(join(repository.path, ".cursor/mcp.json"))]).toEqual([0, false]);
  expect(out).toContain("\nnext: tenon setup\nnext: tenon trust\nnext: tenon change start");
});

test("status and doctor report that gates are not trusted yet, until they are", async () => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  prepareRepository(repository.path);
  using house = testHouse(repository.path, { dataFolder: home.path });
  await house.run("init");
  const { out } = await house.run("status");
  expect(out).toMatch(/^- Gates cannot run \d+ commands? until you trust them\.$/m);
  expect(out).toContain("\nnext: tenon trust\n");
  const doctor = await house.run("doctor");
  expect(doctor.code).toBe(0);
  expect(doctor.out).toMatch(/^No problems, \d+ warnings?\.\n/);
  expect(doctor.out).toMatch(/^gates\twarning\tcannot run \d+ commands?: you have not trusted them$/m);
  expect(doctor.out).toContain("\nnext: tenon trust\n");
  const { token } = JSON.parse((await house.run("trust", "--json")).out) as { token: string };
  await house.run("trust", "--confirm", token);
  expect((await house.run("status")).out).not.toContain("tenon trust");
  expect((await house.run("doctor")).out).toMatch(
    /^gates\twarning\t\d+ commands? trusted\. No person confirmed the trust in a terminal/m,
  );
});

/** util-linux's `script` gives a command a terminal. */
const hasScript = spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") ?? false;

test.skipIf(!hasScript)("takes one key without Enter as the answer on a real terminal", () => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  prepareRepository(repository.path);
  const command = `${process.execPath} ${BIN} init`;
  const { stdout } = spawnSync("script", ["-qec", command, "/dev/null"], {
    cwd: repository.path,
    encoding: "utf8",
    input: "nn",
    timeout: 20_000,
    env: environment({ TERM: "xterm", HOME: home.path, TENON_HOME: home.path }),
  });
  expect(stdout).toContain("Set up Cursor here? [y/N] no\r\n");
});

test.skipIf(!hasScript)("does not take an Enter after a key as the answer to the next question", async () => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  prepareRepository(repository.path);
  const child = spawn("script", ["-qec", `${process.execPath} ${BIN} init`, "/dev/null"], {
    cwd: repository.path,
    env: environment({ TERM: "xterm", HOME: home.path, TENON_HOME: home.path }),
  });
  // A key may be echoed before the question switches that off.
  const answers = new Map([
    [/Set up Cursor here\? \[y\/N\]/, "n"],
    [/Cursor here\? \[y\/N\] n?no/, "\n"],
    [/that gates would run\? \[y\/N\]/, "y"],
    [/would run\? \[y\/N\] y?yes/, "\n"],
    [/Trust these commands\? \[y\/N\]/, "y\n"],
    [/source files\? \[y\/N\]/, "n"],
  ]);
  let shown = "";
  child.stdout.on("data", (chunk: Buffer) => {
    shown += chunk.toString();
    for (const [asked, keys] of answers) {
      if (!asked.test(shown)) return;
      answers.delete(asked);
      child.stdin.write(keys);
    }
  });
  const { code } = await finished(child);
  expect(code).toBe(0);
  expect(shown).toMatch(/source files\? \[y\/N\] n?no\r\n\r\nnext: tenon change start/);
  const { out } = tenon(["trust", "--json"], { cwd: repository.path, env: { TENON_HOME: home.path } });
  expect(JSON.parse(out)).toMatchObject({ state: "trusted" });
});

test.skipIf(!hasScript).each([
  ["Ctrl-D", "\u0004", 0, "untrusted"],
  ["Ctrl-C", "\u0003", 130, "untrusted"],
  ["yes", "y\n", 0, "trusted"],
])("%s answers the question of trust on a real terminal", async (_, keys, code, state) => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  prepareRepository(repository.path);
  const env = environment({ TERM: "xterm", HOME: home.path, TENON_HOME: home.path });
  const child = spawn("script", ["-qec", `${process.execPath} ${BIN} trust`, "/dev/null"], {
    cwd: repository.path,
    env,
  });
  let shown = "";
  child.stdout.on("data", (chunk: Buffer) => {
    const isAsked = shown.includes("[y/N]");
    shown += chunk.toString();
    if (!isAsked && shown.includes("[y/N]")) child.stdin.write(keys);
  });
  const done = await finished(child);
  expect([done.code, done.out.includes("defect")]).toEqual([code, false]);
  const { out } = tenon(["trust", "--json"], { cwd: repository.path, env: { TENON_HOME: home.path } });
  expect(JSON.parse(out)).toMatchObject({ state });
});
