import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { tenon } from "../kit/process.ts";
import { featureSpec } from "../kit/specs.ts";

/**
 * Runs a command on a pseudo-terminal, as a child of init: whoever runs the tests may be an agent, and its descendants
 * are not taken for people. Prints the exit code, then the output.
 */
const TERMINAL = `
import os, pty, sys
read, write = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() > 0: os._exit(0)
    while os.getppid() == os.getsid(0): pass
    said = b""
    pid, fd = pty.fork()
    if pid == 0: os.execvp(sys.argv[1], sys.argv[1:])
    while True:
        try: chunk = os.read(fd, 4096)
        except OSError: break
        if not chunk: break
        said += chunk
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.write(write, str(code).encode() + b"\\n" + said)
    os._exit(0)
os.close(write)
while True:
    chunk = os.read(read, 4096)
    if not chunk: break
    os.write(1, chunk)
`;

const hasPython = spawnSync("python3", ["-c", "import pty"]).status === 0 && process.platform === "linux";

function prepare() {
  const [folder, home] = [temporaryRepository(), temporaryFolder()];
  const root = folder.path;
  const env = { TENON_HOME: home.path, TENON_MEMORY: "off", USER: "ada" };
  fs.writeFileSync(join(root, "login.js"), "export const login = 1;\n");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "Begin");
  const run = (...words: string[]) => tenon(words, { cwd: root, env });
  run("feature", "Log in with a code", "--id", "AUTH-001");
  fs.writeFileSync(join(root, "sdd/specs/AUTH-001.yaml"), featureSpec("AUTH-001"));
  /** Types a command in a terminal. */
  const type = (words: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const command = [process.execPath, join(process.cwd(), "bin", "tenon.js"), ...words];
    const { stdout } = spawnSync("python3", ["-c", TERMINAL, ...command], {
      cwd: root,
      encoding: "utf8",
      env: { PATH: process.env["PATH"] ?? "", HOME: "/nowhere/home", TERM: "xterm", ...env, ...more },
    });
    const [code = "", ...lines] = stdout.split("\n");
    return { code: Number(code), said: lines.join("\n") };
  };
  const approvals = (): unknown[] =>
    (
      JSON.parse(
        fs.readFileSync(join(root, "sdd/receipts/AUTH-001.jsonl"), "utf8").trim().split("\n").at(-1) ?? "{}",
      ) as { approvals: unknown[] }
    ).approvals;
  return {
    run,
    type,
    approvals,
    [Symbol.dispose]() {
      folder[Symbol.dispose]();
      home[Symbol.dispose]();
    },
  };
}

test.skipIf(!hasPython)("a person at a terminal approves, and the next call of the agent continues", () => {
  using it = prepare();
  expect(it.run("workflow", "advance", "AUTH-001").code).toBe(3);
  expect(it.type(["approve", "--list"]).said).toContain("1 question for you.");
  const { code, said } = it.type(["approve", "AUTH-001"]);
  expect([code, said]).toEqual([0, expect.stringContaining("AUTH-001: approved. The agent can continue.")]);
  expect(it.run("workflow", "advance", "AUTH-001").code).toBe(0);
  expect(it.approvals()).toMatchObject([{ by: "ada", proof: "typed", client: "terminal" }]);
});

test.skipIf(!hasPython)("proves a name that a person types with the call", () => {
  using it = prepare();
  expect(it.type(["workflow", "advance", "AUTH-001", "--approve", "Ada Lovelace"]).code).toBe(0);
  expect(it.approvals()).toMatchObject([{ by: "Ada Lovelace", proof: "typed" }]);
});

test.skipIf(!hasPython).each(["CLAUDECODE", "CODEX_SANDBOX", "GEMINI_CLI", "CURSOR_AGENT", "OPENCODE"])(
  "rejects the terminal of an agent: %s",
  (variable) => {
    using it = prepare();
    it.run("workflow", "advance", "AUTH-001");
    const { code, said } = it.type(["approve", "AUTH-001"], { [variable]: "1" });
    expect([code, said.replace(/\s+/g, " ")]).toEqual([1, expect.stringContaining(`an agent set ${variable}`)]);
    expect(it.run("workflow", "advance", "AUTH-001").code).toBe(3);
  },
);

test("rejects a pipe, and counts a piped name as relayed", () => {
  using it = prepare();
  it.run("workflow", "advance", "AUTH-001");
  const { code, err } = it.run("approve", "AUTH-001");
  expect([code, err]).toEqual([1, expect.stringContaining("standard input or output is not a terminal")]);
  expect(it.run("workflow", "advance", "AUTH-001", "--approve", "Ann").code).toBe(0);
  expect(it.approvals()).toMatchObject([{ by: "Ann", proof: "relayed" }]);
  const status = it.run("status");
  expect(status.out).toContain("AUTH-001: the approval of discover by Ann is unproved: an agent reported it.");
});

test("status and the start screen show the open question", () => {
  using it = prepare();
  it.run("init");
  it.run("workflow", "advance", "AUTH-001");
  const status = it.run("status").out;
  expect(status).toContain("Waiting for you: AUTH-001 (Log in with a code): do you approve the goal of the feature?");
  expect(status).toContain("tenon approve AUTH-001");
  expect(it.run().out).toContain("tenon approve AUTH-001");
});
