import { Fault } from "#domain/fault.ts";
import { type Conflict, sharedPaths } from "#domain/workflow/locks.ts";
import type { Draft } from "./draft.ts";
import { queueIn, type Runtime } from "./runtime.ts";

export interface Holder {
  readonly path: string;
  readonly workflow: string;
  readonly stage: string;
  readonly since: string;
}

export function holdersOf(conflicts: readonly Conflict[], runtime: Runtime): Holder[] {
  const stages = new Map(queueIn(runtime).map(({ id, stage }) => [id, stage]));
  return conflicts.map(({ path, lock }) => ({
    path,
    workflow: lock.workflow,
    stage: stages.get(lock.workflow) ?? "ended",
    since: lock.at,
  }));
}

export const holderLine = ({ path, workflow, stage, since }: Holder): string =>
  `${path}: ${workflow} at stage ${stage}, since ${since}`;

export interface ConflictReport {
  readonly conflict: boolean;
  readonly conflicting_files: readonly string[];
  readonly current_workflow: string;
  readonly target_workflow: string;
}

export function reportConflict(runtime: Runtime, current: string, target: string): ConflictReport {
  const conflicting_files = current === target ? [] : sharedPaths(current, target, runtime.locks);
  return {
    conflict: conflicting_files.length > 0,
    conflicting_files,
    current_workflow: current,
    target_workflow: target,
  };
}

/** Recorded for the statistics. */
export function sayRefused(draft: Draft, workflow: string, conflicts: readonly Conflict[]): void {
  const paths = [...new Set(conflicts.map(({ path }) => path))];
  draft.say("lock.refused", workflow, { paths, holder: conflicts[0]?.lock.workflow });
}

/** `id` is the claiming work. Without it a new workflow was about to begin, which can begin without these files. */
export function refuseHeld(conflicts: readonly Conflict[], runtime: Runtime, what: string, id?: string): void {
  const [first] = conflicts;
  if (!first) return;
  const told = holdersOf(conflicts.slice(0, 5), runtime).map(holderLine);
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
