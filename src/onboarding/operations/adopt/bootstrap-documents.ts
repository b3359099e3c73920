import type { OnboardingEngine } from "../engine.ts";
import type * as z from "zod";
import { type AdoptionDrafts, draftAdoptionDocuments } from "#planning/model/adopt/document-drafts.ts";
import { checkProvidedDocuments, checkProvidedEvidence } from "../../model/adopt/provided-documents.ts";
import { selectFindings, type RepositorySurvey } from "#code/model/survey/repository-survey.ts";
import { formatCount } from "#kernel/model/text-format.ts";
import type { Page } from "#kernel/model/page.ts";
import { parseBusinessConstraints, parseRequirementItems } from "#planning/model/project/requirement-items.ts";
import { parseDesignComponents } from "#planning/model/project/design-coverage.ts";
import type { WorkspacePath } from "#kernel/model/workspace-paths.ts";
import { BUSINESS_RULES_PATH, DESIGN_PATH, getDraftPath, REQUIREMENTS_PATH } from "#kernel/model/workspace-paths.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "#kernel/operations/answer-budget.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { loadDocumentReferences } from "#planning/operations/project/project-document-files.ts";
import type { StoreStep, StoreTree } from "#store/operations/ports/store.ts";
import { planFoundationSteps } from "#planning/operations/workspace-foundation.ts";
import { surveyRepository } from "./survey-repository.ts";
import type { BootstrapOutputSchema } from "./schema.ts";

type BootstrapOutput = z.infer<typeof BootstrapOutputSchema>;

export const DRAFTED_DOCUMENTS: readonly (readonly [keyof AdoptionDrafts, WorkspacePath])[] = [
  ["requirements", REQUIREMENTS_PATH],
  ["business_rules", BUSINESS_RULES_PATH],
  ["design", DESIGN_PATH],
];

export const bootstrapDocuments = defineOperation({
  id: "adopt.bootstrap",
  effect: "append",
  input: async () => (await import("./schema.ts")).BootstrapInputSchema,
  output: async () => (await import("./schema.ts")).BootstrapOutputSchema,
  async run(engine: OnboardingEngine, input) {
    const { write = false, max_tokens = DEFAULT_ANSWER_TOKENS, paths, exclude, ...given } = input;
    const survey = await surveyRepository(engine, { paths, exclude });
    const template = await engine.assets.text("templates/config");
    const name = selectFindings(survey, "project")[0]?.name ?? engine.root.split(/[/\\]/).at(-1) ?? "The project";
    const plan = (tree: StoreTree) => planBootstrap(tree, { given, survey, name, template, write, root: engine.root });
    const seen = await engine.store.read(plan);
    // With nothing to write, the ledger export is not written either.
    const { all, ...outcome } = seen.steps.length === 0 ? seen.result : await commitStoreWrite(engine, plan);
    return fitAnswer(engine, max_tokens, {
      items: all,
      build: (shown, omitted): BootstrapOutput => ({
        ...outcome,
        problems: shown.flatMap((each) => ("problem" in each ? [each.problem] : [])),
        lines: shown.flatMap((each) => ("drafted" in each ? [each.drafted] : [])),
        omitted,
      }),
      page: formatBootstrapPage,
      shorten: (item, length) =>
        "problem" in item ? undefined : { drafted: `${item.drafted.slice(0, length).toWellFormed()}…` },
    });
  },
  page: (output) => formatBootstrapPage(output),
  isRefusal: ({ passed }) => !passed,
});

interface BootstrapWork {
  readonly given: { readonly [Name in keyof AdoptionDrafts]?: string | undefined };
  readonly survey: RepositorySurvey;
  readonly name: string;
  readonly template: string;
  readonly write: boolean;
  readonly root: string;
}

/** Writes missing drafts and keeps existing ones, even empty ones. */
function planBootstrap(tree: StoreTree, { given, survey, name, template, write, root }: BootstrapWork) {
  const read = (path: WorkspacePath): string | undefined => (tree.has(path) ? (tree.text(path) ?? "") : undefined);
  const standing = read(getDraftPath(REQUIREMENTS_PATH));
  const accepted = new Set(parseRequirementItems(read(REQUIREMENTS_PATH) ?? "").map(({ id }) => id));
  const drafts = draftAdoptionDocuments(survey, name, standing ?? given.requirements, accepted);
  const said: Partial<AdoptionDrafts> = Object.fromEntries(
    Object.entries(given).filter(([, text]) => text !== undefined),
  );
  const texts: AdoptionDrafts = { ...drafts, ...said };
  const problems = [
    ...checkProvidedDocuments(said, {
      ...loadDocumentReferences(tree),
      requirements: standing ?? texts.requirements,
      rules: read(getDraftPath(BUSINESS_RULES_PATH)) ?? texts.business_rules,
    }),
    ...(said.requirements === undefined ? [] : checkProvidedEvidence(said.requirements, survey)),
  ];
  const places = DRAFTED_DOCUMENTS.map(([document, path]) => [document, getDraftPath(path)] as const);
  const missing = places.filter(([, path]) => !tree.has(path));
  const kept = places.filter(([, path]) => tree.has(path));
  const documents = missing.map(([document, path]) => ({ path, text: texts[document].replace(/\n?$/, "\n") }));
  const passed = problems.length === 0;
  const begun = passed && missing.length > 0 ? planFoundationSteps(tree, template) : [];
  const written = passed ? documents : [];
  const steps: StoreStep[] = [...begun, ...written.map((document) => ({ kind: "document", ...document }) as const)];
  const isWritten = write && steps.length > 0;
  return {
    steps: isWritten ? steps : [],
    occurrences: isWritten
      ? [{ kind: "workspace.adopted", subject: root, data: { written: written.map(({ path }) => path) } }]
      : [],
    result: {
      passed,
      planned: !write,
      files: survey.paths.length,
      written: written.map(({ path }) => path),
      kept: kept.map(([, path]) => path),
      unused: kept.filter(([document]) => said[document] !== undefined).map(([, path]) => path),
      made: begun.map(({ path }) => path),
      requirements: parseRequirementItems(standing ?? texts.requirements).length,
      constraints: parseBusinessConstraints(texts.business_rules).length,
      components: parseDesignComponents(texts.design).length,
      all: [...problems, ...(passed ? listDraftedLines(texts) : [])],
    },
  };
}

const listDraftedLines = (texts: AdoptionDrafts): { drafted: string }[] =>
  [...texts.requirements.split("\n"), ...texts.business_rules.split("\n"), ...texts.design.split("\n")]
    .filter((line) => /^(?:- \*\*(?:N?FR|BR)-\d+\*\*:|### (?!Must|Should))/.test(line))
    .map((line) => ({ drafted: line.replace(/^### /, "- component ").replace(/^- \*\*([^*]+)\*\*:/, "- $1:") }));

function formatBootstrapPage(output: BootstrapOutput): Page {
  const { passed, planned, written, kept, unused, made, problems, lines, omitted } = output;
  const left = omitted > 0 ? [`${omitted} more left out for max_tokens.`] : [];
  const title = formatBootstrapTitle(output);
  if (!passed) return { title, points: [...problems, ...left] };
  const state = planned ? "would be written" : "written";
  const counts = [
    formatCount(output.requirements, "requirement"),
    formatCount(output.constraints, "constraint"),
    formatCount(output.components, "component"),
  ];
  const isOpen = planned && written.length > 0;
  return {
    title,
    facts: [["in the drafts", counts.join(", ")]],
    quotes: lines.length > 0 ? [{ label: "Drafted from the code:", text: lines.join("\n") }] : [],
    points: [
      ...made.map((path) => `${path} ${state}, which makes the repository a workspace`),
      ...written.map((path) => `${path} ${state}`),
      ...kept.map(
        (path) => `${path} kept as it was${unused.includes(path) ? "; the text given for it is not used" : ""}`,
      ),
      ...left,
    ],
    next: isOpen
      ? [{ operation: "adopt.bootstrap", input: { write: true } }]
      : [{ operation: "adopt.accept", input: { all: true } }, { operation: "adopt.undo" }],
  };
}

function formatBootstrapTitle({ passed, planned, files, written }: BootstrapOutput): string {
  if (!passed) return "Rejected: the given documents have problems. Nothing was written.";
  if (written.length === 0) return "All three drafts exist already; nothing was written.";
  const what = `${formatCount(written.length, "document")} from ${formatCount(files, "file")}`;
  return planned
    ? `Plan: draft ${what}. Nothing was written.`
    : `Drafted ${what}. The code shows what it does, not what you want: accept what you want to keep.`;
}
