import type * as z from "zod";
import type { ChangeStage } from "#kernel/model/stages/change-stages.ts";
import type { ChangeRecord } from "../../model/change/change-record.ts";
import { Fault, type SuggestedFix } from "#kernel/model/fault.ts";
import type { Page } from "#kernel/model/page.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { getChangeFolder, CHANGES_FOLDER, HISTORY_FOLDER } from "#kernel/model/workspace-paths.ts";
import type { PlanningEngine } from "../engine.ts";
import { formatStageLine, formatStalePoints } from "#kernel/operations/stage-lines.ts";
import type { ChangeView } from "./schema.ts";

export type ChangeViewData = z.infer<typeof ChangeView>;

export interface OpenChangeStage {
  readonly stage: string;
  readonly guide: string;
}

export function createChangeView(record: ChangeRecord): ChangeViewData {
  const { id, type, size, description, status, current_stage, adrs, rev, created_at, updated_at } = record;
  const stages = record.stages.map(({ name, status: stageStatus, stale_because }) => ({
    name,
    status: stageStatus,
    ...(stale_because ? { stale_because } : {}),
  }));
  const path = getChangeFolder(status === "archived" ? HISTORY_FOLDER : CHANGES_FOLDER, id);
  return {
    id,
    type,
    size,
    description,
    status,
    current_stage,
    stages,
    adrs: [...adrs],
    path,
    rev,
    created_at,
    updated_at,
  };
}

export async function loadOpenChangeStage(
  engine: Pick<PlanningEngine, "assets" | "settings">,
  record: ChangeRecord,
): Promise<OpenChangeStage> {
  const stage = record.current_stage as ChangeStage;
  const guide = (await engine.assets.text(`guides/change/${stage}`)).trimEnd();
  const headings = await loadConfiguredHeadings(engine, stage);
  return {
    stage,
    guide: headings
      ? `${guide}\n\nThis project asks for these headings instead: ${headings.map((name) => sanitizeText(name)).join(", ")}.`
      : guide,
  };
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

export function formatChangePage(title: string, change: ChangeViewData): Page {
  const stages = formatStageLine(change.stages);
  return {
    title,
    facts: [
      ["change", `${change.id} (${change.size} ${change.type}, ${change.status})`],
      ["description", sanitizeText(change.description, 200)],
      ["stages", stages],
      ["folder", change.path],
      ...(change.adrs.length > 0 ? [["decisions", change.adrs.join(", ")] as const] : []),
    ],
    points: formatStalePoints(change.stages),
  };
}

export function listNextChangeCalls(change: ChangeViewData): SuggestedFix[] {
  const change_id = change.id;
  if (change.status === "active") {
    const isStale = change.stages.some((stage) => stage.name === change.current_stage && stage.stale_because);
    return [
      ...(change.current_stage === "context-check" ? [{ operation: "context.check", input: { change_id } }] : []),
      { operation: "change.advance", input: { change_id, content: "…" } },
      ...(isStale ? [{ operation: "change.advance", input: { change_id, keep: true } }] : []),
    ];
  }
  if (change.status === "completed") return [{ operation: "change.archive", input: { change_id } }];
  if (change.status === "abandoned") {
    return [{ operation: "change.reopen", input: { change_id, stage: change.current_stage, reason: "…" } }];
  }
  return [];
}
