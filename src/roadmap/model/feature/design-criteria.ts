import {
  type MarkdownHeading,
  parseHeadings,
  type ProseLine,
  groupLinesByStart,
} from "#kernel/model/document/markdown-document.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { quote } from "#kernel/model/text-format.ts";
import type { FoundSection } from "./required-sections.ts";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";

const SPEC_HEADING_PATTERN = /^Spec\s+(\d{1,4})\s*:\s*(.*)$/i;
const GOAL_LABEL_PATTERN = /^\s{0,3}\*\*Goal(?::\*\*|\*\*:?)[ \t]*(.*)$/i;
const CRITERIA_LABEL_PATTERN = /^\s{0,3}\*\*Acceptance Criteria(?::\*\*|\*\*:?)[ \t]*$/i;
const BOLD_LABEL_PATTERN = /^\s{0,3}\*\*[^*]{1,80}(?::\*\*|\*\*:)/;
const CRITERION_ITEM_PATTERN = /^ {0,3}(\d{1,4})[.)][ \t]+(.*)$/;
const CRITERION_BULLET_PATTERN = /^ {0,3}[-*+][ \t]+\S/;
const STABILITY_TAG_PATTERN = /^\[([\p{L}-]{1,40})\](?!\()[ \t]*|[ \t]*\[([\p{L}-]{1,40})\]\.?$/u;

export interface DesignSpecifications {
  readonly specs: readonly DesignSpec[];
  readonly problems: readonly Problem[];
}

/**
 * Reads the introduction, the specs numbered from 1 and the non-goals. A number is never reused, so a revised design
 * may have gaps.
 */
export function readDesignSpecifications({ heading, lines }: FoundSection, isRevised: boolean): DesignSpecifications {
  const parts = parseHeadings(lines).filter(({ level }) => level === 3);
  const bodies = groupLinesByStart(
    lines,
    parts.map(({ line }) => line),
  );
  const problems: Problem[] = [...checkSpecificationFrame(heading, parts)];
  const specs: DesignSpec[] = [];
  for (const [i, part] of parts.entries()) {
    if (hasHeadingPrefix(part, "Introduction") || hasHeadingPrefix(part, "Non-Goals")) continue;
    const [, number, title = ""] = SPEC_HEADING_PATTERN.exec(part.text) ?? [];
    const due = (specs.at(-1)?.number ?? 0) + 1;
    if (number === undefined) problems.push(reportUnknownSpecHeading(part, due));
    else {
      if (!isExpectedNumber(Number(number), due, isRevised))
        problems.push(reportWrongNumber(`Spec ${number}`, `Spec ${due}`, part.line));
      if (title.trim() === "")
        problems.push({ problem: `Spec ${number} has no title: say what it is about.`, line: part.line });
      const read = readDesignSpec(
        { number: isRevised ? Math.max(Number(number), due) : due, title: title.trim(), line: part.line, isRevised },
        bodies[i]?.slice(1) ?? [],
      );
      specs.push(read.spec);
      problems.push(...read.problems);
    }
  }
  if (specs.length === 0)
    problems.push({
      problem: 'There is no spec: write "### Spec 1: …", with a goal and criteria.',
      line: heading.line,
    });
  return { specs, problems };
}

const hasHeadingPrefix = ({ text }: MarkdownHeading, name: string): boolean =>
  text.toLowerCase().startsWith(name.toLowerCase());

function checkSpecificationFrame({ line: at }: MarkdownHeading, parts: readonly MarkdownHeading[]): Problem[] {
  const first = parts.findIndex((part) => hasHeadingPrefix(part, "Introduction"));
  const last = parts.findIndex((part) => hasHeadingPrefix(part, "Non-Goals"));
  const problems: Problem[] = [];
  const tell = (problem: string, part?: MarkdownHeading): void =>
    void problems.push({ problem, line: part?.line ?? at });
  if (first < 0) tell('"### Introduction" is missing: say in a few sentences what the feature is for.');
  else if (first > 0) tell('"### Introduction" comes first under "## Specifications": move it there.', parts[first]);
  if (last < 0) tell('"### Non-Goals" is missing: list what the feature leaves to others.', parts.at(-1));
  else if (last < parts.length - 1) tell('"### Non-Goals" comes behind the last spec: move it there.', parts[last]);
  for (const part of [parts[first], parts[last]])
    if (part && !part.hasText) tell(`Nothing stands under "### ${part.text}".`, part);
  return problems;
}

const reportUnknownSpecHeading = ({ text, line }: MarkdownHeading, due: number): Problem => ({
  problem: `${quote(`### ${text}`, 60)} is no spec: write "### Spec ${due}: …", with a number, or put it under another section.`,
  line,
});

const reportWrongNumber = (is: string, due: string, line: number): Problem => ({
  problem: `${is} stands where ${due} is due: number them from 1, without a gap.`,
  line,
});

const isExpectedNumber = (number: number, due: number, isRevised: boolean): boolean =>
  number === due || (isRevised && number > due);

interface SpecStart {
  readonly number: number;
  readonly title: string;
  readonly line: number;
  readonly isRevised: boolean;
}

function readDesignSpec(
  { number, title, line, isRevised }: SpecStart,
  body: readonly ProseLine[],
): { spec: DesignSpec; problems: Problem[] } {
  const goal = readSpecGoal(body);
  const start = body.findIndex(({ text }) => CRITERIA_LABEL_PATTERN.test(text));
  const { criteria, problems } =
    start < 0 ? { criteria: [], problems: [] } : readSpecCriteria(number, body.slice(start + 1), isRevised);
  const at = start < 0 ? line : (body[start]?.number ?? line);
  return {
    spec: { number, title, goal, criteria, line },
    problems: [
      ...(goal === "" ? [{ problem: `Spec ${number} has no goal: write "**Goal:** …".`, line }] : []),
      ...(start < 0
        ? [
            {
              problem: `Spec ${number} has no criteria: write "**Acceptance Criteria:**" and a numbered list below.`,
              line,
            },
          ]
        : []),
      ...(start >= 0 && criteria.length === 0
        ? [{ problem: `Spec ${number} lists no criterion: number them, "1. …", "2. …".`, line: at }]
        : []),
      ...problems,
    ],
  };
}

function readSpecGoal(body: readonly ProseLine[]): string {
  const start = body.findIndex(({ text }) => GOAL_LABEL_PATTERN.test(text));
  if (start < 0) return "";
  const rest = body.slice(start + 1).map(({ text }) => text);
  const end = rest.findIndex((text) => BOLD_LABEL_PATTERN.test(text));
  const [, said = ""] = GOAL_LABEL_PATTERN.exec(body[start]?.text ?? "") ?? [];
  return [said, ...rest.slice(0, end < 0 ? undefined : end)].join(" ").replace(/\s+/g, " ").trim();
}

function readSpecCriteria(
  spec: number,
  body: readonly ProseLine[],
  isRevised: boolean,
): { criteria: DesignCriterion[]; problems: Problem[] } {
  const items: { number: number; parts: string[]; line: number }[] = [];
  const problems: Problem[] = [];
  for (const { text, number: line } of body) {
    const [, said, rest = ""] = CRITERION_ITEM_PATTERN.exec(text) ?? [];
    const due = (items.at(-1)?.number ?? 0) + 1;
    if (BOLD_LABEL_PATTERN.test(text)) break;
    if (said !== undefined) {
      if (!isExpectedNumber(Number(said), due, isRevised))
        problems.push(reportWrongNumber(`Criterion ${said}`, String(due), line));
      items.push({ number: isRevised ? Math.max(Number(said), due) : due, parts: [rest], line });
    } else if (CRITERION_BULLET_PATTERN.test(text))
      problems.push({ problem: `${quote(text.trim(), 60)} has no number: write "${due}. …".`, line });
    else items.at(-1)?.parts.push(text.trim());
  }
  const criteria = items.map(({ number, parts, line }): DesignCriterion => {
    const id = formatCriterionId(spec, number);
    const { text, stability, problem } = parseCriterionText(parts.join(" ").replace(/\s+/g, " ").trim());
    if (problem !== undefined) problems.push({ problem: `${id} ${problem}`, line });
    return { id, cited: `${spec}.${number}`, text, stability, line };
  });
  return { criteria, problems };
}

function parseCriterionText(said: string): { text: string; stability: CriterionStability | null; problem?: string } {
  const [whole, before, behind] = STABILITY_TAG_PATTERN.exec(said) ?? [];
  const tag = (before ?? behind)?.toLowerCase();
  const text = whole === undefined ? said : said.replace(whole, "").trim();
  const stability = CRITERION_STABILITIES.find((name) => name === tag) ?? null;
  if (tag !== undefined && stability === null)
    return {
      text,
      stability,
      problem: `has the tag [${tag}]: one of [${CRITERION_STABILITIES.join("], [")}], or none.`,
    };
  return text === "" ? { text, stability, problem: "says nothing: write what is seen." } : { text, stability };
}

/** How far a change of the criterion reaches dependent features: everything, the calls they make, or nothing. */
export const CRITERION_STABILITIES = ["constraint", "contract", "behavior"] as const;
export type CriterionStability = (typeof CRITERION_STABILITIES)[number];

export interface DesignSpec {
  readonly number: number;
  readonly title: string;
  readonly goal: string;
  readonly criteria: readonly DesignCriterion[];
  readonly line: number;
}

export interface DesignCriterion {
  /** As `S2.AC1`. */
  readonly id: string;
  readonly cited: string;
  readonly text: string;
  readonly stability: CriterionStability | null;
  readonly line: number;
}

const formatCriterionId = (spec: number, criterion: number): string => `S${spec}.AC${criterion}`;

/** As tests name it: `user-login.S2.AC1`. */
export const qualifyCriterionId = (feature: FeatureName, id: string): string => `${feature}.${id}`;

export const listCriterionIds = (specs: readonly DesignSpec[]): string[] =>
  specs.flatMap(({ criteria }) => criteria.map(({ id }) => id));

/** The targets of a list such as `1.1, 1.3, 2`, where 2 means all of Spec 2. */
export interface CriterionReferences {
  readonly criteria: readonly string[];
  readonly specs: readonly number[];
  readonly problems: readonly string[];
}

const CRITERION_REFERENCE_PATTERN = /^(?:spec |s)?(\d{1,4})(?:\.(?:ac)?(\d{1,4}))?$/i;
const CRITERION_RANGE_PATTERN = /^(?:s)?(\d{1,4})\.(?:ac)?(\d{1,4}) ?[-–] ?(?:s?(\d{1,4})\.)?(?:ac)?(\d{1,4})$/i;
const REFERENCE_SYNTAX_HINT = "write 1.2 for criterion 2 of Spec 1, or 1 for all of it";

export function parseCriterionReferences(text: string, known: readonly DesignSpec[]): CriterionReferences {
  const words = text
    .replace(/[`*]/g, "")
    .split(/[,;]|\band\b/)
    .map((word) => word.trim().replace(/\s+/g, " "))
    .filter((word) => word !== "" && !/^(?:[-–—]|none|n\/a)\.?$/i.test(word));
  const found = words.map((word) => resolveCriterionReference(word, known));
  return {
    criteria: [...new Set(found.flatMap(({ criteria }) => criteria))],
    specs: [...new Set(found.flatMap(({ specs }) => specs))],
    problems: found.flatMap(({ problems }) => problems),
  };
}

function resolveCriterionReference(word: string, known: readonly DesignSpec[]): CriterionReferences {
  const nothing = (problem: string): CriterionReferences => ({ criteria: [], specs: [], problems: [problem] });
  const [, from, first, to = from, last] = CRITERION_RANGE_PATTERN.exec(word) ?? [];
  if (last !== undefined && from === to)
    return resolveCriterionRange(word, Number(from), [Number(first), Number(last)], known);
  const [, spec, criterion] = CRITERION_REFERENCE_PATTERN.exec(word) ?? [];
  if (spec === undefined)
    return nothing(`${quote(word, 40)} is no id of a spec or criterion: ${REFERENCE_SYNTAX_HINT}.`);
  const found = known.find(({ number }) => number === Number(spec));
  if (!found) return nothing(`${quote(word, 40)} refers to nothing: there is no Spec ${Number(spec)}.`);
  const of = found.criteria.map(({ id }) => id);
  if (criterion === undefined) return { criteria: of, specs: [found.number], problems: [] };
  const id = formatCriterionId(found.number, Number(criterion));
  if (of.includes(id)) return { criteria: [id], specs: [found.number], problems: [] };
  return nothing(`${quote(word, 40)} refers to nothing: Spec ${found.number} has no criterion ${Number(criterion)}.`);
}

function resolveCriterionRange(
  word: string,
  spec: number,
  [first, last]: [number, number],
  known: readonly DesignSpec[],
): CriterionReferences {
  const found = known.find(({ number }) => number === spec);
  const wanted = Array.from({ length: Math.min(Math.max(last - first + 1, 0), 1_000) }, (_, i) =>
    formatCriterionId(spec, first + i),
  );
  const of = new Set(found?.criteria.map(({ id }) => id));
  const isWhole = first < last && wanted.every((id) => of.has(id));
  if (isWhole) return { criteria: wanted, specs: [spec], problems: [] };
  return {
    criteria: [],
    specs: [],
    problems: [`${quote(word, 40)} refers to nothing: Spec ${spec} has no such criteria.`],
  };
}
