import type * as z from "zod";
import type { Fix } from "#domain/fault.ts";
import type { Page } from "#domain/page.ts";
import { STAGE_CALLS, type WrittenStage } from "#domain/project/flow.ts";
import type { ProjectRecord } from "#domain/project/record.ts";
import { plain } from "#domain/quote.ts";
import { count } from "#domain/count.ts";
import type { Engine } from "../engine.ts";
import { stagesLine, stalePoints } from "../flow-page.ts";
import type { ProjectView } from "./schema.ts";

export type View = z.infer<typeof ProjectView>;

export interface Next {
  readonly stage: string;
  readonly guide: string;
}

export function viewProject(record: ProjectRecord): View {
  const { name, description, mode, status, current_stage, rev } = record;
  const stages = record.stages.map(({ name: stage, status: stageStatus, stale_because }) => ({
    name: stage,
    status: stageStatus,
    ...(stale_because ? { stale_because } : {}),
  }));
  const round = record.rounds.at(-1);
  return { name, description, mode, status, current_stage, stages, ...(round ? { clarity: round.score } : {}), rev };
}

export async function nextStage(engine: Pick<Engine, "assets">, record: ProjectRecord): Promise<Next | undefined> {
  if (record.status !== "active") return undefined;
  const stage = record.current_stage as WrittenStage;
  return { stage, guide: (await engine.assets.text(`guides/project/${stage}`)).trimEnd() };
}

export function projectPage(title: string, project: View): Page {
  const stages = stagesLine(project.stages);
  return {
    title,
    facts: [
      ["project", `${plain(project.name)} (${project.mode}, ${project.status})`],
      ["stages", stages],
      ...(project.clarity === undefined ? [] : [["clarity", String(project.clarity)] as const]),
    ],
    points: stalePoints(project.stages),
  };
}

export function refusedPage(
  project: View,
  problems: readonly { readonly problem: string; readonly line?: number | undefined }[],
): Page {
  const points = problems.map(({ problem, line }) => (line ? `line ${line}: ${problem}` : problem));
  return {
    title: `Stage ${project.current_stage} of ${plain(project.name)} stays open: ${count(points.length, "problem")}.`,
    points,
    next: nextCalls(project),
  };
}

export function nextCalls(project: View): Fix[] {
  if (project.status !== "active") return [{ operation: "change.start", input: { description: "…" } }];
  const isStale = project.stages.some((stage) => stage.name === project.current_stage && stage.stale_because);
  return [STAGE_CALLS[project.current_stage as WrittenStage], ...(isStale ? [{ operation: "project.confirm" }] : [])];
}
