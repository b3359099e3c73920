import type * as z from "zod";
import type { SuggestedFix } from "#domain/fault.ts";
import type { Page } from "#domain/page.ts";
import { PROJECT_STAGE_CALLS, type ProjectDocumentStage } from "#domain/project/flow.ts";
import type { ProjectRecord } from "#domain/project/record.ts";
import { sanitizeText } from "#domain/quote.ts";
import { formatCount } from "#domain/count.ts";
import type { Engine } from "../engine.ts";
import { formatStageLine, formatStalePoints } from "../flow-page.ts";
import type { ProjectView } from "./schema.ts";

export type ProjectViewData = z.infer<typeof ProjectView>;

export interface OpenProjectStage {
  readonly stage: string;
  readonly guide: string;
}

export function createProjectView(record: ProjectRecord): ProjectViewData {
  const { name, description, mode, status, current_stage, rev } = record;
  const stages = record.stages.map(({ name: stage, status: stageStatus, stale_because }) => ({
    name: stage,
    status: stageStatus,
    ...(stale_because ? { stale_because } : {}),
  }));
  const round = record.rounds.at(-1);
  return { name, description, mode, status, current_stage, stages, ...(round ? { clarity: round.score } : {}), rev };
}

export async function loadOpenProjectStage(
  engine: Pick<Engine, "assets">,
  record: ProjectRecord,
): Promise<OpenProjectStage | undefined> {
  if (record.status !== "active") return undefined;
  const stage = record.current_stage as ProjectDocumentStage;
  return { stage, guide: (await engine.assets.text(`guides/project/${stage}`)).trimEnd() };
}

export function formatProjectPage(title: string, project: ProjectViewData): Page {
  const stages = formatStageLine(project.stages);
  return {
    title,
    facts: [
      ["project", `${sanitizeText(project.name)} (${project.mode}, ${project.status})`],
      ["stages", stages],
      ...(project.clarity === undefined ? [] : [["clarity", String(project.clarity)] as const]),
    ],
    points: formatStalePoints(project.stages),
  };
}

export function formatOpenStagePage(
  project: ProjectViewData,
  problems: readonly { readonly problem: string; readonly line?: number | undefined }[],
): Page {
  const points = problems.map(({ problem, line }) => (line ? `line ${line}: ${problem}` : problem));
  return {
    title: `Stage ${project.current_stage} of ${sanitizeText(project.name)} stays open: ${formatCount(points.length, "problem")}.`,
    points,
    next: listNextProjectCalls(project),
  };
}

export function listNextProjectCalls(project: ProjectViewData): SuggestedFix[] {
  if (project.status !== "active") return [{ operation: "change.start", input: { description: "…" } }];
  const isStale = project.stages.some((stage) => stage.name === project.current_stage && stage.stale_because);
  return [
    PROJECT_STAGE_CALLS[project.current_stage as ProjectDocumentStage],
    ...(isStale ? [{ operation: "project.confirm" }] : []),
  ];
}
