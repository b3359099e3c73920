import { createHash } from "node:crypto";
import { Fault } from "#domain/fault.ts";
import type { Path } from "#domain/workspace/path.ts";
import type { Grant, Keeping, Occurrence, Plan, Step } from "#operations/ports/store.ts";
import { type Files, TEMPORARY } from "./files/files.ts";
import { formOf, revisionIn, sealRecord } from "./files/seal.ts";

/** One step of a write as the ledger keeps it: whole, so that any process can finish it. */
type IntentStep =
  | {
      readonly kind: "put";
      readonly path: Path;
      readonly base: string | null;
      readonly text: string;
      /** The topmost of the folders that have to be made for it. */
      readonly makes?: Path;
    }
  | { readonly kind: "move"; readonly from: Path; readonly to: Path; readonly makes?: Path };

export interface Intent {
  readonly id: string;
  readonly at: string;
  readonly steps: readonly IntentStep[];
  readonly occurrences: readonly Occurrence[];
  /** Where its files are, for those who finish it from another worktree. */
  readonly root?: string;
  readonly keeps?: readonly Keeping[];
  readonly grants?: readonly Grant[];
  readonly releases?: readonly string[];
}

/** Whether it changes what every worktree shares, so that nobody may decide anything before it is finished. */
export const isShared = ({ keeps = [], grants = [], releases = [] }: Intent): boolean =>
  keeps.length + grants.length + releases.length > 0;

/** Takes the plan down with what its decision saw, so that a later look can tell whether somebody else wrote meanwhile. */
export function intend(
  files: Files,
  seen: (path: Path) => Buffer | undefined,
  plan: Plan<unknown>,
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
    // A step that changes nothing could not be told from one that is done.
    return base === hashOf(Buffer.from(text)) ? [] : [{ kind: "put", path: step.path, base, text, ...made }];
  });
  const { occurrences, keeps = [], grants = [], releases = [] } = plan;
  return { id, at, root: files.root, steps, occurrences, keeps, grants, releases };
}

/**
 * Carries out what is left of an intent; what was done before is left alone, so it may be called again after a crash.
 * Call while alone. A file that somebody else changed stops it with `store.conflict`, and nothing more is touched.
 */
export function apply(files: Files, intent: Intent): void {
  const done = intent.steps.findLastIndex((step) => isDone(files, step));
  const left = [...intent.steps.entries()].slice(done + 1);
  for (const step of intent.steps.slice(0, done + 1)) settle(files, step);
  try {
    for (const [i, step] of left) {
      if (step.kind === "put") files.stage(step.path, temporaryName(intent, i), Buffer.from(step.text));
    }
    // As late as can be: what is saved after this look and before the rename is all that could be missed.
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

/** Whoever began may have died before what it renamed, and the folders it made, were safe on the disk. */
function settle(files: Files, step: IntentStep): void {
  if (step.kind === "move") files.settle(step.from);
  files.settle(target(step), step.makes);
}

/** Removes what a withdrawn intent may have left beside its targets. */
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

export const target = (step: IntentStep | Step): Path => (step.kind === "move" ? step.to : step.path);

export function conflict(paths: string): Fault {
  return new Fault("store.conflict", {
    what: `${paths} was not written.`,
    why: "Something other than Tenon changed it at the same moment.",
    fix: `Look at it (git diff -- ${paths}), then run the command again.`,
  });
}

/** Compare and swap: the writer must have seen the revision that is there. And what could not be read is not written. */
function refuseUnsound(step: Extract<Step, { kind: "record" }>, present: Buffer | undefined): void {
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
