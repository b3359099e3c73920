import type * as z from "zod";
import { formatCount, quote, sanitizeText } from "#kernel/model/text-format.ts";
import { assessClarity, type EvidenceSource } from "../../model/project/clarity-gate.ts";
import type { ProjectDocumentStage } from "#kernel/model/stages/project-stages.ts";
import { CLARITY_DIMENSION_NAMES, CLARITY_DIMENSIONS } from "#kernel/model/stages/project-stages.ts";
import { renderClarityReport } from "../../model/project/project-reports.ts";
import { requireOpenProjectStage } from "../../model/project/project-lifecycle.ts";
import type { ProjectRecord } from "../../model/project/project-record.ts";
import { getProjectDocumentPath } from "#kernel/model/workspace-paths.ts";
import { formatApprover } from "../../model/approval/approval-proof.ts";
import { formatQuestionPage } from "../approval/ask-approval.ts";
import { type ApprovalState, commitApproved } from "../approval/commit-approved.ts";
import type { PlanningEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import type { ProjectClarify } from "./schema.ts";
import { requireProjectRecord } from "./project-record-file.ts";
import { readStageDocument, findMissingDocuments } from "./project-document-files.ts";
import { createStageVerdict, planProjectStageEnd, formatProjectPage } from "./project-stage.ts";

export const clarifyProjectOperation = defineOperation({
  id: "project.clarify",
  effect: "change",
  input: async () => (await import("./schema.ts")).ProjectClarify,
  output: async () => (await import("./schema.ts")).ProjectClarified,
  async run(engine: PlanningEngine, input) {
    const templates = await loadProjectTemplates(engine);
    const question = !input.dimension_scores?.length && input.answers === undefined;
    const { assessment, user_question, ...outcome } = question
      ? await engine.store.read((tree) => {
          const record = requireProjectRecord(tree);
          requireOpenProjectStage(record, "clarify");
          const found = assessRecordedClarity(tree, record, templates);
          return { record, assessment: found, isKept: false, problems: found.problems, user_question: undefined };
        })
      : await commitClarityRound(engine, input, templates);
    const passed = outcome.isKept && assessment.passed;
    return {
      ...(await createStageVerdict(engine, { ...outcome, stage: "clarify", passed, showsNext: passed || question })),
      question,
      user_question,
      score: assessment.score,
      threshold: assessment.threshold,
      round: outcome.record.rounds.length,
      dimensions: assessment.dimensions.map(({ dimension, evidence: _evidence, ...assessed }) => ({
        dimension,
        ...CLARITY_DIMENSIONS[dimension],
        ...assessed,
      })),
    };
  },
  page({ passed, problems, project, document, round, score, threshold, dimensions, next, user_question, question }) {
    if (user_question) return formatQuestionPage(user_question, "project.clarify", { answers: "…" });
    const asked = `The Clarity Gate is at ${score}, and ${threshold} is needed. Ask the user about what is open.`;
    const title = question
      ? asked
      : passed
        ? `The Clarity Gate passed with ${score}, and ${threshold} was needed; stage ${next?.stage} is open.`
        : `The Clarity Gate stays closed: ${formatCount(problems.length, "problem")}; the score is ${score}${score < threshold ? `, and ${threshold} is needed` : ""}.`;
    const page = formatProjectPage(title, project, next?.guide);
    const [least] = dimensions.toSorted((a, b) => a.counted - b.counted);
    const weakest = { dimension: least?.dimension ?? "target_users", score: least?.score ?? 0, evidence: "…" };
    return {
      ...page,
      facts: [...page.facts, ...(document ? [["document", document] as const] : []), ["rounds", String(round)]],
      table: {
        columns: ["dimension", "weight", "said", "counts", "evidence"],
        rows: dimensions.map(({ dimension, weight, score: said, counted, found_in = "none", waiver }) => [
          dimension,
          ...[weight, said, counted].map(String),
          waiver ? `${found_in}; waived: ${sanitizeText(waiver, 80)}` : found_in,
        ]),
      },
      points: [...page.points, ...problems.map(({ problem }) => problem)],
      ...(passed ? {} : { next: [{ operation: "project.clarify", input: { dimension_scores: [weakest] } }] }),
    };
  },
  asks: ({ user_question: question }) => question,
  isRefusal: (output) => !output.question && !output.passed,
});

/** The user's answers are evidence, so they need the user's proof. */
async function commitClarityRound(
  engine: PlanningEngine,
  input: z.infer<typeof ProjectClarify>,
  templates: ProjectTemplates,
) {
  const answers = input.answers?.trim() ?? "";
  const at = engine.clock.now();
  const { result, question } = await commitApproved(engine, (tree, state) => {
    const plan = planClarityRound(tree, input, templates, at, state);
    if (answers === "" || !plan.result.isKept) return plan;
    const request = {
      id: "project/clarify",
      area: "project" as const,
      stage: "clarify",
      question: `Are these your answers? ${quote(answers, 600)}`,
      text: engine.digest(answers),
    };
    return { ...plan, needs: { subject: PROJECT_SUBJECT, what: "the answers", request } };
  });
  return { ...result, user_question: question };
}

/** The file in `sdd/approvals`. */
export const PROJECT_SUBJECT = "project";

export type ProjectTemplates = ReadonlyMap<ProjectDocumentStage, string>;

const EVIDENCE_STAGES = ["propose", "specify", "business-rules"] as const satisfies readonly ProjectDocumentStage[];

export async function loadProjectTemplates(engine: Pick<PlanningEngine, "assets">): Promise<ProjectTemplates> {
  const texts = [...EVIDENCE_STAGES, "clarify" as const, "validate" as const].map(
    async (stage) => [stage, await engine.assets.text(`templates/project/${stage}`)] as const,
  );
  return new Map(await Promise.all(texts));
}

/** The latest claim for each dimension holds until one of `more` replaces it. */
export function assessRecordedClarity(
  tree: StoreTree,
  record: ProjectRecord,
  templates: ProjectTemplates,
  { dimension_scores: more = [], answers }: z.infer<typeof ProjectClarify> = {},
) {
  const claims = [...(record.rounds.at(-1)?.dimensions ?? []), ...more];
  return assessClarity(claims, collectEvidenceSources(tree, record, templates, answers), record.mode);
}

export function planClarityRound(
  tree: StoreTree,
  { dimension_scores: claims = [], answers: said }: z.infer<typeof ProjectClarify>,
  templates: ProjectTemplates,
  at: string,
  { approval, problem }: ApprovalState = {},
) {
  const before = requireProjectRecord(tree);
  requireOpenProjectStage(before, "clarify");
  const answers = said?.replace(/\r\n?/g, "\n").trim();
  const assessment = assessRecordedClarity(tree, before, templates, { dimension_scores: claims, answers });
  const { problems, ...assessed } = assessment;
  const twice = CLARITY_DIMENSION_NAMES.filter(
    (name) => claims.filter(({ dimension }) => dimension === name).length > 1,
  );
  const broken = [
    ...findMissingDocuments(tree, before),
    ...twice.map((name) => ({ problem: `${name} is scored twice.` })),
    ...(problem === undefined ? [] : [{ problem }]),
  ];
  const source = approval ? { answered_by: formatApprover(approval) } : {};
  const rounds = [...before.rounds, { at, ...(answers ? { answers, ...source } : {}), ...assessed }];
  const render = (record: ProjectRecord): string => renderClarityReport(templates.get("clarify") ?? "", record);
  const plan = planProjectStageEnd(tree, before, {
    stage: "clarify",
    text: render({ ...before, rounds }),
    generated: before.rounds.length > 0 ? render(before) : undefined,
    problems: broken,
    kept: { rounds },
    staysOpen: !assessed.passed,
    at,
  });
  const { passed: isKept, record } = plan.result;
  const { score, threshold, passed } = assessed;
  const kept = { kind: "project.clarified", subject: record.name, data: { score, threshold, passed } };
  return {
    ...plan,
    occurrences: isKept ? [kept, ...plan.occurrences] : [],
    result: { record, assessment, isKept, problems: isKept ? problems : broken },
  };
}

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
