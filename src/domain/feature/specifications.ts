import { type MarkdownHeading, parseHeadings, type ProseLine } from "../document/prose.ts";
import { groupLinesByStart } from "../document/section.ts";
import type { Problem } from "../gate/verdict.ts";
import { quote } from "../quote.ts";
import {
  formatCriterionId,
  type DesignCriterion,
  type DesignSpec,
  CRITERION_STABILITIES,
  type CriterionStability,
} from "./criteria.ts";
import type { FoundSection } from "./sections.ts";

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
