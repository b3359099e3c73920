import { isOpenStageStale } from "#kernel/model/flow/flow-engine.ts";
import { parseHeadings, parseProseLines } from "#kernel/model/document/markdown-document.ts";
import { limitShownProblems, type Problem } from "#kernel/model/verdict.ts";
import type { Page } from "#kernel/model/page.ts";
import { type ProjectDocumentStage, PROJECT_STAGE_CALLS } from "#kernel/model/stages/project-stages.ts";
import { endProjectStage } from "../../model/project/project-lifecycle.ts";
import { type ProjectRecord, ProjectView } from "../../model/project/project-record.ts";
import { quote, sanitizeText } from "#kernel/model/text-format.ts";
import { getProjectDocumentPath, STAGE_DOCUMENTS, SUPERSEDED_FOLDER } from "#kernel/model/workspace-paths.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import type { SuggestedFix } from "#kernel/model/fault.ts";
import { formatStageLine, formatStalePoints } from "#kernel/operations/stage-lines.ts";
import type { PlanningEngine } from "../engine.ts";
import { planStageEnd } from "../stage-end.ts";
import { createProjectRecordStep } from "./project-record-file.ts";

interface ProjectStageEnding {
  readonly stage: ProjectDocumentStage;
  readonly text: string;
  readonly problems: readonly Problem[];
  readonly kept?: Partial<ProjectRecord> | undefined;
  readonly generated?: string | undefined;
  readonly staysOpen?: boolean;
  readonly at: string;
}

export function planProjectStageEnd(
  tree: StoreTree,
  record: ProjectRecord,
  { stage, text, problems, kept, generated, staysOpen, at }: ProjectStageEnding,
) {
  const path = getProjectDocumentPath(stage);
  return planStageEnd(tree, {
    area: "project",
    subject: record.name,
    record,
    end() {
      if (staysOpen) return [{ ...record, updated_at: at, rev: record.rev + 1, ...kept }, []];
      const [moved, effects] = endProjectStage(record, at);
      return [{ ...moved, ...kept }, effects];
    },
    problems,
    artifact: { path, text, generated, superseded: { folder: SUPERSEDED_FOLDER, name: STAGE_DOCUMENTS[stage] } },
    data: { document: path },
    createStep: createProjectRecordStep,
  });
}

interface StageOutcome {
  readonly record: ProjectRecord;
  readonly stage: ProjectDocumentStage;
  readonly passed: boolean;
  readonly problems: readonly Problem[];
  /** A round of the gate and a failing verdict are kept too. */
  readonly isKept?: boolean;
  readonly showsNext?: boolean;
}

export async function createStageVerdict(
  engine: PlanningEngine,
  { record, stage, passed, problems, isKept = passed, showsNext = passed }: StageOutcome,
) {
  const next = showsNext ? await loadOpenProjectStage(engine, record) : undefined;
  return {
    passed,
    problems: limitShownProblems(problems),
    project: createProjectView(record),
    ...(isKept ? { document: getProjectDocumentPath(stage) } : {}),
    ...(next ? { next } : {}),
  };
}

export function normalizeInputTexts<Input extends object>(input: Input): Input {
  const fields = Object.entries(input).map(([name, value]) => [
    name,
    typeof value === "string" ? value.replace(/\r\n?/g, "\n").trim() : value,
  ]);
  return Object.fromEntries(fields) as Input;
}

/** `lowest` is the highest heading level allowed inside a text. A higher one would end the surrounding section. */
export const findInputTextProblems = (input: object, lowest: number, only?: readonly string[]): Problem[] =>
  Object.entries(input).flatMap(([name, value]: [string, unknown]): Problem[] => {
    if (typeof value !== "string" || value === "" || (only && !only.includes(name))) return [];
    const lines = parseProseLines(value);
    if (!lines.some(({ text, isCode }) => isCode || text.trim() !== ""))
      return [{ problem: `${name} is empty: it contains only comments.` }];
    const high = parseHeadings(lines).find(({ level }) => level < lowest);
    if (!high) return [];
    const advice = lowest > 6 ? "give list items only" : `begin at ${"#".repeat(lowest)}`;
    return [{ problem: `${name} has the heading ${quote(high.text, 60)}: ${advice}.` }];
  });

export function createProjectView(record: ProjectRecord): ProjectView {
  const round = record.rounds.at(-1);
  return ProjectView.parse({ ...record, ...(round ? { clarity: round.score } : {}) });
}

export async function loadOpenProjectStage(engine: Pick<PlanningEngine, "assets">, record: ProjectRecord) {
  if (record.status !== "active") return undefined;
  const { current_stage: stage } = record;
  return { stage, guide: (await engine.assets.text(`guides/project/${stage}`)).trimEnd() };
}

export const formatProjectPage = (title: string, project: ProjectView, guide?: string) => ({
  title,
  facts: [
    ["project", `${sanitizeText(project.name)} (${project.mode}, ${project.status})`],
    ["stages", formatStageLine(project.stages)],
    ...(project.clarity === undefined ? [] : [["clarity", String(project.clarity)] as const]),
  ] as const satisfies Page["facts"],
  points: formatStalePoints(project.stages),
  ...(guide === undefined ? {} : { guide }),
  next: listNextProjectCalls(project),
});

export const listNextProjectCalls = (
  project: Pick<ProjectView, "status" | "current_stage" | "stages">,
): SuggestedFix[] =>
  project.status === "active"
    ? [
        PROJECT_STAGE_CALLS[project.current_stage as ProjectDocumentStage],
        ...(isOpenStageStale(project) ? [{ operation: "project.confirm" }] : []),
      ]
    : [{ operation: "change.start", input: { description: "…" } }];
