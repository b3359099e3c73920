import type * as z from "zod";
import { checkChangeArtifact } from "../../model/change/change-artifact.ts";
import { advanceChange } from "../../model/change/change-lifecycle.ts";
import type { ChangeGrowth, ChangeRecord } from "../../model/change/change-record.ts";
import { CHANGE_STAGES, type ChangeStage } from "#kernel/model/stages/change-stages.ts";
import { formatCount } from "#kernel/model/text-format.ts";
import { listGuidePlaceholders } from "#kernel/model/document/markdown-document.ts";
import { Fault } from "#kernel/model/fault.ts";
import { limitShownProblems, type Problem, type Verdict, createVerdict } from "#kernel/model/verdict.ts";
import type { Config } from "#kernel/model/workspace-config.ts";
import {
  getChangeArtifactPath,
  CHANGES_FOLDER,
  getSupersededArtifactPath,
  getSupersededFolder,
} from "#kernel/model/workspace-paths.ts";
import { findContextCheckProblems } from "../context/context-snapshot.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { PlanningEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { StorePlan, StoreStep, StoreTree } from "#store/operations/ports/store.ts";
import { findNextArchiveNumber } from "#store/operations/tolerant-tree.ts";
import { loadArtifactReferences } from "./change-inspection.ts";
import {
  checkChangeGrowth,
  type GrowthMeasurement,
  measureChangeGrowth,
  listResizeCalls,
  explainMissingMeasurement,
} from "./change-growth.ts";
import {
  NO_STAMPED_DELTAS,
  type DeltaOverlap,
  describeDeltaOverlap,
  stampSpecDeltas,
  replaceChangeDeltas,
} from "./change-deltas.ts";
import type { ChangeAdvance } from "./schema.ts";
import {
  type StoredChange,
  chooseActiveChange,
  createChangeOccurrences,
  createChangeRecordStep,
} from "./change-records.ts";
import { formatChangePage, listNextChangeCalls, loadOpenChangeStage, createChangeView } from "./change-page.ts";

type ChangeAdvanceInput = z.infer<typeof ChangeAdvance>;

interface ChangeAdvanceOutcome extends Verdict {
  readonly record: ChangeRecord;
  readonly artifact?: string;
  readonly outgrown?: ChangeGrowth | undefined;
  readonly overlaps?: readonly DeltaOverlap[];
}

export const advanceChangeOperation = defineOperation({
  id: "change.advance",
  effect: "change",
  input: async () => (await import("./schema.ts")).ChangeAdvance,
  output: async () => (await import("./schema.ts")).ChangeAdvanced,
  async run(engine: PlanningEngine, input) {
    const config = await engine.settings.load();
    const blanks = await loadPlaceholdersByStage(engine);
    const measured = await measureChangeGrowth(engine, input.change_id);
    const rules = { engine, config, blanks, measured };
    const outcome = await commitStoreWrite(engine, (tree) => planChangeAdvance(tree, input, rules, engine.clock.now()));
    const { passed, problems, record, artifact, outgrown, overlaps } = outcome;
    return {
      passed,
      problems: limitShownProblems(problems),
      change: createChangeView(record),
      ...(artifact ? { artifact } : {}),
      ...(overlaps?.length ? { overlaps: [...overlaps] } : {}),
      ...(passed && record.status === "active" ? { next: await loadOpenChangeStage(engine, record) } : {}),
      ...(outgrown ? { outgrown } : {}),
      ...explainMissingMeasurement(measured, record),
    };
  },
  page({ passed, problems, change, artifact, overlaps = [], next, outgrown, notes = [] }) {
    if (!passed) {
      const points = problems.map(({ problem, line }) => (line ? `line ${line}: ${problem}` : problem));
      const title = `Stage ${change.current_stage} of ${change.id} stays open: ${formatCount(points.length, "problem")}.`;
      return { title, points, next: outgrown ? listResizeCalls(change) : listNextChangeCalls(change) };
    }
    const title = next
      ? `${artifact} is kept; stage ${next.stage} of ${change.id} is open.`
      : `${artifact} is kept; change ${change.id} is completed.`;
    const page = formatChangePage(title, change);
    return {
      ...page,
      points: [...(page.points ?? []), ...overlaps.map(describeDeltaOverlap), ...notes],
      ...(next ? { guide: next.guide } : {}),
      next: listNextChangeCalls(change),
    };
  },
  isRefusal: (output) => !output.passed,
});

interface ChangeAdvanceRules {
  readonly config: Config;
  readonly blanks: ReadonlyMap<ChangeStage, readonly string[]>;
  readonly measured: GrowthMeasurement | undefined;
  readonly engine: Pick<PlanningEngine, "digest">;
}

function planChangeAdvance(
  tree: StoreTree,
  input: ChangeAdvanceInput,
  rules: ChangeAdvanceRules,
  at: string,
): StorePlan<ChangeAdvanceOutcome> {
  const { engine, config, blanks, measured } = rules;
  const change = chooseActiveChange(tree, input.change_id, "change.advance");
  const { record } = change;
  const [moved, effects] = advanceChange(record, at);
  const stage = record.current_stage as ChangeStage;
  if (input.stage !== undefined && input.stage !== stage) throw createOtherChangeStageFault(record, input.stage);
  const artifact = getChangeArtifactPath(CHANGES_FOLDER, record.id, stage);
  const before = tree.text(artifact);
  const text = buildArtifactText(input, record, before);
  const around = { ...loadArtifactReferences(tree, change, stage, config), blanks: blanks.get(stage) };
  const stamped = stage === "spec" ? stampSpecDeltas(engine, tree, record, text) : NO_STAMPED_DELTAS;
  const grown = checkChangeGrowth(tree, change, text, measured);
  const checked = createVerdict([
    ...findMissingArtifacts(tree, change),
    ...checkChangeArtifact(stage, text, around).problems,
    ...(stage === "context-check" ? findContextCheckProblems(engine, tree, change, text) : []),
    ...stamped.problems,
    ...grown.problems,
  ]);
  if (!checked.passed) return { steps: [], occurrences: [], result: { ...checked, record, outgrown: grown.outgrown } };
  const advanced = stage === "spec" ? replaceChangeDeltas(moved, stamped.deltas) : moved;
  const happened = createChangeOccurrences(advanced, effects).map((occurrence) =>
    occurrence.kind === "change.stage-completed"
      ? { ...occurrence, data: { ...occurrence.data, artifact, ...(input.title ? { title: input.title } : {}) } }
      : occurrence,
  );
  return {
    steps: [
      ...createSupersededArtifactStep(tree, record, stage, before, text),
      ...(text === before ? [] : [{ kind: "document", path: artifact, text } as const]),
      createChangeRecordStep(advanced),
    ],
    occurrences: happened,
    result: { ...checked, record: advanced, artifact, overlaps: stamped.overlaps },
  };
}

function createOtherChangeStageFault(record: ChangeRecord, meant: string): Fault {
  return new Fault("change.other-stage", {
    what: `Stage ${meant} of ${record.id} is not open.`,
    why: `Stage ${record.current_stage} is: the call was made before, or the change has moved on.`,
    fix: { operation: "change.status", input: { change_id: record.id } },
  });
}

function findMissingArtifacts(tree: StoreTree, { shelf, record }: StoredChange): Problem[] {
  return record.stages
    .filter((stage) => stage.status === "completed")
    .map((stage) => getChangeArtifactPath(shelf, record.id, stage.name as ChangeStage))
    .filter((path) => !tree.has(path))
    .map((path) => ({ problem: `${path} is missing: restore it, or reopen its stage.` }));
}

async function loadPlaceholdersByStage(
  engine: Pick<PlanningEngine, "assets">,
): Promise<Map<ChangeStage, readonly string[]>> {
  const guides = CHANGE_STAGES.map(
    async (stage) => [stage, listGuidePlaceholders(await engine.assets.text(`guides/change/${stage}`))] as const,
  );
  return new Map(await Promise.all(guides));
}

function buildArtifactText(input: ChangeAdvanceInput, record: ChangeRecord, before: string | undefined): string {
  if (input.keep) {
    const isStale = record.stages.some((stage) => stage.name === record.current_stage && stage.stale_because);
    if (input.content === undefined && isStale && before !== undefined) return before;
    throw new Fault("change.nothing-to-keep", {
      what: `Stage ${record.current_stage} of ${record.id} has nothing to keep.`,
      why: input.content === undefined ? "Only a stale artifact can be confirmed." : "Give content or keep, not both.",
      fix: { operation: "change.advance", input: { change_id: record.id, content: "…" } },
    });
  }
  if (input.content === undefined) {
    throw new Fault("input.missing", {
      what: `Stage ${record.current_stage} of ${record.id} cannot end.`,
      why: "The content of its artifact is missing.",
      fix: { operation: "change.advance", input: { change_id: record.id, content: "…" } },
    });
  }
  const body = input.content.replace(/\r\n?/g, "\n").trim();
  const heading = input.title && !body.startsWith("# ") ? `# ${input.title.trim().replace(/\s+/g, " ")}\n\n` : "";
  return `${heading}${body}\n`;
}

/** Keeps the earlier text as superseded, including edits by hand. */
function createSupersededArtifactStep(
  tree: StoreTree,
  record: ChangeRecord,
  stage: ChangeStage,
  before: string | undefined,
  text: string,
): StoreStep[] {
  if (before === undefined || before === text) return [];
  const n = findNextArchiveNumber(tree, getSupersededFolder(record.id), stage);
  return [{ kind: "document", path: getSupersededArtifactPath(record.id, stage, n), text: before }];
}
