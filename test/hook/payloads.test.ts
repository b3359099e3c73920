import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { workflow } from "../kit/at-work.ts";
import { temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { tenon } from "../kit/process.ts";
import { ask, loadRecordedPayload, SILENT, stageWorkspace, verdict } from "./hook-calls.ts";

const EVENTS = [
  "SessionStart",
  "PreToolUse",
  "PostToolUse",
  "UserPromptSubmit",
  "Stop",
  "SubagentStop",
  "SessionEnd",
  "PreCompact",
  "nothing",
];

const BAD: readonly (readonly [string, string])[] = [
  ["an empty payload", ""],
  ["a text that is not JSON", "{"],
  ["a list", "[]"],
  ["a text", '"x"'],
  ["null", "null"],
  ["a deeply nested one", "[".repeat(100_000)],
  ["numbers in place of texts", '{"session_id":1,"cwd":2,"tool_name":3,"tool_input":4,"source":5,"transcript_path":6}'],
  ["lists in place of texts", '{"session_id":[],"cwd":[],"tool_name":[],"tool_input":[],"last_assistant_message":[]}'],
  ["a missing folder", '{"session_id":"a","cwd":"/nowhere/at/all","tool_name":"Edit","tool_input":{}}'],
  ["over 4 MB", `{"session_id":"a","x":"${"y".repeat(4 * 1024 * 1024)}"}`],
];

test.each(BAD)("stays silent for %s", async (_, payload) => {
  using repository = temporaryRepository();
  await stageWorkspace(repository.path, { workflows: [] });
  expect(EVENTS.map((event) => ask(event, payload, repository.path))).toEqual(EVENTS.map(() => SILENT));
});

test("skips bytes that are not text", async () => {
  using repository = temporaryRepository();
  await stageWorkspace(repository.path, { workflows: [] });
  const payload = JSON.stringify(loadRecordedPayload("session-end", repository.path, { reason: "?" }));
  const input = Buffer.from(payload).map((byte) => (byte === 0x3f ? 0xff : byte));
  expect(tenon(["hook", "session-end"], { cwd: repository.path, input })).toEqual(SILENT);
  expect(fs.existsSync(join(repository.path, ".sdd/journal"))).toBe(false);
});

test.each(["session-start", "post-tool-use-edit", "user-prompt-submit", "stop", "session-end", "pre-tool-use-edit"])(
  "%s writes nothing in a repository without Tenon or outside any",
  (name) => {
    using repository = temporaryRepository();
    using folder = temporaryFolder();
    const before = fs.readdirSync(repository.path, { recursive: true });
    for (const { path } of [repository, folder]) {
      expect(
        ask(String(loadRecordedPayload(name, path)["hook_event_name"]), loadRecordedPayload(name, path), path),
      ).toEqual(SILENT);
    }
    expect(fs.readdirSync(repository.path, { recursive: true })).toEqual(before);
    expect(fs.readdirSync(folder.path)).toEqual([]);
  },
);

test("notes a very long edit", async () => {
  using repository = temporaryRepository();
  await stageWorkspace(repository.path, { workflows: [workflow("AUTH-001", "feature")] });
  const payload = loadRecordedPayload("pre-tool-use-write", repository.path, {
    tool_input: { file_path: `${repository.path}/sdd/sdd.json`, content: "x".repeat(1_500_000) },
  });
  expect(ask("pre-tool-use", payload, repository.path).out).toContain('"permissionDecision":"deny"');
  expect(
    ask("post-tool-use", { ...payload, tool_input: { file_path: `${repository.path}/a.ts` } }, repository.path),
  ).toEqual(SILENT);
  const [file = ""] = fs.readdirSync(join(repository.path, ".sdd/journal"));
  expect(fs.readFileSync(join(repository.path, ".sdd/journal", file), "utf8")).toMatch(
    /^\{"v":1,.*"paths":\["a\.ts"\],"changed":\[0\],"ms":\d+\}\n$/,
  );
});

test("reads the event from the payload", async () => {
  using repository = temporaryRepository();
  await stageWorkspace(repository.path, { workflows: [workflow("AUTH-001", "feature")] });
  const input = JSON.stringify(loadRecordedPayload("session-end", repository.path));
  expect(tenon(["hook"], { cwd: repository.path, input })).toEqual(SILENT);
  expect(fs.readdirSync(join(repository.path, ".sdd/journal"))).toHaveLength(1);
});

test("ignores unknown events", async () => {
  using repository = temporaryRepository();
  await stageWorkspace(repository.path, { workflows: [workflow("AUTH-001", "feature")] });
  expect(ask("pre-compact", loadRecordedPayload("pre-compact", repository.path), repository.path)).toEqual(SILENT);
  expect(fs.existsSync(join(repository.path, ".sdd/journal"))).toBe(false);
});

test("shows control characters of a path as codes", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  await stageWorkspace(root, { workflows: [workflow("AUTH-001", "feature")] });
  const path = `${root}/.sdd/a\nb\u001b[2J`;
  const payload = loadRecordedPayload("pre-tool-use-edit", root, { tool_input: { file_path: path } });
  expect(verdict(ask("pre-tool-use", payload, root))).toMatch(
    /^\.sdd\/a\\u000ab\\u001b\[2J must not be edited by hand\./,
  );
});

test("prints the help on request", () => {
  using folder = temporaryFolder();
  const text = fs.readFileSync("assets/cli/hook.md", "utf8");
  const said = [
    ["hook", "--help"],
    ["help", "hook"],
    ["hook", "-h"],
  ].map((words) => tenon(words, { cwd: folder.path }));
  expect(said).toEqual(said.map(() => ({ ...SILENT, out: text })));
});
