import type * as z from "zod";
import { parseHeadings, parseProseLines } from "#domain/document/prose.ts";
import { limitShownProblems, type Problem } from "#domain/gate/verdict.ts";
import type { Page } from "#domain/page.ts";
import { checkProjectDocument, listRequirementIds, listRuleIds } from "#domain/project/document.ts";
import type { ProjectDocumentStage } from "#domain/project/flow.ts";
import type { NumberedItem } from "#domain/project/items.ts";
import { endProjectStage, requireOpenProjectStage } from "#domain/project/project.ts";
import type { ProjectRecord } from "#domain/project/record.ts";
import { quote } from "#domain/quote.ts";
import { renderTemplate, type TemplateValues } from "#domain/template.ts";
import { getProjectDocumentPath } from "#domain/workspace/path.ts";
import { commitStoreWrite, type Engine } from "../engine.ts";
import type { StorePlan, StoreTree } from "../ports/store.ts";
import type { StageEnded } from "./schema.ts";
import { createProjectRecordStep, requireProjectRecord } from "./record.ts";
import {
  createStageDocumentSteps,
  findMissingDocuments,
  loadDocumentReferences,
  createProjectOccurrences,
} from "./shelf.ts";
import {
  listNextProjectCalls,
  loadOpenProjectStage,
  formatProjectPage,
  formatOpenStagePage,
  createProjectView,
} from "./view.ts";

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
  engine: Engine,
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
  engine: Engine,
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
