import { Fault } from "#domain/fault.ts";
import type { WorkflowKind } from "#domain/workflow/flows.ts";
import { type WorkflowId, parseWorkflowId } from "#domain/workflow/id.ts";
import { conflictsWith, lockPath } from "#domain/workflow/locks.ts";
import { alreadyUsed, nextId, numberOf, prefixFor, prefixOf } from "#domain/workflow/naming.ts";
import { refuseOverflow, unusualPriority } from "#domain/workflow/queue.ts";
import type { Snapshot, WorkflowRecord } from "#domain/workflow/record.ts";
import { beginWorkflow } from "#domain/workflow/workflow.ts";
import { SPEC_FOLDER, specFile } from "#domain/workspace/path.ts";
import { commit, type Engine } from "../../engine.ts";
import { beginSpec, type SpecBeginning } from "../../spec/template.ts";
import type { LockedTree, Plan, Tree } from "../../store.ts";
import { foldJournal } from "../fold.ts";
import { WORKFLOWS } from "../spaces.ts";
import { refuseHeld } from "./conflict.ts";
import { Draft } from "./draft.ts";
import { dropRefs, keepSnapshot, takeSnapshot, withSnapshots } from "./keeping-files.ts";
import { keepParked, park, type Parked } from "./parking.ts";
import { finishRollbacks } from "./rolling-back.ts";
import { queueIn, type Runtime, runtimeIn, sessionIn } from "./runtime.ts";
import { takeUp } from "./taking-up.ts";

export interface Beginning {
  readonly kind: WorkflowKind;
  readonly id?: string | undefined;
  readonly title: string;
  readonly priority?: number | undefined;
  readonly files?: readonly string[] | undefined;
  readonly session?: string | undefined;
  readonly worktree?: boolean | undefined;
  readonly timebox_s?: number | undefined;
  /** What the spec begins with besides its title. */
  readonly spec?: Pick<SpecBeginning, "summary" | "timebox">;
}

export interface Begun {
  readonly record: WorkflowRecord;
  readonly notes: readonly string[];
}

/** Begins a workflow: an id of its own, a spec to fill in, a snapshot to come back to, and the session's attention. */
export async function begin(engine: Engine, wanted: Beginning): Promise<Begun> {
  await finishRollbacks(engine);
  await foldJournal(engine);
  const session = sessionIn(engine, wanted.session);
  const paths = (wanted.files ?? []).map(lockPath);
  const id = await reserveId(engine, wanted);
  const text = await beginSpec(engine, id, { ...wanted.spec, title: wanted.title, at: engine.clock.now() });
  const runtime = await engine.store.read(runtimeIn);
  refuseToBegin(id, paths, runtime);
  const { worktree: _, ...proposal } = { ...wanted, id, base_commit: await engine.source.head() };
  const begun = beginWorkflow(proposal, engine.clock.now());
  const parked = await park(engine, runtime, session);
  // What to come back to holds the spec as it is given, and is kept in the write that gives it.
  const start = await takeSnapshot(engine, runtime, begun, "start", { path: specFile(id), text });
  const decide = (tree: LockedTree): Plan<Snapshot[]> => {
    refuseUsed(tree, id, wanted.kind);
    const draft = new Draft(runtimeIn(tree), engine.clock.now());
    refuseToBegin(id, paths, draft.runtime);
    draft.putWorkflow(begun);
    for (const path of paths) draft.putLock({ workflow: id, path, at: draft.at, how: "claim" });
    draft.say("workflow.started", id, { kind: begun.kind, title: begun.title, priority: begun.priority });
    if (paths.length > 0) draft.say("lock.claimed", id, { paths });
    const dropped = [...keepParked(draft, parked), ...keepSnapshot(draft, start)];
    takeUp(draft, id, { session, checkout: engine.journal.checkout, tree: start?.tree });
    draft.step({ kind: "document", path: specFile(id), text });
    return draft.plan(dropped);
  };
  const gone = await withSnapshots(engine, [parked.snapshot, start], () => commit(engine, decide));
  await dropRefs(engine, gone);
  const record = wanted.worktree ? await setApart(engine, begun) : begun;
  return { record, notes: notesOn(record, parked) };
}

/** Before git is asked for anything, and again under the lock. */
function refuseToBegin(id: WorkflowId, paths: readonly string[], runtime: Runtime): void {
  const what = `${id} cannot begin.`;
  refuseOverflow(queueIn(runtime), what);
  refuseHeld(conflictsWith(paths, id, runtime.locks), runtime, what);
}

/** A folder of its own. The workflow has begun whether or not there can be one. */
async function setApart(engine: Engine, begun: WorkflowRecord): Promise<WorkflowRecord> {
  const worktree = await engine.worktrees.add(begun.id);
  return commit(engine, (tree) => {
    const draft = new Draft(runtimeIn(tree), engine.clock.now());
    const record = { ...(draft.workflow(begun.id) ?? begun), worktree };
    draft.putWorkflow(record);
    draft.say("workflow.worktree", begun.id, worktree);
    return draft.plan(record);
  });
}

/** Two who begin at once get two ids, though neither has written anything yet. */
async function reserveId(engine: Engine, { id, kind, title }: Beginning): Promise<WorkflowId> {
  const given = id === undefined ? undefined : ofKind(parseWorkflowId(id), kind);
  return engine.store.write((tree) => {
    if (given !== undefined) {
      refuseUsed(tree, given, kind);
      const counter = counterOf(prefixOf(given));
      const last = Math.max(tree.counter(counter), numberOf(given));
      return { steps: [], occurrences: [], counters: { [counter]: last }, result: given };
    }
    const prefix = prefixFor(kind, title);
    const taken = [...tree.kept(WORKFLOWS).keys(), ...specIds(tree)];
    const next = nextId(prefix, taken, tree.counter(counterOf(prefix)));
    return { steps: [], occurrences: [], counters: { [counterOf(prefix)]: numberOf(next) }, result: next };
  });
}

const counterOf = (prefix: string): string => `spec ${prefix}`;

const specIds = (tree: Tree): string[] => tree.names(SPEC_FOLDER).map((name) => name.replace(/\.yaml$/, ""));

function refuseUsed(tree: Tree, id: WorkflowId, kind: WorkflowKind): void {
  const known = tree.kept(WORKFLOWS).get(id);
  if (known || tree.has(specFile(id))) throw alreadyUsed(id, known?.status, kind);
}

/** The id tells what a spec is about, so it has to be of its kind. */
function ofKind(id: WorkflowId, kind: WorkflowKind): WorkflowId {
  const expected = { bugfix: "BUG", research: "RES", feature: undefined }[kind];
  const prefix = prefixOf(id);
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

function notesOn(record: WorkflowRecord, { tree, snapshot }: Parked): string[] {
  const unusual = unusualPriority(record.kind, record.priority);
  return [
    ...(unusual ? [unusual] : []),
    ...(snapshot ? [`What ${snapshot.workflow} had done is kept as its snapshot ${snapshot.n}.`] : []),
    ...(tree === undefined
      ? ["There is no git repository here, so it has no snapshots and cannot be rolled back."]
      : []),
  ];
}
