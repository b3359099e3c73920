import { Fault } from "#domain/fault.ts";
import { type LockConflict, listSharedPaths } from "#domain/workflow/locks.ts";
import type { WorkflowDraft } from "./draft.ts";
import { listWorkQueue, type WorkRuntime } from "./runtime.ts";

export interface LockHolder {
  readonly path: string;
  readonly workflow: string;
  readonly stage: string;
  readonly since: string;
}

export function listLockHolders(conflicts: readonly LockConflict[], runtime: WorkRuntime): LockHolder[] {
  const stages = new Map(listWorkQueue(runtime).map(({ id, stage }) => [id, stage]));
  return conflicts.map(({ path, lock }) => ({
    path,
    workflow: lock.workflow,
    stage: stages.get(lock.workflow) ?? "ended",
    since: lock.at,
  }));
}

export const formatLockHolder = ({ path, workflow, stage, since }: LockHolder): string =>
  `${path}: ${workflow} at stage ${stage}, since ${since}`;

export interface ConflictReport {
  readonly conflict: boolean;
  readonly conflicting_files: readonly string[];
  readonly current_workflow: string;
  readonly target_workflow: string;
}

export function createConflictReport(runtime: WorkRuntime, current: string, target: string): ConflictReport {
  const conflicting_files = current === target ? [] : listSharedPaths(current, target, runtime.locks);
  return {
    conflict: conflicting_files.length > 0,
    conflicting_files,
    current_workflow: current,
    target_workflow: target,
  };
}

/** Recorded for the statistics. */
export function recordLockRejection(draft: WorkflowDraft, workflow: string, conflicts: readonly LockConflict[]): void {
  const paths = [...new Set(conflicts.map(({ path }) => path))];
  draft.say("lock.refused", workflow, { paths, holder: conflicts[0]?.lock.workflow });
}

/** `id` is the claiming work. Without it a new workflow was about to begin, which can begin without these files. */
export function rejectHeldPaths(
  conflicts: readonly LockConflict[],
  runtime: WorkRuntime,
  what: string,
  id?: string,
): void {
  const [first] = conflicts;
  if (!first) return;
  const told = listLockHolders(conflicts.slice(0, 5), runtime).map(formatLockHolder);
  const rest = conflicts.length - told.length;
  throw new Fault("lock.held", {
    what,
    why: `${told.join("; ")}${rest > 0 ? `; and ${rest} more` : ""}.`,
    fix: [
      { operation: "workflow.switch", input: { id: first.lock.workflow } },
      ...(id === undefined
        ? ["Or begin without that file, and claim it afterwards with force if both shall work on it."]
        : [{ operation: "workflow.lock", input: { action: "claim", paths: [first.path], id, force: true } }]),
      "Or wait until it has ended, or ask its owner to release the file.",
    ],
  });
}
