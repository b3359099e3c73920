import type { MarkdownHeading, ProseLine } from "#kernel/model/document/markdown-document.ts";
import { parseHeadings, groupLinesByStart } from "#kernel/model/document/markdown-document.ts";
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

/** Reads the specs numbered from 1. A number is never reused, so a revised design may have gaps. */
export function readDesignSpecifications({ heading, lines }: FoundSection, isRevised: boolean, problems: Problem[]) {
  const parts = parseHeadings(lines).filter(({ level }) => level === 3);
  const starts = parts.map(({ line }) => line);
  const bodies = groupLinesByStart(lines, starts);
  checkSpecificationFrame(heading, parts, problems);
  const specs: DesignSpec[] = [];
  for (const [i, { text, line }] of parts.entries()) {
    if (/^(?:Introduction|Non-Goals)/i.test(text)) continue;
    const [, said, title = ""] = SPEC_HEADING_PATTERN.exec(text) ?? [];
    const due = (specs.at(-1)?.number ?? 0) + 1;
    if (said === undefined) {
      const instead = `write "### Spec ${due}: …", with a number, or put it under another section`;
      problems.push({ problem: `${quote(`### ${text}`, 60)} is not a spec: ${instead}.`, line });
      continue;
    }
    const number = resolveItemNumber("Spec ", said, due, isRevised, line, problems);
    if (title.trim() === "") problems.push({ problem: `Spec ${said} has no title: say what it is about.`, line });
    const body = bodies[i]?.slice(1) ?? [];
    specs.push(readDesignSpec({ number, title: title.trim(), line }, body, isRevised, problems));
  }
  if (specs.length === 0) {
    const problem = 'The design has no spec: write "### Spec 1: …", with a goal and criteria.';
    problems.push({ problem, line: heading.line });
  }
  return specs;
}

/** Reports a number that is out of order. Only a revised design may leave a gap. */
function resolveItemNumber(
  kind: "Spec " | "",
  said: string,
  due: number,
  isRevised: boolean,
  line: number,
  problems: Problem[],
): number {
  const number = Number(said);
  if (number !== due && !(isRevised && number > due)) {
    const what = `${kind || "Criterion "}${said} should be ${kind}${due}`;
    problems.push({ problem: `${what}: number them from 1, without a gap.`, line });
  }
  return isRevised ? Math.max(number, due) : due;
}

function checkSpecificationFrame(
  { line: at }: MarkdownHeading,
  parts: readonly MarkdownHeading[],
  problems: Problem[],
): void {
  const first = parts.findIndex(({ text }) => /^Introduction/i.test(text));
  const last = parts.findIndex(({ text }) => /^Non-Goals/i.test(text));
  const tell = (problem: string, part?: MarkdownHeading): void =>
    void problems.push({ problem, line: part?.line ?? at });
  if (first < 0) tell('"### Introduction" is missing: say in a few sentences what the feature is for.');
  else if (first > 0) tell('"### Introduction" comes first under "## Specifications": move it there.', parts[first]);
  if (last < 0) tell('"### Non-Goals" is missing: list what the feature leaves to others.', parts.at(-1));
  else if (last < parts.length - 1) tell('"### Non-Goals" comes behind the last spec: move it there.', parts[last]);
  for (const part of [parts[first], parts[last]])
    if (part && !part.hasText) tell(`There is no text under "### ${part.text}".`, part);
}

function readDesignSpec(
  { number, title, line }: Pick<DesignSpec, "number" | "title" | "line">,
  body: readonly ProseLine[],
  isRevised: boolean,
  problems: Problem[],
): DesignSpec {
  const tell = (problem: string, at = line): void => void problems.push({ problem, line: at });
  const texts = body.map(({ text }) => text);
  const first = texts.findIndex((text) => GOAL_LABEL_PATTERN.test(text));
  const [, said = ""] = GOAL_LABEL_PATTERN.exec(texts[first] ?? "") ?? [];
  const rest = first < 0 ? [] : texts.slice(first + 1);
  const end = rest.findIndex((text) => BOLD_LABEL_PATTERN.test(text));
  const goal = [said, ...rest.slice(0, end < 0 ? undefined : end)].join(" ").replace(/\s+/g, " ").trim();
  const start = body.findIndex(({ text }) => CRITERIA_LABEL_PATTERN.test(text));
  if (goal === "") tell(`Spec ${number} has no goal: write "**Goal:** …".`);
  if (start < 0) tell(`Spec ${number} has no criteria: write "**Acceptance Criteria:**" and a numbered list below.`);
  const found: Problem[] = [];
  const criteria = start < 0 ? [] : readSpecCriteria(number, body.slice(start + 1), isRevised, found);
  if (start >= 0 && criteria.length === 0)
    tell(`Spec ${number} lists no criterion: number them, "1. …", "2. …".`, body[start]?.number);
  problems.push(...found);
  return { number, title, goal, criteria, line };
}

function readSpecCriteria(spec: number, body: readonly ProseLine[], isRevised: boolean, problems: Problem[]) {
  const items: { number: number; parts: string[]; line: number }[] = [];
  for (const { text, number: line } of body) {
    const [, said, rest = ""] = CRITERION_ITEM_PATTERN.exec(text) ?? [];
    const due = (items.at(-1)?.number ?? 0) + 1;
    if (BOLD_LABEL_PATTERN.test(text)) break;
    if (said !== undefined)
      items.push({ number: resolveItemNumber("", said, due, isRevised, line, problems), parts: [rest], line });
    else if (CRITERION_BULLET_PATTERN.test(text))
      problems.push({ problem: `${quote(text.trim(), 60)} has no number: write "${due}. …".`, line });
    else items.at(-1)?.parts.push(text.trim());
  }
  return items.map(({ number, parts, line }): DesignCriterion => {
    const id = formatCriterionId(spec, number);
    const said = parts.join(" ").replace(/\s+/g, " ").trim();
    const [tagged = "", before, behind] = STABILITY_TAG_PATTERN.exec(said) ?? [];
    const tag = (before ?? behind)?.toLowerCase();
    const text = said.replace(tagged, "").trim();
    const stability = CRITERION_STABILITIES.find((name) => name === tag) ?? null;
    const choice = `one of [${CRITERION_STABILITIES.join("], [")}], or none`;
    if (tag !== undefined && stability === null)
      problems.push({ problem: `${id} has the tag [${tag}]: ${choice}.`, line });
    else if (text === "") problems.push({ problem: `${id} is empty: write the observable behaviour.`, line });
    return { id, cited: `${spec}.${number}`, text, stability, line };
  });
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
interface CriterionReferences {
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
  if (last !== undefined && from === to) {
    const own = known.find(({ number }) => number === Number(from))?.criteria.map(({ id }) => id) ?? [];
    const length = Math.min(Math.max(Number(last) - Number(first) + 1, 0), 1_000);
    const wanted = Array.from({ length }, (_, i) => formatCriterionId(Number(from), Number(first) + i));
    const isWhole = Number(first) < Number(last) && wanted.every((id) => own.includes(id));
    if (isWhole) return { criteria: wanted, specs: [Number(from)], problems: [] };
    return nothing(`${quote(word, 40)} refers to nothing: Spec ${Number(from)} has no such criteria.`);
  }
  const [, spec, criterion] = CRITERION_REFERENCE_PATTERN.exec(word) ?? [];
  if (spec === undefined)
    return nothing(`${quote(word, 40)} is not the id of a spec or criterion: ${REFERENCE_SYNTAX_HINT}.`);
  const found = known.find(({ number }) => number === Number(spec));
  if (!found) return nothing(`${quote(word, 40)} refers to nothing: there is no Spec ${Number(spec)}.`);
  const of = found.criteria.map(({ id }) => id);
  if (criterion === undefined) return { criteria: of, specs: [found.number], problems: [] };
  const id = formatCriterionId(found.number, Number(criterion));
  if (of.includes(id)) return { criteria: [id], specs: [found.number], problems: [] };
  return nothing(`${quote(word, 40)} refers to nothing: Spec ${found.number} has no criterion ${Number(criterion)}.`);
}
