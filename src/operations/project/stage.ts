import type * as z from "zod";
import { headings, proseLines } from "#domain/document/prose.ts";
import { mostPressing, type Problem } from "#domain/gate/verdict.ts";
import type { Page } from "#domain/page.ts";
import { checkDocument, requirementIds, ruleIds } from "#domain/project/document.ts";
import type { WrittenStage } from "#domain/project/flow.ts";
import type { Item } from "#domain/project/items.ts";
import { endStage, requireStage } from "#domain/project/project.ts";
import type { ProjectRecord } from "#domain/project/record.ts";
import { quote } from "#domain/quote.ts";
import { renderTemplate, type Values } from "#domain/template.ts";
import { projectDocument } from "#domain/workspace/path.ts";
import { commit, type Engine } from "../engine.ts";
import type { Plan, Tree } from "../ports/store.ts";
import type { StageEnded } from "./schema.ts";
import { projectStep, theProject } from "./record.ts";
import { documentSteps, missingDocuments, neighbours, occurrences } from "./shelf.ts";
import { nextCalls, nextStage, projectPage, refusedPage, viewProject } from "./view.ts";

type Ended = z.infer<typeof StageEnded>;

export interface Draft {
  readonly values: Values;
  readonly problems?: readonly Problem[];
  readonly kept?: Partial<ProjectRecord>;
  readonly items?: readonly Item[];
  readonly waves?: readonly (readonly string[])[];
}

interface Outcome {
  readonly record: ProjectRecord;
  readonly problems: readonly Problem[];
  readonly draft?: Draft;
}

export async function completeStage(
  engine: Engine,
  stage: WrittenStage,
  make: (tree: Tree, record: ProjectRecord) => Draft,
): Promise<Ended> {
  const template = await engine.assets.text(`templates/project/${stage}`);
  const outcome = await commit(engine, (tree): Plan<Outcome> => {
    const before = theProject(tree);
    requireStage(before, stage);
    const draft = make(tree, before);
    const text = renderTemplate(template, { guided: before.mode === "guided", ...draft.values });
    // The document is not written yet, so line numbers would mean nothing to the caller.
    const problems = [
      ...missingDocuments(tree, before),
      ...(draft.problems ?? []),
      ...hidden(draft.items ?? [], text),
      ...checkDocument(stage, text, neighbours(tree)),
    ];
    if (problems.length > 0)
      return { steps: [], occurrences: [], result: { record: before, problems: eachOnce(problems) } };
    const { record, ...plan } = ending(tree, before, { stage, text, kept: draft.kept }, engine.clock.now());
    return { ...plan, result: { record, problems: [], draft } };
  });
  return ended(engine, stage, outcome);
}

/** An id inside a comment or code block is invisible to later stages. */
function hidden(items: readonly Item[], text: string): Problem[] {
  const shown = new Set([...requirementIds(text), ...ruleIds(text)]);
  return items
    .filter(({ id }) => !shown.has(id))
    .map(({ id }) => ({ problem: `${id} does not stand in the document: take it out of its comment or code block.` }));
}

const eachOnce = (problems: readonly Problem[]): Problem[] =>
  [...new Set(problems.map(({ problem }) => problem))].map((problem) => ({ problem }));

interface Ending {
  readonly stage: WrittenStage;
  readonly text: string;
  readonly kept?: Partial<ProjectRecord> | undefined;
  /** The text that Tenon generated last. It needs no superseded copy. */
  readonly generated?: string | undefined;
  readonly staysOpen?: boolean;
}

export function ending(
  tree: Tree,
  before: ProjectRecord,
  { stage, text, kept, generated, staysOpen }: Ending,
  at: string,
): Pick<Plan<unknown>, "steps" | "occurrences"> & { record: ProjectRecord } {
  const [moved, effects] = staysOpen ? [{ ...before, updated_at: at, rev: before.rev + 1 }, []] : endStage(before, at);
  const record = { ...moved, ...kept };
  const happened = occurrences(record, effects).map((occurrence) =>
    occurrence.kind === "project.stage-completed"
      ? { ...occurrence, data: { ...occurrence.data, document: projectDocument(stage) } }
      : occurrence,
  );
  return {
    steps: [...documentSteps(tree, stage, text, generated), projectStep(record)],
    occurrences: happened,
    record,
  };
}

export async function ended(engine: Engine, stage: WrittenStage, { record, problems, draft }: Outcome): Promise<Ended> {
  const passed = problems.length === 0;
  const next = passed ? await nextStage(engine, record) : undefined;
  return {
    passed,
    problems: mostPressing(problems),
    project: viewProject(record),
    ...(passed ? { document: projectDocument(stage) } : {}),
    ...(draft?.items ? { items: draft.items.map(({ id, text }) => ({ id, text })) } : {}),
    ...(draft?.waves ? { waves: draft.waves.map((wave) => [...wave]) } : {}),
    ...(next ? { next } : {}),
  };
}

export function endedPage({ passed, problems, project, document, items, waves, next }: Ended): Page {
  if (!passed) return refusedPage(project, problems);
  const page = projectPage(
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
    next: nextCalls(project),
  };
}

export function tidy<Input extends Readonly<Record<string, unknown>>>(input: Input): Input {
  const fields = Object.entries(input).map(([name, value]) => [
    name,
    typeof value === "string" ? value.replace(/\r\n?/g, "\n").trim() : value,
  ]);
  return Object.fromEntries(fields) as Input;
}

/** `lowest` is the highest heading level allowed inside a text. A higher one would end the surrounding section. */
export function textProblems(
  input: Readonly<Record<string, unknown>>,
  lowest: number,
  only?: readonly string[],
): Problem[] {
  return Object.entries(input).flatMap(([name, value]): Problem[] => {
    if (typeof value !== "string" || value === "" || (only && !only.includes(name))) return [];
    const lines = proseLines(value);
    if (!lines.some(({ text, isCode }) => isCode || text.trim() !== ""))
      return [{ problem: `${name} says nothing: all of it is a comment.` }];
    const high = headings(lines).find(({ level }) => level < lowest);
    if (!high) return [];
    const advice = lowest > 6 ? "give list items only" : `begin at ${"#".repeat(lowest)}`;
    return [{ problem: `${name} has the heading ${quote(high.text, 60)}: ${advice}.` }];
  });
}
