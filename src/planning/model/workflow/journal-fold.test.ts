import { expect, test } from "vitest";
import { type ActiveWork, foldJournalLines, type JournalLine, findSessionWork } from "./journal-fold.ts";
import { parseWorkflowId } from "#kernel/model/workflow-id.ts";
import { formatLockKey } from "./file-locks.ts";
import { type FileLock, type WorkSession, type WorkflowRecord, openTimebox } from "./workflow-record.ts";
import { SESSION_TTL_MS, type WorkLease } from "./work-sessions.ts";
import { createWorkflowRecord } from "./workflow-lifecycle.ts";

const T0 = "2026-01-31T10:00:00Z";
const T1 = "2026-01-31T10:01:00Z";
const T2 = "2026-01-31T10:02:00Z";
const NOW = "2026-01-31T10:10:00Z";

const record = (id: string, changes: Partial<WorkflowRecord> = {}): WorkflowRecord => ({
  ...createWorkflowRecord({ id: parseWorkflowId(id), kind: "feature", title: id }, T0),
  ...changes,
});
const someone = (id: string, changes: Partial<WorkSession> = {}): WorkSession => ({
  id,
  checkout: "main",
  started_at: T0,
  seen_at: T0,
  hooked: true,
  ...changes,
});
const held = (workflow: string, path: string): FileLock => ({ workflow, path, at: T0, how: "edit" });

interface Given {
  readonly workflows?: readonly WorkflowRecord[];
  readonly sessions?: readonly WorkSession[];
  readonly locks?: readonly FileLock[];
  readonly leases?: Readonly<Record<string, WorkLease>>;
  readonly changes?: readonly string[];
}

function given({ workflows = [], sessions = [], locks = [], leases = {}, changes = [] }: Given): ActiveWork {
  return {
    workflows: new Map(workflows.map((each) => [each.id, each])),
    sessions: new Map(sessions.map((each) => [each.id, each])),
    locks: new Map(locks.map((each) => [formatLockKey(each), each])),
    isOpenChange: (id) => changes.includes(id),
    lease: (id) => leases[id],
  };
}

const line = (event: JournalLine["event"], session: string, at: string, more: Partial<JournalLine> = {}) => ({
  event,
  session,
  at,
  ageMs: 0,
  paths: [],
  ...more,
});
const edit = (session: string, at: string, ...paths: string[]): JournalLine =>
  line("PostToolUse", session, at, { paths });

/** What follows, without what is under way then. */
function outcome(lines: readonly JournalLine[], atWork: ActiveWork) {
  const { after: _, ...folded } = foldJournalLines(lines, atWork, "main", NOW);
  return folded;
}

const NOTHING = {
  sessions: [],
  forgotten: [],
  locks: [],
  workflows: [],
  grants: [],
  releases: [],
  happened: [],
};

test("an empty journal changes nothing", () => {
  expect(
    outcome([], given({ workflows: [record("AUTH-001")], sessions: [someone("a", { current: "AUTH-001" })] })),
  ).toEqual(NOTHING);
});

test("sees a session from its start to its end", () => {
  const lines = [line("SessionStart", "a", T0), line("Stop", "a", T1), line("SessionEnd", "a", T2)];
  expect(outcome(lines, given({}))).toEqual({
    ...NOTHING,
    sessions: [someone("a", { seen_at: T2, ended_at: T2 })],
    happened: [
      { kind: "session.started", subject: "a" },
      { kind: "session.ended", subject: "a" },
    ],
  });
});

test.each([
  ["its last words", "Stop", undefined],
  ["those of its subagent", "SubagentStop", undefined],
  ["a second end", "SessionEnd", undefined],
  ["a resumption", "SessionStart", { seen_at: T2 }],
  ["a prompt", "UserPromptSubmit", { seen_at: T2 }],
] as const)("after its end, %s: %s", (_, event, back) => {
  const ended = someone("a", { ended_at: T1 });
  const { sessions } = outcome([line(event, "a", T2)], given({ sessions: [ended] }));
  expect(sessions).toEqual(back ? [someone("a", back)] : []);
});

test("ignores the end of an unknown session", () => {
  expect(outcome([line("SessionEnd", "a", T1)], given({}))).toEqual(NOTHING);
});

test("assigns the project's current work to a session that edits without its own", () => {
  const atWork = given({ workflows: [record("AUTH-001")], sessions: [someone("default", { current: "AUTH-001" })] });
  expect(outcome([edit("a", T1, "src/a.ts", "src/b.ts")], atWork)).toEqual({
    ...NOTHING,
    sessions: [someone("a", { started_at: T1, seen_at: T1, current: "AUTH-001", token: 1, reports_edits: true })],
    locks: [
      { workflow: "AUTH-001", path: "src/a.ts", at: T1, how: "edit" },
      { workflow: "AUTH-001", path: "src/b.ts", at: T1, how: "edit" },
    ],
    grants: [{ workflow: "AUTH-001", holder: "a", ttlMs: SESSION_TTL_MS }],
    happened: [
      { kind: "session.started", subject: "a" },
      { kind: "lock.taken", subject: "AUTH-001", data: { paths: ["src/a.ts", "src/b.ts"] } },
    ],
  });
});

test.each([
  ["is finished", record("AUTH-001", { status: "completed" }), undefined],
  ["is held by another that is alive", record("AUTH-001"), { holder: "b", token: 3, isLive: true }],
])("no session continues work that %s", (_, workflow, lease) => {
  const sessions = [someone("default", { current: "AUTH-001" })];
  const atWork = given({ workflows: [workflow], sessions, leases: lease ? { "AUTH-001": lease } : {} });
  const { locks, grants } = outcome([edit("a", T1, "src/a.ts")], atWork);
  expect({ locks, grants }).toEqual({ locks: [], grants: [] });
});

test("treats a change like any other work", () => {
  const atWork = given({ sessions: [someone("a", { current: "fix-it", token: 2 })], changes: ["fix-it"] });
  const { locks, grants } = outcome([edit("a", T1, "a.ts")], atWork);
  expect({ locks, grants }).toEqual({
    locks: [{ workflow: "fix-it", path: "a.ts", at: T1, how: "edit" }],
    grants: [{ workflow: "fix-it", holder: "a", ttlMs: SESSION_TTL_MS }],
  });
});

test("locks for the project if the caller gives no session name", () => {
  const atWork = given({ workflows: [record("AUTH-001")], sessions: [someone("default", { current: "AUTH-001" })] });
  expect(outcome([edit("default", T1, "a.ts"), line("Stop", "default", T2)], atWork)).toEqual({
    ...NOTHING,
    locks: [{ workflow: "AUTH-001", path: "a.ts", at: T1, how: "edit" }],
    happened: [{ kind: "lock.taken", subject: "AUTH-001", data: { paths: ["a.ts"] } }],
  });
});

const ONE_AT_WORK = {
  workflows: [record("AUTH-001"), record("BUG-001")],
  sessions: [someone("a", { current: "AUTH-001", token: 4 })],
};

test.each<[string, FileLock, string[], string | undefined]>([
  ["its own", held("AUTH-001", "a.ts"), [], undefined],
  ["its own by a pattern", { ...held("AUTH-001", "*.ts"), how: "claim" }, [], undefined],
  ["another's", held("BUG-001", "a.ts"), [], "BUG-001"],
  ["another's by a pattern", { ...held("BUG-001", "**"), how: "claim" }, [], "BUG-001"],
  ["another's, released", { ...held("BUG-001", "a.ts"), released_at: T0 }, ["a.ts"], undefined],
  ["its own, released", { ...held("AUTH-001", "a.ts"), released_at: T0 }, ["a.ts"], undefined],
  ["of work that nobody knows", held("OLD-001", "a.ts"), ["a.ts"], undefined],
])("judges a path that is %s", (_, lock, taken, holder) => {
  const { locks, happened } = outcome(
    [edit("a", T1, "a.ts"), edit("a", T2, "a.ts")],
    given({ ...ONE_AT_WORK, locks: [lock] }),
  );
  expect(locks.map(({ path }) => path)).toEqual(taken);
  expect(happened.filter(({ kind }) => kind === "lock.overlap")).toEqual(
    holder ? [{ kind: "lock.overlap", subject: "AUTH-001", data: { paths: ["a.ts"], holder } }] : [],
  );
});

const MINUTE = 60_000;

test.each([
  ["fresh", 0, undefined, { ttlMs: SESSION_TTL_MS, token: 5 }],
  ["twenty minutes old", 20 * MINUTE, undefined, { ttlMs: 10 * MINUTE, token: 5 }],
  ["older than a lease lasts", 31 * MINUTE, undefined, undefined],
  ["from before the machine restarted", Number.POSITIVE_INFINITY, undefined, undefined],
  ["from the holder", 0, { holder: "a", token: 4, isLive: true }, { ttlMs: SESSION_TTL_MS, token: 4 }],
  ["from a holder that was silent", 0, { holder: "a", token: 4, isLive: false }, { ttlMs: SESSION_TTL_MS, token: 5 }],
  ["about work that another session holds", 0, { holder: "b", token: 5, isLive: true }, undefined],
  ["about work that another session held", 0, { holder: "b", token: 5, isLive: false }, undefined],
] as const)("judges a sign of life that is %s", (_, ageMs, lease, expected) => {
  const sessions = [someone("a", { current: "AUTH-001", token: 4 })];
  const leases = { "AUTH-001": lease ?? { holder: "a", token: 4, isLive: false } };
  const { grants, sessions: kept } = outcome(
    [line("UserPromptSubmit", "a", T1, { ageMs })],
    given({ workflows: [record("AUTH-001")], sessions, leases }),
  );
  expect(grants).toEqual(expected ? [{ workflow: "AUTH-001", holder: "a", ttlMs: expected.ttlMs }] : []);
  expect(kept).toEqual([someone("a", { current: "AUTH-001", seen_at: T1, token: expected?.token ?? 4 })]);
});

test("an old event does not grant a lease again that is younger", () => {
  const sessions = [someone("a", { current: "AUTH-001", token: 4, seen_at: T2 })];
  const leases = { "AUTH-001": { holder: "a", token: 4, isLive: true } };
  expect(outcome([line("Stop", "a", T1)], given({ workflows: [record("AUTH-001")], sessions, leases })).grants).toEqual(
    [],
  );
});

test("predicts the tokens that the ledger will assign, however often the work changes hands", () => {
  const atWork = given({ workflows: [record("AUTH-001")], sessions: [someone("default", { current: "AUTH-001" })] });
  const lines = [
    edit("a", T0, "a.ts"),
    line("SessionEnd", "a", T1),
    edit("b", T1, "b.ts"),
    line("SessionEnd", "b", T2),
    line("UserPromptSubmit", "b", "2026-01-31T10:03:00Z"),
  ];
  const { grants, releases, sessions } = outcome(lines, atWork);
  expect(grants.map(({ holder }) => holder)).toEqual(["a", "b"]);
  expect(sessions.map(({ id, token }) => [id, token])).toEqual([
    ["a", 1],
    ["b", 2],
  ]);
  expect(releases).toEqual([]);
});

test("releases the lease of an ending session and pauses its timebox", () => {
  const timebox = openTimebox(7200, T0);
  const atWork = given({
    workflows: [record("RES-001", { kind: "research", timebox })],
    sessions: [someone("a", { current: "RES-001", token: 1 })],
    leases: { "RES-001": { holder: "a", token: 1, isLive: true } },
  });
  const ended = foldJournalLines([line("SessionEnd", "a", T1)], atWork, "main", NOW);
  expect({ releases: ended.releases, boxes: ended.workflows.map((each) => each.timebox) }).toEqual({
    releases: ["RES-001"],
    boxes: [{ limit_s: 7200, spent_s: 60, extensions: [] }],
  });
  const back = foldJournalLines([line("UserPromptSubmit", "a", T2)], ended.after, "main", NOW);
  expect(back.workflows.map((each) => each.timebox)).toEqual([
    { limit_s: 7200, spent_s: 60, running_since: T2, seen_at: T2, extensions: [] },
  ]);
});

test("the end of a session that was taken over stops nothing", () => {
  const timebox = openTimebox(7200, T0);
  const atWork = given({
    workflows: [record("RES-001", { kind: "research", timebox })],
    sessions: [someone("a", { current: "RES-001", token: 1 })],
    leases: { "RES-001": { holder: "b", token: 2, isLive: true } },
  });
  const { releases, workflows } = outcome([line("SessionEnd", "a", T1)], atWork);
  expect({ releases, workflows }).toEqual({ releases: [], workflows: [] });
});

test("remembers each warning of a session once", () => {
  const told = "AUTH-001 implement";
  const lines = [line("Stop", "a", T1, { told }), line("Stop", "a", T2, { told })];
  const { sessions } = outcome(lines, given({ sessions: [someone("a")] }));
  expect(sessions).toEqual([someone("a", { seen_at: T2, told: [told] })]);
});

test("forgets a session that was silent for long and left nothing unfinished", () => {
  const long = "2025-12-01T10:00:00Z";
  const sessions = [
    someone("old", { seen_at: long }),
    someone("done", { seen_at: long, current: "DONE-001" }),
    someone("busy", { seen_at: long, current: "AUTH-001" }),
    someone("default", { seen_at: long }),
  ];
  const workflows = [record("AUTH-001"), record("DONE-001", { status: "completed" })];
  expect(outcome([line("SessionStart", "new", T1)], given({ workflows, sessions })).forgotten).toEqual(["old", "done"]);
});

test.each([
  ["its own", "a", "BUG-001"],
  ["the project's", "b", "AUTH-001"],
  ["nothing, for another has it in hand", "c", undefined],
])("a session works on %s", (_, id, expected) => {
  const sessions = [someone("default", { current: "AUTH-001" }), someone("a", { current: "BUG-001" })];
  const leases: Record<string, WorkLease> = { "AUTH-001": { holder: "b", token: 1, isLive: true } };
  expect(findSessionWork(id, given({ workflows: [record("AUTH-001"), record("BUG-001")], sessions, leases }))).toBe(
    expected,
  );
});

const begun = given({ workflows: [record("AUTH-001")], sessions: [someone("one", { current: "AUTH-001" })] });
const [AT0, AT1] = [Date.parse(T0), Date.parse(T1)];

test.each([
  [
    "a command",
    [
      ["PreToolUse", AT0, "a"],
      ["PostToolUse", AT1, "a"],
    ],
    [[AT0, AT1]],
  ],
  [
    "a command of a client without call ids",
    [
      ["PreToolUse", AT0, ""],
      ["PostToolUse", AT1, ""],
    ],
    [[AT0, AT1]],
  ],
  [
    "two commands at once",
    [
      ["PreToolUse", 1, "a"],
      ["PreToolUse", 2, "b"],
      ["PostToolUse", 3, "a"],
      ["PostToolUse", 4, "b"],
    ],
    [
      [1, 3],
      [2, 4],
    ],
  ],
  [
    "a command that was refused",
    [
      ["PreToolUse", 1, "a"],
      ["PreToolUse", 8, "b"],
      ["PostToolUse", 9, "b"],
    ],
    [[8, 9]],
  ],
  ["an end without a beginning", [["PostToolUse", AT1, "a"]], undefined],
  [
    "an end before the beginning",
    [
      ["PreToolUse", 9, "a"],
      ["PostToolUse", 8, "a"],
    ],
    undefined,
  ],
] as const)("notes when %s ran", (_, calls, shells) => {
  const lines = calls.map(([event, time, id]) => line(event, "one", T1, { shell: [time, id] }));
  const { sessions } = outcome(lines, begun);
  expect(sessions[0]?.shells).toEqual(shells);
});

test("keeps which files changed while a command ran, and locks none of them before git confirms the change", () => {
  const end = (path: string) =>
    line("PostToolUse", "one", T1, { shell: [AT1, "a"], paths: [path], changed: [AT1 - 1] });
  // A long list has several lines with the same command.
  const lines = [line("PreToolUse", "one", T0, { shell: [AT0, "a"] }), end("a.ts"), end("b.ts")];
  const { sessions, locks } = outcome(lines, begun);
  expect([sessions[0]?.shells, locks]).toEqual([[[AT0, AT1]], []]);
  expect(sessions[0]?.shell_changes?.flat()).toEqual(["a.ts", AT1 - 1, "b.ts", AT1 - 1]);
});

test("knows who deleted a file, of which only the time of its folder is known", () => {
  const run = (from: number, paths: readonly string[], call: string): JournalLine[] => [
    line("PreToolUse", "one", T0, { shell: [from, call], paths, changed: paths.map(() => 0) }),
    line("PostToolUse", "one", T1, { shell: [from + 9, call], paths: ["own.ts", "theirs.ts"], changed: [0, 0] }),
  ];
  const { sessions } = outcome([...run(AT0, ["theirs.ts"], "a"), ...run(AT1, ["own.ts"], "b")], begun);
  expect(sessions[0]?.mixed).toEqual(["theirs.ts"]);
  expect(sessions[0]?.shell_changes?.flat()).toEqual(["own.ts", AT0 + 9, "own.ts", AT1 + 9]);
});

test("forgets a command that never ended when the turn ends", () => {
  const lines = [line("PreToolUse", "one", T0, { shell: [1, ""] }), line("Stop", "one", T1)];
  const late = line("PostToolUse", "one", T2, { shell: [AT1, ""] });
  expect(outcome([...lines, late], begun).sessions[0]?.shells).toBeUndefined();
});

const before = (path: string, time: number): JournalLine =>
  line("PreToolUse", "one", T1, { paths: [path], changed: [time] });
const after = (path: string, time: number): JournalLine =>
  line("PostToolUse", "one", T1, { paths: [path], changed: [time] });
const shell = (from: number, to: number): JournalLine[] => [
  line("PreToolUse", "one", T1, { shell: [from, ""] }),
  line("PostToolUse", "one", T1, { shell: [to, ""] }),
];

test.each([
  ["was as old as the workflow", [before("a.ts", AT0 - 5), after("a.ts", AT1)], undefined],
  ["is new", [before("a.ts", 0), after("a.ts", AT1)], undefined],
  ["was its own", [after("a.ts", AT1), before("a.ts", AT1), after("a.ts", AT1 + 1)], undefined],
  [
    "was changed by its own command",
    [...shell(AT1, AT1 + 9), before("a.ts", AT1 + 5), after("a.ts", AT1 + 20)],
    undefined,
  ],
  ["others changed since the workflow began", [before("a.ts", AT1), after("a.ts", AT1 + 1)], true],
  ["others changed between two edits", [after("a.ts", AT1), before("a.ts", AT1 + 7), after("a.ts", AT1 + 9)], true],
] as const)("knows whose changes are in a file that %s", (_, lines, isMixed) => {
  const [lock] = outcome(lines, begun).locks;
  expect([lock?.path, lock?.how, lock?.is_mixed]).toEqual(["a.ts", "edit", isMixed]);
});

test.each([
  [AT0 + 300, undefined, undefined],
  [AT0 + 300, AT0 + 200, true],
  [AT0 + 100, AT0 + 200, undefined],
])("knows the user's change %d ms after a start at %s", (time, begun_ms, isMixed) => {
  const began = begun_ms === undefined ? begun : { ...begun, begun: new Map([["AUTH-001", begun_ms]]) };
  const [lock] = outcome([before("a.ts", time), after("a.ts", AT1)], began).locks;
  expect(lock?.is_mixed).toBe(isMixed);
});
