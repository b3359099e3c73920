import type { OnboardingEngine } from "../engine.ts";
import type * as z from "zod";
import {
  citeFileText,
  FINDING_SECTION_NAMES,
  FINDING_SECTIONS,
  formatFindingLink,
} from "#code/model/survey/code-finding.ts";
import type { RatedFinding, RepositorySurvey } from "#code/model/survey/repository-survey.ts";
import { formatCount } from "#kernel/model/text-format.ts";
import type { Page } from "#kernel/model/page.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "#kernel/operations/answer-budget.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { DetailLevel } from "#kernel/operations/text-fields.ts";
import { surveyRepository } from "./survey-repository.ts";
import type { ScanOutputSchema } from "./schema.ts";

type ScanOutput = z.infer<typeof ScanOutputSchema>;
type ScanItem = ScanOutput["findings"][number];

const MAX_SECTION_FINDINGS: Readonly<Record<DetailLevel, number>> = {
  summary: 5,
  standard: 40,
  full: Number.POSITIVE_INFINITY,
};
const FULL_DETAIL_KINDS = new Set(["field", "symbol"]);

export const scanRepository = defineOperation({
  id: "adopt.scan",
  effect: "read",
  input: async () => (await import("./schema.ts")).ScanInputSchema,
  output: async () => (await import("./schema.ts")).ScanOutputSchema,
  async run(engine: OnboardingEngine, { detail_level = "standard", max_tokens = DEFAULT_ANSWER_TOKENS, ...where }) {
    const survey = await surveyRepository(engine, where);
    const all = listScanItems(survey, detail_level);
    const total =
      createScanOverview(survey).length + survey.folders.length + survey.findings.length + survey.skipped.length;
    // An item costs several tokens, so more items cannot fit.
    const items = all.slice(0, max_tokens);
    return fitAnswer(engine, max_tokens, {
      items,
      build: (shown, omitted): ScanOutput => ({
        files: survey.paths.length,
        read: survey.read,
        findings: [...shown],
        omitted: omitted + total - items.length,
      }),
      page: formatScanPage,
      shorten: () => undefined,
    });
  },
  page: (output) => formatScanPage(output),
});

/** An overview first, then findings of all sections in turn, so that a small budget shows some of each. */
function listScanItems(survey: RepositorySurvey, detail: DetailLevel): ScanItem[] {
  const shown = survey.findings.filter(({ kind }) => detail === "full" || !FULL_DETAIL_KINDS.has(kind));
  const bySection = Map.groupBy(shown, ({ kind }) => FINDING_SECTIONS[kind]);
  const lists = [
    survey.folders.map(({ name, files, languages }): ScanItem => {
      const written = languages.length > 0 ? ` (${languages.join(", ")})` : "";
      return { section: "structure", text: `${citeFileText(name)}/: ${formatCount(files, "file")}${written}` };
    }),
    ...FINDING_SECTION_NAMES.map((section) =>
      (bySection.get(section) ?? []).slice(0, MAX_SECTION_FINDINGS[detail]).map(createScanItem),
    ),
    survey.skipped.map(({ why, files, path }): ScanItem => ({
      section: "skipped",
      text: `${formatCount(files, "file")}: ${why}, first ${citeFileText(path)}`,
    })),
  ];
  const longest = Math.max(...lists.map((list) => list.length));
  const inTurn = Array.from({ length: longest }).flatMap((_, i) => lists.flatMap((list) => list[i] ?? []));
  return [...createScanOverview(survey), ...inTurn];
}

function createScanOverview(survey: RepositorySurvey): ScanItem[] {
  const counts = FINDING_SECTION_NAMES.map(
    (section) => [section, survey.findings.filter(({ kind }) => FINDING_SECTIONS[kind] === section).length] as const,
  );
  const none = counts.filter(([, n]) => n === 0).map(([section]) => section);
  const found = counts.filter(([, n]) => n > 0).map(([section, n]) => `${section} ${n}`);
  const languages = survey.languages.map(([language, files]) => `${language} ${files}`);
  return [
    ...(languages.length > 0 ? [`files by language: ${languages.join(", ")}`] : []),
    `found: ${found.join(", ") || "nothing"}`,
    ...(none.length > 0 ? [`not found: ${none.join(", ")}`] : []),
  ].map((text) => ({ section: "overview", text }));
}

function createScanItem(finding: RatedFinding): ScanItem {
  const { kind, name, of, says, by, confidence } = finding;
  const owner = of === undefined ? "" : `${citeFileText(of)}: `;
  const more = says === undefined ? "" : ` = ${citeFileText(says)}`;
  return {
    section: FINDING_SECTIONS[kind],
    text: `${kind} ${owner}${citeFileText(name)}${more} [${by}]`,
    evidence: formatFindingLink(finding),
    confidence,
  };
}

function formatScanPage({ files, read, findings, omitted }: ScanOutput): Page {
  const format = ({ text, evidence, confidence }: ScanItem): string =>
    evidence === undefined ? text : `${text} (${evidence}; ${confidence})`;
  return {
    title: `${formatCount(files, "file")}, ${read} read.`,
    quotes: [...Map.groupBy(findings, ({ section }) => section)].map(([label, items]) => ({
      label,
      text: items.map(format).join("\n"),
    })),
    points: omitted > 0 ? [`${omitted} more left out.`] : [],
    next: [{ operation: "adopt.bootstrap" }],
  };
}
