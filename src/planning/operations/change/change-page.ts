import { isOpenStageStale } from "#kernel/model/flow/flow-engine.ts";
import { listOwedRequirements } from "../../model/change/carried-requirements.ts";
import { type ChangeRecord, ChangeView } from "../../model/change/change-record.ts";
import { Fault, type SuggestedFix } from "#kernel/model/fault.ts";
import type { Page } from "#kernel/model/page.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import {
  getChangeArtifactPath,
  getChangeFolder,
  CHANGES_FOLDER,
  HISTORY_FOLDER,
} from "#kernel/model/workspace-paths.ts";
import type { PlanningEngine } from "../engine.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { fillGuideIds, getDeltaStage, loadFreeIds } from "./change-deltas.ts";
import { formatStageLine, formatStalePoints } from "#kernel/operations/stage-lines.ts";

export function createChangeView(record: ChangeRecord): ChangeView {
  const shelf = record.status === "archived" ? HISTORY_FOLDER : CHANGES_FOLDER;
  return ChangeView.parse({ ...record, path: getChangeFolder(shelf, record.id) });
}

export async function loadOpenChangeStage(engine: PlanningEngine, record: ChangeRecord) {
  const { current_stage: stage, size } = record;
  if (size === "quick") return { stage, guide: (await engine.assets.text("guides/quick")).trimEnd() };
  const text = (await engine.assets.text(`guides/change/${stage}`)).trimEnd();
  const isDeltaStage = stage === getDeltaStage(record);
  const owed = stage === "tasks" && !isDeltaStage ? listOwedRequirements(record.deltas).map(({ id }) => id) : [];
  const cover = owed.length > 0 ? `\n\nThe tasks have to name ${owed.join(", ")}.` : "";
  const guide = isDeltaStage ? await engine.store.read((tree) => fillDeltaGuide(tree, record, text)) : text + cover;
  // The change is written by now, so settings that cannot be read are not a fault here.
  const config = await engine.settings.load().catch((error: unknown) => {
    if (!(error instanceof Fault)) throw error;
  });
  const headings = config?.changes.headings[stage]?.map((name) => sanitizeText(name)).join(", ");
  const change = headings ? `\n\nThis project asks for these headings instead: ${headings}.` : "";
  const place = getChangeArtifactPath(CHANGES_FOLDER, record.id, stage);
  return {
    stage,
    guide: `${guide}${change}\n\nWrite it in ${place}, then advance. You can also pass it as content.`,
  };
}

/** Shows ids that are free here. In a project without requirements the guide is correct as it is. */
function fillDeltaGuide(tree: StoreTree, { id: changeId, current_stage: stage }: ChangeRecord, guide: string): string {
  const { ids, live } = loadFreeIds(tree, changeId);
  if (ids.every((id) => id.endsWith("-001"))) return guide;
  if (stage === "tasks") return `${guide}\n\nNext free ids: ${ids.join(", ")}.`;
  const [example] = live;
  const existing = example
    ? ` To build a requirement that exists, list its id without a delta heading: \`- ${example}\`.`
    : "";
  return `${fillGuideIds(guide, ids)}\n\nNext free ids: ${ids.join(", ")}.${existing}`;
}

export function formatChangePage(title: string, change: ChangeView, guide?: string): Page {
  return {
    title,
    facts: [
      ["change", `${change.id} (${change.size} ${change.type}, ${change.status})`],
      ["description", sanitizeText(change.description, 200)],
      ["stages", formatStageLine(change.stages)],
      ["folder", change.path],
      ...(change.adrs.length > 0 ? [["decisions", change.adrs.join(", ")] as const] : []),
    ],
    points: formatStalePoints(change.stages),
    ...(guide === undefined ? {} : { guide }),
    next: listNextChangeCalls(change),
  };
}

export function listNextChangeCalls(change: ChangeView): SuggestedFix[] {
  const change_id = change.id;
  if (change.size === "quick" && (change.status === "active" || change.status === "completed"))
    return [{ operation: "change.quick", input: { done: true, change_id } }];
  switch (change.status) {
    case "active":
      return [
        ...(change.current_stage === "context-check" ? [{ operation: "context.check", input: { change_id } }] : []),
        // A stage takes the file in its place. Only a stale one needs its text again.
        { operation: "change.advance", input: { change_id, ...(isOpenStageStale(change) ? { content: "…" } : {}) } },
        ...(isOpenStageStale(change) ? [{ operation: "change.advance", input: { change_id, keep: true } }] : []),
      ];
    case "completed":
      return [{ operation: "change.archive", input: { change_id } }];
    case "abandoned":
      return [{ operation: "change.reopen", input: { change_id, stage: change.current_stage, reason: "…" } }];
    case "archived":
      return [];
  }
}
