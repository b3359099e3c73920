import type * as z from "zod";
import { count } from "#domain/count.ts";
import type { Fix } from "#domain/fault.ts";
import { mostPressing, type Problem } from "#domain/gate/verdict.ts";
import { ruleIdsLive } from "#domain/project/business-rules.ts";
import { parseComponents } from "#domain/project/components.ts";
import { type Facts, factsOf, type Finding, isMilder } from "#domain/project/coverage.ts";
import { checkDocument } from "#domain/project/document.ts";
import { WRITTEN_STAGES } from "#domain/project/flow.ts";
import { planTasks } from "#domain/project/plan.ts";
import { requireStage } from "#domain/project/project.ts";
import type { ProjectRecord, Validation } from "#domain/project/record.ts";
import { parseRequirements } from "#domain/project/requirements.ts";
import { renderValidation } from "#domain/project/validation.ts";
import { plain } from "#domain/quote.ts";
import { projectDocument } from "#domain/workspace/path.ts";
import { commit, type Engine } from "../engine.ts";
import { operation } from "../operation.ts";
import type { Plan, Tree } from "../ports/store.ts";
import type { ProjectValidate, ProjectValidated } from "./schema.ts";
import { theProject } from "./record.ts";
import { loadTemplates, reassess, type Templates } from "./clarify.ts";
import { lostIds } from "./inspect.ts";
import { documentText, missingDocuments, neighbours } from "./shelf.ts";
import { ending, textProblems, tidy } from "./stage.ts";
import { nextCalls, nextStage, projectPage, viewProject } from "./view.ts";

type Input = z.infer<typeof ProjectValidate>;
type Output = z.infer<typeof ProjectValidated>;

interface Outcome {
  readonly record: ProjectRecord;
  readonly verdict: string;
  readonly facts: Facts;
  readonly problems: readonly Problem[];
  readonly isKept: boolean;
}

export const validateProject = operation<Input, Output>({
  id: "project.validate",
  effect: "change",
  input: async () => (await import("./schema.ts")).ProjectValidate,
  output: async () => (await import("./schema.ts")).ProjectValidated,
  async run(engine, input) {
    const templates = await loadTemplates(engine);
    return validated(engine, await commit(engine, (tree) => judge(tree, tidy(input), templates, engine.clock.now())));
  },
  page(output) {
    const { passed, problems, project, verdict, facts, document, coverage, failures, warnings, override } = output;
    const title = passed
      ? `${verdict}: the project is ${project.status}.`
      : document
        ? `FAIL is kept in ${document}; the stage stays open.`
        : `Stage validate stays open: ${count(problems.length, "problem")}.`;
    const page = projectPage(title, project);
    return {
      ...page,
      facts: [
        ...(page.facts ?? []),
        ["documents say", facts],
        ...(override === undefined ? [] : [["overridden", plain(override, 200)] as const]),
        ["requirements", String(coverage.length)],
      ],
      points: [
        ...problems.map(({ problem }) => problem),
        ...failures.map(({ finding, stage }) => `failure: ${finding} (${stage})`),
        ...warnings.map(({ finding, stage }) => `warning: ${finding} (${stage})`),
      ].slice(0, 60),
      next: [...(passed ? nextCalls(project) : waysOn(output))],
    };
  },
  isRefusal: (output) => !output.passed,
});

function waysOn({ verdict, facts, document, failures, warnings, reopen }: Output): Fix[] {
  const stages = failures.length > 0 ? reopen : [...new Set(warnings.map(({ stage }) => stage))];
  const again = (input: Record<string, string>): Fix => ({
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

export function judge(tree: Tree, input: Input, templates: Templates, at: string): Plan<Outcome> {
  const before = theProject(tree);
  requireStage(before, "validate");
  const facts = factsIn(tree, before, templates);
  const { verdict, override_reason: reason, ...texts } = input;
  const milder = isMilder(verdict, facts.verdict);
  const problems = [
    ...missingDocuments(tree, before),
    ...textProblems(texts, 3),
    ...(milder && reason === undefined
      ? [
          {
            problem: `${verdict} is milder than the facts, which say ${facts.verdict}: mend them, or give override_reason.`,
          },
        ]
      : []),
  ];
  if (problems.length > 0)
    return { steps: [], occurrences: [], result: { record: before, verdict, facts, problems, isKept: false } };
  const validation: Validation = {
    at,
    verdict,
    facts: facts.verdict,
    ...(reason === undefined ? {} : { override: reason }),
  };
  const text = renderValidation(templates.get("validate") ?? "", { mode: before.mode, validation, facts, texts });
  const kept = { validations: [...before.validations, validation] };
  const staysOpen = verdict === "FAIL";
  const { record, ...plan } = ending(tree, before, { stage: "validate", text, kept, staysOpen }, at);
  const { at: _, ...data } = validation;
  return {
    ...plan,
    occurrences: [{ kind: "project.validated", subject: record.name, data }, ...plan.occurrences],
    result: { record, verdict, facts, problems: [], isKept: true },
  };
}

export function factsIn(tree: Tree, record: ProjectRecord, templates: Templates): Facts {
  const around = neighbours(tree);
  const broken = WRITTEN_STAGES.filter((stage) => stage !== "validate" && stage !== "clarify").flatMap((stage) => {
    const text = documentText(tree, stage);
    if (text === undefined) return [];
    return checkDocument(stage, text, around).map(({ problem, line }): Finding => ({
      finding: `${projectDocument(stage)}${line ? `:${line}` : ""}: ${problem}`,
      stage,
    }));
  });
  const lost = (["specify", "business-rules"] as const).flatMap((stage) =>
    lostIds(tree, record, stage).map(({ problem }): Finding => ({ finding: problem, stage })),
  );
  // The documents may have changed since the gate passed.
  const unclear = reassess(tree, record, templates).problems.map(({ problem }): Finding => ({
    finding: problem,
    stage: "clarify",
  }));
  const dimensions = record.rounds.at(-1)?.dimensions ?? [];
  return factsOf({
    requirements: parseRequirements(around.requirements ?? ""),
    rules: ruleIdsLive(around.rules ?? ""),
    components: parseComponents(documentText(tree, "design") ?? ""),
    tasks: planTasks(around.tasks ?? ""),
    broken: [...broken, ...lost, ...unclear],
    waived: dimensions.flatMap(({ dimension, waiver }) => (waiver ? [{ dimension, reason: waiver }] : [])),
  });
}

export async function validated(engine: Engine, outcome: Outcome): Promise<Output> {
  const { record, verdict, facts, problems, isKept } = outcome;
  const last = record.validations.at(-1);
  const passed = isKept && verdict !== "FAIL";
  const next = passed ? await nextStage(engine, record) : undefined;
  return {
    passed,
    problems: mostPressing(problems),
    project: viewProject(record),
    ...(isKept ? { document: projectDocument("validate") } : {}),
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
    reopen: passed ? [] : toReopen(facts),
    ...(next ? { next } : {}),
  };
}

/** In stage order. Without failures, every stage is a candidate. */
function toReopen({ failures }: Facts): string[] {
  const stages = new Set(failures.map(({ stage }) => stage));
  return WRITTEN_STAGES.filter((stage) => stage !== "validate" && (stages.size === 0 || stages.has(stage)));
}
