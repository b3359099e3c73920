import { Fault } from "#kernel/model/fault.ts";
import { quote, quoteShellWord } from "#kernel/model/text-format.ts";
import {
  parseWorkDuration,
  type WorkflowKind,
  type WorkflowRecord,
  type WorkflowSnapshot,
} from "../../model/workflow/workflow-record.ts";
import { type WorkflowId, parseWorkflowId } from "#kernel/model/workflow-id.ts";
import { findLockConflicts, parseLockPath } from "../../model/workflow/file-locks.ts";
import {
  createIdInUseFault,
  formatIdCounter,
  computeNextWorkflowId,
  parseWorkflowNumber,
  deriveIdPrefix,
  parseWorkflowPrefix,
  createWorkflowRecord,
} from "../../model/workflow/workflow-lifecycle.ts";
import { rejectQueueOverflow, describeUnusualPriority } from "../../model/workflow/work-queue.ts";
import { type WorkspacePath, SPEC_FILE_FOLDER, getSpecPath } from "#kernel/model/workspace-paths.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { PlanningEngine } from "../engine.ts";
import { renderSpecTemplate, type SpecTemplateValues } from "../spec/spec-files.ts";
import type { CreatedWorktree } from "#git/operations/ports/git-files.ts";
import type { LockedStoreTree, StorePlan, StoreTree } from "#store/operations/ports/store.ts";
import { WORKFLOW_SPACE } from "./ledger-spaces.ts";
import {
  rejectHeldPaths,
  suggestNextCalls,
  loadOpenStage,
  createWorkflowView,
  formatWorkflowPage,
} from "./workflow-view.ts";
import { WorkflowDraft, listWorkQueue, type WorkRuntime, loadWorkRuntime, resolveSession } from "./workflow-runtime.ts";
import {
  dropSnapshotRefs,
  storeSnapshot,
  takeWorkflowSnapshot,
  writeWithSnapshots,
  storeParkedWork,
  parkSessionWork,
} from "./workflow-snapshots.ts";
import { focusSessionWork, syncWorkflowState } from "./workflow-writes.ts";
import type * as z from "zod";
import type { Page } from "#kernel/model/page.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { StartFeatureInput, WorkflowStartOutput } from "./schema.ts";

type WorkflowStart = Omit<z.infer<typeof StartFeatureInput>, "title"> & {
  readonly kind: WorkflowKind;
  readonly title: string;
  readonly timebox_s?: number;
  readonly spec: Pick<SpecTemplateValues, "summary" | "timebox">;
};

export const startFeatureOperation = defineOperation({
  id: "workflow.feature",
  effect: "append",
  input: async () => (await import("./schema.ts")).StartFeatureInput,
  output: async () => (await import("./schema.ts")).WorkflowStartOutput,
  run: (engine: PlanningEngine, input) =>
    startWorkflow(engine, { ...input, kind: "feature", spec: { summary: input.title } }),
  page: (output) => formatWorkflowStartPage(output),
});

export const startBugfixOperation = defineOperation({
  id: "workflow.bugfix",
  effect: "append",
  input: async () => (await import("./schema.ts")).StartBugfixInput,
  output: async () => (await import("./schema.ts")).WorkflowStartOutput,
  run: (engine: PlanningEngine, input) =>
    startWorkflow(engine, { ...input, kind: "bugfix", spec: { summary: input.title } }),
  page: (output) => formatWorkflowStartPage(output),
});

export const startResearchOperation = defineOperation({
  id: "workflow.research",
  effect: "append",
  input: async () => (await import("./schema.ts")).StartResearchInput,
  output: async () => (await import("./schema.ts")).WorkflowStartOutput,
  async run(engine: PlanningEngine, { topic, timebox = "2h", ...rest }) {
    const timebox_s = parseWorkDuration(timebox);
    return startWorkflow(engine, { ...rest, kind: "research", title: topic, timebox_s, spec: { timebox } });
  },
  page: (output) => formatWorkflowStartPage(output),
});

async function startWorkflow(engine: PlanningEngine, wanted: WorkflowStart) {
  await syncWorkflowState(engine);
  const session = resolveSession(engine, wanted.session);
  const paths = (wanted.files ?? []).map(parseLockPath);
  const runtime = await engine.store.read(loadWorkRuntime);
  rejectWorkflowStart(`The ${wanted.kind} ${quote(wanted.title, 60)}`, paths, runtime);
  const id = await reserveWorkflowId(engine, wanted);
  const spec = await prepareInitialSpec(engine, id, wanted);
  const worktree = wanted.worktree ? await engine.worktrees.add(id, spec.isThere ? [] : [spec]) : undefined;
  const apart = worktree && { path: worktree.path, branch: worktree.branch };
  const proposal = { ...wanted, id, base_commit: await engine.source.head(), worktree: apart };
  const begun = createWorkflowRecord(proposal, engine.clock.now());
  // A workflow in its own worktree does not disturb other work.
  const parked = worktree ? {} : await parkSessionWork(engine, runtime, session);
  const coming = spec.isThere || worktree ? undefined : spec;
  // The start snapshot contains the new spec, and the write that adds the spec keeps it.
  const there = worktree ? useWorktreeFiles(engine, worktree) : engine;
  const start = await takeWorkflowSnapshot(there, runtime, begun, "start", coming);
  const decide = (tree: LockedStoreTree): StorePlan<WorkflowSnapshot[]> => {
    rejectUsedId(tree, id, wanted.kind);
    const draft = new WorkflowDraft(loadWorkRuntime(tree), engine.clock.now());
    rejectWorkflowStart(id, paths, draft.runtime);
    draft.putWorkflow(begun);
    for (const path of paths) draft.putLock({ workflow: id, path, at: draft.at, how: "claim" });
    draft.say("workflow.started", id, { kind: begun.kind, title: begun.title, priority: begun.priority });
    if (paths.length > 0) draft.say("lock.claimed", id, { paths });
    if (apart) draft.say("workflow.worktree", id, apart);
    const dropped = [...storeParkedWork(draft, tree, session, parked), ...storeSnapshot(draft, start)];
    focusSessionWork(draft, id, { session, checkout: there.checkout, tree: start?.tree });
    if (coming && !tree.has(spec.path)) draft.step({ kind: "document", ...coming });
    return draft.plan(dropped);
  };
  const write = () => writeWithSnapshots(engine, [parked.snapshot, start], () => commitStoreWrite(engine, decide));
  const gone = worktree ? await removeWorktreeOnFailure(engine, id, write) : await write();
  await dropSnapshotRefs(engine, gone);
  const after = await engine.store.read(loadWorkRuntime);
  return {
    workflow: createWorkflowView(begun, after, session, engine.clock.now()),
    next: await loadOpenStage(engine, begun),
    notes: listStartNotes(begun, parked.snapshot, spec.isThere, start !== undefined),
  };
}

function useWorktreeFiles(engine: PlanningEngine, { path, checkout }: CreatedWorktree): PlanningEngine {
  const snapshots = engine.snapshotsOf({ root: path, checkout }) ?? engine.snapshots;
  return { ...engine, snapshots, checkout };
}

/** Checked before git runs, and again under the store lock. */
function rejectWorkflowStart(who: string, paths: readonly string[], runtime: WorkRuntime): void {
  const what = `${who} cannot begin.`;
  rejectQueueOverflow(listWorkQueue(runtime), what);
  rejectHeldPaths(findLockConflicts(paths, "", runtime.locks, true), runtime, what);
}

interface InitialSpec {
  readonly path: WorkspacePath;
  readonly text: string;
  /** True if the spec already existed. It is kept, and the workflow continues from it. */
  readonly isThere: boolean;
}

async function prepareInitialSpec(engine: PlanningEngine, id: WorkflowId, wanted: WorkflowStart): Promise<InitialSpec> {
  const path = getSpecPath(id);
  const there = await engine.store.read((tree) => tree.text(path));
  if (there !== undefined) return { path, text: there, isThere: true };
  const text = await renderSpecTemplate(engine, id, { ...wanted.spec, title: wanted.title, at: engine.clock.now() });
  return { path, text, isThere: false };
}

async function removeWorktreeOnFailure<T>(engine: PlanningEngine, id: WorkflowId, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const { removed, why } = await engine.worktrees.remove(id);
    if (!removed) engine.notice(`The worktree of ${id} stays behind. ${why ?? ""}`);
    throw error;
  }
}

/** Reserves the id first, so that two concurrent calls get different ids. */
async function reserveWorkflowId(engine: PlanningEngine, { id, kind, title }: WorkflowStart): Promise<WorkflowId> {
  const given = id === undefined ? undefined : checkIdKind(parseWorkflowId(id), kind);
  return engine.store.write((tree) => {
    if (given !== undefined) rejectUsedId(tree, given, kind);
    const prefix = given === undefined ? deriveIdPrefix(kind, title) : parseWorkflowPrefix(given);
    const counter = formatIdCounter(prefix);
    const files = tree.names(SPEC_FILE_FOLDER).map((name) => name.replace(/\.yaml$/, ""));
    const taken = [...tree.kept(WORKFLOW_SPACE).keys(), ...files];
    const result = given ?? computeNextWorkflowId(prefix, taken, tree.counter(counter));
    const last = Math.max(tree.counter(counter), parseWorkflowNumber(result));
    return { steps: [], occurrences: [], counters: { [counter]: last }, result };
  });
}

function rejectUsedId(tree: StoreTree, id: WorkflowId, kind: WorkflowKind): void {
  const known = tree.kept(WORKFLOW_SPACE).get(id);
  if (known) throw createIdInUseFault(id, known.status, kind);
}

function checkIdKind(id: WorkflowId, kind: WorkflowKind): WorkflowId {
  const expected = { bugfix: "BUG", research: "RES", feature: undefined }[kind];
  const prefix = parseWorkflowPrefix(id);
  const isRight = expected === undefined ? prefix !== "BUG" && prefix !== "RES" : prefix === expected;
  if (isRight) return id;
  throw new Fault("workflow.bad-id", {
    what: `${id} cannot be the id of a ${kind}.`,
    why: expected
      ? `Those of a ${kind} begin with ${expected}-.`
      : `${prefix}- is for a ${prefix === "BUG" ? "bugfix" : "research"}.`,
    fix: { operation: `workflow.${kind}`, input: { id: `${expected ?? "AUTH"}-001` } },
  });
}

const NO_BASE_COMMIT_NOTE =
  "Nothing is committed here yet, so its gates have nothing to compare the code with: commit, abandon it and begin anew.";

function listStartNotes(
  record: WorkflowRecord,
  snapshot: WorkflowSnapshot | undefined,
  isThere: boolean,
  hasSnapshots: boolean,
): string[] {
  const unusual = describeUnusualPriority(record.kind, record.priority);
  return [
    ...(record.worktree ? [`Work on it there: cd ${quoteShellWord(record.worktree.path)}`] : []),
    ...(isThere ? [`${getSpecPath(record.id)} was there and is kept as it is.`] : []),
    ...(unusual ? [unusual] : []),
    ...(snapshot ? [`What ${snapshot.workflow} had done is kept as its snapshot ${snapshot.n}.`] : []),
    ...(hasSnapshots ? [] : ["There is no git repository here, so it has no snapshots and cannot be rolled back."]),
    ...(record.base_commit === undefined && record.kind !== "research" ? [NO_BASE_COMMIT_NOTE] : []),
  ];
}

function formatWorkflowStartPage({ workflow, next, notes }: z.infer<typeof WorkflowStartOutput>): Page {
  return {
    ...formatWorkflowPage(`${workflow.id} has begun; stage ${next.stage} is open.`, workflow),
    points: [`Fill in ${workflow.spec}: it is a draft with comments.`, ...notes],
    guide: next.guide,
    next: suggestNextCalls(workflow),
  };
}
