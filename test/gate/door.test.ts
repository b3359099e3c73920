import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { connect, getFault, VERSIONS } from "../kit/client.ts";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { finished, startTenon, tenon } from "../kit/process.ts";
import { featureSpec } from "../kit/specs.ts";

/** Tests that never end, of which one can see that they run and that nothing of them is left. */
const ENDLESS = `id: own
extends: generic
checks:
  - kind: test
    tool: endless
    argv: [sh, -c, "echo still at it; : > started; sleep 1000 & sleep 1000", sh, "{report}"]
    report: { format: junit-xml }
`;

/** A repository whose user trusts it, with a feature that is being built. */
function prepare() {
  const [folder, home] = [temporaryRepository(), temporaryFolder()];
  const root = folder.path;
  const env = { TENON_HOME: home.path, TENON_MEMORY: "off" };
  const write = (path: string, text: string): void => {
    fs.mkdirSync(join(root, path, ".."), { recursive: true });
    fs.writeFileSync(join(root, path), text);
  };
  const run = (...words: string[]): string => {
    const { code, out, err } = tenon(words, { cwd: root, env });
    if (code !== 0) throw new Error(`tenon ${words.join(" ")}: ${out}${err}`);
    return out;
  };
  write("sdd/stacks/own.yaml", ENDLESS);
  write("sdd/config.yaml", "stack:\n  directories:\n    .: own\n");
  write(".gitignore", ".sdd/\nstarted\n");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "Begin");
  const { hash } = JSON.parse(run("trust", "--json")) as { hash: string };
  run("feature", "Log in with a code", "--id", "AUTH-001");
  write("sdd/specs/AUTH-001.yaml", featureSpec("AUTH-001"));
  run("workflow", "advance", "--approve", "Ann");
  run("workflow", "advance", "--approve", "Ann");
  const isLeft = (): boolean =>
    fs.readdirSync("/proc").some((pid) => {
      if (!/^\d+$/.test(pid)) return false;
      try {
        return (
          fs.readlinkSync(`/proc/${pid}/cwd`) === root &&
          fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("sleep")
        );
      } catch {
        return false;
      }
    });
  const isStarted = (): boolean => fs.existsSync(join(root, "started"));
  return {
    root,
    env,
    hash,
    run,
    isLeft,
    isStarted,
    [Symbol.dispose]() {
      folder[Symbol.dispose]();
      home[Symbol.dispose]();
    },
  };
}

const until = (isTrue: () => boolean): Promise<void> =>
  new Promise((resolve, reject) => {
    let tries = 0;
    const look = (): void => {
      if (isTrue()) resolve();
      else if (++tries > 3000) reject(new Error("It never came to that."));
      else setTimeout(look, 20);
    };
    look();
  });

test.each(VERSIONS)("sends a client of %s the progress of a gate, which it can cancel", async (version) => {
  using it = prepare();
  it.run("trust", "--confirm", it.hash);
  await using connection = await connect(version, { cwd: it.root, env: it.env });
  const stopping = new AbortController();
  const told: string[] = [];
  const call = connection.client.callTool(
    { name: "sdd_gate", arguments: { id: "AUTH-001" } },
    { signal: stopping.signal, timeout: 60_000, onprogress: ({ message }) => void told.push(message ?? "") },
  );
  await until(() => it.isStarted() && told.length > 0);
  stopping.abort();
  await expect(call).rejects.toThrow(/abort|cancel/i);
  await until(() => !it.isLeft());
  expect(told.every((line) => line.startsWith("endless"))).toBe(true);
  // The server lives, nothing is held, and nothing was kept of it.
  const status = await connection.call("sdd_workflow_status", { id: "AUTH-001" });
  expect(status.structuredContent).not.toHaveProperty("gate.passed", true);
  expect(fs.readFileSync(join(it.root, "sdd/receipts/AUTH-001.jsonl"), "utf8").trim().split("\n")).toHaveLength(2);
});

test("ends the gate and its processes at an interrupt", async () => {
  using it = prepare();
  it.run("trust", "--confirm", it.hash);
  const child = startTenon(["gate", "AUTH-001"], { cwd: it.root, env: it.env });
  const ended = finished(child);
  await until(it.isStarted);
  child.kill("SIGINT");
  const { code, err } = await ended;
  expect([code, err]).toEqual([130, expect.stringContaining("error[call.cancelled]: The call was cancelled.")]);
  await until(() => !it.isLeft());
});

test("reports that other checks run in the same folder", async () => {
  using it = prepare();
  it.run("trust", "--confirm", it.hash);
  const child = startTenon(["gate", "AUTH-001"], { cwd: it.root, env: it.env });
  const ended = finished(child);
  await until(it.isStarted);
  const { code, err } = tenon(["gate", "AUTH-001"], { cwd: it.root, env: it.env });
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(/store\.claimed.* has used a run of checks in main for a while and still runs\./s),
  ]);
  child.kill("SIGINT");
  await ended;
});

test("leaves no process and no lock when the engine of a gate is killed", async () => {
  using it = prepare();
  it.run("trust", "--confirm", it.hash);
  const child = startTenon(["gate", "AUTH-001"], { cwd: it.root, env: it.env });
  const ended = finished(child);
  await until(it.isStarted);
  child.kill("SIGKILL");
  await ended;
  await until(() => !it.isLeft());
  it.run("trust", "--revoke");
  const { code, out } = tenon(["gate", "AUTH-001"], { cwd: it.root, env: it.env });
  expect([code, out]).toEqual([
    3,
    expect.stringMatching(
      /tests, .*: unknown\. You have not trusted the commands of this repository on this machine[^]*Ask the user to type: tenon trust/,
    ),
  ]);
});

test("accepts a trust hash for one call on the command line only", async () => {
  using it = prepare();
  const gate = (...words: string[]): Promise<{ code: number | null; out: string }> => {
    const child = startTenon(["gate", "AUTH-001", ...words], { cwd: it.root, env: it.env });
    void until(it.isStarted).then(
      () => child.kill("SIGINT"),
      () => undefined,
    );
    return finished(child);
  };
  expect(await gate("--trust", "0".repeat(64))).toMatchObject({ code: 3 });
  expect(it.isStarted()).toBe(false);
  expect(await gate("--trust", it.hash)).toMatchObject({ code: 130 });
  fs.rmSync(join(it.root, "started"));
  expect(await gate()).toMatchObject({ code: 3 });
  await using connection = await connect("2025-11-25", { cwd: it.root, env: it.env });
  const refused = await connection.call("sdd_gate", { id: "AUTH-001", trust: it.hash });
  expect([refused.isError, getFault(refused), it.isStarted()]).toEqual([true, "input.invalid", false]);
});
