import type * as z from "zod";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { limitShownProblems, type Problem } from "#kernel/model/verdict.ts";
import {
  assessClarity,
  type ClarityAssessment,
  type ClarityClaim,
  type EvidenceSource,
} from "../../model/project/clarity-gate.ts";
import {
  CLARITY_DIMENSION_NAMES,
  CLARITY_DIMENSIONS,
  type ProjectDocumentStage,
} from "#kernel/model/stages/project-stages.ts";
import { renderClarityReport } from "../../model/project/project-reports.ts";
import { requireOpenProjectStage } from "../../model/project/project-lifecycle.ts";
import type { ProjectRecord, ClarityRound } from "../../model/project/project-record.ts";
import { getProjectDocumentPath } from "#kernel/model/workspace-paths.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { PlanningEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { StorePlan, StoreTree } from "#store/operations/ports/store.ts";
import type { ProjectClarified, ProjectClarify } from "./schema.ts";
import { requireProjectRecord } from "./project-record-file.ts";
import { readStageDocument, findMissingDocuments } from "./project-document-files.ts";
import { planProjectStageEnd, loadOpenProjectStage, formatProjectPage, createProjectView } from "./project-stage.ts";

type ClarifyInput = z.infer<typeof ProjectClarify>;
type ClarifyOutput = z.infer<typeof ProjectClarified>;

export interface ClarifyOutcome {
  readonly record: ProjectRecord;
  readonly assessment: ClarityAssessment;
  readonly isKept: boolean;
  readonly isQuestion?: boolean;
  readonly problems: readonly Problem[];
}

export const clarifyProjectOperation = defineOperation({
  id: "project.clarify",
  effect: "change",
  input: async () => (await import("./schema.ts")).ProjectClarify,
  output: async () => (await import("./schema.ts")).ProjectClarified,
  async run(engine: PlanningEngine, input) {
    const templates = await loadProjectTemplates(engine);
    const isQuestion = !input.dimension_scores?.length && input.answers === undefined;
    const outcome = isQuestion
      ? await engine.store.read((tree) => readClarityState(tree, templates))
      : await commitStoreWrite(engine, (tree) => planClarityRound(tree, input, templates, engine.clock.now()));
    return buildClarifyOutput(engine, outcome);
  },
  page({ passed, problems, project, document, round, score, threshold, dimensions, next }) {
    const title = passed
      ? `The Clarity Gate is passed with ${score}, and ${threshold} was needed; stage ${next?.stage} is open.`
      : `The Clarity Gate stays shut: ${formatCount(problems.length, "problem")}; the score is ${score}${score < threshold ? `, and ${threshold} is needed` : ""}.`;
    const page = formatProjectPage(title, project, next?.guide);
    return {
      ...page,
      facts: [...(page.facts ?? []), ...(document ? [["document", document] as const] : []), ["rounds", String(round)]],
      table: {
        columns: ["dimension", "weight", "said", "counts", "evidence"],
        rows: dimensions.map(({ dimension, weight, score: said, counted, found_in = "none", waiver }) => [
          dimension,
          ...[weight, said, counted].map(String),
          waiver ? `${found_in}; waived: ${sanitizeText(waiver, 80)}` : found_in,
        ]),
      },
      points: [...(page.points ?? []), ...problems.map(({ problem }) => problem)],
      ...(passed ? {} : { next: [{ operation: "project.clarify", input: { dimension_scores: ["…"] } }] }),
    };
  },
  isRefusal: (output) => !output.question && !output.passed,
});

export type ProjectTemplates = ReadonlyMap<ProjectDocumentStage, string>;

const EVIDENCE_STAGES = ["propose", "specify", "business-rules"] as const satisfies readonly ProjectDocumentStage[];

export async function loadProjectTemplates(engine: Pick<PlanningEngine, "assets">): Promise<ProjectTemplates> {
  const texts = [...EVIDENCE_STAGES, "clarify" as const, "validate" as const].map(
    async (stage) => [stage, await engine.assets.text(`templates/project/${stage}`)] as const,
  );
  return new Map(await Promise.all(texts));
}

function readClarityState(tree: StoreTree, templates: ProjectTemplates): ClarifyOutcome {
  const record = requireProjectRecord(tree);
  requireOpenProjectStage(record, "clarify");
  const assessment = reassessClarity(tree, record, templates);
  return { record, assessment, isKept: false, isQuestion: true, problems: assessment.problems };
}

export const reassessClarity = (
  tree: StoreTree,
  record: ProjectRecord,
  templates: ProjectTemplates,
): ClarityAssessment =>
  assessClarity(getLastClaims(record), collectEvidenceSources(tree, record, templates), record.mode);

export function planClarityRound(
  tree: StoreTree,
  input: ClarifyInput,
  templates: ProjectTemplates,
  at: string,
): StorePlan<ClarifyOutcome> {
  const before = requireProjectRecord(tree);
  requireOpenProjectStage(before, "clarify");
  const claims = input.dimension_scores ?? [];
  const answers = input.answers?.replace(/\r\n?/g, "\n").trim();
  const sources = collectEvidenceSources(tree, before, templates, answers);
  const assessment = assessClarity([...getLastClaims(before), ...claims], sources, before.mode);
  const broken = [...findMissingDocuments(tree, before), ...findDuplicateScores(claims)];
  const { score, threshold, passed, dimensions } = assessment;
  const round: ClarityRound = { at, ...(answers ? { answers } : {}), dimensions, score, threshold, passed };
  const rounds = [...before.rounds, round];
  const render = (record: ProjectRecord): string => renderClarityReport(templates.get("clarify") ?? "", record);
  const ending = {
    stage: "clarify",
    text: render({ ...before, rounds }),
    generated: before.rounds.length > 0 ? render(before) : undefined,
    problems: broken,
    kept: { rounds },
    staysOpen: !passed,
  } as const;
  const plan = planProjectStageEnd(tree, before, ending, { now: () => at });
  const { passed: isKept, record } = plan.result;
  const kept = { kind: "project.clarified", subject: record.name, data: { score, threshold, passed } };
  return {
    ...plan,
    occurrences: isKept ? [kept, ...plan.occurrences] : [],
    result: { record, assessment, isKept, problems: isKept ? assessment.problems : broken },
  };
}

export async function buildClarifyOutput(
  engine: PlanningEngine,
  { record, assessment, isKept, isQuestion = false, problems }: ClarifyOutcome,
): Promise<ClarifyOutput> {
  const passed = isKept && assessment.passed;
  const next = passed || isQuestion ? await loadOpenProjectStage(engine, record) : undefined;
  return {
    passed,
    question: isQuestion,
    problems: limitShownProblems(problems),
    project: createProjectView(record),
    ...(isKept ? { document: getProjectDocumentPath("clarify") } : {}),
    score: assessment.score,
    threshold: assessment.threshold,
    round: record.rounds.length,
    dimensions: assessment.dimensions.map(({ dimension, score, counted, found_in, waiver }) => ({
      dimension,
      ...CLARITY_DIMENSIONS[dimension],
      score,
      counted,
      ...(found_in === undefined ? {} : { found_in }),
      ...(waiver === undefined ? {} : { waiver }),
    })),
    ...(next ? { next } : {}),
  };
}

/** The latest claim for each dimension holds until a new one replaces it. */
const getLastClaims = ({ rounds }: ProjectRecord): readonly ClarityClaim[] => rounds.at(-1)?.dimensions ?? [];

/** Only text written by people counts as evidence, so template lines are removed. */
function collectEvidenceSources(
  tree: StoreTree,
  { rounds }: ProjectRecord,
  templates: ProjectTemplates,
  answers?: string,
): EvidenceSource[] {
  const documents = EVIDENCE_STAGES.map((stage) => {
    const own = new Set((templates.get(stage) ?? "").split("\n").map((line) => line.trim()));
    const lines = (readStageDocument(tree, stage) ?? "").split(/\r?\n/).filter((line) => !own.has(line.trim()));
    // Hidden comments are not evidence.
    const seen = lines.join("\n").replace(/<!--[\s\S]*?(?:-->|$)/g, " ");
    return { name: getProjectDocumentPath(stage), text: seen };
  });
  const said = [...rounds.map((round) => round.answers), answers];
  const quotable = said.flatMap((text, i) => (text ? [{ name: `answers of round ${i + 1}`, text }] : []));
  return [...documents, ...quotable];
}

const findDuplicateScores = (claims: readonly ClarityClaim[]): Problem[] =>
  CLARITY_DIMENSION_NAMES.filter((name) => claims.filter(({ dimension }) => dimension === name).length > 1).map(
    (name) => ({ problem: `${name} is scored twice.` }),
  );
