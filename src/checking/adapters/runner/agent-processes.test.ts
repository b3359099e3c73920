import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/kit/folder.ts";
import { createAgentProcesses } from "./agent-processes.ts";
import { hasTaggedProcesses, startDetached } from "./process-containment.ts";

const NEVER = new AbortController().signal;
const agents = createAgentProcesses(process.env, []);

async function watch(folder: string, script: string, limits: { silence_s?: number; timeout_s?: number } = {}) {
  const [tag, output] = [`test/${randomUUID()}`, join(folder, "1.jsonl")];
  const lines: string[] = [];
  expect(
    await agents.start({ argv: ["sh", "-c", script], folder, input: "the brief", tag, variables: {}, output }),
  ).toBeUndefined();
  const request = { tag, output, silence_s: 600, timeout_s: 600, ...limits, cancelled: NEVER };
  const ending = await agents.watch({ ...request, line: (text) => void lines.push(text) });
  return { ...ending, lines };
}

/** Each script would run for minutes. What it started in sessions of its own ends with it. */
const ENDLESS = "echo $$ > pids; setsid sleep 300 & echo $! >> pids; ";

test.each([
  ["silent", `${ENDLESS} echo began; sleep 300`, { silence_s: 0.5 }],
  ["timed-out", `${ENDLESS} while :; do echo busy; sleep 0.1; done`, { timeout_s: 1 }],
  ["exited", `${ENDLESS} cat; exit 3`, {}],
])("ends an agent that is %s, with all its children", async (how, script, limits) => {
  using folder = temporaryFolder();
  const ending = await watch(folder.path, script, limits);
  expect(ending).toMatchObject({ how, ...(how === "exited" ? { code: 3, lines: ["the brief"] } : {}) });
  const pids = fs.readFileSync(join(folder.path, "pids"), "utf8").trim().split("\n");
  expect(pids).toHaveLength(2);
  // A dead process stays in the table until its parent reads its end, but it is nowhere.
  expect(pids.filter((pid) => fs.existsSync(`/proc/${pid}/cwd`))).toEqual([]);
});

test("asks a silent agent to end, and waits for its farewell", async () => {
  using folder = temporaryFolder();
  const script = "trap 'echo farewell; exit 0' TERM; echo began; while :; do sleep 0.05; done";
  expect(await watch(folder.path, script, { silence_s: 0.5 })).toMatchObject({
    how: "silent",
    lines: ["began", "farewell"],
  });
});

test("keeps the end of a transcript, as it is masked", async () => {
  using folder = temporaryFolder();
  await watch(folder.path, "echo one; echo two; echo secret >&2");
  const output = join(folder.path, "1.jsonl");
  await agents.keep(output, 8, async (text) => text.replace("secret", "***"));
  expect(await agents.read(output, 100)).toBe("one\ntwo\n\n***\n");
  expect(fs.readdirSync(folder.path).toSorted()).toEqual(["1.jsonl", "1.jsonl.code"]);
  expect(await agents.read(output, 4)).toBe("***\n");
});

test("a follower hears the lines before and after it came", async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, "run/events.jsonl");
  const until = new AbortController();
  const heard: string[] = [];
  agents.note(file, "one");
  await agents.follow(
    file,
    (line) => {
      heard.push(line);
      if (heard.length === 1) agents.note(file, "two");
      else until.abort();
    },
    until.signal,
  );
  expect(heard).toEqual(["one", "two"]);
});

test("an agent has its mark once it is started, so that it can be ended at once", async () => {
  using folder = temporaryFolder();
  for (let round = 0; round < 60; round++) {
    const [tag, output] = [`test/${randomUUID()}`, join(folder.path, "1.jsonl")];
    await agents.start({ argv: ["sleep", "300"], folder: folder.path, input: "", tag, variables: {}, output });
    expect(hasTaggedProcesses(tag)).toBe(true);
    await agents.end(tag);
    expect(hasTaggedProcesses(tag)).toBe(false);
  }
});

test("a shell that its run no longer waits for starts nothing", async () => {
  using folder = temporaryFolder();
  const output = join(folder.path, "1.jsonl");
  // Killed before the shell was there: the next run finds no process, and gives up.
  const request = { tag: `test/${randomUUID()}`, output, silence_s: 600, timeout_s: 600, cancelled: NEVER };
  fs.writeFileSync(`${output}.in`, "the brief");
  expect(await agents.watch({ ...request, line: () => undefined })).toMatchObject({ how: "vanished" });
  const command = { file: "/usr/bin/touch", args: ["late"], folder: folder.path, environment: process.env };
  await startDetached(request.tag, command, output);
  await expect.poll(() => fs.existsSync(`${output}.code`)).toBe(true);
  expect(fs.existsSync(join(folder.path, "late"))).toBe(false);
});

test("an event that finds no room on the disk is left out", () => {
  expect(() => agents.note("/dev/full", "one")).not.toThrow();
});
