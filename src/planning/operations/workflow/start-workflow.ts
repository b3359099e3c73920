import { Fault } from "#kernel/model/fault.ts";
import { quote, quoteShellWord } from "#kernel/model/text-format.ts";
import { listGateCommands, parseWorkDuration, type WorkflowKind } from "../../model/workflow/workflow-record.ts";
import { type WorkflowId, parseWorkflowId } from "#kernel/model/workflow-id.ts";
import { findLockConflicts, parseLockPath } from "../../model/workflow/file-locks.ts";
import {
  formatIdCounter,
  computeNextWorkflowId,
  parseWorkflowNumber,
  deriveIdPrefix,
  parseWorkflowPrefix,
  createWorkflowRecord,
} from "../../model/workflow/workflow-lifecycle.ts";
import { rejectQueueOverflow, describeUnusualPriority } from "../../model/workflow/work-queue.ts";
import { SPEC_FILE_FOLDER, getSpecPath } from "#kernel/model/workspace-paths.ts";
import type { PlanningEngine } from "../engine.ts";
import { renderSpecTemplate, type SpecTemplateValues } from "../spec/spec-files.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { WORK_SPACE, WORKFLOW_SPACE } from "./ledger-spaces.ts";
import {
  rejectHeldPaths,
  suggestNextCalls,
  loadOpenStage,
  createWorkflowView,
  formatParkedNote,
  formatWorkflowPage,
} from "./workflow-view.ts";
import { commitDraft, listWorkQueue, type WorkRuntime, loadWorkRuntime } from "./workflow-runtime.ts";
import {
  dropSnapshotRefs,
  pruneExpiredSnapshots,
  storeSnapshot,
  takeWorkflowSnapshot,
  writeWithSnapshots,
  storeParkedWork,
  type ParkedWork,
  parkSessionWork,
} from "./workflow-snapshots.ts";
import { focusSessionWork, syncWorkflowState } from "./workflow-writes.ts";
import { storeWorkBaseline } from "./attributed-work.ts";
import type * as z from "zod";
import type { Page } from "#kernel/model/page.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { StartFeatureInput, WorkflowStartOutput } from "./schema.ts";

type WorkflowStart = Omit<z.infer<typeof StartFeatureInput>, "description"> & {
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
  run: (engine: PlanningEngine, { description: title, ...input }) =>
    startWorkflow(engine, { ...input, kind: "feature", title, spec: { summary: title } }),
  page: (output) => formatWorkflowStartPage(output),
});

export const startBugfixOperation = defineOperation({
  id: "workflow.bugfix",
  effect: "append",
  input: async () => (await import("./schema.ts")).StartBugfixInput,
  output: async () => (await import("./schema.ts")).WorkflowStartOutput,
  run: (engine: PlanningEngine, { description: title, ...input }) =>
    startWorkflow(engine, { ...input, kind: "bugfix", title, spec: { summary: title } }),
  page: (output) => formatWorkflowStartPage(output),
});

export const startResearchOperation = defineOperation({
  id: "workflow.research",
  effect: "append",
  input: async () => (await import("./schema.ts")).StartResearchInput,
  output: async () => (await import("./schema.ts")).WorkflowStartOutput,
  async run(engine: PlanningEngine, { description: title, timebox = "2h", ...rest }) {
    const timebox_s = parseWorkDuration(timebox);
    return startWorkflow(engine, { ...rest, kind: "research", title, timebox_s, spec: { timebox } });
  },
  page: (output) => formatWorkflowStartPage(output),
});

async function startWorkflow(engine: PlanningEngine, wanted: WorkflowStart) {
  const { session, runtime } = await syncWorkflowState(engine, wanted.session);
  const paths = (wanted.files ?? []).map(parseLockPath);
  rejectWorkflowStart(`The ${wanted.kind} ${quote(wanted.title, 60)}`, paths, runtime);
  const id = await reserveWorkflowId(engine, wanted);
  const path = getSpecPath(id);
  // A spec that already exists is kept, and the workflow continues from it.
  const isThere = await engine.store.read((tree) => tree.text(path) !== undefined);
  const template = { ...wanted.spec, title: wanted.title, at: engine.clock.now() };
  const spec = isThere ? undefined : { path, text: await renderSpecTemplate(engine, id, template) };
  const worktree = wanted.worktree ? await engine.worktrees.add(id, spec ? [spec] : []) : undefined;
  const apart = worktree && { path: worktree.path, branch: worktree.branch };
  const steady = engine.clock.steady?.();
  const proposal = { ...wanted, id, steady, base_commit: await engine.source.head(), worktree: apart };
  const begun = createWorkflowRecord(proposal, engine.clock.now());
  // A workflow in its own worktree does not disturb other work.
  const parked: ParkedWork = worktree ? {} : await parkSessionWork(engine, runtime, session);
  const coming = worktree ? undefined : spec;
  const { path: root, checkout } = worktree ?? { path: engine.root, checkout: engine.checkout };
  const snapshots = (worktree && engine.snapshotsOf({ root, checkout })) ?? engine.snapshots;
  // The start snapshot contains the new spec, and the write that adds the spec keeps it.
  const start = await takeWorkflowSnapshot({ ...engine, snapshots, checkout }, runtime, begun, "start", coming);
  const baseline = start && (await storeWorkBaseline({ snapshots, checkout }));
  if (baseline) await snapshots.keepBaseline(id, baseline.commit);
  const taken = [parked.snapshot, start, baseline && { workflow: id, n: 0 }];
  const write = () =>
    commitDraft(engine, (draft, tree) => {
      rejectUsedId(tree, id, wanted.kind);
      rejectWorkflowStart(id, paths, draft.runtime);
      draft.putWorkflow(begun);
      if (baseline) draft.put(WORK_SPACE, id, baseline);
      for (const each of paths) draft.putLock({ workflow: id, path: each, at: draft.at, how: "claim" });
      draft.say("workflow.started", id, { kind: begun.kind, title: begun.title, priority: begun.priority });
      if (paths.length > 0) draft.say("lock.claimed", id, { paths });
      if (apart) draft.say("workflow.worktree", id, apart);
      const dropped = [...storeParkedWork(draft, tree, session, parked), ...storeSnapshot(draft, start)];
      focusSessionWork(draft, id, { session, checkout, tree: start?.tree });
      if (coming && !tree.has(path)) draft.step({ kind: "document", ...coming });
      return dropped;
    });
  const gone = await writeWithSnapshots(engine, taken, write).catch(async (error: unknown) => {
    const { removed, why } = worktree ? await engine.worktrees.remove(id) : { removed: true };
    if (!removed) engine.notice(`The worktree of ${id} was not removed. ${why ?? ""}`);
    throw error;
  });
  await dropSnapshotRefs(engine, gone);
  await pruneExpiredSnapshots(engine);
  const unusual = describeUnusualPriority(begun.kind, begun.priority);
  return {
    workflow: createWorkflowView(
      begun,
      await engine.store.read(loadWorkRuntime),
      session,
      engine.clock.now(),
      engine.clock.steady?.(),
    ),
    next: await loadOpenStage(engine, begun),
    notes: [
      ...(apart ? [`Work on it there: cd ${quoteShellWord(apart.path)}`] : []),
      ...(worktree?.missing ?? []).map(({ folder, command }) => `${folder} is missing. Run in that folder: ${command}`),
      ...(isThere ? [`${path} existed before and stays unchanged.`] : []),
      ...(unusual ? [unusual] : []),
      ...formatParkedNote(parked.snapshot),
      ...(start ? [] : [NO_GIT_NOTE]),
      ...(wanted.kind === "research" ? [] : await engine.missingTools(listGateCommands(wanted.kind))),
    ],
  };
}

const NO_GIT_NOTE =
  "There is no git repository here, so Tenon cannot roll it back, and its gates cannot compare the code. " +
  "Run git init, then start it again.";

/** Checked before git runs, and again under the store lock. */
function rejectWorkflowStart(who: string, paths: readonly string[], runtime: WorkRuntime): void {
  const what = `${who} cannot start.`;
  rejectQueueOverflow(listWorkQueue(runtime), what);
  rejectHeldPaths(findLockConflicts(paths, "", runtime.locks, true), runtime, what);
}

/** Reserves the id first, so that two concurrent calls get different ids. */
async function reserveWorkflowId(engine: PlanningEngine, { id, kind, title }: WorkflowStart): Promise<WorkflowId> {
  const given = id === undefined ? undefined : parseWorkflowId(id);
  if (given) rejectIdOfOtherKind(given, kind);
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
  if (!known) return;
  const again = { operation: `workflow.${kind}`, input: { description: "…" } };
  throw new Fault("workflow.exists", {
    what: `${id} cannot start.`,
    why: `A workflow with that id exists; it is ${known.status}.`,
    fix: known.status === "active" ? [{ operation: "workflow.switch", input: { id } }, again] : [again],
  });
}

function rejectIdOfOtherKind(id: WorkflowId, kind: WorkflowKind): void {
  const expected = { bugfix: "BUG", research: "RES", feature: undefined }[kind];
  const prefix = parseWorkflowPrefix(id);
  const isRight = expected === undefined ? prefix !== "BUG" && prefix !== "RES" : prefix === expected;
  if (isRight) return;
  throw new Fault("workflow.bad-id", {
    what: `${id} cannot be the id of a ${kind}.`,
    why: expected
      ? `Ids of a ${kind} start with ${expected}-.`
      : `${prefix}- is for a ${prefix === "BUG" ? "bugfix" : "research"}.`,
    fix: { operation: `workflow.${kind}`, input: { id: `${expected ?? "AUTH"}-001` } },
  });
}

function formatWorkflowStartPage({ workflow, next, notes }: z.infer<typeof WorkflowStartOutput>): Page {
  return {
    ...formatWorkflowPage(`${workflow.id} started; stage ${next.stage} is open.`, workflow),
    points: [`Fill in ${workflow.spec}: it is a draft with comments.`, ...notes],
    guide: next.guide,
    next: suggestNextCalls(workflow),
  };
}
