import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { appendJournalLines, type JournalNote } from "#planning/adapters/journal-files.ts";
import { JOURNAL_SPACE, LOCK_SPACE, SESSION_SPACE } from "#planning/operations/workflow/ledger-spaces.ts";
import { foldJournalIntoLedger } from "#planning/operations/workflow/fold-journal.ts";
import { session, STAGED_AT, workflow } from "../kit/at-work.ts";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { ask, events, fold, look, loadRecordedPayload, SESSION, SILENT, stageWorkspace } from "./hook-calls.ts";

const AT_WORK = {
  workflows: [workflow("AUTH-001", "feature")],
  sessions: [session("default", { current: "AUTH-001" })],
};

const getJournal = (root: string): string => join(root, ".sdd/journal");
const today = (): string => `${new Date().toISOString().slice(0, 10)}.jsonl`;
const paths = (root: string): Promise<string[]> =>
  look(root, (tree) => [...tree.kept(LOCK_SPACE).values()].map(({ path }) => path));
const kinds = async (root: string): Promise<string[]> => (await events(root)).map(({ kind }) => kind);

function note(changes: Partial<JournalNote> = {}): JournalNote {
  const at = new Date().toISOString().replace(/\.\d+Z$/, "Z");
  return { id: "1", event: "PostToolUse", session: "a", at, steady: 1, boot: "b", paths: ["a.ts"], ms: 1, ...changes };
}

test("writes lines that only the owner can read and git ignores", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  await stageWorkspace(root, AT_WORK);
  expect(ask("post-tool-use", loadRecordedPayload("post-tool-use-edit", root), root)).toEqual(SILENT);
  const file = join(getJournal(root), today());
  expect([fs.statSync(getJournal(root)).mode & 0o777, fs.statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
  expect(git(root, "status", "--porcelain")).toBe("");
  expect(JSON.parse(fs.readFileSync(file, "utf8"))).toEqual({
    v: 1,
    id: expect.stringMatching(/^[a-z0-9]+-[a-z0-9]+$/) as unknown,
    event: "PostToolUse",
    session: SESSION,
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as unknown,
    steady: expect.any(Number) as unknown,
    boot: expect.any(String) as unknown,
    paths: ["src/login.ts"],
    changed: [0],
    client: expect.stringMatching(/^\d+\.\d+@/) as unknown,
    ms: expect.any(Number) as unknown,
  });
});

test("folds hook events into the ledger, and writes nothing without new events", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  await stageWorkspace(root, AT_WORK);
  for (const name of ["session-start", "post-tool-use-edit", "stop"]) {
    const payload = loadRecordedPayload(name, root, { last_assistant_message: "Well." });
    ask(String(payload["hook_event_name"]), payload, root);
  }
  await fold(root);
  const once = await events(root);
  await fold(root);
  expect(await events(root)).toEqual(once);
  expect(once.slice(1).map(({ kind, subject, data }) => ({ kind, subject, data }))).toEqual([
    { kind: "journal.folded", subject: "main", data: { lines: 3, hook_ms: expect.any(Number) as unknown, hooks: 3 } },
    { kind: "session.started", subject: SESSION, data: {} },
    { kind: "lock.taken", subject: "AUTH-001", data: { paths: ["src/login.ts"] } },
  ]);
  const [found, lease] = await look(root, (tree) => [
    tree.kept(SESSION_SPACE).get(SESSION),
    tree.lease("workflow AUTH-001"),
  ]);
  expect(found).toMatchObject({ id: SESSION, checkout: "main", current: "AUTH-001", token: 1 });
  expect(lease).toMatchObject({ holder: SESSION, token: 1, isLive: true });
  ask("session-end", loadRecordedPayload("session-end", root), root);
  await fold(root);
  const [ended, released] = await look(root, (tree) => [
    tree.kept(SESSION_SPACE).get(SESSION),
    tree.lease("workflow AUTH-001"),
  ]);
  expect(ended?.ended_at).toEqual(ended?.seen_at);
  expect(released).toMatchObject({ holder: SESSION, token: 1, isLive: false });
});

test("waits for the rest of a partial line, and skips an invalid one", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  await stageWorkspace(root, AT_WORK);
  appendJournalLines(root, note());
  const file = join(getJournal(root), today());
  const [line = ""] = fs.readFileSync(file, "utf8").split("\n");
  const odd = ['{"v":2}', "no JSON", "null", line.replace('"a.ts"', '"../../etc/passwd",5,".git/config","ok.ts"'), ""];
  fs.appendFileSync(file, `${odd.join("\n")}${line.replace("a.ts", "late.ts").slice(0, 40)}`);
  await fold(root);
  expect([await paths(root), (await events(root)).at(1)?.data]).toEqual([
    ["a.ts", "ok.ts"],
    { lines: 2, hook_ms: 2, hooks: 2, garbage: 3 },
  ]);
  fs.appendFileSync(file, `${line.replace("a.ts", "late.ts").slice(40)}\n`);
  await fold(root);
  expect(await paths(root)).toEqual(["a.ts", "late.ts", "ok.ts"]);
});

test("keeps the line after one that a full disk cut off", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  await stageWorkspace(root, AT_WORK);
  appendJournalLines(root, note());
  fs.appendFileSync(join(getJournal(root), today()), '{"v":1,"id":"x","ev');
  appendJournalLines(root, note({ paths: ["b.ts"] }));
  await fold(root);
  expect(await paths(root)).toEqual(["a.ts", "b.ts"]);
});

test("reads a recreated file from its start", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  await stageWorkspace(root, AT_WORK);
  for (const id of ["1", "2", "3"]) appendJournalLines(root, note({ id, paths: [`old-${id}.ts`] }));
  await fold(root);
  fs.rmSync(getJournal(root), { recursive: true });
  for (const id of ["4", "5", "6", "7"]) appendJournalLines(root, note({ id, paths: [`new-${id}.ts`] }));
  await fold(root);
  expect((await paths(root)).filter((path) => path.startsWith("new-"))).toHaveLength(4);
});

test("removes an earlier day's file once it is folded and the day is over", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  using house = testHouse(root);
  const engine = await house.house.open({});
  await stageWorkspace(root, AT_WORK);
  appendJournalLines(root, note({ at: "2026-01-30T23:59:59Z", paths: ["yesterday.ts"] }));
  appendJournalLines(root, note({ at: "2026-01-31T00:05:00Z", paths: ["today.ts"] }));
  const left: string[][] = [];
  for (const time of ["2026-01-31T00:05:00Z", "2026-01-31T12:00:00Z", "2026-02-01T00:05:00Z", "2026-02-01T00:11:00Z"]) {
    house.clock.set(time);
    await foldJournalIntoLedger(engine);
    left.push(fs.readdirSync(getJournal(root)).toSorted());
  }
  expect(left).toEqual([["2026-01-30.jsonl", "2026-01-31.jsonl"], ["2026-01-31.jsonl"], ["2026-01-31.jsonl"], []]);
  expect(await paths(root)).toEqual(["today.ts", "yesterday.ts"]);
  appendJournalLines(root, note({ at: "2026-02-01T00:12:00Z" }));
  await foldJournalIntoLedger(engine);
  expect(await look(root, (tree) => [...tree.kept(JOURNAL_SPACE).keys()])).toEqual(["main 2026-02-01.jsonl"]);
});

test("splits a patch of many files into lines that fit, without losing one", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  await stageWorkspace(root, AT_WORK);
  const files = Array.from({ length: 200 }, (_, i) => `src/${"deep/".repeat(10)}${i}.ts`);
  const patch = ["*** Begin Patch", ...files.map((file) => `*** Add File: ${file}`), "*** End Patch"].join("\n");
  ask(
    "post-tool-use",
    loadRecordedPayload("post-tool-use-edit", root, { tool_name: "apply_patch", tool_input: { input: patch } }),
    root,
  );
  const lines = fs
    .readFileSync(join(getJournal(root), today()), "utf8")
    .split("\n")
    .slice(0, -1);
  expect([lines.length > 1, lines.every((line) => Buffer.byteLength(line) < 4096)]).toEqual([true, true]);
  await fold(root);
  expect(await paths(root)).toEqual(files.toSorted());
});

test.each<[string, (root: string, outside: string) => void]>([
  ["a link in place of .sdd", (root, outside) => fs.symlinkSync(outside, join(root, ".sdd"))],
  [
    "a link in place of the folder",
    (root, outside) => {
      fs.mkdirSync(join(root, ".sdd"));
      fs.symlinkSync(outside, getJournal(root));
    },
  ],
  [
    "a link in place of the file",
    (root, outside) => {
      fs.mkdirSync(getJournal(root), { recursive: true });
      fs.symlinkSync(join(outside, "file"), join(getJournal(root), today()));
    },
  ],
  ["a file in place of the folder", (root) => fs.writeFileSync(join(root, ".sdd"), "")],
  ["a folder in place of the file", (root) => fs.mkdirSync(join(getJournal(root), today()), { recursive: true })],
])("does not write through %s, and disturbs no session", async (_, obstruct) => {
  using repository = temporaryRepository();
  using outside = temporaryFolder();
  const root = repository.path;
  await stageWorkspace(root, AT_WORK);
  fs.rmSync(join(root, ".sdd"), { recursive: true, force: true });
  obstruct(root, outside.path);
  expect(ask("post-tool-use", loadRecordedPayload("post-tool-use-edit", root), root)).toEqual(SILENT);
  expect(fs.readdirSync(outside.path)).toEqual([]);
  fs.writeFileSync(join(outside.path, today()), "");
  await foldQuietly(root);
  expect(await kinds(root)).toEqual(["test.staged"]);
});

/** The export may find something in its way; that is its own matter. */
async function foldQuietly(root: string): Promise<void> {
  using house = testHouse(root);
  await foldJournalIntoLedger(await house.house.open({}));
}

test("grants nothing for events of an earlier boot", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  await stageWorkspace(root, AT_WORK);
  appendJournalLines(root, note({ boot: "an earlier one", steady: 0 }));
  await fold(root);
  const lease = await look(root, (tree) => tree.lease("workflow AUTH-001"));
  expect([await paths(root), lease]).toEqual([["a.ts"], undefined]);
});

test("notes edits in each worktree, and the ledger has all", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  git(root, "commit", "--quiet", "--allow-empty", "-m", "begin");
  await stageWorkspace(root, AT_WORK);
  git(root, "worktree", "add", "--quiet", "../tree", "-b", "tree");
  const tree = fs.realpathSync(join(root, "../tree"));
  try {
    ask("post-tool-use", loadRecordedPayload("post-tool-use-edit", tree), tree);
    expect([fs.existsSync(getJournal(root)), fs.existsSync(getJournal(tree))]).toEqual([false, true]);
    await fold(root);
    expect(await paths(root)).toEqual([]);
    await fold(tree);
    expect(await paths(root)).toEqual(["src/login.ts"]);
  } finally {
    fs.rmSync(tree, { recursive: true, force: true });
  }
});

test("starts the clock of a reopened research again", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  const timebox = { limit_s: 7200, spent_s: 0, running_since: STAGED_AT, extensions: [] };
  await stageWorkspace(root, {
    workflows: [workflow("RES-001", "research", { timebox })],
    sessions: [session(SESSION, { current: "RES-001", token: 1 })],
    leases: [["RES-001", SESSION, 60_000]],
  });
  ask("session-end", loadRecordedPayload("session-end", root), root);
  await fold(root);
  const rests = await look(root, (found) => found.kept({ name: "workflow" }).get("RES-001"));
  expect(rests).toMatchObject({ timebox: { limit_s: 7200, spent_s: expect.any(Number) as unknown } });
  expect((rests as { timebox: object }).timebox).not.toHaveProperty("running_since");
});
