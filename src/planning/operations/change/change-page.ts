import type { ChangeStage } from "#kernel/model/stages/change-stages.ts";
import { isOpenStageStale } from "#kernel/model/flow/flow-engine.ts";
import { type ChangeRecord, ChangeView } from "../../model/change/change-record.ts";
import { Fault, type SuggestedFix } from "#kernel/model/fault.ts";
import type { Page } from "#kernel/model/page.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { getChangeFolder, CHANGES_FOLDER, HISTORY_FOLDER } from "#kernel/model/workspace-paths.ts";
import type { PlanningEngine } from "../engine.ts";
import { formatStageLine, formatStalePoints } from "#kernel/operations/stage-lines.ts";

export function createChangeView(record: ChangeRecord): ChangeView {
  const shelf = record.status === "archived" ? HISTORY_FOLDER : CHANGES_FOLDER;
  return ChangeView.parse({ ...record, path: getChangeFolder(shelf, record.id) });
}

export async function loadOpenChangeStage(
  engine: Pick<PlanningEngine, "assets" | "settings">,
  { current_stage: stage }: ChangeRecord,
): Promise<{ stage: ChangeStage; guide: string }> {
  const guide = (await engine.assets.text(`guides/change/${stage}`)).trimEnd();
  const headings = (await loadConfiguredHeadings(engine, stage))?.map((name) => sanitizeText(name)).join(", ");
  const change = headings ? `\n\nThis project asks for these headings instead: ${headings}.` : "";
  return { stage, guide: `${guide}${change}` };
}

/** A guide works without settings, so a broken settings file is not a fault here. */
async function loadConfiguredHeadings(
  engine: Pick<PlanningEngine, "settings">,
  stage: ChangeStage,
): Promise<readonly string[] | undefined> {
  try {
    return (await engine.settings.load()).changes.headings[stage];
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

/** A page about a change. `guide` explains its open stage. */
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
  switch (change.status) {
    case "active":
      return [
        ...(change.current_stage === "context-check" ? [{ operation: "context.check", input: { change_id } }] : []),
        { operation: "change.advance", input: { change_id, content: "…" } },
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
