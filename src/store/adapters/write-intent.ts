import { createHash } from "node:crypto";
import { Fault } from "#kernel/model/fault.ts";
import type { WorkspacePath } from "#kernel/model/workspace-paths.ts";
import type { StorePlan, StoreStep } from "../operations/ports/store.ts";
import { type WorkspaceFiles, TEMPORARY_PREFIX } from "#kernel/adapters/workspace-files.ts";
import { getRecordFormat, readRecordRevision, sealRecord } from "./record-seal.ts";

type WriteIntentStep = { readonly makes?: WorkspacePath } & (
  | { readonly kind: "put"; readonly path: WorkspacePath; readonly base: string | null; readonly text: string }
  | { readonly kind: "move"; readonly from: WorkspacePath; readonly to: WorkspacePath }
);

/** What the write changes in the ledger, as it was at the decision. */
export interface EntriesBefore {
  readonly kept: readonly (readonly [space: string, key: string, body: string | null])[];
  readonly counters: Readonly<Record<string, number>>;
  readonly tokens: Readonly<Record<string, number>>;
}

export interface WriteIntent extends Pick<
  StorePlan<unknown>,
  "occurrences" | "keeps" | "grants" | "releases" | "counters"
> {
  readonly id: string;
  readonly at: string;
  readonly root?: string;
  readonly steps: readonly WriteIntentStep[];
  /** Only where other machines may change the same entries before this one can finish. */
  readonly before?: EntriesBefore;
}

/** Records the plan with the state it was based on, so that a later check detects foreign changes. */
export function createWriteIntent(
  files: Pick<WorkspaceFiles, "root" | "missingFolder">,
  seen: (path: WorkspacePath) => Buffer | undefined,
  plan: StorePlan<unknown>,
  known: Pick<WriteIntent, "id" | "at" | "before">,
): WriteIntent {
  if (plan.occurrences.length === 0) throw new Error("A write needs an event.");
  const steps = plan.steps.flatMap((step): WriteIntentStep[] => {
    const makes = files.missingFolder(targetPath(step));
    const made = makes ? { makes } : {};
    if (step.kind === "move") return [{ ...step, ...made }];
    const present = seen(step.path);
    if (step.kind === "record") assertRecordSound(step, present);
    const text = step.kind === "record" ? sealRecord(step.record, getRecordFormat(step.path)) : step.text;
    const base = hashFileBytes(present);
    // A step without a change would look finished.
    return base === hashFileBytes(Buffer.from(text)) ? [] : [{ kind: "put", path: step.path, base, text, ...made }];
  });
  const { occurrences, keeps = [], grants = [], releases = [], counters = {} } = plan;
  return { ...known, root: files.root, steps, occurrences, keeps, grants, releases, counters };
}

/** Needs the ledger lock. May run again after a crash; a file that others changed stops it with `store.conflict`. */
export function applyIntent(files: WorkspaceFiles, intent: WriteIntent): void {
  const done = intent.steps.findLastIndex((step) => isStepApplied(files, step));
  const left = [...intent.steps.entries()].slice(done + 1);
  for (const step of intent.steps.slice(0, done + 1)) syncIntentStep(files, step);
  try {
    for (const [i, step] of left) {
      if (step.kind === "put") files.stage(step.path, formatIntentTemporary(intent, i), Buffer.from(step.text));
    }
    // As late as possible: only a save between this check and the rename can be missed.
    for (const [, step] of left) if (!isStepUnchanged(files, step)) throw createWriteConflict(targetPath(step));
  } catch (error) {
    removeIntentTemporaries(files, intent);
    throw error;
  }
  for (const [i, step] of left) {
    if (step.kind === "put") files.publish(step.path, formatIntentTemporary(intent, i));
    else files.move(step.from, step.to);
  }
  for (const [, step] of left) if (step.makes) syncIntentStep(files, step);
}

/** The process that began may have died before its renames and new folders were synced to disk. */
function syncIntentStep(files: WorkspaceFiles, step: WriteIntentStep): void {
  if (step.kind === "move") files.settle(step.from);
  files.settle(targetPath(step), step.makes);
}

export function removeIntentTemporaries(files: WorkspaceFiles, intent: WriteIntent): void {
  for (const [i, step] of intent.steps.entries()) {
    if (step.kind === "put") files.discard(step.path, formatIntentTemporary(intent, i), step.makes);
  }
}

export function isStepApplied(files: WorkspaceFiles, step: WriteIntentStep): boolean {
  if (step.kind === "move") return !files.has(step.from) && files.has(step.to);
  return hashFileBytes(files.bytes(step.path)) === hashFileBytes(Buffer.from(step.text));
}

function isStepUnchanged(files: WorkspaceFiles, step: WriteIntentStep): boolean {
  if (step.kind === "move") return files.has(step.from) && !files.has(step.to);
  return hashFileBytes(files.bytes(step.path)) === step.base;
}

export const targetPath = (step: WriteIntentStep | StoreStep): WorkspacePath =>
  step.kind === "move" ? step.to : step.path;

export function createWriteConflict(paths: string): Fault {
  return new Fault("store.conflict", {
    what: `${paths} was not written.`,
    why: "Another program changed it at the same time.",
    fix: `Check it (git diff -- ${paths}), then run the command again.`,
  });
}

/** Compare and swap: the writer must know the current revision. An unreadable record is never written. */
function assertRecordSound(step: Extract<StoreStep, { kind: "record" }>, present: Buffer | undefined): void {
  const { path, record, shape } = step;
  const current = present === undefined ? 0 : readRecordRevision(path, present.toString("utf8"));
  if (record.rev !== current + 1) {
    throw new Error(`${path} is at revision ${current}; revision ${record.rev} cannot follow it.`);
  }
  const problem = shape.problem(record);
  if (problem === undefined) return;
  throw new Fault("record.unsound", {
    what: `${path} was not written.`,
    why: `In the new content, ${problem}.`,
    fix: { operation: "workspace.validate" },
  });
}

const hashFileBytes = (bytes: Buffer | undefined): string | null =>
  bytes === undefined ? null : createHash("sha256").update(bytes).digest("hex");

const formatIntentTemporary = (intent: WriteIntent, i: number): string => `${TEMPORARY_PREFIX}${intent.id}-${i}.tmp`;
