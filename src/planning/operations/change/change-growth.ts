import { isLockFile, nextLargerSize, describeOutgrownLimits } from "../../model/change/change-size.ts";
import type { ChangeStage } from "#kernel/model/stages/change-stages.ts";
import type { ChangeGrowth, ChangeRecord } from "../../model/change/change-record.ts";
import { parseProseLines } from "#kernel/model/document/markdown-document.ts";
import { listMentionedIds } from "#kernel/model/document/id-references.ts";
import { ignoreFault, type SuggestedFix } from "#kernel/model/fault.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { getChangeArtifactPath } from "#kernel/model/workspace-paths.ts";
import type { PlanningEngine } from "../engine.ts";
import type { SourceChange } from "#git/operations/ports/git-files.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { type StoredChange, chooseActiveChange } from "./change-records.ts";

/** Before these stages a change consists only of its description. */
const MEASURED_STAGES: readonly string[] = ["spec", "clarify", "design", "tasks", "verify"];
/** Requirements named in other stages may be named only to exclude them. */
const REQUIREMENT_NAMING_STAGES: readonly ChangeStage[] = ["spec", "design", "tasks"];

export interface GrowthMeasurement {
  readonly change: string;
  /** Absent if measuring failed; then `why` gives the reason. */
  readonly diff?: Pick<ChangeGrowth, "files" | "lines">;
  readonly why?: string;
}

/**
 * Returns undefined if no measurement is needed. Also if the change is missing: the later call under the lock reports
 * that.
 */
export async function measureChangeGrowth(
  engine: Pick<PlanningEngine, "source" | "store">,
  name: string | undefined,
  isAsked = false,
): Promise<GrowthMeasurement | undefined> {
  const record = await engine.store.read((tree) =>
    ignoreFault(() => chooseActiveChange(tree, name, "change.advance").record),
  );
  if (!record || record.status !== "active") return undefined;
  const isDue = MEASURED_STAGES.includes(record.current_stage) && nextLargerSize(record.size) !== undefined;
  if (!isDue && !isAsked) return undefined;
  const changes = await listFileChangesSince(engine, record.base_commit);
  if (typeof changes === "string") return { change: record.id, why: changes };
  const work = changes.filter(({ path }) => !isLockFile(path));
  const lines = work.reduce((sum, { added, removed }) => sum + added.length + removed, 0);
  return { change: record.id, diff: { files: work.length, lines } };
}

export async function listFileChangesSince(
  engine: Pick<PlanningEngine, "source">,
  base: string | undefined,
): Promise<readonly SourceChange[] | string> {
  if (base === undefined) return "no commit was checked out when it began";
  const changes = await engine.source.changes(base);
  return changes ?? `git does not know ${base.slice(0, 12)}, where it began, any more`;
}

/** Adds the requirements named in the artifacts. `text` is the artifact about to be written. */
export function calculateChangeGrowth(
  tree: StoreTree,
  { shelf, record }: StoredChange,
  measured: GrowthMeasurement | undefined,
  text?: string,
): ChangeGrowth | undefined {
  if (!measured?.diff || measured.change !== record.id) return undefined;
  const texts = REQUIREMENT_NAMING_STAGES.map((stage) =>
    stage === record.current_stage && text !== undefined
      ? text
      : tree.text(getChangeArtifactPath(shelf, record.id, stage)),
  );
  const lines = texts.flatMap((each) => parseProseLines(each ?? ""));
  return { ...measured.diff, requirements: listMentionedIds(lines, "requirement").length };
}

export function checkChangeGrowth(
  tree: StoreTree,
  change: StoredChange,
  text: string,
  measured: GrowthMeasurement | undefined,
): { problems: Problem[]; outgrown?: ChangeGrowth } {
  const growth = calculateChangeGrowth(tree, change, measured, text);
  const facts = growth ? describeOutgrownLimits(change.record, growth) : [];
  if (!growth || facts.length === 0) return { problems: [] };
  const { size, base_commit = "" } = change.record;
  const problem = `It has outgrown ${size} since ${base_commit.slice(0, 12)}: ${facts.join("; ")}. Make it larger, or keep its size with a reason.`;
  return { problems: [{ problem }], outgrown: growth };
}

export function listResizeCalls({ id, size }: Pick<ChangeRecord, "id" | "size">): SuggestedFix[] {
  const next = nextLargerSize(size);
  return [...(next ? [next] : []), size].map((each) => ({
    operation: "change.resize",
    input: { change_id: id, size: each, reason: "…" },
  }));
}

export function explainMissingMeasurement(
  measured: GrowthMeasurement | undefined,
  { id, status }: ChangeRecord,
): { notes?: string[] } {
  if (measured?.why === undefined || measured.change !== id || status !== "completed") return {};
  return { notes: [`Whether it outgrew its size was not measured: ${measured.why}.`] };
}
