import { isLockFile, nextLargerSize } from "../../model/change/change-size.ts";
import type { ChangeStage } from "#kernel/model/stages/change-stages.ts";
import type { ChangeGrowth, ChangeRecord } from "../../model/change/change-record.ts";
import { parseProseLines } from "#kernel/model/document/markdown-document.ts";
import { listMentionedIds } from "#kernel/model/document/id-references.ts";
import { ignoreFault } from "#kernel/model/fault.ts";
import { getChangeArtifactPath } from "#kernel/model/workspace-paths.ts";
import type { PlanningEngine } from "../engine.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { loadWorkChanges } from "../workflow/attributed-work.ts";
import { readArtifactText } from "./artifact-files.ts";
import { type StoredChange, chooseActiveChange } from "./change-records.ts";

/** Before these stages a change consists only of its description. */
const MEASURED_STAGES: readonly string[] = ["spec", "clarify", "design", "tasks", "verify"];
/** Requirements named in other stages may be named only to exclude them. */
const REQUIREMENT_NAMING_STAGES: readonly ChangeStage[] = ["spec", "design", "tasks"];

type GrowthMeasurement = Awaited<ReturnType<typeof measureChangeGrowth>>;

/** Undefined if no measurement is needed. A missing change is reported later, under the lock. */
export async function measureChangeGrowth(engine: PlanningEngine, name: string | undefined, isAsked = false) {
  const record = await engine.store.read((tree) =>
    ignoreFault(() => chooseActiveChange(tree, name, "change.advance").record),
  );
  if (!record || record.status !== "active") return undefined;
  const isDue = MEASURED_STAGES.includes(record.current_stage) && nextLargerSize(record.size) !== undefined;
  if (!isDue && !isAsked) return undefined;
  const found = await loadWorkChanges(engine, record);
  if (found.why !== undefined) return { change: record.id, why: found.why, diff: undefined };
  const work = found.changes.filter(({ path }) => !isLockFile(path));
  const lines = work.reduce((sum, { added, removed }) => sum + added.length + removed, 0);
  return { change: record.id, why: undefined, diff: { files: work.length, lines } };
}

/** Adds the requirements named in the artifacts. `text` is the artifact about to be written. */
export function calculateChangeGrowth(
  tree: StoreTree,
  { shelf, record }: StoredChange,
  measured: GrowthMeasurement,
  text?: string,
): ChangeGrowth | undefined {
  if (!measured?.diff || measured.change !== record.id) return undefined;
  const lines = REQUIREMENT_NAMING_STAGES.flatMap((stage) => {
    const isOpen = stage === record.current_stage && text !== undefined;
    return parseProseLines(
      isOpen ? text : (readArtifactText(tree, getChangeArtifactPath(shelf, record.id, stage)) ?? ""),
    );
  });
  return { ...measured.diff, requirements: listMentionedIds(lines, "requirement").length };
}

/** Whether the open stage will name requirements, so that they cannot be counted before its document is handed in. */
export const countsRequirementsLater = ({ current_stage }: ChangeRecord): boolean =>
  REQUIREMENT_NAMING_STAGES.some((stage) => stage === current_stage);

/** A size that was kept before the document was handed in is kept for the requirements that the document names. */
export function storeKeptGrowth(moved: ChangeRecord, stage: ChangeStage, growth: ChangeGrowth | undefined) {
  const last = moved.sizings?.at(-1);
  const isKept = last !== undefined && last.from === last.to && last.requirements === undefined;
  if (!isKept || !growth || !REQUIREMENT_NAMING_STAGES.includes(stage)) return moved;
  const sizing = { ...last, requirements: growth.requirements };
  return { ...moved, sizings: [...(moved.sizings ?? []).slice(0, -1), sizing] };
}
