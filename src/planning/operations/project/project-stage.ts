import type * as z from "zod";
import { parseHeadings, parseProseLines } from "#kernel/model/document/markdown-document.ts";
import { limitShownProblems, type Problem } from "#kernel/model/verdict.ts";
import type { Page } from "#kernel/model/page.ts";
import { checkProjectDocument, listRequirementIds, listRuleIds } from "../../model/project/project-document.ts";
import { type ProjectDocumentStage, PROJECT_STAGE_CALLS } from "#kernel/model/stages/project-stages.ts";
import type { NumberedItem } from "../../model/project/requirement-lists.ts";
import { endProjectStage, requireOpenProjectStage } from "../../model/project/project-lifecycle.ts";
import type { ProjectRecord } from "../../model/project/project-record.ts";
import { quote, sanitizeText, formatCount } from "#kernel/model/text-format.ts";
import { renderTemplate, type TemplateValues } from "#kernel/model/template.ts";
import { getProjectDocumentPath } from "#kernel/model/workspace-paths.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { PlanningEngine } from "../engine.ts";
import type { StorePlan, StoreTree } from "#store/operations/ports/store.ts";
import type { StageEnded, ProjectView } from "./schema.ts";
import { createProjectRecordStep, requireProjectRecord } from "./project-record-file.ts";
import {
  createStageDocumentSteps,
  findMissingDocuments,
  loadDocumentReferences,
  createProjectOccurrences,
} from "./project-document-files.ts";
import type { SuggestedFix } from "#kernel/model/fault.ts";
import { formatStageLine, formatStalePoints } from "#kernel/operations/stage-lines.ts";

type StageResult = z.infer<typeof StageEnded>;

export interface StageDraft {
  readonly values: TemplateValues;
  readonly problems?: readonly Problem[];
  readonly kept?: Partial<ProjectRecord>;
  readonly items?: readonly NumberedItem[];
  readonly waves?: readonly (readonly string[])[];
}

interface StageOutcome {
  readonly record: ProjectRecord;
  readonly problems: readonly Problem[];
  readonly draft?: StageDraft;
}

export async function completeProjectStage(
  engine: PlanningEngine,
  stage: ProjectDocumentStage,
  make: (tree: StoreTree, record: ProjectRecord) => StageDraft,
): Promise<StageResult> {
  const template = await engine.assets.text(`templates/project/${stage}`);
  const outcome = await commitStoreWrite(engine, (tree): StorePlan<StageOutcome> => {
    const before = requireProjectRecord(tree);
    requireOpenProjectStage(before, stage);
    const draft = make(tree, before);
    const text = renderTemplate(template, { guided: before.mode === "guided", ...draft.values });
    // The document is not written yet, so line numbers would mean nothing to the caller.
    const problems = [
      ...findMissingDocuments(tree, before),
      ...(draft.problems ?? []),
      ...findHiddenItems(draft.items ?? [], text),
      ...checkProjectDocument(stage, text, loadDocumentReferences(tree)),
    ];
    if (problems.length > 0)
      return { steps: [], occurrences: [], result: { record: before, problems: deduplicateStageProblems(problems) } };
    const { record, ...plan } = planStageEnd(tree, before, { stage, text, kept: draft.kept }, engine.clock.now());
    return { ...plan, result: { record, problems: [], draft } };
  });
  return buildStageResult(engine, stage, outcome);
}

/** An id inside a comment or code block is invisible to later stages. */
function findHiddenItems(items: readonly NumberedItem[], text: string): Problem[] {
  const shown = new Set([...listRequirementIds(text), ...listRuleIds(text)]);
  return items
    .filter(({ id }) => !shown.has(id))
    .map(({ id }) => ({ problem: `${id} does not stand in the document: take it out of its comment or code block.` }));
}

const deduplicateStageProblems = (problems: readonly Problem[]): Problem[] =>
  [...new Set(problems.map(({ problem }) => problem))].map((problem) => ({ problem }));

interface StageEnding {
  readonly stage: ProjectDocumentStage;
  readonly text: string;
  readonly kept?: Partial<ProjectRecord> | undefined;
  /** The text that Tenon generated last. It needs no superseded copy. */
  readonly generated?: string | undefined;
  readonly staysOpen?: boolean;
}

export function planStageEnd(
  tree: StoreTree,
  before: ProjectRecord,
  { stage, text, kept, generated, staysOpen }: StageEnding,
  at: string,
): Pick<StorePlan<unknown>, "steps" | "occurrences"> & { record: ProjectRecord } {
  const [moved, effects] = staysOpen
    ? [{ ...before, updated_at: at, rev: before.rev + 1 }, []]
    : endProjectStage(before, at);
  const record = { ...moved, ...kept };
  const happened = createProjectOccurrences(record, effects).map((occurrence) =>
    occurrence.kind === "project.stage-completed"
      ? { ...occurrence, data: { ...occurrence.data, document: getProjectDocumentPath(stage) } }
      : occurrence,
  );
  return {
    steps: [...createStageDocumentSteps(tree, stage, text, generated), createProjectRecordStep(record)],
    occurrences: happened,
    record,
  };
}

export async function buildStageResult(
  engine: PlanningEngine,
  stage: ProjectDocumentStage,
  { record, problems, draft }: StageOutcome,
): Promise<StageResult> {
  const passed = problems.length === 0;
  const next = passed ? await loadOpenProjectStage(engine, record) : undefined;
  return {
    passed,
    problems: limitShownProblems(problems),
    project: createProjectView(record),
    ...(passed ? { document: getProjectDocumentPath(stage) } : {}),
    ...(draft?.items ? { items: draft.items.map(({ id, text }) => ({ id, text })) } : {}),
    ...(draft?.waves ? { waves: draft.waves.map((wave) => [...wave]) } : {}),
    ...(next ? { next } : {}),
  };
}

export function formatStageResultPage({ passed, problems, project, document, items, waves, next }: StageResult): Page {
  if (!passed) return formatOpenStagePage(project, problems);
  const page = formatProjectPage(
    next
      ? `${document} is kept; stage ${next.stage} is open.`
      : `${document} is kept; the project is ${project.status}.`,
    project,
  );
  return {
    ...page,
    facts: [
      ...(page.facts ?? []),
      ...(items ? [["ids", items.map(({ id }) => id).join(", ")] as const] : []),
      ...(waves ?? []).map((wave, i) => [`wave ${i + 1}`, wave.join(", ")] as const),
    ],
    ...(next ? { guide: next.guide } : {}),
    next: listNextProjectCalls(project),
  };
}

export function normalizeInputTexts<Input extends Readonly<Record<string, unknown>>>(input: Input): Input {
  const fields = Object.entries(input).map(([name, value]) => [
    name,
    typeof value === "string" ? value.replace(/\r\n?/g, "\n").trim() : value,
  ]);
  return Object.fromEntries(fields) as Input;
}

/** `lowest` is the highest heading level allowed inside a text. A higher one would end the surrounding section. */
export function findInputTextProblems(
  input: Readonly<Record<string, unknown>>,
  lowest: number,
  only?: readonly string[],
): Problem[] {
  return Object.entries(input).flatMap(([name, value]): Problem[] => {
    if (typeof value !== "string" || value === "" || (only && !only.includes(name))) return [];
    const lines = parseProseLines(value);
    if (!lines.some(({ text, isCode }) => isCode || text.trim() !== ""))
      return [{ problem: `${name} says nothing: all of it is a comment.` }];
    const high = parseHeadings(lines).find(({ level }) => level < lowest);
    if (!high) return [];
    const advice = lowest > 6 ? "give list items only" : `begin at ${"#".repeat(lowest)}`;
    return [{ problem: `${name} has the heading ${quote(high.text, 60)}: ${advice}.` }];
  });
}

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
  engine: Pick<PlanningEngine, "assets">,
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

function formatOpenStagePage(
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
