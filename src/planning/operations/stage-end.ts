import type { FlowEffect } from "#kernel/model/flow/flow-engine.ts";
import type { Page } from "#kernel/model/page.ts";
import type { SuggestedFix } from "#kernel/model/fault.ts";
import { formatCount } from "#kernel/model/text-format.ts";
import { createVerdict, type Problem, type Verdict } from "#kernel/model/verdict.ts";
import { joinFolderPath, type WorkspacePath } from "#kernel/model/workspace-paths.ts";
import type { StoreOccurrence, StorePlan, StoreStep, StoreTree } from "#store/operations/ports/store.ts";
import { findNextArchiveNumber } from "#store/operations/tolerant-tree.ts";

/** The areas whose records go through stages. Their names begin the names of events. */
type FlowArea = "change" | "project" | "workflow";

export interface StageEnd<Kept> {
  readonly area: FlowArea;
  readonly subject: string;
  readonly record: Kept;
  /** Gives the record at its next stage. A stage that stays open has no effects. */
  readonly end: () => readonly [record: Kept, effects: readonly FlowEffect[]];
  readonly problems: readonly Problem[];
  readonly artifact?: {
    readonly path: WorkspacePath;
    readonly text: string;
    /** Keeps the text that this one replaces as `<folder>/<name>-<number>.md`. */
    readonly superseded: { readonly folder: WorkspacePath; readonly name: string };
    /** The text that Tenon generated last. It needs no superseded copy. */
    readonly generated?: string | undefined;
  };
  /** Data of the event that completes the stage. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** Absent if the record is kept in the ledger. */
  readonly createStep?: (record: Kept) => StoreStep;
}

/** Ends the open stage of a record. With problems the stage stays open, and nothing is written. */
export function planStageEnd<Kept>(
  tree: StoreTree,
  { area, subject, record, end, problems, artifact, data, createStep }: StageEnd<Kept>,
): StorePlan<Verdict & { readonly record: Kept }> {
  const verdict = createVerdict(problems);
  if (!verdict.passed) return { steps: [], occurrences: [], result: { ...verdict, record } };
  const [after, effects] = end();
  return {
    steps: [...(artifact ? createArtifactSteps(tree, artifact) : []), ...(createStep ? [createStep(after)] : [])],
    occurrences: createFlowOccurrences(area, subject, effects, { "stage-completed": data }),
    result: { ...verdict, record: after },
  };
}

/** Keeps the earlier text as superseded, including edits by hand. */
function createArtifactSteps(
  tree: StoreTree,
  { path, text, superseded, generated }: NonNullable<StageEnd<unknown>["artifact"]>,
): StoreStep[] {
  const before = tree.text(path);
  if (before === text) return [];
  const written: StoreStep = { kind: "document", path, text };
  if (before === undefined || before === generated || before.trim() === "") return [written];
  const n = findNextArchiveNumber(tree, superseded.folder, superseded.name);
  const copy = joinFolderPath(superseded.folder, `${superseded.name}-${n}.md`);
  return [{ kind: "document", path: copy, text: before }, written];
}

/** One event per effect. `more` adds data to the events of a kind. */
export const createFlowOccurrences = (
  area: FlowArea,
  subject: string,
  effects: readonly FlowEffect[],
  more: { readonly [Kind in FlowEffect["kind"]]?: Readonly<Record<string, unknown>> | undefined } = {},
): StoreOccurrence[] =>
  effects.map(({ kind, ...effect }) => {
    const data = { ...effect, ...more[kind] };
    return { kind: `${area}.${kind.replace("flow-", "")}`, subject, ...(Object.keys(data).length > 0 ? { data } : {}) };
  });

export const formatRefusalPage = (
  name: string,
  stage: string,
  problems: readonly { readonly problem: string; readonly line?: number | undefined }[],
  next: readonly SuggestedFix[],
): Page => ({
  title: `Stage ${stage} of ${name} stays open: ${formatCount(problems.length, "problem")}.`,
  points: problems.map(({ problem, line }) => (line ? `line ${line}: ${problem}` : problem)),
  next,
});
