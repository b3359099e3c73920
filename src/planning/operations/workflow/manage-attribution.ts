import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import { canGlobsOverlap, isGlobPattern } from "#kernel/model/path-glob.ts";
import { formatCount } from "#kernel/model/text-format.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { findLockConflicts, formatLockKey, parseLockPath } from "../../model/workflow/file-locks.ts";
import type { WorkBasis, WorkReason } from "../../model/workflow/work-attribution.ts";
import { rejectLostLease } from "../../model/workflow/work-sessions.ts";
import { createNoCurrentWorkflowFault } from "../../model/workflow/workflow-lifecycle.ts";
import type { PlanningEngine } from "../engine.ts";
import { type AttributedWork, loadWork } from "./attributed-work.ts";
import { LOCK_SPACE, WORK_SPACE } from "./ledger-spaces.ts";
import type { ShowWorkOutput } from "./schema.ts";
import {
  commitDraft,
  findCurrentWork,
  listWorkQueue,
  resolveQueueItem,
  type WorkflowDraft,
  type WorkRuntime,
} from "./workflow-runtime.ts";
import { findWorkBasis } from "./workflow-snapshots.ts";
import { rejectHeldPaths } from "./workflow-view.ts";
import { rejectDuringRollback } from "./finish-rollback.ts";
import { recordSessionActivity, syncWorkflowState } from "./workflow-writes.ts";

type WorkView = z.infer<typeof ShowWorkOutput>;
type Correction = Exclude<WorkView["action"], "show">;

const REASON_TEXTS: Readonly<Record<WorkReason, string>> = {
  edit: "a client reported the edit",
  presumed: "changed while this was the only active work here",
  tag: "the change adds a tag of its spec",
  claim: "claimed",
};

export const manageWorkOperation = defineOperation({
  id: "workflow.work",
  effect: "change",
  input: async () => (await import("./schema.ts")).ShowWorkInput,
  output: async () => (await import("./schema.ts")).ShowWorkOutput,
  async run(engine: PlanningEngine, { action, id: said, paths: named = [], reason, session: name }) {
    const { session, runtime } = await syncWorkflowState(engine, name);
    // People type a path in place of the id: tenon work claim src/login.ts. No id has a dot or a slash.
    const first = said !== undefined && /[./]/.test(said) ? said : undefined;
    const given = first === undefined ? named : [first, ...named];
    const id = first === undefined && said !== undefined ? said : findCurrentWork(runtime, session);
    if (id === undefined) throw createNoCurrentWorkflowFault(listWorkQueue(runtime), "workflow.work");
    resolveQueueItem(runtime, id);
    const started = runtime.workflows.get(id) ?? runtime.changes.find((change) => change.id === id);
    const load = () => loadWork(engine, { id, base_commit: started?.base_commit });
    const work = await load();
    if (!work) throw createNoWorkFault(engine, id);
    if (action === "show") return viewWork(id, action, [], work);
    if (given.length === 0 || (action === "exclude" && reason === undefined))
      throw createMissingFault(id, action, given);
    const paths = resolvePaths(given, work);
    const basis = findWorkBasis(engine, runtime, id);
    if (!basis) throw createNoWorkFault(engine, id);
    if (action === "exclude") rejectWrongExclusion(id, paths, work);
    if (action === "claim") rejectForeignClaim(runtime, id, paths);
    await commitDraft(engine, (draft, tree) => {
      rejectDuringRollback(tree, id);
      rejectLostLease(id, session, draft.runtime);
      recordSessionActivity(draft, session);
      const now = draft.runtime.bases.get(id) ?? basis;
      draft.put(WORK_SPACE, id, CORRECTIONS[action](now, paths, reason ?? ""));
      for (const path of paths) correctLock(draft, id, path, action);
      draft.say("work.corrected", id, { action, paths, ...(action === "exclude" ? { reason } : {}) });
    });
    return viewWork(id, action, paths, (await load()) ?? work);
  },
  page({ id, action, changed, files, excluded, others, unattributed }) {
    const show = { operation: "workflow.work", input: { action: "show", id } };
    const undo = changed.length > 0 ? createUndo(id, action, changed) : [];
    const claim = { operation: "workflow.work", input: { action: "claim", id, paths: unattributed.slice(0, 10) } };
    return {
      title: action === "show" ? `The work of ${id}: ${formatCount(files.length, "file")}.` : DONE[action](id, changed),
      table: {
        columns: ["file", "counts", "why"],
        rows: [
          ...files.map(({ path, why }) => [path, "yes", REASON_TEXTS[why]]),
          ...excluded.map(({ path, reason }) => [path, "no", `excluded: ${reason}`]),
          ...others.map(({ path, holder }) => [path, "no", `${holder} holds it`]),
          ...unattributed.map((path) => [path, "no", "no session of this work changed it"]),
        ],
      },
      next: [
        ...(undo.length > 0 ? ["To undo:", ...undo] : []),
        ...(unattributed.length > 0 ? [`If ${id} made the unattributed changes:`, claim] : []),
        ...(action === "show" ? [] : [show]),
      ],
    };
  },
});

const DONE: Readonly<Record<Correction, (id: string, paths: readonly string[]) => string>> = {
  claim: (id, paths) => `Claimed for ${id}: ${paths.join(", ")}.`,
  unclaim: (id, paths) => `No longer claimed for ${id}: ${paths.join(", ")}.`,
  exclude: (id, paths) => `Excluded from ${id}: ${paths.join(", ")}.`,
  include: (id, paths) => `No longer excluded from ${id}: ${paths.join(", ")}.`,
};

const UNDO: Readonly<Record<Correction, Correction>> = {
  claim: "unclaim",
  unclaim: "claim",
  exclude: "include",
  include: "exclude",
};

function createUndo(id: string, action: WorkView["action"], paths: readonly string[]) {
  if (action === "show") return [];
  const reason = UNDO[action] === "exclude" ? { reason: "…" } : {};
  return [{ operation: "workflow.work", input: { action: UNDO[action], id, paths: [...paths], ...reason } }];
}

type BasisCorrection = (basis: WorkBasis, paths: readonly string[], reason: string) => WorkBasis;

const withoutPaths = <T extends string | { readonly path: string }>(
  list: readonly T[] = [],
  paths: readonly string[],
): T[] => list.filter((each) => !paths.includes(typeof each === "string" ? each : each.path));

const CORRECTIONS: Readonly<Record<Correction, BasisCorrection>> = {
  claim: (basis, paths) => ({
    ...basis,
    claimed: [...withoutPaths(basis.claimed, paths), ...paths],
    excluded: withoutPaths(basis.excluded, paths),
  }),
  unclaim: (basis, paths) => ({ ...basis, claimed: withoutPaths(basis.claimed, paths) }),
  exclude: (basis, paths, reason) => ({
    ...basis,
    claimed: withoutPaths(basis.claimed, paths),
    excluded: [...withoutPaths(basis.excluded, paths), ...paths.map((path) => ({ path, reason }))],
  }),
  include: (basis, paths) => ({ ...basis, excluded: withoutPaths(basis.excluded, paths) }),
};

/** A claimed file is locked, and an excluded one is free for other work and for the user. */
function correctLock(draft: WorkflowDraft, workflow: string, path: string, action: Correction): void {
  const lock = draft.runtime.locks.find((each) => formatLockKey(each) === formatLockKey({ workflow, path }));
  const isHeld = lock !== undefined && lock.released_at === undefined;
  if (action === "claim" && !isHeld) draft.putLock({ workflow, path, at: draft.at, how: "claim" });
  if (action === "include" && !isHeld) draft.putLock({ workflow, path, at: draft.at, how: "git" });
  if (action === "exclude" && isHeld) draft.put(LOCK_SPACE, formatLockKey(lock), { ...lock, released_at: draft.at });
  if (action === "unclaim" && isHeld && lock.how === "claim") draft.dropLock(lock);
}

const viewWork = (
  id: string,
  action: WorkView["action"],
  changed: readonly string[],
  work: AttributedWork,
): WorkView => ({
  id,
  action,
  changed: [...changed],
  files: work.files.map(({ path, why, from, to }) => ({
    path,
    why,
    status: from === undefined ? "added" : to === undefined ? "deleted" : "modified",
  })),
  excluded: work.excluded.map((each) => ({ ...each })),
  others: work.others.map((each) => ({ ...each })),
  unattributed: [...work.unattributed],
});

/** A folder or a pattern means the changed files in it. */
function resolvePaths(given: readonly string[], work: AttributedWork): string[] {
  const known = [...work.files, ...work.excluded, ...work.others].map(({ path }) => path);
  const all = [...known, ...work.unattributed];
  const resolved = given.map(parseLockPath).flatMap((path) => {
    return isGlobPattern(path) && !all.includes(path) ? all.filter((each) => canGlobsOverlap(path, each)) : [path];
  });
  return [...new Set(resolved)];
}

/** An agent must not take its own edits out of what the gate judges. */
function rejectWrongExclusion(id: string, paths: readonly string[], { files }: AttributedWork): void {
  const show = { operation: "workflow.work", input: { action: "show", id } };
  const strange = paths.filter((path) => !files.some((file) => file.path === path));
  if (strange.length > 0) {
    throw new Fault("work.not-own", {
      what: `Nothing was excluded from ${id}.`,
      why: `Its work does not include ${strange.join(", ")}.`,
      fix: show,
    });
  }
  const edited = files.filter(({ path, why }) => why === "edit" && paths.includes(path)).map(({ path }) => path);
  if (edited.length === 0) return;
  throw new Fault("work.edited", {
    what: `Nothing was excluded from ${id}.`,
    why: `A session of ${id} edited ${edited.join(", ")}: its client reported that.`,
    fix: [show, "Undo the edit in the file, or let the gate judge it."],
  });
}

function rejectForeignClaim(runtime: WorkRuntime, id: string, paths: readonly string[]): void {
  const what = `${paths.length === 1 ? paths[0] : formatCount(paths.length, "path")} cannot be claimed for ${id}.`;
  rejectHeldPaths(findLockConflicts(paths, id, runtime.locks), runtime, what, id);
}

const createMissingFault = (id: string, action: Correction, paths: readonly string[]): Fault =>
  new Fault("input.missing", {
    what: `The work of ${id} was not changed.`,
    why: paths.length === 0 ? "No path was given." : "The reason is missing: the receipt shows it.",
    fix: {
      operation: "workflow.work",
      input: {
        action,
        id,
        paths: paths.length === 0 ? ["src/login.ts"] : [...paths],
        ...(action === "exclude" ? { reason: "…" } : {}),
      },
    },
  });

const createNoWorkFault = ({ root }: PlanningEngine, id: string): Fault =>
  new Fault("work.no-baseline", {
    what: `The work of ${id} is not known here.`,
    why: `${root} is not a git repository, or ${id} was started in another checkout.`,
    fix: { operation: "workflow.status", input: { id } },
  });
