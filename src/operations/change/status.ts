import type * as z from "zod";
import { CHANGE_STAGES, type ChangeStage } from "#domain/change/flows.ts";
import { plain } from "#domain/quote.ts";
import { changeArtifact, CHANGES } from "#domain/workspace/path.ts";
import { operation } from "../operation.ts";
import type { Tree } from "../ports/store.ts";
import type { ChangeStatus, ChangeStatusQuery } from "./schema.ts";
import { everyChange, type ShelvedChange } from "./census.ts";
import { chooseChange, unfinishedChanges } from "./shelf.ts";
import { changePage, nextCalls, nextStage, viewChange } from "./view.ts";

export const statusOfChange = operation<z.infer<typeof ChangeStatusQuery>, z.infer<typeof ChangeStatus>>({
  id: "change.status",
  effect: "read",
  input: async () => (await import("./schema.ts")).ChangeStatusQuery,
  output: async () => (await import("./schema.ts")).ChangeStatus,
  async run(engine, { change_id }) {
    const { record, artifacts } = await engine.store.read((tree) => {
      const found = chooseShown(tree, change_id);
      return { record: found.record, artifacts: artifactsOf(tree, found) };
    });
    return {
      change: viewChange(record),
      artifacts,
      reopenings: [...(record.reopenings ?? [])],
      ...(record.sizings ? { sizings: [...record.sizings] } : {}),
      ...(record.abandoned ? { abandoned: record.abandoned } : {}),
      ...(record.status === "active" ? { next: await nextStage(engine, record) } : {}),
    };
  },
  page({ change, artifacts, sizings = [], abandoned, next }) {
    const page = changePage(title(change.id, change.status, change.current_stage), change);
    const bytes = new Map(artifacts.map((artifact) => [artifact.stage, `${artifact.bytes} bytes`]));
    const rows = change.stages.map((stage) => [stage.name, stage.status, bytes.get(stage.name) ?? "–"]);
    const sized = sizings.map(({ from, to, reason: why }) =>
      from === to ? `Kept ${to}: ${plain(why, 200)}` : `From ${from} to ${to}: ${plain(why, 200)}`,
    );
    const reason = abandoned ? [`Abandoned: ${plain(abandoned.reason, 200)}`] : [];
    return {
      ...page,
      facts: page.facts?.filter(([label]) => label !== "stages") ?? [],
      table: { columns: ["stage", "status", "artifact"], rows },
      points: [...(page.points ?? []), ...sized, ...reason],
      ...(next ? { guide: next.guide } : {}),
      next: nextCalls(change),
    };
  },
});

/** Without an active change, shows the one completed last. */
function chooseShown(tree: Tree, name: string | undefined): ShelvedChange {
  const isIdle = name === undefined && unfinishedChanges(tree).length === 0;
  const completed = isIdle
    ? everyChange(tree, [CHANGES]).changes.filter(({ record }) => record.status === "completed")
    : [];
  return (
    completed.toSorted((a, b) => (a.record.updated_at < b.record.updated_at ? 1 : -1))[0] ??
    chooseChange(tree, name, "change.status")
  );
}

function title(id: string, status: string, stage: string): string {
  return status === "active" ? `${id} is at stage ${stage}.` : `${id} is ${status}.`;
}

function artifactsOf(
  tree: Tree,
  { shelf, record }: ShelvedChange,
): { stage: ChangeStage; path: string; bytes: number }[] {
  return CHANGE_STAGES.filter((name) => record.stages.some((stage) => stage.name === name)).flatMap((stage) => {
    const path = changeArtifact(shelf, record.id, stage);
    const text = tree.text(path);
    return text === undefined ? [] : [{ stage, path, bytes: new TextEncoder().encode(text).length }];
  });
}
