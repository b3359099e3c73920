import type * as z from "zod";
import { count } from "#domain/count.ts";
import { mostPressing, type Problem } from "#domain/gate/verdict.ts";
import { assess, type Assessment, type Claim, type Source } from "#domain/project/clarity.ts";
import { DIMENSION_NAMES, DIMENSIONS } from "#domain/project/vocabulary.ts";
import { renderClarifications } from "#domain/project/clarifications.ts";
import type { WrittenStage } from "#domain/project/flow.ts";
import { requireStage } from "#domain/project/project.ts";
import type { ProjectRecord, Round } from "#domain/project/record.ts";
import { plain } from "#domain/quote.ts";
import { projectDocument } from "#domain/workspace/path.ts";
import { commit, type Engine } from "../engine.ts";
import { operation } from "../operation.ts";
import type { Plan, Tree } from "../ports/store.ts";
import type { ProjectClarified, ProjectClarify } from "./schema.ts";
import { theProject } from "./record.ts";
import { documentText, missingDocuments } from "./shelf.ts";
import { ending } from "./stage.ts";
import { nextCalls, nextStage, projectPage, viewProject } from "./view.ts";

type Input = z.infer<typeof ProjectClarify>;
type Output = z.infer<typeof ProjectClarified>;

export interface Outcome {
  readonly record: ProjectRecord;
  readonly assessment: Assessment;
  readonly isKept: boolean;
  readonly isQuestion?: boolean;
  readonly problems: readonly Problem[];
}

export const clarify = operation<Input, Output>({
  id: "project.clarify",
  effect: "change",
  input: async () => (await import("./schema.ts")).ProjectClarify,
  output: async () => (await import("./schema.ts")).ProjectClarified,
  async run(engine, input) {
    const templates = await loadTemplates(engine);
    const isQuestion = !input.dimension_scores?.length && input.answers === undefined;
    const outcome = isQuestion
      ? await engine.store.read((tree) => look(tree, templates))
      : await commit(engine, (tree) => weigh(tree, input, templates, engine.clock.now()));
    return clarified(engine, outcome);
  },
  page({ passed, problems, project, document, round, score, threshold, dimensions, next }) {
    const title = passed
      ? `The Clarity Gate is passed with ${score}, and ${threshold} was needed; stage ${next?.stage} is open.`
      : `The Clarity Gate stays shut: ${count(problems.length, "problem")}; the score is ${score}${score < threshold ? `, and ${threshold} is needed` : ""}.`;
    const page = projectPage(title, project);
    return {
      ...page,
      facts: [...(page.facts ?? []), ...(document ? [["document", document] as const] : []), ["rounds", String(round)]],
      table: {
        columns: ["dimension", "weight", "said", "counts", "evidence"],
        rows: dimensions.map(({ dimension, weight, score: said, counted, found_in, waiver }) => [
          dimension,
          String(weight),
          String(said),
          String(counted),
          [found_in ?? "none", ...(waiver ? [`waived: ${plain(waiver, 80)}`] : [])].join("; "),
        ]),
      },
      points: [...(page.points ?? []), ...problems.map(({ problem }) => problem)],
      ...(next ? { guide: next.guide } : {}),
      next: passed ? nextCalls(project) : [{ operation: "project.clarify", input: { dimension_scores: ["…"] } }],
    };
  },
  isRefusal: (output) => !output.question && !output.passed,
});

export type Templates = ReadonlyMap<WrittenStage, string>;

const SOURCES = ["propose", "specify", "business-rules"] as const satisfies readonly WrittenStage[];

export async function loadTemplates(engine: Pick<Engine, "assets">): Promise<Templates> {
  const texts = [...SOURCES, "clarify" as const, "validate" as const].map(
    async (stage) => [stage, await engine.assets.text(`templates/project/${stage}`)] as const,
  );
  return new Map(await Promise.all(texts));
}

function look(tree: Tree, templates: Templates): Outcome {
  const record = theProject(tree);
  requireStage(record, "clarify");
  const assessment = reassess(tree, record, templates);
  return { record, assessment, isKept: false, isQuestion: true, problems: assessment.problems };
}

export const reassess = (tree: Tree, record: ProjectRecord, templates: Templates): Assessment =>
  assess(lastClaims(record), sourcesIn(tree, record, templates), record.mode);

export function weigh(tree: Tree, input: Input, templates: Templates, at: string): Plan<Outcome> {
  const before = theProject(tree);
  requireStage(before, "clarify");
  const claims = input.dimension_scores ?? [];
  const answers = input.answers?.replace(/\r\n?/g, "\n").trim();
  const sources = sourcesIn(tree, before, templates, answers);
  const assessment = assess([...lastClaims(before), ...claims], sources, before.mode);
  const broken = [...missingDocuments(tree, before), ...twice(claims)];
  if (broken.length > 0) {
    return { steps: [], occurrences: [], result: { record: before, assessment, isKept: false, problems: broken } };
  }
  const { score, threshold, passed, dimensions } = assessment;
  const round: Round = { at, ...(answers ? { answers } : {}), dimensions, score, threshold, passed };
  const rounds = [...before.rounds, round];
  const render = (record: ProjectRecord): string => renderClarifications(templates.get("clarify") ?? "", record);
  const draft = {
    stage: "clarify",
    text: render({ ...before, rounds }),
    generated: before.rounds.length > 0 ? render(before) : undefined,
    kept: { rounds },
    staysOpen: !passed,
  } as const;
  const { record, ...plan } = ending(tree, before, draft, at);
  const kept = { kind: "project.clarified", subject: record.name, data: { score, threshold, passed } };
  return {
    ...plan,
    occurrences: [kept, ...plan.occurrences],
    result: { record, assessment, isKept: true, problems: assessment.problems },
  };
}

export async function clarified(
  engine: Engine,
  { record, assessment, isKept, isQuestion = false, problems }: Outcome,
): Promise<Output> {
  const passed = isKept && assessment.passed;
  const next = passed || isQuestion ? await nextStage(engine, record) : undefined;
  return {
    passed,
    question: isQuestion,
    problems: mostPressing(problems),
    project: viewProject(record),
    ...(isKept ? { document: projectDocument("clarify") } : {}),
    score: assessment.score,
    threshold: assessment.threshold,
    round: record.rounds.length,
    dimensions: assessment.dimensions.map(({ dimension, score, counted, found_in, waiver }) => ({
      dimension,
      ...DIMENSIONS[dimension],
      score,
      counted,
      ...(found_in === undefined ? {} : { found_in }),
      ...(waiver === undefined ? {} : { waiver }),
    })),
    ...(next ? { next } : {}),
  };
}

/** The latest claim for each dimension holds until a new one replaces it. */
const lastClaims = ({ rounds }: ProjectRecord): readonly Claim[] => rounds.at(-1)?.dimensions ?? [];

/** Only text written by people counts as evidence, so template lines are removed. */
function sourcesIn(tree: Tree, { rounds }: ProjectRecord, templates: Templates, answers?: string): Source[] {
  const documents = SOURCES.map((stage) => {
    const own = new Set((templates.get(stage) ?? "").split("\n").map((line) => line.trim()));
    const lines = (documentText(tree, stage) ?? "").split(/\r?\n/).filter((line) => !own.has(line.trim()));
    // Hidden comments are not evidence.
    const seen = lines.join("\n").replace(/<!--[\s\S]*?(?:-->|$)/g, " ");
    return { name: projectDocument(stage), text: seen };
  });
  const said = [...rounds.map((round) => round.answers), answers];
  const quotable = said.flatMap((text, i) => (text ? [{ name: `answers of round ${i + 1}`, text }] : []));
  return [...documents, ...quotable];
}

function twice(claims: readonly Claim[]): Problem[] {
  return DIMENSION_NAMES.filter((name) => claims.filter(({ dimension }) => dimension === name).length > 1).map(
    (name) => ({
      problem: `${name} is scored twice.`,
    }),
  );
}
