import type { OnboardingEngine } from "../engine.ts";
import type * as z from "zod";
import { type AdoptionDrafts, draftAdoptionDocuments } from "#planning/model/adopt/document-drafts.ts";
import { checkProvidedDocuments } from "../../model/adopt/provided-documents.ts";
import { selectFindings } from "#code/model/survey/repository-survey.ts";
import { formatCount } from "#kernel/model/text-format.ts";
import type { Page } from "#kernel/model/page.ts";
import { parseBusinessConstraints, parseRequirementItems } from "#planning/model/project/requirement-items.ts";
import { parseDesignComponents } from "#planning/model/project/design-coverage.ts";
import type { WorkspacePath } from "#kernel/model/workspace-paths.ts";
import { BUSINESS_RULES_PATH, DESIGN_PATH, REQUIREMENTS_PATH } from "#kernel/model/workspace-paths.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "#kernel/operations/answer-budget.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { loadDocumentReferences } from "#planning/operations/project/project-document-files.ts";
import type { StoreStep, StoreTree } from "#store/operations/ports/store.ts";
import { planFoundationSteps } from "#planning/operations/workspace-foundation.ts";
import { surveyRepository } from "./survey-repository.ts";
import type { BootstrapOutputSchema } from "./schema.ts";

type BootstrapOutput = z.infer<typeof BootstrapOutputSchema>;

const DRAFT_PATHS: readonly (readonly [keyof AdoptionDrafts, WorkspacePath])[] = [
  ["requirements", REQUIREMENTS_PATH],
  ["business_rules", BUSINESS_RULES_PATH],
  ["design", DESIGN_PATH],
];

export const bootstrapDocuments = defineOperation({
  id: "adopt.bootstrap",
  effect: "append",
  input: async () => (await import("./schema.ts")).BootstrapInputSchema,
  output: async () => (await import("./schema.ts")).BootstrapOutputSchema,
  async run(engine: OnboardingEngine, { dry_run = false, project_name, max_tokens = DEFAULT_ANSWER_TOKENS, ...given }) {
    const survey = await surveyRepository(engine, {});
    const template = await engine.assets.text("templates/config");
    const name =
      project_name ?? selectFindings(survey, "project")[0]?.name ?? engine.root.split(/[/\\]/).at(-1) ?? "The project";
    const made = new Map<string | undefined, AdoptionDrafts>();
    // Drafts again under the lock only if the requirements document changed.
    const draft = (present: string | undefined): AdoptionDrafts => {
      const drafts = made.get(present) ?? draftAdoptionDocuments(survey, name, present);
      made.set(present, drafts);
      return drafts;
    };
    const plan = (tree: StoreTree) =>
      planBootstrap(tree, { given, draft, template, isDry: dry_run, files: survey.paths.length, root: engine.root });
    const seen = await engine.store.read(plan);
    // With nothing to write, the ledger export is not written either.
    const { all, ...outcome } = seen.steps.length === 0 ? seen.result : await commitStoreWrite(engine, plan);
    return fitAnswer(engine, max_tokens, {
      items: all,
      build: (shown, omitted): BootstrapOutput => ({
        ...outcome,
        problems: shown.flatMap((each) => ("problem" in each ? [each.problem] : [])),
        documents: shown.flatMap((each) => ("problem" in each ? [] : [each])),
        omitted,
      }),
      page: formatBootstrapPage,
      shorten: (item, length) =>
        "problem" in item ? undefined : { ...item, text: `${item.text.slice(0, length).toWellFormed()}…` },
    });
  },
  page: (output) => formatBootstrapPage(output),
  isRefusal: ({ passed }) => !passed,
});

interface BootstrapWork {
  readonly given: { readonly [Name in keyof AdoptionDrafts]?: string | undefined };
  readonly draft: (present: string | undefined) => AdoptionDrafts;
  readonly template: string;
  readonly isDry: boolean;
  readonly files: number;
  readonly root: string;
}

/** Writes missing documents and keeps existing ones, even empty ones. */
function planBootstrap(tree: StoreTree, { given, draft, template, isDry, files, root }: BootstrapWork) {
  const standing = tree.has(REQUIREMENTS_PATH) ? (tree.text(REQUIREMENTS_PATH) ?? "") : undefined;
  const drafts = draft(standing ?? given.requirements);
  const said: Partial<AdoptionDrafts> = Object.fromEntries(
    Object.entries(given).filter(([, text]) => text !== undefined),
  );
  const texts: AdoptionDrafts = { ...drafts, ...said };
  const around = loadDocumentReferences(tree);
  const problems = checkProvidedDocuments(said, {
    ...around,
    requirements: standing ?? texts.requirements,
    rules: around.rules ?? texts.business_rules,
  });
  const missing = DRAFT_PATHS.filter(([, path]) => !tree.has(path));
  const kept = DRAFT_PATHS.filter(([, path]) => tree.has(path));
  const documents = missing.map(([name, path]) => ({ path, text: texts[name].replace(/\n?$/, "\n") }));
  const passed = problems.length === 0;
  const begun = passed && missing.length > 0 ? planFoundationSteps(tree, template) : [];
  const written = passed ? documents : [];
  const steps: StoreStep[] = [...begun, ...written.map((document) => ({ kind: "document", ...document }) as const)];
  return {
    steps: isDry ? [] : steps,
    occurrences:
      isDry || steps.length === 0
        ? []
        : [{ kind: "workspace.adopted", subject: root, data: { written: written.map(({ path }) => path) } }],
    result: {
      passed,
      dry_run: isDry,
      files,
      written: written.map(({ path }) => path),
      kept: kept.map(([, path]) => path),
      unused: kept.filter(([name]) => said[name] !== undefined).map(([, path]) => path),
      made: begun.map(({ path }) => path),
      requirements: parseRequirementItems(standing ?? texts.requirements).length,
      constraints: parseBusinessConstraints(tree.text(BUSINESS_RULES_PATH) ?? texts.business_rules).length,
      components: parseDesignComponents(tree.text(DESIGN_PATH) ?? texts.design).length,
      all: [...problems, ...(isDry && passed ? documents : [])],
    },
  };
}

function formatBootstrapPage(output: BootstrapOutput): Page {
  const { passed, dry_run, written, kept, unused, made, problems, documents, omitted } = output;
  const left = omitted > 0 ? [`${omitted} more left out.`] : [];
  const title = formatBootstrapTitle(output);
  const quotes = documents.map(({ path, text }) => ({ label: path, text: text.trimEnd() }));
  if (!passed) return { title, quotes, points: [...problems, ...left] };
  const state = dry_run ? "would be written" : "written";
  const counts = [
    formatCount(output.requirements, "requirement"),
    formatCount(output.constraints, "constraint"),
    formatCount(output.components, "component"),
  ];
  return {
    title,
    facts: [["in the documents", counts.join(", ")]],
    quotes,
    points: [
      ...made.map((path) => `${path} ${state}, which makes the repository a workspace`),
      ...written.map((path) => `${path} ${state}`),
      ...kept.map(
        (path) => `${path} kept as it was${unused.includes(path) ? "; the text given for it is not used" : ""}`,
      ),
      ...left,
    ],
    next: [dry_run ? { operation: "adopt.bootstrap" } : { operation: "change.start", input: { description: "…" } }],
  };
}

function formatBootstrapTitle({ passed, dry_run, files, written }: BootstrapOutput): string {
  if (!passed) return "Rejected: the given documents have problems. Nothing was written.";
  if (written.length === 0) return "All three documents exist already; nothing was written.";
  const what = `${formatCount(written.length, "document")} from ${formatCount(files, "file")}`;
  return dry_run
    ? `Would draft ${what}; nothing was written.`
    : `Drafted ${what}. Review them: the code shows what it does, not what you want.`;
}
