import type * as z from "zod";
import { Fault } from "#domain/fault.ts";
import type { Problem } from "#domain/gate/verdict.ts";
import { checkDocument } from "#domain/project/document.ts";
import { STAGE_CALLS, type WrittenStage } from "#domain/project/flow.ts";
import { isStale } from "#domain/project/project.ts";
import type { ProjectRecord } from "#domain/project/record.ts";
import { isMilder } from "#domain/project/coverage.ts";
import { commit, type Engine } from "../engine.ts";
import { operation } from "../operation.ts";
import type { Plan, Tree } from "../ports/store.ts";
import { loadTemplates, type Templates, weigh } from "./clarify.ts";
import { lostIds } from "./inspect.ts";
import type { StageEnded } from "./schema.ts";
import { theProject } from "./record.ts";
import { documentText, givenIds, missingDocuments, neighbours } from "./shelf.ts";
import { ended, endedPage, ending } from "./stage.ts";
import { factsIn } from "./validate.ts";

interface Outcome {
  readonly record: ProjectRecord;
  readonly problems: readonly Problem[];
  readonly stage: WrittenStage;
}

export const confirm = operation<Record<string, never>, z.infer<typeof StageEnded>>({
  id: "project.confirm",
  effect: "change",
  output: async () => (await import("./schema.ts")).StageEnded,
  async run(engine) {
    const templates = await loadTemplates(engine);
    const outcome = await commit(engine, (tree) => decide(tree, templates, engine));
    return ended(engine, outcome.stage, outcome);
  },
  page: endedPage,
  isRefusal: (output) => !output.passed,
});

/** Runs every check that a new document would go through. */
function decide(tree: Tree, templates: Templates, engine: Pick<Engine, "clock">): Plan<Outcome> {
  const before = theProject(tree);
  const stage = before.current_stage as WrittenStage;
  const text = documentText(tree, stage);
  if (before.status !== "active" || !isStale(before) || !text?.trim()) throw nothingStale(before);
  const at = engine.clock.now();
  if (stage === "clarify") {
    const { result, ...plan } = weigh(tree, {}, templates, at);
    return { ...plan, result: { ...result, stage } };
  }
  const problems = [
    ...missingDocuments(tree, before),
    ...checkDocument(stage, text, neighbours(tree)),
    ...lostIds(tree, before, stage),
    ...(stage === "validate" ? verdictProblems(tree, before, templates) : []),
  ];
  if (problems.length > 0) return { steps: [], occurrences: [], result: { record: before, problems, stage } };
  const kept = { ids: givenIds(tree, before).taken };
  const { record, ...plan } = ending(tree, before, { stage, text, kept }, at);
  return { ...plan, result: { record, problems: [], stage } };
}

/**
 * The verdict was given on earlier documents. It still holds if the current facts support it; an override does not
 * carry over.
 */
function verdictProblems(tree: Tree, record: ProjectRecord, templates: Templates): Problem[] {
  const last = record.validations.at(-1);
  const facts = factsIn(tree, record, templates);
  if (last && last.verdict !== "FAIL" && !isMilder(last.verdict, facts.verdict)) return [];
  return [{ problem: `The documents now say ${facts.verdict}: validate them anew.` }];
}

function nothingStale(record: ProjectRecord): Fault {
  return new Fault("project.not-stale", {
    what: `Stage ${record.current_stage} has nothing to confirm.`,
    why: record.status === "active" ? "Its document is not stale, or not there." : `The project is ${record.status}.`,
    fix:
      record.status === "active" ? STAGE_CALLS[record.current_stage as WrittenStage] : { operation: "project.context" },
  });
}
