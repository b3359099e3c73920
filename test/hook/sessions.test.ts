import fs from "node:fs";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { countTokens } from "#kernel/adapters/token-count.ts";
import { buildGreetingValues, buildWorkQueue } from "#doors/hook/model/session-greeting.ts";
import { renderTemplate } from "#kernel/model/template.ts";
import { WORKFLOW_SPACE } from "#planning/operations/workflow/ledger-spaces.ts";
import { session, workflow } from "../kit/at-work.ts";
import { git, temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { ownHouse } from "../kit/own-house.ts";
import { tenon } from "../kit/process.ts";
import { answer, ask, fold, loadRecordedPayload, SESSION, SILENT, stageWorkspace } from "./hook-calls.ts";

const HOUR = 3_600_000;
const asSeconds = (time: number): string => new Date(time).toISOString().replace(/\.\d+Z$/, "Z");

function greet(root: string, changes = {}, env = {}): string | undefined {
  const said = answer(ask("session-start", loadRecordedPayload("session-start", root, changes), root, env)) as
    | { hookSpecificOutput: { hookEventName: string; additionalContext: string } }
    | undefined;
  return said?.hookSpecificOutput.additionalContext;
}

test("shows no greeting without work in progress", async () => {
  using repository = temporaryRepository();
  tenon(["init"], { cwd: repository.path });
  expect(greet(repository.path)).toBeUndefined();
  await stageWorkspace(repository.path, { workflows: [workflow("AUTH-001", "feature", { status: "completed" })] });
  expect(greet(repository.path)).toBeUndefined();
});

test("reports an open change even with an empty ledger", () => {
  using repository = temporaryRepository();
  const root = repository.path;
  tenon(["change", "start", "Fix it", "--type", "fix", "--size", "small"], { cwd: root });
  const name = `Tenon: this session is ${SESSION}. Pass it as \`session\` to every Tenon tool that takes one.`;
  const current = 'Current: fix-it (Fix it), at describe. Next: sdd_change_status {"change_id":"fix-it"}';
  const queue = "In progress, most urgent first: [7] fix-it describe";
  expect(greet(root)).toBe([name, current, queue].join("\n"));
  fs.rmSync(join(root, ".git/tenon"), { recursive: true });
  expect(greet(root)).toBe([name, queue].join("\n"));
});

test("shows a session the interrupted work, the current work and the queue", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  fs.writeFileSync(join(root, "a b.ts"), "x");
  fs.writeFileSync(join(root, "c.ts"), "x");
  git(root, "add", "c.ts");
  await stageWorkspace(root, {
    workflows: [workflow("AUTH-001", "feature"), workflow("BUG-001", "bugfix", { current_stage: "fix" })],
    sessions: [
      session("default", { current: "AUTH-001" }),
      session("vanished", { current: "BUG-001", token: 1, seen_at: asSeconds(Date.now() - 3 * HOUR - 30_000) }),
    ],
    leases: [["BUG-001", "vanished", 0]],
  });
  expect(greet(root)).toBe(
    [
      `Tenon: this session is ${SESSION}. Pass it as \`session\` to every Tenon tool that takes one.`,
      "BUG-001 was interrupted at fix, 3 h ago, in session vanished.",
      "Uncommitted files: 2 (c.ts, a b.ts).",
      'Inform the user. If they want to continue, call sdd_workflow_resume {"id":"BUG-001"}',
      'Current: AUTH-001 (What AUTH-001 is about), at discover. Next: sdd_workflow_status {"id":"AUTH-001"}',
      "In progress, most urgent first: [0] BUG-001 fix; [3] AUTH-001 discover",
    ].join("\n"),
  );
});

const COMPACTED = "The conversation was compacted.";

test.each([
  ["nothing", "", `${COMPACTED} Wait for the user before you continue.`],
  ["wait", "sessions:\n  after_compact: wait\n", `${COMPACTED} Wait for the user before you continue.`],
  ["continue", "sessions:\n  after_compact: continue\n", `${COMPACTED} Continue with the current work.`],
  [
    "continue in a different form",
    '{sessions: {"after_compact": "continue"}}',
    `${COMPACTED} Continue with the current work.`,
  ],
  [
    "continue in a comment",
    "# sessions: {after_compact: continue}\n",
    `${COMPACTED} Wait for the user before you continue.`,
  ],
  ["nonsense", "sessions: {after_compact: continue, x: [}", `${COMPACTED} Wait for the user before you continue.`],
])("follows the settings after a compaction: %s", async (_, text, expected) => {
  using repository = temporaryRepository();
  const root = repository.path;
  fs.mkdirSync(join(root, "sdd"));
  if (text !== "") fs.writeFileSync(join(root, "sdd/config.yaml"), text);
  await stageWorkspace(root, { workflows: [workflow("AUTH-001", "feature")] });
  expect(greet(root, { source: "compact" })?.split("\n").at(-1)).toBe(expected);
  expect(greet(root, { source: "resume" })).not.toContain(COMPACTED);
});

test("sets the session in the agent's shell", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  await stageWorkspace(root, { workflows: [workflow("AUTH-001", "feature")] });
  const file = join(root, "environment");
  fs.writeFileSync(file, "export OTHER=1\n");
  greet(root, {}, { CLAUDE_ENV_FILE: file });
  greet(root, { session_id: "'; echo hacked; '" }, { CLAUDE_ENV_FILE: file });
  const said = execFileSync("sh", ["-c", `. "${file}"; printf '%s' "$TENON_SESSION $OTHER"`], { encoding: "utf8" });
  expect(said).toBe(`${SESSION} 1`);
});

test.each([
  [{}, "default"],
  [{ TENON_SESSION: SESSION }, SESSION],
  [{ TENON_SESSION: "" }, "default"],
  [{ TENON_SESSION: "no name; at all" }, "default"],
])("assigns a command run with %j to the session %s", async (environment, expected) => {
  using repository = temporaryRepository();
  using own = testHouse(repository.path, { environment });
  expect((await own.house.open({})).session).toBe(expected);
});

const TEMPLATE = fs.readFileSync("assets/hooks/session-start.md", "utf8");

/** What is under way in a workspace of which the worst may be thought. */
function greetingOf(
  own: string,
  titles: readonly string[],
  files: readonly string[],
  isChange: boolean,
  [next, warnings]: readonly [string, string],
): string {
  const workflows = new Map(
    titles.map((title, i) => {
      const record = workflow(`QZXJKVWYQPXZJKVWQ-${100_000 + i}`, "feature", { title, current_stage: "specify-fix" });
      return [String(record.id), record] as const;
    }),
  );
  const changes = titles.map((description, i) => ({
    id: `q7-zx9-${"k-".repeat(26)}${10 + i}`,
    description,
    current_stage: "context-check",
    created_at: "2026-01-31T10:00:00Z",
  }));
  const current = isChange ? changes[0]?.id : [...workflows.keys()][0];
  const sessions = new Map([["default", session("default", current === undefined ? {} : { current })]]);
  const atWork = { workflows, sessions, locks: new Map(), isOpenChange: () => true, lease: () => undefined };
  const queue = buildWorkQueue(atWork, changes);
  const interrupted = queue.toReversed().map(({ id, stage }) => ({ id, stage, by: own, ageS: 123_456 }));
  const left = { next, warnings };
  const values = buildGreetingValues({
    session: own,
    queue,
    atWork,
    interrupted,
    uncommitted: files,
    asked: ["AUTH-001", "BUG-002"],
    left,
  });
  return renderTemplate(TEMPLATE, { ...values, note: true, wait: true, goOn: false });
}

test("a long path in a greeting loses whole folders at the front, and shows that it does", () => {
  const folders = Array.from({ length: 12 }, (_, i) => `folder-${i}`).join("/");
  const { uncommitted } = buildGreetingValues({
    session: "one",
    queue: [],
    atWork: {
      workflows: new Map(),
      sessions: new Map(),
      locks: new Map(),
      isOpenChange: () => true,
      lease: () => undefined,
    },
    interrupted: [],
    uncommitted: [`${folders}/receipts/WISH-001.jsonl`, "sdd/specs/WISH-001.yaml"],
    asked: [],
  });
  expect(uncommitted).toBe("Uncommitted files: 2 (…/receipts/WISH-001.jsonl, sdd/specs/WISH-001.yaml).");
});

test("keeps any greeting within 300 tokens", () => {
  const word = fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 });
  const note = fc.string({ unit: "grapheme", maxLength: 400 });
  const name = fc.string({ unit: fc.constantFrom(...Array.from("abcXYZ019-_.:@+")), minLength: 1, maxLength: 64 });
  fc.assert(
    fc.property(
      name,
      fc.array(word, { maxLength: 10 }),
      fc.array(word),
      fc.boolean(),
      fc.tuple(note, note),
      (own, titles, files, isChange, left) => {
        expect(countTokens(greetingOf(own, titles, files, isChange, left))).toBeLessThanOrEqual(300);
      },
    ),
    { numRuns: 500 },
  );
});

const FENCED = {
  workflows: [workflow("AUTH-001", "feature")],
  sessions: [session(SESSION, { current: "AUTH-001", token: 1 })],
  leases: [
    ["AUTH-001", SESSION, HOUR],
    ["AUTH-001", "other", HOUR],
  ] as const,
};

test("answers a prompt only when there is a problem", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  const prompt = (): unknown =>
    answer(ask("user-prompt-submit", loadRecordedPayload("user-prompt-submit", root), root));
  const wrong = (text: string): unknown => ({
    systemMessage: text,
    hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: text },
  });
  await stageWorkspace(root, { ...FENCED, leases: [["AUTH-001", SESSION, HOUR]] });
  expect(prompt()).toBeUndefined();
  await stageWorkspace(root, FENCED);
  expect(prompt()).toEqual(
    wrong(
      'Tenon: session other has taken over AUTH-001. This session may not edit its files. To take it back, ask the user, then call sdd_workflow_resume {"id":"AUTH-001","take_over":true}',
    ),
  );
  await damage(root);
  expect(prompt()).toEqual(wrong("Tenon: the record of AUTH-001 is damaged. Call sdd_doctor before you continue it."));
  for (const end of ["-wal", "-shm"]) fs.rmSync(join(root, `.git/tenon/ledger.db${end}`), { force: true });
  fs.writeFileSync(join(root, ".git/tenon/ledger.db"), "no database at all, but long enough".repeat(40));
  expect(prompt()).toEqual(
    wrong(expect.stringMatching(/^Tenon: the work in progress cannot be read, .* Call sdd_doctor\.$/) as string),
  );
});

async function damage(root: string): Promise<void> {
  const house = ownHouse(root);
  await (
    await house.open({ argument: root })
  ).store.write(() => ({
    steps: [],
    keeps: [{ space: WORKFLOW_SPACE.name, key: "AUTH-001", value: { id: "AUTH-001" } }],
    occurrences: [{ kind: "test.staged", subject: "test" }],
    result: undefined,
  }));
  house.close();
}

const CLAIM =
  'Tenon: AUTH-001 is at implement, and the gate of that stage has not been tried. Until it passes, "done" and "tests ' +
  'pass" are unproven claims. Call sdd_workflow_advance {"id":"AUTH-001"}, or state plainly what is still open.';
const IMPLEMENTING = {
  workflows: [workflow("AUTH-001", "feature", { current_stage: "implement" })],
  sessions: [session(SESSION, { current: "AUTH-001", token: 1 })],
};
const GATE = { gate: "gate-3-implement", stage: "implement", at: "2026-01-31T10:00:00Z", checks: [] };
const passing = (passed: boolean) => ({
  ...IMPLEMENTING,
  workflows: [workflow("AUTH-001", "feature", { current_stage: "implement", gates: [{ ...GATE, passed }] })],
});

test("reports a claim without a receipt to the user and the model, once for each stage", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  const stop = (changes = {}): unknown => answer(ask("stop", loadRecordedPayload("stop", root, changes), root));
  await stageWorkspace(root, IMPLEMENTING);
  expect(stop({ stop_hook_active: true })).toBeUndefined();
  expect(answer(ask("subagent-stop", loadRecordedPayload("subagent-stop", root), root))).toEqual({
    systemMessage: CLAIM,
  });
  expect(stop()).toEqual({ decision: "block", reason: CLAIM, systemMessage: CLAIM });
  expect(stop()).toBeUndefined();
  await fold(root);
  expect([stop(), answer(ask("subagent-stop", loadRecordedPayload("subagent-stop", root), root))]).toEqual([
    undefined,
    undefined,
  ]);
  expect(stop({ session_id: "another" })).toBeUndefined();
});

test.each([
  ["the gate has passed", passing(true), {}, undefined],
  ["the gate did not pass", passing(false), {}, CLAIM.replace("has not been tried", "has not passed")],
  ["there is no claim", IMPLEMENTING, { last_assistant_message: "I looked at the login page." }, undefined],
  ["nothing is in progress", { workflows: [] }, {}, undefined],
])("judges a claim where %s", async (_, what, changes, expected) => {
  using repository = temporaryRepository();
  await stageWorkspace(repository.path, what);
  const said = ask("stop", loadRecordedPayload("stop", repository.path, changes), repository.path);
  expect(answer(said)).toEqual(expected && { decision: "block", reason: expected, systemMessage: expected });
});

test("does not stop the model again if it cannot note its answer", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  await stageWorkspace(root, IMPLEMENTING);
  fs.rmSync(join(root, ".sdd"), { recursive: true, force: true });
  fs.writeFileSync(join(root, ".sdd"), "in the way");
  expect(answer(ask("stop", loadRecordedPayload("stop", root), root))).toEqual({ systemMessage: CLAIM });
});

test("does not stop the model of a client without session names", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  await stageWorkspace(root, { ...IMPLEMENTING, sessions: [session("default", { current: "AUTH-001" })] });
  expect(answer(ask("stop", loadRecordedPayload("stop", root, { session_id: null }), root))).toEqual({
    systemMessage: CLAIM,
  });
});

test("reads the last answer at the end of a transcript if the client does not send it", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  await stageWorkspace(root, IMPLEMENTING);
  const says = (text: string): string =>
    JSON.stringify({ type: "assistant", message: { role: "assistant", content: [{ type: "text", text }] } });
  const tool = JSON.stringify({ type: "assistant", message: { role: "assistant", content: [{ type: "tool_use" }] } });
  const user = JSON.stringify({ type: "user", message: { role: "user", content: "All tests pass." } });
  const file = join(root, "transcript.jsonl");
  const stop = (...lines: string[]): unknown => {
    fs.writeFileSync(file, `${lines.join("\n")}\n`);
    const { last_assistant_message: _, ...payload } = loadRecordedPayload("stop", root, { transcript_path: file });
    return answer(ask("stop", payload, root));
  };
  expect(stop(says("All tests pass."), says("I am looking."))).toBeUndefined();
  expect(stop(user, "{torn")).toBeUndefined();
  expect(stop(says("x".repeat(100_000)))).toBeUndefined();
  expect(stop("x".repeat(100_000), says("All tests pass."), tool, user)).toMatchObject({ decision: "block" });
});

test("reads the last answer from the event log of Copilot CLI", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  await stageWorkspace(root, IMPLEMENTING);
  const file = join(root, "events.jsonl");
  const lines = [
    { type: "assistant.message", data: { content: "All tests pass." } },
    { type: "tool.execution_complete", data: { success: true } },
  ];
  fs.writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
  const { last_assistant_message: _, ...payload } = loadRecordedPayload("stop", root, { transcript_path: file });
  expect(answer(ask("stop", payload, root))).toMatchObject({ decision: "block" });
});

test("shows nothing to an ending session", async () => {
  using repository = temporaryRepository();
  await stageWorkspace(repository.path, IMPLEMENTING);
  expect(ask("session-end", loadRecordedPayload("session-end", repository.path), repository.path)).toEqual(SILENT);
});
