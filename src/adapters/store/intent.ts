import { createHash } from "node:crypto";
import { Fault } from "#domain/fault.ts";
import type { Path } from "#domain/workspace/path.ts";
import type { Occurrence, Plan } from "#operations/store.ts";
import { type Files, TEMPORARY } from "./files/files.ts";
import { sealRecord } from "./files/seal.ts";

/** One step of a write as the ledger keeps it: whole, so that any process can finish it. */
type IntentStep =
  | { readonly kind: "put"; readonly path: Path; readonly base: string | null; readonly text: string }
  | { readonly kind: "move"; readonly from: Path; readonly to: Path };

export interface Intent {
  readonly id: string;
  readonly at: string;
  readonly steps: readonly IntentStep[];
  readonly occurrences: readonly Occurrence[];
}

/** Takes the plan down with what is there now, so that a later look can tell whether somebody else wrote meanwhile. */
export function intend(files: Files, plan: Plan<unknown>, id: string, at: string): Intent {
  const steps = plan.steps.flatMap((step): IntentStep[] => {
    if (step.kind === "move") return [step];
    const present = files.bytes(step.path);
    if (step.kind === "record") refuseStale(step.path, step.record.rev, present);
    const text = step.kind === "record" ? sealRecord(step.record) : step.text;
    const base = hashOf(present);
    // A step that changes nothing could not be told from one that is done.
    return base === hashOf(Buffer.from(text)) ? [] : [{ kind: "put", path: step.path, base, text }];
  });
  return { id, at, steps, occurrences: plan.occurrences };
}

/**
 * Carries out what is left of an intent; what was done before is left alone, so it may be called again after a crash.
 * Call while alone. A file that somebody else changed stops it with `store.conflict`, and nothing more is touched.
 */
export function apply(files: Files, intent: Intent): void {
  const done = intent.steps.findLastIndex((step) => isDone(files, step));
  const left = [...intent.steps.entries()].slice(done + 1);
  for (const [, step] of left) refuseForeign(files, step);
  try {
    for (const [i, step] of left) {
      if (step.kind === "put") files.stage(step.path, temporaryName(intent, i), Buffer.from(step.text));
    }
  } catch (error) {
    sweep(files, intent);
    throw error;
  }
  for (const [i, step] of left) {
    if (step.kind === "put") files.publish(step.path, temporaryName(intent, i));
    else files.move(step.from, step.to);
  }
}

/** Removes what a withdrawn intent may have left beside its targets. */
export function sweep(files: Files, intent: Intent): void {
  for (const [i, step] of intent.steps.entries()) {
    if (step.kind === "put") files.discard(step.path, temporaryName(intent, i));
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
  if (isAsExpected) return;
  const path = step.kind === "move" ? step.to : step.path;
  throw new Fault("store.conflict", {
    what: `${path} was not written.`,
    why: "Something other than Tenon changed it at the same moment.",
    fix: `Look at it (git diff -- ${path}), then run the command again.`,
  });
}

/** Compare and swap: the writer must have seen the revision that is there. */
function refuseStale(path: Path, rev: number, present: Buffer | undefined): void {
  const current = present === undefined ? 0 : Number((JSON.parse(present.toString("utf8")) as { rev?: unknown }).rev);
  if (rev === current + 1) return;
  throw new Error(`${path} is at revision ${current}; revision ${rev} cannot follow it.`);
}

function hashOf(bytes: Buffer | undefined): string | null {
  return bytes === undefined ? null : createHash("sha256").update(bytes).digest("hex");
}

const temporaryName = (intent: Intent, i: number): string => `${TEMPORARY}${intent.id}-${i}.tmp`;
