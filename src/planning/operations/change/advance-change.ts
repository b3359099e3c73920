import type * as z from "zod";
import { checkChangeArtifact } from "../../model/change/change-artifact.ts";
import { advanceChange } from "../../model/change/change-lifecycle.ts";
import type { ChangeRecord } from "../../model/change/change-record.ts";
import { CHANGE_STAGES, type ChangeStage } from "#kernel/model/stages/change-stages.ts";
import { listGuidePlaceholders } from "#kernel/model/document/markdown-document.ts";
import { Fault } from "#kernel/model/fault.ts";
import { limitShownProblems, type Problem } from "#kernel/model/verdict.ts";
import type { Config } from "#kernel/model/workspace-config.ts";
import { getChangeArtifactPath, CHANGES_FOLDER, getSupersededFolder } from "#kernel/model/workspace-paths.ts";
import { findContextCheckProblems } from "../context/context-snapshot.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { PlanningEngine } from "../engine.ts";
import { formatRefusalPage, planStageEnd } from "../stage-end.ts";
import { isOpenStageStale } from "#kernel/model/flow/flow-engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { loadArtifactReferences } from "./change-inspection.ts";
import {
  checkChangeGrowth,
  type GrowthMeasurement,
  measureChangeGrowth,
  listResizeCalls,
  explainMissingMeasurement,
} from "./change-growth.ts";
import { NO_STAMPED_DELTAS, describeDeltaOverlap, stampSpecDeltas, replaceChangeDeltas } from "./change-deltas.ts";
import type { ChangeAdvance } from "./schema.ts";
import { type StoredChange, chooseActiveChange, createChangeRecordStep } from "./change-records.ts";
import { formatChangePage, listNextChangeCalls, loadOpenChangeStage, createChangeView } from "./change-page.ts";

type ChangeAdvanceInput = z.infer<typeof ChangeAdvance>;

export const advanceChangeOperation = defineOperation({
  id: "change.advance",
  effect: "change",
  input: async () => (await import("./schema.ts")).ChangeAdvance,
  output: async () => (await import("./schema.ts")).ChangeAdvanced,
  async run(engine: PlanningEngine, input) {
    const config = await engine.settings.load();
    const blanks = await loadPlaceholdersByStage(engine);
    const measured = await measureChangeGrowth(engine, input.change_id);
    const { passed, problems, record, artifact, outgrown, overlaps } = await commitStoreWrite(engine, (tree) =>
      planChangeAdvance(tree, input, { engine, config, blanks, measured }),
    );
    return {
      passed,
      problems: limitShownProblems(problems),
      change: createChangeView(record),
      ...(passed ? { artifact } : {}),
      ...(passed && overlaps.length > 0 ? { overlaps: [...overlaps] } : {}),
      ...(passed && record.status === "active" ? { next: await loadOpenChangeStage(engine, record) } : {}),
      ...(outgrown ? { outgrown } : {}),
      ...explainMissingMeasurement(measured, record),
    };
  },
  page({ passed, problems, change, artifact, overlaps = [], next, outgrown, notes = [] }) {
    if (!passed) {
      const calls = outgrown ? listResizeCalls(change) : listNextChangeCalls(change);
      return formatRefusalPage(change.id, change.current_stage, problems, calls);
    }
    const state = next ? `stage ${next.stage} of ${change.id} is open` : `change ${change.id} is completed`;
    const page = formatChangePage(`${artifact} is kept; ${state}.`, change, next?.guide);
    return { ...page, points: [...(page.points ?? []), ...overlaps.map(describeDeltaOverlap), ...notes] };
  },
  isRefusal: (output) => !output.passed,
});

interface ChangeAdvanceRules {
  readonly engine: Pick<PlanningEngine, "clock" | "digest">;
  readonly config: Config;
  readonly blanks: ReadonlyMap<ChangeStage, readonly string[]>;
  readonly measured: GrowthMeasurement | undefined;
}

function planChangeAdvance(tree: StoreTree, input: ChangeAdvanceInput, rules: ChangeAdvanceRules) {
  const { engine, config, blanks, measured } = rules;
  const at = engine.clock.now();
  const change = chooseActiveChange(tree, input.change_id, "change.advance");
  const { record } = change;
  const [moved, effects] = advanceChange(record, at);
  const { id, current_stage: stage } = record;
  if (input.stage !== undefined && input.stage !== stage) throw createOtherChangeStageFault(record, input.stage);
  const artifact = getChangeArtifactPath(CHANGES_FOLDER, id, stage);
  const text = buildArtifactText(input, record, tree.text(artifact));
  const around = { ...loadArtifactReferences(tree, change, stage, config), blanks: blanks.get(stage) };
  const isSpec = stage === "spec";
  const stamped = isSpec ? stampSpecDeltas(engine, tree, record, text) : NO_STAMPED_DELTAS;
  const { problems: grown, outgrown } = checkChangeGrowth(tree, change, text, measured);
  const plan = planStageEnd(tree, {
    area: "change",
    subject: id,
    record,
    end: () => [isSpec ? replaceChangeDeltas(moved, stamped.deltas) : moved, effects],
    problems: [
      ...findMissingArtifacts(tree, change),
      ...checkChangeArtifact(stage, text, around).problems,
      ...(stage === "context-check" ? findContextCheckProblems(engine, tree, change, text) : []),
      ...stamped.problems,
      ...grown,
    ],
    artifact: { path: artifact, text, superseded: { folder: getSupersededFolder(id), name: stage } },
    data: { artifact, ...(input.title ? { title: input.title } : {}) },
    createStep: createChangeRecordStep,
  });
  return { ...plan, result: { ...plan.result, artifact, outgrown, overlaps: stamped.overlaps } };
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
    .map((stage) => getChangeArtifactPath(shelf, record.id, stage.name))
    .filter((path) => !tree.has(path))
    .map((path) => ({ problem: `${path} is missing: restore it, or reopen its stage.` }));
}

async function loadPlaceholdersByStage(engine: Pick<PlanningEngine, "assets">) {
  const guides = CHANGE_STAGES.map(
    async (stage) => [stage, listGuidePlaceholders(await engine.assets.text(`guides/change/${stage}`))] as const,
  );
  return new Map(await Promise.all(guides));
}

function buildArtifactText(input: ChangeAdvanceInput, record: ChangeRecord, before: string | undefined): string {
  const { content, keep, title } = input;
  const stage = `Stage ${record.current_stage} of ${record.id}`;
  const fix = { operation: "change.advance", input: { change_id: record.id, content: "…" } };
  if (keep) {
    if (content === undefined && isOpenStageStale(record) && before !== undefined) return before;
    throw new Fault("change.nothing-to-keep", {
      what: `${stage} has nothing to keep.`,
      why: content === undefined ? "Only a stale artifact can be confirmed." : "Give content or keep, not both.",
      fix,
    });
  }
  if (content === undefined) {
    const why = "The content of its artifact is missing.";
    throw new Fault("input.missing", { what: `${stage} cannot end.`, why, fix });
  }
  const body = content.replace(/\r\n?/g, "\n").trim();
  const heading = title && !body.startsWith("# ") ? `# ${title.trim().replace(/\s+/g, " ")}\n\n` : "";
  return `${heading}${body}\n`;
}
