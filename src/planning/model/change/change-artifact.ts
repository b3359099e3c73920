import {
  excludeRepeatedIds,
  findForeignDecisions,
  findIdDefinitions,
  findMisspelledIds,
  findUnknownIds,
  type IdFamily,
  listCoveredIds,
  listDefinedIds,
  listMentionedIds,
} from "#kernel/model/document/id-references.ts";
import {
  parseHeadings,
  type ProseLine,
  parseProseLines,
  findHeading,
  findHeadingProblems,
  isMatchingHeading,
  selectSectionOrAll,
} from "#kernel/model/document/markdown-document.ts";
import { parseTaskList, findTaskProblems } from "#kernel/model/document/document-tasks.ts";
import { type Problem, type Verdict, createVerdict } from "#kernel/model/verdict.ts";
import { normalizeDeltaForms } from "../living-spec/delta-forms.ts";
import { listRenameTargets } from "../living-spec/item-outline.ts";
import type { ChangeStage } from "#kernel/model/stages/change-stages.ts";
import { CONFIG_PATH } from "#kernel/model/workspace-paths.ts";
import { findReportedFailures } from "./evidence-results.ts";

/** Each heading needs text under it. The stage guides list the same headings. */
export const CHANGE_ARTIFACT_HEADINGS: Readonly<Record<ChangeStage, readonly string[]>> = {
  describe: [],
  propose: ["Problem", "Solution", "Out of scope", "Success criteria"],
  scope: ["In scope", "Out of scope"],
  "context-check": ["Findings", "Impact"],
  spec: ["Requirements", "Acceptance criteria"],
  clarify: ["Questions"],
  design: ["Approach", "Components"],
  tasks: [],
  verify: ["Evidence"],
};

const ALL_REQUIRED_HEADINGS = [...new Set(Object.values(CHANGE_ARTIFACT_HEADINGS).flat())];

/** Headings that every artifact has to have say nothing about its subject. */
export function stripRequiredHeadings(markdown: string): string {
  const required = parseHeadings(parseProseLines(markdown)).filter(({ text }) =>
    ALL_REQUIRED_HEADINGS.some((name) => isMatchingHeading(text, name)),
  );
  const numbers = new Set(required.map(({ line }) => line));
  return markdown
    .split(/\r\n|\r|\n/)
    .filter((_, i) => !numbers.has(i + 1))
    .join("\n");
}

export interface ArtifactReferences {
  readonly requirements?: string | undefined;
  readonly rules?: string | undefined;
  readonly spec?: string | undefined;
  readonly tasks?: string | undefined;
  readonly deltaIds?: readonly string[] | undefined;
  readonly adrs: readonly string[];
  /** Whether `other-change/ADR-001` exists. */
  readonly isAdr?: ((reference: string) => boolean) | undefined;
  readonly blanks?: readonly string[] | undefined;
  /** The next free ids: a functional requirement, a quality, a rule. */
  readonly nextIds?: readonly string[] | undefined;
  /** Ids that the context check already reported as unknown. An answer to the check has to name them. */
  readonly told?: readonly string[] | undefined;
  /** Headings configured by the project. They replace the built-in ones. */
  readonly headings?: readonly string[] | undefined;
}

export function checkChangeArtifact(stage: ChangeStage, content: string, around: ArtifactReferences): Verdict {
  const lines = parseProseLines(stage === "spec" ? normalizeDeltaForms(content) : content);
  const { headings = CHANGE_ARTIFACT_HEADINGS[stage], blanks = [] } = around;
  const found = parseHeadings(lines);
  const hasScenarios = stage === "spec" && found.some(({ text, hasText }) => hasText && text.startsWith("Scenario:"));
  const unfilled = lines.filter(({ text }) => blanks.includes(text.trim()));
  return createVerdict([
    ...findFewerHeadings(stage, headings),
    ...findHeadingProblems(
      found,
      hasScenarios ? headings.filter((heading) => heading !== "Acceptance criteria") : headings,
    ),
    ...findStageProblems(stage, lines, around),
    ...unfilled.map(({ number }) => ({ problem: "A line of the guide is not filled in yet.", line: number })),
    ...findUnknownReferences(stage, lines, around, [
      ...listRenameTargets(stage === "spec" ? content : (around.spec ?? "")),
      ...(around.deltaIds ?? []),
    ]),
  ]);
}

/** A project may use other words for headings. It may not ask for less. */
function findFewerHeadings(stage: ChangeStage, headings: readonly string[]): Problem[] {
  const [own, usual] = [new Set(headings).size, CHANGE_ARTIFACT_HEADINGS[stage].length];
  if (own >= usual) return [];
  return [
    {
      problem: `changes.headings.${stage} in ${CONFIG_PATH} has ${own} of ${usual} headings. Name as many as the guide.`,
    },
  ];
}

function findStageProblems(stage: ChangeStage, lines: readonly ProseLine[], around: ArtifactReferences): Problem[] {
  if (stage === "spec") return findSpecProblems(lines, around);
  if (stage === "tasks") {
    const tasks = parseTaskList(lines);
    const none = [{ problem: "No task has an id: start each with TASK-001, TASK-002 and so on." }];
    return tasks.length === 0 ? none : findTaskProblems(tasks);
  }
  if (stage !== "verify") return [];
  const named = new Set(listCoveredIds(lines, "task"));
  const unmentioned = parseTaskList(parseProseLines(around.tasks ?? ""))
    .filter(({ id }) => !named.has(id))
    .map(({ id }) => ({ problem: `${id} is not mentioned: write how you verified it.` }));
  const failed = findReportedFailures(selectSectionOrAll(lines, "Evidence")).map(({ number }) => ({
    problem:
      'This reports a failure, so the stage stays open until it is fixed. If it was expected, add why, as in "before the fix".',
    line: number,
  }));
  return [...unmentioned, ...failed];
}

/** "None: the code only has to do what it did" and "It adds no requirement: ...". A reason has at least three words. */
const DENIED_REQUIREMENTS =
  /^[\s*_>-]*(?:none\b|n\/a\b|not applicable\b|(?:this |it )?(?:change |fix )?(?:adds|changes|touches) (?:none|no (?:new )?requirements?)\b|no (?:new )?requirements?\b)(?:\W+[\p{L}\p{N}]+){3}/iu;

function findSpecProblems(lines: readonly ProseLine[], around: ArtifactReferences): Problem[] {
  const { requirements = "", rules = "", nextIds: [functional = "FR-001", quality = "NFR-001"] = [] } = around;
  const part = selectSectionOrAll(lines, "Requirements");
  const defined = excludeRepeatedIds(part, findIdDefinitions(part, "requirement"));
  const existing = [...listDefinedIds(requirements, "requirement"), ...listDefinedIds(rules, "rule")];
  const isBuilding = listMentionedIds(part, "requirement", "rule").some((id) => existing.includes(id));
  if (defined.length === 0 && !isBuilding && findIdDefinitions(part, "rule").length === 0) {
    if (part.some(({ text }) => DENIED_REQUIREMENTS.test(text))) return [];
    const problem = `No requirement has an id: start each with ${functional}, or ${quality} for a quality. If there is none, write "None: <reason>".`;
    return [{ problem }];
  }
  // If the project renames the heading, a definition looks the same as a mention.
  if (!findHeading(lines, "Requirements")) return [];
  return [...Map.groupBy(defined, ({ id }) => id).values()].flatMap(([first, ...others]) =>
    others.map(({ id, line }) => ({ problem: `${id} is defined twice, first on line ${first?.line}.`, line })),
  );
}

/** "There is no FR-001" and "FR-001 does not exist". A text may report that an id is missing. */
const DENIED_ID =
  /\b(?:no|neither|nor|without)\s+(?:[a-z]+\s+){0,2}(?:N?FR|BR|TASK|ADR)-\d{3,5}|(?:N?FR|BR|TASK|ADR)-\d{3,5}\s+(?:(?:does not|doesn't) exist|is (?:missing|unknown|not (?:there|defined|used|in))|never existed)/gi;

const ID = "(?:N?FR|BR|TASK)-\\d{3,5}";
const IDS = `${ID}(?:\\s*(?:,|and|or|to|through|\\/|–|—|-|\\.{2,3}|…)\\s*${ID})*`;
const ANNOUNCING_WORDS =
  "(?:add|introduc|creat|writ|defin|propos|plan|draft|reserv|becom|get)(?:s|es|ed|e|ing|ting|ning)?|as(?![^.;]*\\b(?:ask|say|state|want|need|require|demand)s?\\b)|new(?: requirements?| rules?| ids?)?|next(?: free)?(?: ids?)?";
/** "We will add FR-005 to FR-007": before the spec is written, a text may announce ids. "As FR-005 asks" cites one. */
const ANNOUNCED_IDS = [
  new RegExp(`\\b(?:${ANNOUNCING_WORDS})[\\s:(]+(?:[a-z]+\\s+){0,2}${IDS}`, "gi"),
  new RegExp(
    `${IDS}(?:\\s+(?:will|would|shall|should|(?:is|are)(?: going)?(?: to)?)\\s+(?:be|come|follow|new|added|introduced|planned|proposed)\\b|\\s*\\((?:new|added|proposed|planned|to be)\\b[^)]*\\))`,
    "gi",
  ),
];
/** "Out of scope: FR-009", "A later change adds FR-009": a text may name what it leaves to others. */
const LEFT_LATER =
  /\b(?:later|future|follow-?up|separate|next|another|different|other)\s+(?:change|release|version|iteration|milestone|step|phase|pull request|pr)s?\b|\blater\b|\bout of scope\b|\bnot (?:part of|in) this change\b|\b(?:postponed|deferred|in (?:the|a) future)\b/i;
const SPEC_ID = /(?:N?FR|BR)-\d{3,5}/g;
const ANNOUNCING_STAGES: readonly ChangeStage[] = ["describe", "propose", "scope", "context-check"];

export const stripDeniedIds = (lines: readonly ProseLine[]): ProseLine[] =>
  lines.map((line) => ({
    ...line,
    text: LEFT_LATER.test(line.text) ? line.text.replaceAll(SPEC_ID, " ") : line.text.replace(DENIED_ID, " "),
  }));

export const stripAnnouncedIds = (lines: readonly ProseLine[]): ProseLine[] =>
  lines.map((line) => ({
    ...line,
    text: ANNOUNCED_IDS.reduce((text, pattern) => text.replaceAll(pattern, " "), line.text),
  }));

function findUnknownReferences(
  stage: ChangeStage,
  lines: readonly ProseLine[],
  around: ArtifactReferences,
  renamed: readonly string[],
): Problem[] {
  const { requirements = "", rules = "", spec = "", tasks = "", told = [] } = around;
  const own = stage === "spec" ? selectSectionOrAll(lines, "Requirements") : parseProseLines(normalizeDeltaForms(spec));
  const listOwn = (family: IdFamily): string[] => findIdDefinitions(own, family).map(({ id }) => id);
  // Includes dependencies: `findTaskProblems` already reports an unknown dependency.
  const planned =
    stage === "tasks"
      ? parseTaskList(lines).flatMap(({ id, dependsOn }) => [id, ...dependsOn])
      : listDefinedIds(tasks, "task");
  const known: Readonly<Record<IdFamily, readonly string[]>> = {
    requirement: [...listDefinedIds(requirements, "requirement"), ...listOwn("requirement"), ...renamed],
    rule: [...listDefinedIds(rules, "rule"), ...listOwn("rule"), ...renamed],
    task: planned,
    adr: around.adrs,
  };
  const denied = stripDeniedIds(lines);
  const isEarly = ANNOUNCING_STAGES.includes(stage);
  const citing = isEarly ? stripAnnouncedIds(denied) : denied;
  return [
    ...(Object.keys(known) as IdFamily[]).flatMap((family) =>
      findUnknownIds(citing, family, [...known[family], ...told]),
    ),
    ...findForeignDecisions(lines)
      .filter(({ id }) => around.isAdr?.(id) === false)
      .map(({ id, line }) => ({ problem: `${id} refers to nothing: that change has no such decision.`, line })),
    ...findMisspelledIds(lines),
  ];
}
