import { expect, test } from "vitest";
import { startFeatureOperation } from "#planning/operations/workflow/start-workflow.ts";
import { resumeWorkflowOperation } from "#planning/operations/workflow/switch-workflow.ts";
import { showWorkflowStatusOperation } from "#roadmap/operations/workflow/show-workflow-status.ts";
import { refusal } from "../kit/fault.ts";
import { filesIn, type Stand, stand } from "./stand.ts";

const begin = (it: Stand, id: string, session?: string) =>
  it.run("workflow.feature", { description: `A feature known as ${id}`, id, ...(session ? { session } : {}) });
const queue = async (it: Stand, session?: string) =>
  (await it.run("workflow.status", session ? { session } : {})).queue?.map(
    ({ id, status, interrupted, is_current }) =>
      `${id} ${interrupted ? "interrupted" : status}${is_current ? " current" : ""}`,
  );

test("keeps one current workflow per session, and the first one for the project", async () => {
  using it = await stand();
  await begin(it, "AUTH-001", "one");
  await begin(it, "UI-001", "two");
  expect([await queue(it, "one"), await queue(it, "two"), await queue(it)]).toEqual([
    ["AUTH-001 active current", "UI-001 active"],
    ["AUTH-001 active", "UI-001 active current"],
    ["AUTH-001 active current", "UI-001 active"],
  ]);
});

test("switches without touching files or losing work", async () => {
  using it = await stand();
  await begin(it, "AUTH-001");
  await begin(it, "UI-001");
  await it.run("workflow.switch", { id: "AUTH-001" });
  it.write("src/login.ts", "export const login = 2;\n");
  it.write("src/new.ts", "new\n");
  const before = filesIn(it.root);
  const { workflow, notes } = await it.run("workflow.switch", { id: "UI-001" });
  expect([workflow?.id, workflow?.is_current, notes]).toEqual([
    "UI-001",
    true,
    ["Snapshot 2 has the work of AUTH-001."],
  ]);
  expect(filesIn(it.root)).toEqual(before);
  const { workflow: parked } = await it.run("workflow.status", { id: "AUTH-001" });
  expect([parked?.status, parked?.files_locked, parked?.snapshots.at(-1)?.files_modified]).toEqual([
    "paused",
    ["src/login.ts", "src/new.ts"],
    ["src/login.ts", "src/new.ts"],
  ]);
});

/** Two that came to hold one file without anybody having said that both may: by edits, in two worktrees. */
async function bothHold(it: Stand, one: string, other: string): Promise<void> {
  const locks = [one, other].map((workflow) => ({
    space: "lock",
    key: `${workflow} src/login.ts`,
    value: { workflow, path: "src/login.ts", at: "2026-01-31T12:00:00Z", how: "edit" },
  }));
  await it.engine.store.write(() => ({
    steps: [],
    occurrences: [{ kind: "lock.taken", subject: one }],
    keeps: locks,
    result: undefined,
  }));
}

test("rejects a switch between two holders of one file and names the holder, unless forced (TC-063)", async () => {
  using it = await stand();
  await begin(it, "AUTH-001");
  await begin(it, "BUGS-001");
  await bothHold(it, "AUTH-001", "BUGS-001");
  const refused = await it.run("workflow.switch", { id: "AUTH-001" });
  expect(refused).toMatchObject({
    switched: false,
    conflict: true,
    conflicting_files: ["src/login.ts"],
    current_workflow: "BUGS-001",
    target_workflow: "AUTH-001",
    holders: [{ path: "src/login.ts", workflow: "BUGS-001", stage: "discover" }],
  });
  expect(await it.run("workflow.switch", { id: "BUGS-001" })).toMatchObject({ switched: true });
  expect(await it.run("workflow.switch", { id: "AUTH-001", force: true })).toMatchObject({ switched: true });
});

test("does not warn again about a shared file", async () => {
  using it = await stand();
  await begin(it, "AUTH-001");
  await it.run("workflow.lock", { action: "claim", paths: ["src/login.ts"] });
  await begin(it, "BUGS-001");
  await it.run("workflow.lock", { action: "claim", paths: ["src/*.ts"], force: true });
  expect(await it.run("workflow.switch", { id: "AUTH-001" })).toMatchObject({ switched: true });
});

test("ignores a paused third holder", async () => {
  using it = await stand();
  for (const id of ["A-001", "B-001", "C-001"]) await begin(it, id);
  await bothHold(it, "A-001", "B-001");
  expect(await it.run("workflow.switch", { id: "B-001" })).toMatchObject({
    switched: false,
    current_workflow: "C-001",
    holders: [{ workflow: "A-001" }],
  });
});

test("lets one of two concurrent sessions resume", async () => {
  using it = await stand();
  await begin(it, "AUTH-001", "one");
  it.pass(31);
  const outcomes = await Promise.allSettled(
    ["two", "three"].map((session) => it.run("workflow.resume", { id: "AUTH-001", session })),
  );
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
});

test("lets no session abandon or extend work that was taken over", async () => {
  using it = await stand();
  await it.run("workflow.research", { description: "Which auth provider", timebox: "1h", session: "one" });
  await it.run("workflow.resume", { id: "RES-001", session: "two", take_over: true });
  const calls = [
    it.run("workflow.abandon", { id: "RES-001", reason: "No", session: "one" }),
    it.run("workflow.advance", { id: "RES-001", extend: "30m", reason: "More", session: "one" }),
  ];
  expect(await Promise.all(calls.map(async (call) => (await refusal(call)).code))).toEqual([
    "lease.lost",
    "lease.lost",
  ]);
});

test("tracks shell changes across a switch of workflows", async () => {
  using it = await stand();
  await begin(it, "AUTH-001", "one");
  await begin(it, "UI-001", "one");
  it.write("src/ui.ts", "1\n");
  const { workflow } = await it.run("workflow.status", { id: "UI-001" });
  expect(workflow?.files_locked).toEqual([]);
  await it.run("workflow.snapshot", { session: "one" });
  expect((await it.run("workflow.status", { id: "UI-001" })).workflow?.files_locked).toEqual(["src/ui.ts"]);
});

test("does not assign changes of another session to the remaining one", async () => {
  using it = await stand();
  await begin(it, "AAA-001", "one");
  await begin(it, "BBB-001", "two");
  it.write("src/of-b.ts", "1\n");
  await it.run("workflow.abandon", { id: "BBB-001", reason: "Done by hand", session: "two" });
  await it.run("workflow.snapshot", { session: "one" });
  expect((await it.run("workflow.status", { id: "AAA-001" })).workflow?.files_locked).toEqual([]);
});

test("interrupts a silent session, and another one continues its work (TC-051)", async () => {
  using it = await stand();
  await begin(it, "AUTH-001", "one");
  it.write("src/login.ts", "export const login = 2;\n");
  await it.run("workflow.lock", { action: "claim", paths: ["src/login.ts"], session: "one" });
  it.pass(31);
  expect(await queue(it, "two")).toEqual(["AUTH-001 interrupted current"]);
  const before = filesIn(it.root);
  const resumed = await it.run("workflow.resume", { session: "two" });
  expect(resumed).toMatchObject({
    session: "two",
    interrupted_session: "one",
    uncommitted: ["src/login.ts"],
    since_snapshot: ["src/login.ts"],
    workflow: { id: "AUTH-001", stage: "discover", interrupted: false },
  });
  expect([filesIn(it.root), await queue(it, "two")]).toEqual([before, ["AUTH-001 active current"]]);
});

test("a session that is idle keeps its work as long as its process runs", async () => {
  using it = await stand();
  let isRunning = true;
  const caller = {
    ...it.engine.caller,
    name: "editor",
    mark: () => "process of one",
    isGone: () => !isRunning,
    isRunning: () => isRunning,
  };
  const engine = { ...it.engine, caller };
  await startFeatureOperation.run(engine, { description: "Log in", id: "AUTH-001", session: "one" });
  it.pass(600);
  const resume = () =>
    resumeWorkflowOperation.run({ ...engine, caller: { ...caller, mark: () => undefined } }, { session: "two" });
  const look = async () => (await showWorkflowStatusOperation.run(engine, {})).queue;
  expect(await look()).toMatchObject([{ id: "AUTH-001", interrupted: false }]);
  expect((await refusal(resume())).code).toBe("lease.lost");
  isRunning = false;
  expect(await look()).toMatchObject([{ id: "AUTH-001", interrupted: true }]);
  expect(await resume()).toMatchObject({ interrupted_session: "one", workflow: { id: "AUTH-001" } });
});

test("fences off a frozen session that wakes up", async () => {
  using it = await stand();
  await begin(it, "AUTH-001", "one");
  it.pass(31);
  await it.run("workflow.resume", { session: "two" });
  const calls = () => [
    it.run("workflow.advance", { approve: "Ann", session: "one" }),
    it.run("workflow.lock", { action: "claim", paths: ["src/x.ts"], id: "AUTH-001", session: "one" }),
    it.run("workflow.snapshot", { id: "AUTH-001", session: "one" }),
    it.run("workflow.rollback", { id: "AUTH-001", snapshot: 1, session: "one" }),
    it.run("workflow.switch", { id: "AUTH-001", session: "one" }),
  ];
  const codes = async () => Promise.all(calls().map(async (call) => (await refusal(call)).code));
  expect(await codes()).toEqual(Array(5).fill("lease.lost"));
  // Also when the one who took over has gone silent in turn: what it did may not be written over unseen.
  it.pass(31);
  expect(await codes()).toEqual(Array(5).fill("lease.lost"));
  await it.run("workflow.resume", { id: "AUTH-001", session: "one" });
  expect((await it.run("workflow.advance", { approve: "Ann", session: "one" })).passed).toBe(true);
});

test("takes over a working session only on request", async () => {
  using it = await stand();
  await begin(it, "AUTH-001", "one");
  expect((await refusal(it.run("workflow.resume", { id: "AUTH-001", session: "two" }))).code).toBe("lease.lost");
  expect((await refusal(it.run("workflow.switch", { id: "AUTH-001", session: "two" }))).code).toBe("lease.lost");
  await it.run("workflow.resume", { id: "AUTH-001", session: "two", take_over: true });
  expect((await refusal(it.run("workflow.advance", { approve: "Ann", session: "one" }))).code).toBe("lease.lost");
});

test("continues with a session that was silent but not replaced", async () => {
  using it = await stand();
  await begin(it, "AUTH-001", "one");
  it.pass(300);
  expect((await it.run("workflow.advance", { approve: "Ann", session: "one" })).passed).toBe(true);
});

test("lists, switches, prioritizes and abandons changes like workflows", async () => {
  using it = await stand();
  await it.run("change.start", { type: "fix", size: "small", description: "Fix it" });
  await begin(it, "AUTH-001");
  await it.run("workflow.switch", { id: "fix-it" });
  await it.run("workflow.lock", { action: "claim", paths: ["src/login.ts"] });
  await it.run("workflow.prioritize", { id: "fix-it", priority: 0 });
  expect(await queue(it)).toEqual(["fix-it active current", "AUTH-001 paused"]);
  expect(await it.run("workflow.conflicts", { a: "fix-it", b: "AUTH-001" })).toMatchObject({ conflict: false });
  await it.run("workflow.abandon", { id: "fix-it", reason: "Solved upstream" });
  expect([await queue(it), (await it.run("workflow.lock", { action: "list" }))["locks"]]).toEqual([
    ["AUTH-001 paused"],
    [],
  ]);
});
