import type * as z from "zod";
import { formatCount, quote, sanitizeText } from "#kernel/model/text-format.ts";
import { Fault, type SuggestedFix } from "#kernel/model/fault.ts";
import { isOpenStageStale } from "#kernel/model/flow/flow-engine.ts";
import { createVerdict, type Verdict } from "#kernel/model/verdict.ts";
import { parseConstraintItems, parseRequirementItems } from "../../model/project/requirement-items.ts";
import {
  parseDesignComponents,
  type CoverageFacts,
  deriveCoverageFacts,
  isMilderVerdict,
  planTaskWaves,
} from "../../model/project/design-coverage.ts";
import { checkProjectDocument } from "../../model/project/project-document.ts";
import type { ProjectDocumentStage } from "#kernel/model/stages/project-stages.ts";
import { PROJECT_DOCUMENT_STAGES, PROJECT_STAGE_CALLS } from "#kernel/model/stages/project-stages.ts";
import { requireOpenProjectStage } from "../../model/project/project-lifecycle.ts";
import type { ProjectRecord } from "../../model/project/project-record.ts";
import { renderValidationReport } from "../../model/project/project-reports.ts";
import { getProjectDocumentPath } from "#kernel/model/workspace-paths.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import { formatApprover } from "../../model/approval/approval-proof.ts";
import { formatQuestionPage } from "../approval/ask-approval.ts";
import { type ApprovalNeed, type ApprovalState, commitApproved } from "../approval/commit-approved.ts";
import type { PlanningEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { StorePlan, StoreTree } from "#store/operations/ports/store.ts";
import type { ProjectValidate, ProjectValidated } from "./schema.ts";
import { requireProjectRecord } from "./project-record-file.ts";
import type { ProjectTemplates } from "./clarify-project.ts";
import { assessRecordedClarity, loadProjectTemplates, planClarityRound, PROJECT_SUBJECT } from "./clarify-project.ts";
import {
  collectAssignedIds,
  findLostIds,
  readStageDocument,
  findMissingDocuments,
  loadDocumentReferences,
} from "./project-document-files.ts";
import { formatStageEndPage } from "./project-operations.ts";
import {
  createStageVerdict,
  planProjectStageEnd,
  findInputTextProblems,
  normalizeInputTexts,
  formatProjectPage,
} from "./project-stage.ts";

export const validateProjectOperation = defineOperation({
  id: "project.validate",
  effect: "change",
  input: async () => (await import("./schema.ts")).ProjectValidate,
  output: async () => (await import("./schema.ts")).ProjectValidated,
  async run(engine: PlanningEngine, input) {
    const templates = await loadProjectTemplates(engine);
    const at = engine.clock.now();
    const { result, question } = await commitApproved(engine, (tree, state) => {
      const plan = planProjectValidation(tree, normalizeInputTexts(input), templates, at, state);
      return { ...plan, needs: plan.result.isKept ? createOverrideNeed(engine, input, plan.result.facts) : undefined };
    });
    const { facts, ...outcome } = result;
    const passed = outcome.isKept && input.verdict !== "FAIL";
    const override = outcome.isKept ? outcome.record.validations.at(-1)?.override : undefined;
    const stages = PROJECT_DOCUMENT_STAGES.filter((stage) => stage !== "validate");
    // Without failures, every stage is a candidate.
    const failing = new Set(facts.failures.map(({ stage }) => stage));
    return {
      ...(await createStageVerdict(engine, { ...outcome, stage: "validate", passed })),
      user_question: question,
      verdict: input.verdict,
      facts: facts.verdict,
      ...(override === undefined ? {} : { override }),
      coverage: facts.coverage.map(({ id, components, tasks }) => ({
        id,
        components: [...components],
        tasks: [...tasks],
      })),
      failures: [...facts.failures],
      warnings: [...facts.warnings],
      reopen: passed ? [] : stages.filter((stage) => failing.size === 0 || failing.has(stage)),
    };
  },
  page(output) {
    if (output.user_question) {
      const { verdict, override } = output;
      const again = { verdict, consistency_issues: "…", override_reason: override ?? "…" };
      return formatQuestionPage(output.user_question, "project.validate", again);
    }
    const { passed, problems, project, verdict, facts, document, coverage, failures, warnings, override } = output;
    const title = passed
      ? `${verdict}: the project is ${project.status}.`
      : document
        ? `FAIL is saved in ${document}; the stage stays open.`
        : `Stage validate stays open: ${formatCount(problems.length, "problem")}.`;
    const page = formatProjectPage(title, project);
    return {
      ...page,
      facts: [
        ...page.facts,
        ["documents say", facts],
        ...(override === undefined ? [] : [["overridden", sanitizeText(override, 200)] as const]),
        ["requirements", String(coverage.length)],
      ],
      points: [
        ...(passed ? ["Build it in changes, wave by wave. Their specs list what they build: `- FR-001`."] : []),
        ...problems.map(({ problem }) => problem),
        ...failures.map(({ finding, stage }) => `failure: ${finding} (${stage})`),
        ...warnings.map(({ finding, stage }) => `warning: ${finding} (${stage})`),
      ].slice(0, 60),
      ...(passed ? {} : { next: listValidationFixes(output) }),
    };
  },
  asks: ({ user_question: question }) => question,
  isRefusal: (output) => !output.passed,
});

/** Only the user may accept a verdict that is milder than the facts. */
function createOverrideNeed(
  { digest }: PlanningEngine,
  { verdict, override_reason: reason }: z.infer<typeof ProjectValidate>,
  facts: CoverageFacts,
): ApprovalNeed | undefined {
  if (reason === undefined || !isMilderVerdict(verdict, facts.verdict)) return undefined;
  const findings = [...facts.failures, ...facts.warnings].map(({ finding }) => finding);
  const request = {
    id: "project/validate",
    area: "project" as const,
    stage: "validate",
    question: `The documents lead to ${facts.verdict}. Do you accept ${verdict}? Reason: ${quote(reason, 400)}`,
    text: digest(JSON.stringify([verdict, facts.verdict, reason.trim(), findings])),
  };
  return { subject: PROJECT_SUBJECT, what: `${verdict}, although the documents lead to ${facts.verdict}`, request };
}

function listValidationFixes(output: z.infer<typeof ProjectValidated>): SuggestedFix[] {
  const { verdict, facts, document, failures, warnings, reopen } = output;
  const stages = failures.length > 0 ? reopen : [...new Set(warnings.map(({ stage }) => stage))];
  const again = (input: Record<string, string>): SuggestedFix => ({
    operation: "project.validate",
    input: { ...input, consistency_issues: "…" },
  });
  return [
    ...(stages.length > 0 ? stages : ["…"]).map((stage) => ({
      operation: "project.reopen",
      input: { stage, reason: "…" },
    })),
    ...(document ? [] : [again({ verdict: facts }), again({ verdict, override_reason: "…" })]),
  ];
}

function planProjectValidation(
  tree: StoreTree,
  { verdict, override_reason: override, ...texts }: z.infer<typeof ProjectValidate>,
  templates: ProjectTemplates,
  at: string,
  { approval, problem }: ApprovalState,
) {
  const before = requireProjectRecord(tree);
  requireOpenProjectStage(before, "validate");
  const facts = collectProjectFacts(tree, before, templates);
  const unfounded = `${verdict} is milder than the facts allow (${facts.verdict}): fix them, or give override_reason.`;
  const problems = [
    ...findMissingDocuments(tree, before),
    ...findInputTextProblems(texts, 3),
    ...(isMilderVerdict(verdict, facts.verdict) && override === undefined ? [{ problem: unfounded }] : []),
    ...(problem === undefined ? [] : [{ problem }]),
  ];
  const source = approval ? { approved_by: formatApprover(approval) } : {};
  const data = { verdict, facts: facts.verdict, ...(override === undefined ? {} : { override, ...source }) };
  const validation = { at, ...data };
  const text = renderValidationReport(templates.get("validate") ?? "", { mode: before.mode, validation, facts, texts });
  const kept = { validations: [...before.validations, validation] };
  const ending = { stage: "validate", text, problems, kept, staysOpen: verdict === "FAIL", at } as const;
  const plan = planProjectStageEnd(tree, before, ending);
  const { passed: isKept, record } = plan.result;
  const validated = { kind: "project.validated", subject: record.name, data };
  return {
    ...plan,
    occurrences: isKept ? [validated, ...plan.occurrences] : [],
    result: { record, facts, problems, isKept },
  };
}

function collectProjectFacts(tree: StoreTree, record: ProjectRecord, templates: ProjectTemplates): CoverageFacts {
  const around = loadDocumentReferences(tree);
  const broken = PROJECT_DOCUMENT_STAGES.filter((stage) => stage !== "validate" && stage !== "clarify").flatMap(
    (stage) => {
      const text = readStageDocument(tree, stage);
      if (text === undefined) return [];
      return checkProjectDocument(stage, text, around).map(({ problem, line }) => ({
        finding: `${getProjectDocumentPath(stage)}${line ? `:${line}` : ""}: ${problem}`,
        stage,
      }));
    },
  );
  const lost = (["specify", "business-rules"] as const).flatMap((stage) =>
    findLostIds(tree, record, stage).map(({ problem: finding }) => ({ finding, stage })),
  );
  // The documents may have changed since the gate passed.
  const unclear = assessRecordedClarity(tree, record, templates).problems.map(({ problem: finding }) => ({
    finding,
    stage: "clarify" as const,
  }));
  const dimensions = record.rounds.at(-1)?.dimensions ?? [];
  return deriveCoverageFacts({
    requirements: parseRequirementItems(around.requirements ?? ""),
    rules: parseConstraintItems(around.rules ?? "").map(({ id }) => id),
    components: parseDesignComponents(readStageDocument(tree, "design") ?? ""),
    tasks: planTaskWaves(around.tasks ?? ""),
    broken: [...broken, ...lost, ...unclear],
    waived: dimensions.flatMap(({ dimension, waiver }) => (waiver ? [{ dimension, reason: waiver }] : [])),
  });
}

export const confirmProjectOperation = defineOperation({
  id: "project.confirm",
  effect: "change",
  output: async () => (await import("./schema.ts")).StageEnded,
  async run(engine: PlanningEngine) {
    const templates = await loadProjectTemplates(engine);
    return createStageVerdict(
      engine,
      await commitStoreWrite(engine, (tree) => planStageConfirmation(tree, templates, engine.clock.now())),
    );
  },
  page: formatStageEndPage,
  isRefusal: (output) => !output.passed,
});

/** Runs every check that a new document would go through. */
function planStageConfirmation(
  tree: StoreTree,
  templates: ProjectTemplates,
  at: string,
): StorePlan<Verdict & { record: ProjectRecord; stage: ProjectDocumentStage }> {
  const before = requireProjectRecord(tree);
  const isActive = before.status === "active";
  const stage = before.current_stage as ProjectDocumentStage;
  const text = readStageDocument(tree, stage);
  if (!isActive || !isOpenStageStale(before) || !text?.trim()) {
    throw new Fault("project.not-stale", {
      what: `Stage ${stage} cannot be confirmed.`,
      why: isActive ? "Its document is missing or not stale." : `The project is ${before.status}.`,
      fix: isActive ? PROJECT_STAGE_CALLS[stage] : { operation: "project.context" },
    });
  }
  if (stage === "clarify") {
    const { result, ...plan } = planClarityRound(tree, {}, templates, at);
    return { ...plan, result: { record: result.record, ...createVerdict(result.problems), stage } };
  }
  const problems = [
    ...findMissingDocuments(tree, before),
    ...checkProjectDocument(stage, text, loadDocumentReferences(tree)),
    ...findLostIds(tree, before, stage),
  ];
  if (stage === "validate") {
    // The verdict was given on earlier documents. An override of it does not carry over.
    const last = before.validations.at(-1)?.verdict;
    const { verdict } = collectProjectFacts(tree, before, templates);
    if (last === undefined || last === "FAIL" || isMilderVerdict(last, verdict))
      problems.push({ problem: `The documents now lead to ${verdict}: validate them again.` });
  }
  const kept = { ids: collectAssignedIds(tree, before).taken };
  const plan = planProjectStageEnd(tree, before, { stage, text, kept, problems, at });
  return { ...plan, result: { ...plan.result, stage } };
}
