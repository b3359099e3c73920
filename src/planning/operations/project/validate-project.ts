import type * as z from "zod";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import type { SuggestedFix } from "#kernel/model/fault.ts";
import { limitShownProblems, type Problem } from "#kernel/model/verdict.ts";
import { listConstraintIds, parseRequirementItems } from "../../model/project/requirement-items.ts";
import {
  parseDesignComponents,
  type CoverageFacts,
  deriveCoverageFacts,
  type CoverageFinding,
  isMilderVerdict,
  planTaskWaves,
} from "../../model/project/design-coverage.ts";
import { checkProjectDocument } from "../../model/project/project-document.ts";
import { PROJECT_DOCUMENT_STAGES } from "#kernel/model/stages/project-stages.ts";
import { requireOpenProjectStage } from "../../model/project/project-lifecycle.ts";
import type { ProjectRecord, ProjectValidation } from "../../model/project/project-record.ts";
import { renderValidationReport } from "../../model/project/project-reports.ts";
import { getProjectDocumentPath } from "#kernel/model/workspace-paths.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { PlanningEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { StorePlan, StoreTree } from "#store/operations/ports/store.ts";
import type { ProjectValidate, ProjectValidated } from "./schema.ts";
import { requireProjectRecord } from "./project-record-file.ts";
import { loadProjectTemplates, reassessClarity, type ProjectTemplates } from "./clarify-project.ts";
import {
  findLostIds,
  readStageDocument,
  findMissingDocuments,
  loadDocumentReferences,
} from "./project-document-files.ts";
import {
  planProjectStageEnd,
  findInputTextProblems,
  normalizeInputTexts,
  loadOpenProjectStage,
  formatProjectPage,
  createProjectView,
} from "./project-stage.ts";

type ValidateProjectInput = z.infer<typeof ProjectValidate>;
type ValidateProjectOutput = z.infer<typeof ProjectValidated>;

interface ValidateProjectOutcome {
  readonly record: ProjectRecord;
  readonly verdict: string;
  readonly facts: CoverageFacts;
  readonly problems: readonly Problem[];
  readonly isKept: boolean;
}

export const validateProjectOperation = defineOperation({
  id: "project.validate",
  effect: "change",
  input: async () => (await import("./schema.ts")).ProjectValidate,
  output: async () => (await import("./schema.ts")).ProjectValidated,
  async run(engine: PlanningEngine, input) {
    const templates = await loadProjectTemplates(engine);
    return buildValidateOutput(
      engine,
      await commitStoreWrite(engine, (tree) =>
        planProjectValidation(tree, normalizeInputTexts(input), templates, engine.clock.now()),
      ),
    );
  },
  page(output) {
    const { passed, problems, project, verdict, facts, document, coverage, failures, warnings, override } = output;
    const title = passed
      ? `${verdict}: the project is ${project.status}.`
      : document
        ? `FAIL is kept in ${document}; the stage stays open.`
        : `Stage validate stays open: ${formatCount(problems.length, "problem")}.`;
    const page = formatProjectPage(title, project);
    return {
      ...page,
      facts: [
        ...(page.facts ?? []),
        ["documents say", facts],
        ...(override === undefined ? [] : [["overridden", sanitizeText(override, 200)] as const]),
        ["requirements", String(coverage.length)],
      ],
      points: [
        ...problems.map(({ problem }) => problem),
        ...failures.map(({ finding, stage }) => `failure: ${finding} (${stage})`),
        ...warnings.map(({ finding, stage }) => `warning: ${finding} (${stage})`),
      ].slice(0, 60),
      ...(passed ? {} : { next: listValidationFixes(output) }),
    };
  },
  isRefusal: (output) => !output.passed,
});

function listValidationFixes({
  verdict,
  facts,
  document,
  failures,
  warnings,
  reopen,
}: ValidateProjectOutput): SuggestedFix[] {
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

export function planProjectValidation(
  tree: StoreTree,
  input: ValidateProjectInput,
  templates: ProjectTemplates,
  at: string,
): StorePlan<ValidateProjectOutcome> {
  const before = requireProjectRecord(tree);
  requireOpenProjectStage(before, "validate");
  const facts = collectProjectFacts(tree, before, templates);
  const { verdict, override_reason: reason, ...texts } = input;
  const milder = isMilderVerdict(verdict, facts.verdict);
  const problems = [
    ...findMissingDocuments(tree, before),
    ...findInputTextProblems(texts, 3),
    ...(milder && reason === undefined
      ? [
          {
            problem: `${verdict} is milder than the facts, which say ${facts.verdict}: mend them, or give override_reason.`,
          },
        ]
      : []),
  ];
  const validation: ProjectValidation = {
    at,
    verdict,
    facts: facts.verdict,
    ...(reason === undefined ? {} : { override: reason }),
  };
  const text = renderValidationReport(templates.get("validate") ?? "", { mode: before.mode, validation, facts, texts });
  const kept = { validations: [...before.validations, validation] };
  const ending = { stage: "validate", text, problems, kept, staysOpen: verdict === "FAIL" } as const;
  const plan = planProjectStageEnd(tree, before, ending, { now: () => at });
  const { passed: isKept, record } = plan.result;
  const { at: _, ...data } = validation;
  const validated = { kind: "project.validated", subject: record.name, data };
  return {
    ...plan,
    occurrences: isKept ? [validated, ...plan.occurrences] : [],
    result: { record, verdict, facts, problems, isKept },
  };
}

export function collectProjectFacts(
  tree: StoreTree,
  record: ProjectRecord,
  templates: ProjectTemplates,
): CoverageFacts {
  const around = loadDocumentReferences(tree);
  const broken = PROJECT_DOCUMENT_STAGES.filter((stage) => stage !== "validate" && stage !== "clarify").flatMap(
    (stage) => {
      const text = readStageDocument(tree, stage);
      if (text === undefined) return [];
      return checkProjectDocument(stage, text, around).map(({ problem, line }): CoverageFinding => ({
        finding: `${getProjectDocumentPath(stage)}${line ? `:${line}` : ""}: ${problem}`,
        stage,
      }));
    },
  );
  const lost = (["specify", "business-rules"] as const).flatMap((stage) =>
    findLostIds(tree, record, stage).map(({ problem }): CoverageFinding => ({ finding: problem, stage })),
  );
  // The documents may have changed since the gate passed.
  const unclear = reassessClarity(tree, record, templates).problems.map(({ problem }): CoverageFinding => ({
    finding: problem,
    stage: "clarify",
  }));
  const dimensions = record.rounds.at(-1)?.dimensions ?? [];
  return deriveCoverageFacts({
    requirements: parseRequirementItems(around.requirements ?? ""),
    rules: listConstraintIds(around.rules ?? ""),
    components: parseDesignComponents(readStageDocument(tree, "design") ?? ""),
    tasks: planTaskWaves(around.tasks ?? ""),
    broken: [...broken, ...lost, ...unclear],
    waived: dimensions.flatMap(({ dimension, waiver }) => (waiver ? [{ dimension, reason: waiver }] : [])),
  });
}

export async function buildValidateOutput(
  engine: PlanningEngine,
  outcome: ValidateProjectOutcome,
): Promise<ValidateProjectOutput> {
  const { record, verdict, facts, problems, isKept } = outcome;
  const last = record.validations.at(-1);
  const passed = isKept && verdict !== "FAIL";
  const next = passed ? await loadOpenProjectStage(engine, record) : undefined;
  return {
    passed,
    problems: limitShownProblems(problems),
    project: createProjectView(record),
    ...(isKept ? { document: getProjectDocumentPath("validate") } : {}),
    verdict,
    facts: facts.verdict,
    ...(isKept && last?.override !== undefined ? { override: last.override } : {}),
    coverage: facts.coverage.map(({ id, components, tasks }) => ({
      id,
      components: [...components],
      tasks: [...tasks],
    })),
    failures: [...facts.failures],
    warnings: [...facts.warnings],
    reopen: passed ? [] : listStagesToReopen(facts),
    ...(next ? { next } : {}),
  };
}

/** In stage order. Without failures, every stage is a candidate. */
function listStagesToReopen({ failures }: CoverageFacts): string[] {
  const stages = new Set(failures.map(({ stage }) => stage));
  return PROJECT_DOCUMENT_STAGES.filter((stage) => stage !== "validate" && (stages.size === 0 || stages.has(stage)));
}
