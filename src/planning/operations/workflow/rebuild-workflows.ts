import type { SnapshotRef } from "#git/operations/ports/git-files.ts";
import { isWorkflowId, type WorkflowId } from "#kernel/model/workflow-id.ts";
import { getLostExportPath, joinFolderPath, MACHINE_FOLDER, STATE_EXPORT_PATH } from "#kernel/model/workspace-paths.ts";
import { createTolerantTree } from "#store/operations/tolerant-tree.ts";
import type { LedgerRestore, StoreTree } from "#store/operations/ports/store.ts";
import { type ExportedWorkflow, parseStateExport } from "../../model/workflow/state-export.ts";
import {
  abandonWorkflowRecord,
  advanceWorkflowRecord,
  createWorkflowRecord,
  formatIdCounter,
  isActiveWorkflow,
  parseWorkflowNumber,
  parseWorkflowPrefix,
} from "../../model/workflow/workflow-lifecycle.ts";
import { findStageAfterStatus, type WorkflowKind, type WorkflowRecord } from "../../model/workflow/workflow-record.ts";
import type { PlanningEngine } from "../engine.ts";
import { listSpecFiles } from "../spec/list-specs.ts";
import { parseListedSpec } from "../spec/spec-files.ts";
import { LOCK_SPACE, SNAPSHOT_SPACE, WORK_SPACE, WORKFLOW_SPACE } from "./ledger-spaces.ts";
import { commitDraft, type WorkflowDraft } from "./workflow-runtime.ts";
import { parseSnapshotMessage } from "./workflow-snapshots.ts";

interface WorkflowTraces {
  readonly id: WorkflowId;
  readonly exported?: ExportedWorkflow | undefined;
  readonly refs: readonly SnapshotRef[];
  readonly baseline?: SnapshotRef | undefined;
  readonly spec?: { readonly status: string; readonly title: string } | undefined;
}

/** `unowned` has only a spec: clones have no ledger, and a teammate may work on it. `bare` has only snapshots. */
export async function findLostWorkflows(engine: PlanningEngine) {
  const { known, exported, specs } = await engine.store.read((tree) => {
    // Other checks report unreadable files.
    const forgiving = createTolerantTree(tree, () => undefined);
    return {
      known: tree.kept(WORKFLOW_SPACE),
      exported: readExports(forgiving),
      specs: listSpecFiles(forgiving).specs,
    };
  });
  const refs = (await engine.snapshots.isPossible()) ? await engine.snapshots.list() : [];
  const readings = await Promise.all(specs.map((spec) => parseListedSpec(engine, spec)));
  const byId = new Map(readings.map((reading) => [reading.id, reading.document?.spec]));
  const ids = new Set([...exported.keys(), ...refs.map(({ id }) => id), ...byId.keys()].filter(isWorkflowId));
  const traces = [...ids]
    .filter((id) => !known.has(id))
    .toSorted()
    .map((id): WorkflowTraces => {
      const spec = byId.get(id);
      const own = refs.filter((ref) => ref.id === id);
      return {
        id,
        exported: exported.get(id),
        refs: own.filter(({ n }) => n > 0),
        baseline: own.find(({ n }) => n === 0),
        spec: spec && { status: spec.status ?? "draft", title: "topic" in spec ? spec.topic : spec.title },
      };
    });
  const isLost = (each: WorkflowTraces): boolean =>
    each.exported !== undefined || (each.refs.length > 0 && each.spec !== undefined);
  return {
    lost: traces.filter(isLost),
    unowned: traces.filter((each) => !isLost(each) && each.refs.length === 0 && isUnfinished(each)),
    bare: traces.filter((each) => !isLost(each) && each.refs.length > 0),
    exported,
  };
}

const isUnfinished = ({ spec }: WorkflowTraces): boolean => spec?.status !== "done";

/** The current export counts before older ones that were set aside. */
function readExports(tree: StoreTree): ReadonlyMap<string, ExportedWorkflow> {
  const aside = tree.names(MACHINE_FOLDER).filter((name) => name.startsWith("state.yaml.lost-"));
  const paths = [...aside.toSorted().map((name) => joinFolderPath(MACHINE_FOLDER, name)), STATE_EXPORT_PATH];
  const all = paths.flatMap((path) => parseStateExport(tree.text(path) ?? ""));
  return new Map(all.map((each) => [each.id, each]));
}

export interface WorkflowRecovery {
  readonly recovered: readonly { readonly id: string; readonly stage: string; readonly from: string }[];
  readonly unrecovered: readonly string[];
}

/** Adds the workflows that the ledger lacks: from a copy of the ledger, else from specs, snapshots and the export. */
export async function rebuildLostWorkflows(
  engine: PlanningEngine,
  { isReplaced, copy }: LedgerRestore,
): Promise<WorkflowRecovery> {
  const { lost, bare, exported } = await findLostWorkflows(engine);
  const branch = lost.length > 0 && (await engine.snapshots.isPossible()) ? await engine.snapshots.branch() : "";
  return commitDraft(engine, (draft, tree) => {
    const recovered: { id: string; stage: string; from: string }[] = [];
    const add = (record: WorkflowRecord, from: string): void => {
      draft.putWorkflow(record);
      draft.say("workflow.recovered", record.id, { kind: record.kind, stage: record.current_stage });
      recovered.push({ id: record.id, stage: record.current_stage, from });
    };
    const known = draft.runtime.workflows;
    const copied = isReplaced
      ? []
      : [...(copy?.kept(WORKFLOW_SPACE).values() ?? [])].filter(({ id }) => !known.has(id));
    for (const record of copied) {
      add(record, "a copy of the ledger");
      for (const each of copy?.kept(SNAPSHOT_SPACE).values() ?? [])
        if (each.workflow === record.id) draft.putSnapshot(each);
      for (const each of copy?.kept(LOCK_SPACE).values() ?? []) if (each.workflow === record.id) draft.putLock(each);
      draft.put(WORK_SPACE, record.id, copy?.kept(WORK_SPACE).get(record.id));
    }
    const rebuilt = lost.filter(({ id }) => !known.has(id) && copied.every((record) => record.id !== id));
    for (const traces of rebuilt) {
      const record = rebuildWorkflow(draft, traces, engine.checkout);
      add(record, describeTraces(traces));
      const { baseline } = traces;
      if (baseline && isActiveWorkflow(record)) {
        const [commit, head] = [baseline.commit, record.base_commit];
        draft.put(WORK_SPACE, record.id, { checkout: engine.checkout, commit, head, branches: [branch] });
      }
    }
    reserveNumbers(
      draft,
      (name) => tree.counter(name),
      recovered.map(({ id }) => id),
      [...lost, ...bare],
    );
    if (isReplaced || recovered.length > 0) {
      draft.say("ledger.restored", engine.checkout, { workflows: recovered.length });
      // The export is written again from the restored state, and this one stays for the user.
      if (tree.has(STATE_EXPORT_PATH))
        draft.step({ kind: "move", from: STATE_EXPORT_PATH, to: getLostExportPath(draft.at) });
    }
    const after = [...known.values()].flatMap((record) => describeLaterStage(record, exported.get(record.id)));
    return {
      recovered,
      unrecovered: [
        ...after,
        ...rebuilt.map(({ id }) => `${id}: approvals, gate results and time spent. Its gates ask for them again.`),
        ...bare.map(({ id }) => `${id}: it has snapshots but no spec. List them: git for-each-ref refs/tenon/${id}`),
      ],
    };
  });
}

const describeLaterStage = (record: WorkflowRecord, exported: ExportedWorkflow | undefined): string[] =>
  exported?.stage === undefined || exported.stage === record.current_stage || !isActiveWorkflow(record)
    ? []
    : [`${record.id}: it was at stage ${exported.stage}, and the copy has stage ${record.current_stage}.`];

const describeTraces = ({ exported, refs, spec }: WorkflowTraces): string =>
  [
    ...(exported ? [STATE_EXPORT_PATH] : []),
    ...(refs.length > 0 ? [`${refs.length} snapshot refs`] : []),
    ...(spec ? ["its spec"] : []),
  ].join(", ");

function rebuildWorkflow(draft: WorkflowDraft, traces: WorkflowTraces, checkout: string): WorkflowRecord {
  const { id, exported, refs, spec } = traces;
  const kind = exported?.kind ?? guessWorkflowKind(id);
  const [first, last] = [refs[0], refs.at(-1)];
  const proposal = {
    id,
    kind,
    title: exported?.title ?? spec?.title ?? id,
    priority: exported?.priority,
    base_commit: exported?.base_commit ?? first?.head,
    worktree: exported?.worktree,
  };
  const started = createWorkflowRecord(proposal, exported?.started_at ?? first?.at ?? draft.at);
  const isDone = exported?.status === "completed" || (exported === undefined && spec?.status === "done");
  const stage = exported?.stage ?? findSnapshotStage(started, last) ?? findStageAfterStatus(kind, spec?.status);
  const ended_at = exported?.finished_at ?? draft.at;
  const record = advanceTo(started, isDone ? undefined : stage, ended_at);
  for (const { id: workflow, message, ...ref } of refs) {
    const taken = parseSnapshotMessage(message);
    draft.putSnapshot({
      workflow,
      ...ref,
      stage: taken.stage ?? started.current_stage,
      why: taken.why ?? "stage",
      checkout,
      files_modified: [],
      state: advanceTo(started, taken.stage ?? started.current_stage, ref.at),
    });
  }
  for (const path of exported?.status === "active" ? exported.files_locked : [])
    draft.putLock({ workflow: id, path, at: draft.at, how: "claim" });
  return exported?.status === "abandoned" ? abandonWorkflowRecord(started, "Unknown", ended_at)[0] : record;
}

/** A stage snapshot is taken at the end of its stage, any other within it. */
function findSnapshotStage({ stages }: WorkflowRecord, last: SnapshotRef | undefined): string | undefined {
  const { stage, why } = parseSnapshotMessage(last?.message ?? "");
  const at = stages.findIndex(({ name }) => name === stage);
  return at < 0 ? undefined : (why === "stage" ? stages[at + 1] : stages[at])?.name;
}

function advanceTo(record: WorkflowRecord, stage: string | undefined, at: string): WorkflowRecord {
  if (stage !== undefined && record.stages.every(({ name }) => name !== stage)) return record;
  let moved = record;
  while (isActiveWorkflow(moved) && moved.current_stage !== stage) [moved] = advanceWorkflowRecord(moved, at);
  return moved;
}

export const guessWorkflowKind = (id: WorkflowId): WorkflowKind =>
  id.startsWith("BUG-") ? "bugfix" : id.startsWith("RES-") ? "research" : "feature";

/** Numbers of ids and snapshots that were given are not given again. */
function reserveNumbers(
  draft: WorkflowDraft,
  counter: (name: string) => number,
  ids: readonly string[],
  traces: readonly WorkflowTraces[],
): void {
  const numbers = new Map<string, number>();
  const reserve = (name: string, n: number): void =>
    void numbers.set(name, Math.max(n, numbers.get(name) ?? counter(name)));
  for (const id of [...ids, ...traces.map((each) => each.id)].filter(isWorkflowId))
    reserve(formatIdCounter(parseWorkflowPrefix(id)), parseWorkflowNumber(id));
  for (const { id, refs } of traces) for (const { n } of refs) reserve(`snapshot ${id}`, n);
  draft.include({ steps: [], occurrences: [], counters: Object.fromEntries(numbers), result: undefined });
}
