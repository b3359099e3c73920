import type { PlanningEngine } from "../engine.ts";
import { CHANGE_STAGES, type ChangeStage } from "#kernel/model/stages/change-stages.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { getChangeArtifactPath, CHANGES_FOLDER } from "#kernel/model/workspace-paths.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { loadChangeRecords, type StoredChange, chooseActiveChange, listActiveChanges } from "./change-records.ts";
import { formatChangePage, listNextChangeCalls, loadOpenChangeStage, createChangeView } from "./change-page.ts";

export const changeStatusOperation = defineOperation({
  id: "change.status",
  effect: "read",
  input: async () => (await import("./schema.ts")).ChangeStatusQuery,
  output: async () => (await import("./schema.ts")).ChangeStatus,
  async run(engine: PlanningEngine, { change_id }) {
    const { record, artifacts } = await engine.store.read((tree) => {
      const found = chooseChangeToShow(tree, change_id);
      return { record: found.record, artifacts: listChangeArtifacts(tree, found) };
    });
    return {
      change: createChangeView(record),
      artifacts,
      reopenings: [...(record.reopenings ?? [])],
      ...(record.sizings ? { sizings: [...record.sizings] } : {}),
      ...(record.abandoned ? { abandoned: record.abandoned } : {}),
      ...(record.status === "active" ? { next: await loadOpenChangeStage(engine, record) } : {}),
    };
  },
  page({ change, artifacts, sizings = [], abandoned, next }) {
    const page = formatChangePage(formatChangeStatusTitle(change.id, change.status, change.current_stage), change);
    const bytes = new Map(artifacts.map((artifact) => [artifact.stage, `${artifact.bytes} bytes`]));
    const rows = change.stages.map((stage) => [stage.name, stage.status, bytes.get(stage.name) ?? "–"]);
    const sized = sizings.map(({ from, to, reason: why }) =>
      from === to ? `Kept ${to}: ${sanitizeText(why, 200)}` : `From ${from} to ${to}: ${sanitizeText(why, 200)}`,
    );
    const reason = abandoned ? [`Abandoned: ${sanitizeText(abandoned.reason, 200)}`] : [];
    return {
      ...page,
      facts: page.facts?.filter(([label]) => label !== "stages") ?? [],
      table: { columns: ["stage", "status", "artifact"], rows },
      points: [...(page.points ?? []), ...sized, ...reason],
      ...(next ? { guide: next.guide } : {}),
      next: listNextChangeCalls(change),
    };
  },
});

/** Without an active change, shows the one completed last. */
function chooseChangeToShow(tree: StoreTree, name: string | undefined): StoredChange {
  const isIdle = name === undefined && listActiveChanges(tree).length === 0;
  const completed = isIdle
    ? loadChangeRecords(tree, [CHANGES_FOLDER]).changes.filter(({ record }) => record.status === "completed")
    : [];
  return (
    completed.toSorted((a, b) => (a.record.updated_at < b.record.updated_at ? 1 : -1))[0] ??
    chooseActiveChange(tree, name, "change.status")
  );
}

function formatChangeStatusTitle(id: string, status: string, stage: string): string {
  return status === "active" ? `${id} is at stage ${stage}.` : `${id} is ${status}.`;
}

function listChangeArtifacts(
  tree: StoreTree,
  { shelf, record }: StoredChange,
): { stage: ChangeStage; path: string; bytes: number }[] {
  return CHANGE_STAGES.filter((name) => record.stages.some((stage) => stage.name === name)).flatMap((stage) => {
    const path = getChangeArtifactPath(shelf, record.id, stage);
    const text = tree.text(path);
    return text === undefined ? [] : [{ stage, path, bytes: new TextEncoder().encode(text).length }];
  });
}
