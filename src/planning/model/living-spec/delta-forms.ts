import {
  isMatchingHeading,
  type MarkdownHeading,
  parseHeadings,
  parseProseLines,
} from "#kernel/model/document/markdown-document.ts";
import type { DeltaOp } from "./delta-vocabulary.ts";

const DELTA_WORDS: Readonly<Record<string, DeltaOp>> = {
  added: "added",
  new: "added",
  modified: "modified",
  changed: "modified",
  updated: "modified",
  removed: "removed",
  deleted: "removed",
  renamed: "renamed",
};
const SUBJECT = "(?:\\s+(?:(?:business\\s+)?rules?|(?:functional\\s+)?requirements?|constraints?))?";
const REMARK = "(?:\\s*[(–—-].*)?";
const DELTA_TITLE = new RegExp(`^(${Object.keys(DELTA_WORDS).join("|")})${SUBJECT}${REMARK}\\s*:?$`, "i");
/** `**ADDED**`, `ADDED:`, `- **Added requirements**`. */
const DELTA_LABEL = new RegExp(
  `^\\s{0,3}(?:[-*+]\\s+)?(?:(\\*\\*|__)(added|modified|removed|renamed)${SUBJECT}:?\\1:?|(ADDED|MODIFIED|REMOVED|RENAMED)${SUBJECT}:?)\\s*$`,
  "i",
);
const ID = "(?:N?FR|BR)-\\d{3,5}";
const MARK = "\\s{0,12}(?:(?:[-*+]|\\d{1,4}[.)])\\s{1,4}(?:\\[[ xX]\\]\\s{1,4})?|#{1,6}\\s{1,4})?";
/** `- [FR-004]: …`, `- (FR-004) …`, `- fr-004: …`, `### Requirement: FR-004 …`. */
const DISGUISED_ID = new RegExp(
  `^(${MARK})((?:\\*\\*|__)?)(?:requirement\\s*:?\\s+)?[[(]?(${ID})[\\])]?(?![\\w-])(?=\\s*(?:[:.–—*_-]|\\s|$))`,
  "i",
);
/** `- **FR-004 Archive**: …` and `- **FR-004: Archive.** …`. */
const BOLD_TITLE = new RegExp(`^(${MARK})(\\*\\*|__)(${ID})[\\s:.–—-]+([^*_]+?)[:.]?\\2\\s*[:.–—-]?\\s*`);
const PRIORITY = "(must|should|could|won['’]?t)(?:[ -]have)?";
/** `FR-004 [must]: …`, `FR-004 (must have): …`. */
const STATED_PRIORITY = new RegExp(`^(${MARK}(?:\\*\\*|__)?${ID}(?:\\*\\*|__)?)\\s*[[(]\\s*${PRIORITY}\\s*[\\])]`, "i");
/** `- ~~FR-004~~: …` below REMOVED. */
const STRUCK_ID = new RegExp(`~~(${ID})~~`);
/** `- ADDED FR-004: …` */
const LEADING_OP = new RegExp(
  `^(${MARK})(?:\\*\\*|__)?(ADDED|MODIFIED|REMOVED|RENAMED)(?:\\*\\*|__)?:?\\s+(${ID})(?![\\w-])`,
);
/** A bullet with an id below a label that is a bullet too. */
const NESTED_ITEM = new RegExp(`^\\s+([-*+]\\s+(?:\\*\\*|__)?${ID}.*)$`);

/** `- FROM: FR-001` above `- TO: FR-004`, as OpenSpec renames. */
const RENAME_SIDES = new RegExp(
  ["FROM", "TO"]
    .map((side) => `^(?:[-*+][ \\t]+)?${side}:[ \\t]*[\`*]*(?:###[ \\t]*Requirement:[ \\t]*)?(${ID})[\`*]*[ \\t]*$`)
    .join("\n"),
  "im",
);

/**
 * Rewrites forms of a spec that a careful reader understands into the form of the guide, line by line: bold labels and
 * rows of tables under a delta heading, ids in brackets, delta headings as high as "Requirements".
 */
export function normalizeDeltaForms(markdown: string): string {
  const ends = /\r\n|\r|\n/g;
  const lines = markdown.split(ends);
  const breaks = markdown.match(ends) ?? [];
  const prose = parseProseLines(markdown);
  const headings = new Map(parseHeadings(prose).map((heading) => [heading.line, heading]));
  let [level, isDelta, isBulletLabel] = [0, false, false];
  let requirements: number | undefined;
  const opening = findBareDeltaTitle([...headings.values()]);
  for (const { number, text, isCode } of prose) {
    const raw = lines[number - 1] ?? "";
    if (isCode || text.trim() === "" || text !== raw) continue;
    const heading = headings.get(number);
    const op = readDeltaTitle(heading?.text);
    if (heading && !op && !DISGUISED_ID.test(raw)) {
      [level, isDelta, isBulletLabel] = [heading.level, false, false];
      if (isMatchingHeading(heading.text, "Requirements")) requirements = heading.level;
      else if (requirements !== undefined && heading.level <= requirements) requirements = undefined;
    }
    const label = heading ? undefined : DELTA_LABEL.exec(raw);
    const own = op ?? DELTA_WORDS[(label?.[2] ?? label?.[3] ?? "").toLowerCase()];
    if (own && requirements !== undefined) {
      const depth = Math.min(6, Math.max(heading?.level ?? level + 1, requirements + 1));
      isDelta = true;
      isBulletLabel = label !== undefined && /^\s*[-*+]\s/.test(raw);
      lines[number - 1] = `${"#".repeat(depth)} ${own.toUpperCase()}`;
    } else if (own && heading && heading === opening) {
      [level, isDelta, isBulletLabel, requirements] = [heading.level, true, false, heading.level];
      lines[number - 1] = `${"#".repeat(level)} Requirements: ${own.toUpperCase()}`;
    } else if (isDelta && RENAME_SIDES.test(`${raw}\n${lines[number] ?? ""}`)) {
      lines[number - 1] = `${raw}\n${lines[number] ?? ""}`.replace(RENAME_SIDES, "- $1 → $2");
      lines[number] = "";
    } else if (!heading || DISGUISED_ID.test(raw)) {
      const nested = isBulletLabel ? (NESTED_ITEM.exec(raw)?.[1] ?? raw) : raw;
      const item = normalizeItem(isDelta ? (readTableRow(nested) ?? nested) : nested);
      const below = lines.slice(number).find((line) => line.trim() !== "") ?? "# ";
      lines[number - 1] = isDelta ? openItem(item, below) : item;
    }
  }
  return lines.map((line, i) => line + (breaks[i] ?? "")).join("");
}

/** In OpenSpec, `## ADDED Requirements` needs no heading "Requirements" above it. */
const findBareDeltaTitle = (headings: readonly MarkdownHeading[]): MarkdownHeading | undefined =>
  headings.some(({ text }) => isMatchingHeading(text, "Requirements"))
    ? undefined
    : headings.find(({ text }) => readDeltaTitle(text) !== undefined && /\brequirements\b/i.test(text));

export const readDeltaTitle = (title = ""): DeltaOp | undefined =>
  DELTA_WORDS[DELTA_TITLE.exec(title.replaceAll(/^[*_`]+|[*_`]+$/g, ""))?.[1]?.toLowerCase() ?? ""];

/** Whether the line begins an item with an id. */
export const isIdLine = (line: string): boolean => DISGUISED_ID.test(line.replaceAll("`", ""));

const normalizeItem = (line: string): string =>
  line
    .replace(STRUCK_ID, "$1")
    .replace(LEADING_OP, "$1$3 ($2)")
    .replace(DISGUISED_ID, (_, mark: string, bold: string, id: string) => `${mark}${bold}${id.toUpperCase()}`)
    .replace(BOLD_TITLE, "$1$2$3$2: $4. ")
    .replace(STATED_PRIORITY, "$1 ($2)");

/** A bold id without a colon begins an item, and a heading without a text below is one. */
const openItem = (line: string, below: string): string =>
  line.replace(new RegExp(`^((?:\\*\\*|__)${ID}(?:\\*\\*|__))\\s+(?=\\w)`), "$1: ").replace(/^\s*#{1,6}\s+/, (mark) => {
    const level = /^\s*(#+)\s/.exec(below)?.[1]?.length ?? Infinity;
    return level <= mark.trim().length ? "- " : mark;
  });

/** `| FR-004 | must | The list shall … |` as a list item. Undefined for the head and the line under it. */
function readTableRow(line: string): string | undefined {
  if (!/^\s*\|/.test(line)) return undefined;
  const cells = line
    .trim()
    .replaceAll(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
  const id = cells.find((cell) => new RegExp(`^[*_\`]*${ID}[*_\`]*$`).test(cell));
  if (id === undefined) return undefined;
  const others = cells.filter((cell) => cell !== id && cell !== "");
  const priority = others.find((cell) => new RegExp(`^${PRIORITY}$`, "i").test(cell));
  const texts = others.filter((cell) => cell !== priority);
  return `- ${id.replaceAll(/[*_`]/g, "")}${priority ? ` (${priority})` : ""}: ${texts.join(". ")}`;
}
