import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { CLI_COMMANDS } from "#doors/cli/command-table.ts";
import { temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { startTenon, tenon } from "../kit/process.ts";

const BIN = join(process.cwd(), "bin", "tenon.js");
const START = ["change", "start", "Fix login", "--type", "fix", "--size", "small"];

/** util-linux's `script` gives a command a terminal; that of BSD has other flags. */
const hasScript = spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") ?? false;

function onTerminal(line: string, cwd: string, env: Readonly<Record<string, string>> = {}): string {
  const command = `${process.execPath} ${BIN} ${line}`;
  const { NO_COLOR: _, ...inherited } = process.env;
  return execFileSync("script", ["-qec", command, "/dev/null"], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...inherited, TERM: "xterm", ...env },
  });
}

// oxlint-disable-next-line no-control-regex -- the escape is what is looked for
const hasColour = (text: string): boolean => /\u001b\[/.test(text);

test.skipIf(!hasScript)("prints colour on a terminal unless the user turns it off", () => {
  using repository = temporaryRepository();
  expect(hasColour(onTerminal("status", repository.path))).toBe(true);
  expect(hasColour(onTerminal("status", repository.path, { NO_COLOR: "1" }))).toBe(false);
  expect(hasColour(onTerminal("status", repository.path, { TERM: "dumb" }))).toBe(false);
  expect(hasColour(onTerminal("status --json", repository.path))).toBe(false);
  onTerminal("change status 2>fault.txt || true", repository.path);
  expect(hasColour(fs.readFileSync(join(repository.path, "fault.txt"), "utf8"))).toBe(false);
  expect(hasColour(onTerminal("change status >/dev/null || true", repository.path))).toBe(true);
  const piped = tenon(["status"], { cwd: repository.path, env: { NO_COLOR: "", TERM: "xterm", FORCE_COLOR: "0" } });
  expect(hasColour(piped.out + piped.err)).toBe(false);
});

test.each([
  [{ FORCE_COLOR: "1" }, true],
  [{ FORCE_COLOR: "" }, true],
  [{ FORCE_COLOR: "1", TERM: "dumb" }, true],
  [{ FORCE_COLOR: "0" }, false],
  [{ FORCE_COLOR: "false" }, false],
  [{ FORCE_COLOR: "1", NO_COLOR: "1" }, false],
])("prints colour to a pipe with %j: %s", (env, isColoured) => {
  using repository = temporaryRepository();
  const at = { cwd: repository.path, env: { NO_COLOR: "", TERM: "xterm", ...env } };
  expect(hasColour(tenon(["status"], at).out)).toBe(isColoured);
  expect(hasColour(tenon(["statsu"], at).err)).toBe(isColoured);
  expect(hasColour(tenon(["status", "--json"], at).out)).toBe(false);
});

test("asks nothing without a terminal", async () => {
  using repository = temporaryRepository();
  const lines = [
    ...CLI_COMMANDS.map((command) => command.path.split(" ")),
    ["help"],
    ["mcp", "--help"],
    ["completion"],
  ];
  const codes = lines.map(async (words) => {
    // Standard input stays open and silent: whoever waits for it waits for ever.
    const child = startTenon(words, { cwd: repository.path });
    child.stdout?.resume();
    child.stderr?.resume();
    const code = await new Promise((resolve) => void child.on("exit", (exit, signal) => resolve(exit ?? signal)));
    return `${words.join(" ")}: ${String(code)}`;
  });
  const unexpected = (await Promise.all(codes)).filter((line) => !/: [0123]$/.test(line));
  expect(unexpected).toEqual([]);
});

/** A Node that is older than this program needs, if the machine has one. */
const oldNode = (process.env["PATH"] ?? "")
  .split(delimiter)
  .map((folder) => join(folder, "node"))
  .find((file) => {
    const { stdout } = spawnSync(file, ["--version"], { encoding: "utf8" });
    const [major = 99, minor = 0] = stdout?.match(/\d+/g)?.map(Number) ?? [];
    return major < 22 || (major === 22 && minor < 18);
  });

test.skipIf(oldNode === undefined)("prints one sentence under an old Node", () => {
  using folder = temporaryFolder();
  const done = spawnSync(oldNode ?? "", [BIN, "status"], { cwd: folder.path, encoding: "utf8" });
  const version = spawnSync(oldNode ?? "", ["--version"], { encoding: "utf8" })
    .stdout.trim()
    .slice(1);
  expect([done.status, done.stdout, done.stderr]).toEqual([
    1,
    "",
    `Tenon needs Node 22.18 or newer, and this is ${version}: install Node 24 and run the command again.\n`,
  ]);
});

test.each(["bash", "zsh", "fish"])("prints a completion script for %s without facts of this machine", (shell) => {
  using folder = temporaryFolder();
  const { code, out, err } = tenon(["completion", shell], { cwd: folder.path });
  expect([code, err]).toEqual([0, ""]);
  const here = [process.cwd(), os.homedir(), os.tmpdir(), os.hostname(), os.userInfo().username, process.execPath];
  expect(here.filter((name) => name !== "root" && name !== "/" && out.includes(name))).toEqual([]);
  expect(out.includes("tenon __complete")).toBe(true);
});

test("completes in a bash with the script", () => {
  using repository = temporaryRepository();
  const at = { cwd: repository.path };
  expect(tenon(START, at).code).toBe(0);
  const programs = join(repository.path, "programs");
  fs.mkdirSync(programs);
  fs.writeFileSync(join(programs, "tenon"), `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`, { mode: 0o755 });
  const complete = (line: string): string => {
    const words = line.split(" ");
    const script = `source <(tenon completion bash); COMP_WORDS=(${words.map((word) => `"${word}"`).join(" ")})
      COMP_CWORD=${words.length - 1} COMP_LINE="${line}" COMP_POINT=${line.length}
      _tenon tenon "${words.at(-1) ?? ""}" ""; printf '%s ' "\${COMPREPLY[@]}"`;
    const env = { ...process.env, PATH: `${programs}${delimiter}${process.env["PATH"] ?? ""}` };
    return execFileSync("bash", ["-c", script], { cwd: repository.path, encoding: "utf8", env }).trim();
  };
  expect(complete("tenon ch")).toBe("change");
  expect(complete("tenon change status fi")).toBe("fix-login");
});

test("completes the words typed so far", async () => {
  using repository = temporaryRepository();
  using house = testHouse(repository.path);
  await house.run(...START);
  const after = async (...words: string[]): Promise<string> => {
    const { code, out, err } = await house.run("__complete", ...words);
    expect([code, err]).toEqual([0, ""]);
    return out.trimEnd().replaceAll("\n", " ");
  };
  expect({
    nothing: await after(""),
    change: await after("change", ""),
    "change st": await after("change", "st"),
    "change status": await after("change", "status", ""),
    "change start --type": await after("change", "start", "--type", ""),
    "change start --size l": await after("change", "start", "--size", "l"),
    "adr status ADR-0001": await after("adr", "status", "ADR-0001", ""),
    "change advance --file": await after("change", "advance", "--file", ""),
    completion: await after("completion", ""),
    "mcp --": await after("mcp", "--"),
    nonsense: await after("nonsense", "--"),
  }).toMatchInlineSnapshot(`
    {
      "adr status ADR-0001": "--adr --help --input --json --reason --status --superseded-by --workspace accepted deprecated proposed superseded",
      "change": "abandon advance archive list reopen resize review start status",
      "change advance --file": "",
      "change st": "start status",
      "change start --size l": "large",
      "change start --type": "enhancement feature fix refactor",
      "change status": "--change-id --help --input --json --workspace fix-login",
      "completion": "bash fish zsh",
      "mcp --": "--help --structured --toolsets --workspace",
      "nonsense": "",
      "nothing": "adopt adr approve brief bugfix change ci completion conflicts context decide demo design doctor documents drift evidence explore export feature feed gate handover help hook impact impl import index init knowledge lock mcp memory mutation-check next project query queue quick release release-notes report research review roadmap run setup spec stack stats status steering summarize team trace trust ui validate verify version work worker workflow",
    }
  `);
});

test("completes nothing outside a workspace", () => {
  using folder = temporaryFolder();
  expect(tenon(["__complete", "change", "status", "f"], { cwd: folder.path })).toEqual({
    code: 0,
    signal: null,
    out: "",
    err: "",
  });
});

test("a notice replaces the progress line on a terminal", async () => {
  using repository = temporaryRepository();
  for (let i = 0; i < 60; i++) fs.writeFileSync(join(repository.path, `file-${i}.js`), `export const a${i} = ${i};\n`);
  using house = testHouse(repository.path, {}, { isTerminal: true, errorWidth: 80 });
  const { err } = await house.run("query", "a1");
  expect(err).toContain("files read");
  const screen = err.split("\n").map((line) => line.slice(line.lastIndexOf("\r\u001b[2K") + 1));
  expect(screen).toContain("\u001b[2Knote: Built the index of the code.");
});
