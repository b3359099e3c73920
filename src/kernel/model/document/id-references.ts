import { READABLE_SLUG_WORD } from "../slug.ts";
import { type ProseLine, parseProseLines, excludeSections } from "./markdown-document.ts";
import type { Problem } from "../verdict.ts";

export interface IdReference {
  readonly id: string;
  readonly line: number;
}

export type IdFamily = "requirement" | "rule" | "task" | "adr";

/** Underscores around an id are emphasis. Inside a longer word they make a different word. */
const ID_END_PATTERN = "(?!_*[A-Za-z0-9]|-)";
const buildFamilyPatterns = (build: (id: string) => RegExp): Readonly<Record<IdFamily, RegExp>> => ({
  requirement: build(`N?FR-\\d{3,5}${ID_END_PATTERN}`),
  rule: build(`BR-\\d{3,5}${ID_END_PATTERN}`),
  task: build(`TASK-\\d{3,5}${ID_END_PATTERN}`),
  adr: build(`ADR-\\d{3,5}${ID_END_PATTERN}`),
});
/** An id after a change name and a slash belongs to that change. After an id and a slash it is a second id. */
const ID_START_PATTERN = "(?<![A-Za-z0-9-]_{0,2})(?<!(?<![A-Z]-\\d{3,5})/)";
/** Text allowed before an id on the line that defines it: a heading, list or table marker, and emphasis. */
const DEFINITION_LEAD_PATTERN =
  "^\\s{0,12}(?:#{1,6}\\s{1,4}|(?:[-*+]|\\d{1,4}[.)])\\s{1,4}(?:\\[[ xX]\\]\\s{1,4})?|\\|\\s{0,4})?(?:\\*{1,3}|_{1,3}|`)?";

const MENTION_PATTERNS = buildFamilyPatterns((id) => new RegExp(`${ID_START_PATTERN}${id}`, "g"));
const DEFINITION_PATTERNS = buildFamilyPatterns((id) => new RegExp(`${DEFINITION_LEAD_PATTERN}(${id})`));

/** In order. Skips ids of other changes, such as `other-change/ADR-001`. */
export const findIdMentions = (lines: readonly ProseLine[], family: IdFamily): IdReference[] =>
  findPatternMatches(lines, MENTION_PATTERNS[family]);

const findPatternMatches = (lines: readonly ProseLine[], pattern: RegExp): IdReference[] =>
  lines.flatMap((line) => line.text.match(pattern)?.map((id) => ({ id, line: line.number })) ?? []);

/** An id is defined where a heading, list item, table row or paragraph begins with it. */
export function findIdDefinitions(lines: readonly ProseLine[], family: IdFamily): IdReference[] {
  return lines.flatMap((line) => {
    const id = DEFINITION_PATTERNS[family].exec(line.text)?.[1];
    return id ? [{ id, line: line.number }] : [];
  });
}

const ANY_ID_PATTERN = /(?:N?FR|BR|TASK|ADR)-\d{3,5}/g;

/** Definitions without those that only repeat an id, as a list of the order does. */
export function excludeRepeatedIds(lines: readonly ProseLine[], defined: readonly IdReference[]): IdReference[] {
  const texts = new Map(lines.map(({ number, text }) => [number, text]));
  const isBare = ({ line }: IdReference): boolean =>
    !/[\p{L}:]/u.test((texts.get(line) ?? "").replace(ANY_ID_PATTERN, "").replace(/\b(?:then|and|before)\b/gi, ""));
  const explained = new Set(defined.filter((each) => !isBare(each)).map(({ id }) => id));
  return defined.filter((each) => !explained.has(each.id) || !isBare(each));
}

export const listMentionedIds = (lines: readonly ProseLine[], ...families: readonly IdFamily[]): string[] => [
  ...new Set(families.flatMap((family) => findIdMentions(lines, family).map(({ id }) => id))),
];

const MARKS = "[*_`]{0,3}";
const ID_RANGE_PATTERN = new RegExp(
  `${ID_START_PATTERN}((?:N?FR|BR|TASK|ADR)-)(\\d{3,5})${MARKS}(?:\\s{0,3}(?:to|through|[-–—…]|\\.{2,3})\\s{0,3}${MARKS}\\1|[–—…]|\\.{2,3})(\\d{3,5})${ID_END_PATTERN}`,
  "g",
);
/** More ids than that are a typo. */
const MAX_RANGE_LENGTH = 100;

/** Mentioned ids, and those inside of a range such as "FR-004 to FR-006", which need not exist. */
export const listCoveredIds = (lines: readonly ProseLine[], ...families: readonly IdFamily[]): string[] =>
  listMentionedIds(
    lines.map((line) => ({ ...line, text: line.text.replace(ID_RANGE_PATTERN, spellOutRange) })),
    ...families,
  );

function spellOutRange(range: string, prefix: string, from: string, to: string): string {
  const length = Number(to) - Number(from) + 1;
  if (length < 2 || length > MAX_RANGE_LENGTH) return range;
  return Array.from({ length }, (_, i) => `${prefix}${String(Number(from) + i).padStart(from.length, "0")}`).join(" ");
}

export const listDefinedIds = (markdown: string, ...families: readonly IdFamily[]): string[] => {
  const lines = parseProseLines(markdown);
  return families.flatMap((family) => findIdDefinitions(lines, family).map(({ id }) => id));
};

const FOREIGN_DECISION_PATTERN = new RegExp(
  `(?<![\\w./-])${READABLE_SLUG_WORD}(?:-${READABLE_SLUG_WORD})*\\/ADR-\\d{3,5}(?![\\w-]|\\.md)`,
  "gu",
);
const SHORT_ID_PATTERN = new RegExp(`${ID_START_PATTERN}(?:N?FR|BR|TASK|ADR)-\\d{1,2}${ID_END_PATTERN}`, "g");

/** `FR-001` and `FR-0001` have the same number, so one of them is a typo. */
export const normalizeIdNumber = (id: string): string => id.replace(/\d+$/, (digits) => String(Number(digits)));

export const findForeignDecisions = (lines: readonly ProseLine[]): IdReference[] =>
  findPatternMatches(lines, FOREIGN_DECISION_PATTERN);

export const ID_FAMILY_NOUNS: Readonly<Record<IdFamily, string>> = {
  requirement: "requirement",
  rule: "business rule",
  task: "task",
  adr: "decision",
};

/** Reports each id once. */
export function findUnknownIds(lines: readonly ProseLine[], family: IdFamily, known: Iterable<string>): Problem[] {
  const told = new Set(known);
  return findIdMentions(lines, family).flatMap(({ id, line }): Problem[] => {
    if (told.has(id)) return [];
    told.add(id);
    return [{ problem: `${id} refers to nothing: no ${ID_FAMILY_NOUNS[family]} has that id.`, line }];
  });
}

/** Suggests the padded spelling: `FR-7` → `FR-007`. */
export const findMisspelledIds = (lines: readonly ProseLine[]): Problem[] =>
  findPatternMatches(lines, SHORT_ID_PATTERN).map(({ id, line }) => {
    const padded = id.replace(/\d+$/, (digits) => digits.padStart(3, "0"));
    return { problem: `${id} is not an id: write ${padded}.`, line };
  });

export interface DefinedItem extends IdReference {
  readonly text: string;
}

const BLOCK_START_PATTERN = /^\s{0,3}(?:#{1,6}\s|[-*+]\s|\d{1,4}[.)]\s|\|)/;

/** The first definition of an id wins. Ids under the headings `beside` are mentions. */
export function parseDefinedItems(markdown: string, family: IdFamily, beside: readonly string[] = []): DefinedItem[] {
  const lines = excludeSections(parseProseLines(markdown), beside);
  const starts = new Map(findIdDefinitions(lines, family).map(({ id, line }) => [line, id]));
  const items = new Map<string, { line: number; parts: string[] }>();
  let current: string[] | undefined;
  for (const { number, text } of lines) {
    const id = starts.get(number);
    if (id !== undefined) {
      const after = text.slice(text.indexOf(id) + id.length).replace(/^[\s*_`:.|–—-]+/, "");
      current = [after.replace(/\s*\|\s*/g, " ").trim()];
      if (!items.has(id)) items.set(id, { line: number, parts: current });
    } else if (BLOCK_START_PATTERN.test(text)) {
      current = undefined;
    } else if (text.trim() === "") {
      if (current?.some((part) => part !== "")) current = undefined;
    } else {
      current?.push(text.trim());
    }
  }
  return [...items].map(([id, { line, parts }]) => ({ id, line, text: parts.join(" ").trim() }));
}

/**
 * `(evidence: src/app.ts:12, src/db.ts:3; confidence: high)`. A closing bracket inside a folder name does not end it.
 */
const EVIDENCE_PATTERN = /\s?\(evidence:([^]{1,2000}?)\)(?![^\s.,;:])/g;

/** The code that proves an item, and its tests: `(evidence: src/app.ts#run; tests: test/app.test.ts)`. */
export const listEvidenceLinks = (text: string, part: "evidence" | "tests" = "evidence"): string[] =>
  [...text.matchAll(EVIDENCE_PATTERN)].flatMap(([, inside = ""]) => {
    const [links = "", ...others] = inside.split(";");
    const wanted =
      part === "evidence" ? links : (others.find((each) => /^\s*tests:/.test(each)) ?? "").replace("tests:", "");
    return wanted
      .split(/,\s+/)
      .map((link) => link.trim())
      .filter((link) => link !== "");
  });

export const stripEvidence = (text: string): string => text.replace(EVIDENCE_PATTERN, "");
