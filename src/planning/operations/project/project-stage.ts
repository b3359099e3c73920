import type * as z from "zod";
import { isOpenStageStale } from "#kernel/model/flow/flow-engine.ts";
import { parseHeadings, parseProseLines } from "#kernel/model/document/markdown-document.ts";
import { limitShownProblems, type Problem, type Verdict } from "#kernel/model/verdict.ts";
import type { Page } from "#kernel/model/page.ts";
import { checkProjectDocument, listRequirementIds, listRuleIds } from "../../model/project/project-document.ts";
import { type ProjectDocumentStage, PROJECT_STAGE_CALLS } from "#kernel/model/stages/project-stages.ts";
import type { NumberedItem } from "../../model/project/requirement-lists.ts";
import { endProjectStage, requireOpenProjectStage } from "../../model/project/project-lifecycle.ts";
import { type ProjectRecord, ProjectView } from "../../model/project/project-record.ts";
import { quote, sanitizeText } from "#kernel/model/text-format.ts";
import { renderTemplate, type TemplateValues } from "#kernel/model/template.ts";
import { getProjectDocumentPath, STAGE_DOCUMENTS, SUPERSEDED_FOLDER } from "#kernel/model/workspace-paths.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { StorePlan, StoreTree } from "#store/operations/ports/store.ts";
import type { SuggestedFix } from "#kernel/model/fault.ts";
import { formatStageLine, formatStalePoints } from "#kernel/operations/stage-lines.ts";
import type { EngineClock } from "#kernel/operations/engine.ts";
import type { PlanningEngine } from "../engine.ts";
import { formatRefusalPage, planStageEnd } from "../stage-end.ts";
import type { StageEnded } from "./schema.ts";
import { createProjectRecordStep, requireProjectRecord } from "./project-record-file.ts";
import { findMissingDocuments, loadDocumentReferences } from "./project-document-files.ts";

type StageResult = z.infer<typeof StageEnded>;

export interface StageDraft {
  readonly values: TemplateValues;
  readonly problems: readonly Problem[];
  readonly kept?: Partial<ProjectRecord>;
  readonly items?: readonly NumberedItem[];
  readonly waves?: readonly (readonly string[])[];
}

export async function completeProjectStage(
  engine: PlanningEngine,
  stage: ProjectDocumentStage,
  make: (tree: StoreTree, record: ProjectRecord) => StageDraft,
): Promise<StageResult> {
  const template = await engine.assets.text(`templates/project/${stage}`);
  const outcome = await commitStoreWrite(engine, (tree) => {
    const before = requireProjectRecord(tree);
    requireOpenProjectStage(before, stage);
    const draft = make(tree, before);
    const text = renderTemplate(template, { guided: before.mode === "guided", ...draft.values });
    const problems = [
      ...findMissingDocuments(tree, before),
      ...draft.problems,
      ...findHiddenItems(draft.items ?? [], text),
      ...checkProjectDocument(stage, text, loadDocumentReferences(tree)),
    ];
    // The document is not written yet, so line numbers would mean nothing to the caller.
    const unique = [...new Set(problems.map(({ problem }) => problem))].map((problem) => ({ problem }));
    const plan = planProjectStageEnd(tree, before, { stage, text, kept: draft.kept, problems: unique }, engine.clock);
    return { ...plan, result: { ...plan.result, draft } };
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

interface ProjectStageEnding {
  readonly stage: ProjectDocumentStage;
  readonly text: string;
  readonly problems: readonly Problem[];
  readonly kept?: Partial<ProjectRecord> | undefined;
  readonly generated?: string | undefined;
  readonly staysOpen?: boolean;
}

export type ProjectVerdictResult = Verdict & { readonly record: ProjectRecord };

export function planProjectStageEnd(
  tree: StoreTree,
  record: ProjectRecord,
  { stage, text, problems, kept, generated, staysOpen }: ProjectStageEnding,
  clock: EngineClock,
): StorePlan<ProjectVerdictResult> {
  const path = getProjectDocumentPath(stage);
  return planStageEnd(tree, {
    area: "project",
    subject: record.name,
    record,
    end() {
      const at = clock.now();
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

export async function buildStageResult(
  engine: PlanningEngine,
  stage: ProjectDocumentStage,
  { record, passed, problems, draft }: ProjectVerdictResult & { readonly draft?: StageDraft },
): Promise<StageResult> {
  const next = passed ? await loadOpenProjectStage(engine, record) : undefined;
  return {
    passed,
    problems: limitShownProblems(problems),
    project: createProjectView(record),
    ...(passed ? { document: getProjectDocumentPath(stage) } : {}),
    ...(passed && draft?.items ? { items: draft.items.map(({ id, text }) => ({ id, text })) } : {}),
    ...(passed && draft?.waves ? { waves: draft.waves.map((wave) => [...wave]) } : {}),
    ...(next ? { next } : {}),
  };
}

export function formatStageResultPage({ passed, problems, project, document, items, waves, next }: StageResult): Page {
  if (!passed) {
    const name = sanitizeText(project.name);
    return formatRefusalPage(name, project.current_stage, problems, listNextProjectCalls(project));
  }
  const state = next ? `stage ${next.stage} is open` : `the project is ${project.status}`;
  const page = formatProjectPage(`${document} is kept; ${state}.`, project, next?.guide);
  return {
    ...page,
    facts: [
      ...(page.facts ?? []),
      ...(items ? [["ids", items.map(({ id }) => id).join(", ")] as const] : []),
      ...(waves ?? []).map((wave, i) => [`wave ${i + 1}`, wave.join(", ")] as const),
    ],
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
export function findInputTextProblems(input: object, lowest: number, only?: readonly string[]): Problem[] {
  return Object.entries(input).flatMap(([name, value]: [string, unknown]): Problem[] => {
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

export function createProjectView(record: ProjectRecord): ProjectView {
  const round = record.rounds.at(-1);
  return ProjectView.parse({ ...record, ...(round ? { clarity: round.score } : {}) });
}

export async function loadOpenProjectStage(engine: Pick<PlanningEngine, "assets">, record: ProjectRecord) {
  if (record.status !== "active") return undefined;
  const { current_stage: stage } = record;
  return { stage, guide: (await engine.assets.text(`guides/project/${stage}`)).trimEnd() };
}

/** A page about the project. `guide` explains its open stage. */
export function formatProjectPage(title: string, project: ProjectView, guide?: string): Page {
  return {
    title,
    facts: [
      ["project", `${sanitizeText(project.name)} (${project.mode}, ${project.status})`],
      ["stages", formatStageLine(project.stages)],
      ...(project.clarity === undefined ? [] : [["clarity", String(project.clarity)] as const]),
    ],
    points: formatStalePoints(project.stages),
    ...(guide === undefined ? {} : { guide }),
    next: listNextProjectCalls(project),
  };
}

export function listNextProjectCalls(
  project: Pick<ProjectView, "status" | "current_stage" | "stages">,
): SuggestedFix[] {
  if (project.status !== "active") return [{ operation: "change.start", input: { description: "…" } }];
  return [
    PROJECT_STAGE_CALLS[project.current_stage as ProjectDocumentStage],
    ...(isOpenStageStale(project) ? [{ operation: "project.confirm" }] : []),
  ];
}
