import { createHash } from "node:crypto";
import { Fault } from "#domain/fault.ts";
import type { WorkspacePath } from "#domain/workspace/path.ts";
import type { LeaseGrant, LedgerEntry, StoreOccurrence, StorePlan, StoreStep } from "#operations/ports/store.ts";
import { type Files, TEMPORARY } from "./files/files.ts";
import { formOf, revisionIn, sealRecord } from "./files/seal.ts";

type IntentStep =
  | {
      readonly kind: "put";
      readonly path: WorkspacePath;
      readonly base: string | null;
      readonly text: string;
      readonly makes?: WorkspacePath;
    }
  | { readonly kind: "move"; readonly from: WorkspacePath; readonly to: WorkspacePath; readonly makes?: WorkspacePath };

export interface Intent {
  readonly id: string;
  readonly at: string;
  readonly steps: readonly IntentStep[];
  readonly occurrences: readonly StoreOccurrence[];
  readonly root?: string;
  readonly keeps?: readonly LedgerEntry[];
  readonly grants?: readonly LeaseGrant[];
  readonly releases?: readonly string[];
}

/** Whether it changes state that all worktrees share. No process may decide anything before it is finished. */
export const isShared = ({ keeps = [], grants = [], releases = [] }: Intent): boolean =>
  keeps.length + grants.length + releases.length > 0;

/** Records the plan with the state it was based on, so that a later check detects foreign changes. */
export function intend(
  files: Files,
  seen: (path: WorkspacePath) => Buffer | undefined,
  plan: StorePlan<unknown>,
  { id, at }: { readonly id: string; readonly at: string },
): Intent {
  if (plan.occurrences.length === 0) throw new Error("A write must say what happened: its event shows that it did.");
  const steps = plan.steps.flatMap((step): IntentStep[] => {
    const makes = files.missingFolder(target(step));
    const made = makes ? { makes } : {};
    if (step.kind === "move") return [{ ...step, ...made }];
    const present = seen(step.path);
    if (step.kind === "record") refuseUnsound(step, present);
    const text = step.kind === "record" ? sealRecord(step.record, formOf(step.path)) : step.text;
    const base = hashOf(present);
    // A step without a change would look finished.
    return base === hashOf(Buffer.from(text)) ? [] : [{ kind: "put", path: step.path, base, text, ...made }];
  });
  const { occurrences, keeps = [], grants = [], releases = [] } = plan;
  return { id, at, root: files.root, steps, occurrences, keeps, grants, releases };
}

/**
 * Finishes an intent; completed steps are skipped, so it may run again after a crash. Needs the ledger lock. A file
 * that another program changed stops it with `store.conflict`, and nothing more is changed.
 */
export function apply(files: Files, intent: Intent): void {
  const done = intent.steps.findLastIndex((step) => isDone(files, step));
  const left = [...intent.steps.entries()].slice(done + 1);
  for (const step of intent.steps.slice(0, done + 1)) settle(files, step);
  try {
    for (const [i, step] of left) {
      if (step.kind === "put") files.stage(step.path, temporaryName(intent, i), Buffer.from(step.text));
    }
    // As late as possible: only a save between this check and the rename can be missed.
    for (const [, step] of left) refuseForeign(files, step);
  } catch (error) {
    sweep(files, intent);
    throw error;
  }
  for (const [i, step] of left) {
    if (step.kind === "put") files.publish(step.path, temporaryName(intent, i));
    else files.move(step.from, step.to);
  }
  for (const [, step] of left) if (step.makes) settle(files, step);
}

/** The process that began may have died before its renames and new folders were synced to disk. */
function settle(files: Files, step: IntentStep): void {
  if (step.kind === "move") files.settle(step.from);
  files.settle(target(step), step.makes);
}

export function sweep(files: Files, intent: Intent): void {
  for (const [i, step] of intent.steps.entries()) {
    if (step.kind === "put") files.discard(step.path, temporaryName(intent, i), step.makes);
  }
}

export const hasBegun = (files: Files, intent: Intent): boolean => intent.steps.some((step) => isDone(files, step));

function isDone(files: Files, step: IntentStep): boolean {
  if (step.kind === "move") return !files.has(step.from) && files.has(step.to);
  return hashOf(files.bytes(step.path)) === hashOf(Buffer.from(step.text));
}

function refuseForeign(files: Files, step: IntentStep): void {
  const isAsExpected =
    step.kind === "move" ? files.has(step.from) && !files.has(step.to) : hashOf(files.bytes(step.path)) === step.base;
  if (!isAsExpected) throw conflict(target(step));
}

export const target = (step: IntentStep | StoreStep): WorkspacePath => (step.kind === "move" ? step.to : step.path);

export function conflict(paths: string): Fault {
  return new Fault("store.conflict", {
    what: `${paths} was not written.`,
    why: "Something other than Tenon changed it at the same moment.",
    fix: `Look at it (git diff -- ${paths}), then run the command again.`,
  });
}

/** Compare and swap: the writer must know the current revision. An unreadable record is never written. */
function refuseUnsound(step: Extract<StoreStep, { kind: "record" }>, present: Buffer | undefined): void {
  const { path, record, shape } = step;
  const current = present === undefined ? 0 : revisionIn(path, present.toString("utf8"));
  if (record.rev !== current + 1) {
    throw new Error(`${path} is at revision ${current}; revision ${record.rev} cannot follow it.`);
  }
  const problem = shape.problem(record);
  if (problem === undefined) return;
  throw new Fault("record.unsound", {
    what: `${path} was not written.`,
    why: `In what was to be written, ${problem}.`,
    fix: { operation: "workspace.validate" },
  });
}

function hashOf(bytes: Buffer | undefined): string | null {
  return bytes === undefined ? null : createHash("sha256").update(bytes).digest("hex");
}

const temporaryName = (intent: Intent, i: number): string => `${TEMPORARY}${intent.id}-${i}.tmp`;
