import { Fault } from "#domain/fault.ts";
import { quote, quoteShellWord } from "#domain/quote.ts";
import type { WorkflowKind } from "#domain/workflow/flows.ts";
import { type WorkflowId, parseWorkflowId } from "#domain/workflow/id.ts";
import { conflictsWith, lockPath } from "#domain/workflow/locks.ts";
import { alreadyUsed, counterOf, nextId, numberOf, prefixFor, prefixOf } from "#domain/workflow/naming.ts";
import { refuseOverflow, unusualPriority } from "#domain/workflow/queue.ts";
import type { Snapshot, WorkflowRecord } from "#domain/workflow/record.ts";
import { beginWorkflow } from "#domain/workflow/workflow.ts";
import { type Path, SPEC_FOLDER, specFile } from "#domain/workspace/path.ts";
import { commit, type Engine } from "../../engine.ts";
import { beginSpec, type SpecBeginning } from "../../spec/template.ts";
import type { MadeWorktree } from "../../ports/snapshots.ts";
import type { LockedTree, Plan, Tree } from "../../ports/store.ts";
import { WORKFLOWS } from "../spaces.ts";
import { refuseHeld } from "./conflict.ts";
import { Draft } from "./draft.ts";
import { dropRefs, keepSnapshot, takeSnapshot, withSnapshots } from "./keeping-files.ts";
import { keepParked, park, type Parked } from "./parking.ts";
import { queueIn, type Runtime, runtimeIn, sessionIn } from "./runtime.ts";
import { takeUp } from "./taking-up.ts";
import { bringUpToDate } from "./writing.ts";

export interface Beginning {
  readonly kind: WorkflowKind;
  readonly id?: string | undefined;
  readonly title: string;
  readonly priority?: number | undefined;
  readonly files?: readonly string[] | undefined;
  readonly session?: string | undefined;
  readonly worktree?: boolean | undefined;
  readonly timebox_s?: number | undefined;
  readonly spec?: Pick<SpecBeginning, "summary" | "timebox">;
}

export interface Begun {
  readonly record: WorkflowRecord;
  readonly notes: readonly string[];
}

export async function begin(engine: Engine, wanted: Beginning): Promise<Begun> {
  await bringUpToDate(engine);
  const session = sessionIn(engine, wanted.session);
  const paths = (wanted.files ?? []).map(lockPath);
  const runtime = await engine.store.read(runtimeIn);
  refuseToBegin(`The ${wanted.kind} ${quote(wanted.title, 60)}`, paths, runtime);
  const id = await reserveId(engine, wanted);
  const spec = await specFor(engine, id, wanted);
  const worktree = wanted.worktree ? await engine.worktrees.add(id, spec.isThere ? [] : [spec]) : undefined;
  const apart = worktree && { path: worktree.path, branch: worktree.branch };
  const proposal = { ...wanted, id, base_commit: await engine.source.head(), worktree: apart };
  const begun = beginWorkflow(proposal, engine.clock.now());
  // A workflow in its own worktree does not disturb other work.
  const parked = worktree ? {} : await park(engine, runtime, session);
  const coming = spec.isThere || worktree ? undefined : spec;
  // The start snapshot contains the new spec, and the write that adds the spec keeps it.
  const there = worktree ? inWorktree(engine, worktree) : engine;
  const start = await takeSnapshot(there, runtime, begun, "start", coming);
  const decide = (tree: LockedTree): Plan<Snapshot[]> => {
    refuseUsed(tree, id, wanted.kind);
    const draft = new Draft(runtimeIn(tree), engine.clock.now());
    refuseToBegin(id, paths, draft.runtime);
    draft.putWorkflow(begun);
    for (const path of paths) draft.putLock({ workflow: id, path, at: draft.at, how: "claim" });
    draft.say("workflow.started", id, { kind: begun.kind, title: begun.title, priority: begun.priority });
    if (paths.length > 0) draft.say("lock.claimed", id, { paths });
    if (apart) draft.say("workflow.worktree", id, apart);
    const dropped = [...keepParked(draft, tree, session, parked), ...keepSnapshot(draft, start)];
    takeUp(draft, id, { session, checkout: there.checkout, tree: start?.tree });
    if (coming && !tree.has(spec.path)) draft.step({ kind: "document", ...coming });
    return draft.plan(dropped);
  };
  const write = (): Promise<Snapshot[]> =>
    withSnapshots(engine, [parked.snapshot, start], () => commit(engine, decide));
  const gone = worktree ? await orWithoutWorktree(engine, id, write) : await write();
  await dropRefs(engine, gone);
  return { record: begun, notes: notesOn(begun, parked, spec.isThere, start !== undefined) };
}

function inWorktree(engine: Engine, { path, checkout }: MadeWorktree): Engine {
  const snapshots = engine.snapshotsOf({ root: path, checkout }) ?? engine.snapshots;
  return { ...engine, snapshots, checkout };
}

/** Checked before git runs, and again under the store lock. */
function refuseToBegin(who: string, paths: readonly string[], runtime: Runtime): void {
  const what = `${who} cannot begin.`;
  refuseOverflow(queueIn(runtime), what);
  refuseHeld(conflictsWith(paths, "", runtime.locks, true), runtime, what);
}

interface Spec {
  readonly path: Path;
  readonly text: string;
  /** True if the spec already existed. It is kept, and the workflow continues from it. */
  readonly isThere: boolean;
}

async function specFor(engine: Engine, id: WorkflowId, wanted: Beginning): Promise<Spec> {
  const path = specFile(id);
  const there = await engine.store.read((tree) => tree.text(path));
  if (there !== undefined) return { path, text: there, isThere: true };
  const text = await beginSpec(engine, id, { ...wanted.spec, title: wanted.title, at: engine.clock.now() });
  return { path, text, isThere: false };
}

async function orWithoutWorktree<T>(engine: Engine, id: WorkflowId, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const { removed, why } = await engine.worktrees.remove(id);
    if (!removed) engine.notice(`The worktree of ${id} stays behind. ${why ?? ""}`);
    throw error;
  }
}

/** Reserves the id first, so that two concurrent calls get different ids. */
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

const specIds = (tree: Tree): string[] => tree.names(SPEC_FOLDER).map((name) => name.replace(/\.yaml$/, ""));

function refuseUsed(tree: Tree, id: WorkflowId, kind: WorkflowKind): void {
  const known = tree.kept(WORKFLOWS).get(id);
  if (known) throw alreadyUsed(id, known.status, kind);
}

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

const NO_BASE =
  "Nothing is committed here yet, so its gates have nothing to compare the code with: commit, abandon it and begin anew.";

function notesOn(record: WorkflowRecord, { snapshot }: Parked, isThere: boolean, hasSnapshots: boolean): string[] {
  const unusual = unusualPriority(record.kind, record.priority);
  return [
    ...(record.worktree ? [`Work on it there: cd ${quoteShellWord(record.worktree.path)}`] : []),
    ...(isThere ? [`${specFile(record.id)} was there and is kept as it is.`] : []),
    ...(unusual ? [unusual] : []),
    ...(snapshot ? [`What ${snapshot.workflow} had done is kept as its snapshot ${snapshot.n}.`] : []),
    ...(hasSnapshots ? [] : ["There is no git repository here, so it has no snapshots and cannot be rolled back."]),
    ...(record.base_commit === undefined && record.kind !== "research" ? [NO_BASE] : []),
  ];
}
