import type { MarkdownHeading } from "#kernel/model/document/markdown-document.ts";
import { parseHeadings, parseProseLines, selectSectionOrAll } from "#kernel/model/document/markdown-document.ts";
import { normalizeIdNumber } from "#kernel/model/document/id-references.ts";
import { isEmptyListText, isListHeading } from "../project/requirement-lists.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { normalizeDeltaForms } from "./delta-forms.ts";
import { type DeltaOp, REQUIREMENT_PRIORITIES, type RequirementPriority } from "./delta-vocabulary.ts";

/** A part of a document with an id: a list item, a paragraph, or a heading with its section. */
export interface OutlineItem {
  readonly id: string;
  readonly kind: "list" | "heading" | "paragraph";
  /** Zero-based lines, end exclusive. Blank lines below the item are not included. */
  readonly start: number;
  readonly end: number;
  readonly lead: string;
  readonly indent: string;
  readonly text: string;
  /** True under `## Removed`: the id stays taken. */
  readonly isRemoved: boolean;
}

export interface SpecOutline {
  /** With line ends, so that the joined lines equal the document. */
  readonly lines: readonly string[];
  readonly items: readonly OutlineItem[];
  readonly headings: readonly MarkdownHeading[];
}

export type OutlineIdKind = "specs" | "tasks";

const ITEM_LEAD = "^(#{1,6}[ \\t]+|(?:[-*+]|\\d{1,4}[.)])[ \\t]+(?:\\[[ xX]\\][ \\t]+)?)?([*_`]{0,3})";
const ITEM_ID_END = "(?!_*[A-Za-z0-9]|-(?!>))";
const ITEM_START_PATTERNS: Readonly<Record<OutlineIdKind, RegExp>> = {
  specs: new RegExp(`${ITEM_LEAD}((?:N?FR|BR)-\\d{3,5})${ITEM_ID_END}`),
  tasks: new RegExp(`${ITEM_LEAD}(TASK-\\d{3,5})${ITEM_ID_END}`),
};
/** A list mark, heading, quotation, table, fence, line or comment ends the previous item. */
const BLOCK_START = /^(?:[-*+][ \t]|\d{1,4}[.)][ \t]|#{1,6}[ \t]|>|\||```|~~~|<|-{3,}[ \t]*$)/;

export function outlineSpecItems(markdown: string, ids: OutlineIdKind = "specs"): SpecOutline {
  const lines: readonly string[] = markdown.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];
  const prose = parseProseLines(markdown);
  const found = parseHeadings(prose);
  const spoken = new Set(
    prose.filter((line) => !line.isCode && line.text.trim() !== "").map((line) => line.number - 1),
  );
  const headingAt = new Map(found.map((heading) => [heading.line - 1, heading]));
  const bare = lines.map((line) => line.replace(/(?:\r\n|\r|\n)$/, ""));
  const starts = bare.map((line, i) =>
    spoken.has(i) ? parseItemStart(line, i === 0 ? "" : (bare[i - 1] ?? ""), ids) : undefined,
  );
  const removed = findRemovedLines(found, lines.length);
  const items: OutlineItem[] = [];
  for (let at = 0; at < lines.length; at++) {
    const start = starts[at];
    if (!start) continue;
    const isEnd = (i: number): boolean =>
      starts[i] !== undefined ||
      (start.kind === "heading" ? (headingAt.get(i)?.level ?? 7) <= start.level : isItemEnd(bare, i, start.kind));
    let end = at + 1;
    while (end < lines.length && !isEnd(end)) end++;
    while ((bare[end - 1] ?? "").trim() === "") end--;
    const { id, kind, lead, text } = start;
    const below = bare.slice(at + 1, end).map((line) => line.trimEnd());
    const indent = findCommonIndent(below);
    items.push({
      id,
      kind,
      start: at,
      end,
      lead,
      indent,
      text: [text.trimEnd(), ...below.map((line) => line.slice(indent.length))].join("\n").trimEnd(),
      isRemoved: removed.has(at),
    });
  }
  return { lines, items, headings: found };
}

function parseItemStart(line: string, before: string, ids: OutlineIdKind) {
  const match = ITEM_START_PATTERNS[ids].exec(line);
  const [whole = "", mark = "", emphasis = "", id = ""] = match ?? [];
  if (!match) return undefined;
  let rest = line.slice(whole.length);
  const take = (part: string): boolean => {
    if (part === "" || !rest.startsWith(part)) return false;
    rest = rest.slice(part.length);
    return true;
  };
  const isClosed = take(emphasis);
  const separator = /^[ \t]*(?:[:.–—]|-(?!>))?/.exec(rest)?.[0] ?? "";
  take(separator);
  if (!isClosed) take(emphasis);
  take(/^[ \t]*/.exec(rest)?.[0] ?? "");
  const kind: OutlineItem["kind"] = mark === "" ? "paragraph" : mark.startsWith("#") ? "heading" : "list";
  const isFirst = before.trim() === "" || /^#{1,6}[ \t]/.test(before) || ITEM_START_PATTERNS[ids].test(before);
  // An id inside a paragraph or without a colon is only a mention.
  if (kind === "paragraph" && (separator.trim() === "" || !isFirst)) return undefined;
  return { id, kind, level: mark.trim().length, lead: line.slice(0, line.length - rest.length), text: rest };
}

function isItemEnd(lines: readonly string[], at: number, kind: OutlineItem["kind"]): boolean {
  const line = lines[at] ?? "";
  if (kind === "paragraph") return isBlockEnd(line);
  if (line.trim() === "" || /^[ \t]/.test(line)) return false;
  return BLOCK_START.test(line) || (lines[at - 1] ?? "").trim() === "";
}

export const isBlockEnd = (line: string): boolean => line.trim() === "" || BLOCK_START.test(line);

function findCommonIndent(lines: readonly string[]): string {
  const indents = lines.filter((line) => line !== "").map((line) => /^[ \t]*/.exec(line)?.[0] ?? "");
  const [first = "", ...others] = indents;
  let length = first.length;
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length--;
  return first.slice(0, length);
}

function findRemovedLines(found: readonly MarkdownHeading[], length: number): ReadonlySet<number> {
  const headingAt = new Map(found.map((heading) => [heading.line - 1, heading]));
  const under = new Set<number>();
  let level: number | undefined;
  for (let at = 0; at < length; at++) {
    const heading = headingAt.get(at);
    if (heading && level !== undefined && heading.level <= level) level = undefined;
    if (heading && level === undefined && isListHeading("removed", heading.text)) level = heading.level;
    if (level !== undefined) under.add(at);
  }
  return under;
}

export const findLiveItem = ({ items }: SpecOutline, id: string): OutlineItem | undefined =>
  items.find((item) => item.id === id && !item.isRemoved);

export const findRemovedItem = ({ items }: SpecOutline, id: string): OutlineItem | undefined =>
  items.find((item) => item.id === id && item.isRemoved);

export const findNewItemId = (found: SpecOutline, id: string): string | undefined =>
  /^Now ((?:N?FR|BR)-\d+)\./.exec(findRemovedItem(found, id)?.text ?? "")?.[1];

export function listDuplicateIds({ items }: SpecOutline): { id: string; line: number }[] {
  const seen = new Set<string>();
  return items.flatMap(({ id, start }) => {
    const isTwice = seen.has(normalizeIdNumber(id));
    seen.add(normalizeIdNumber(id));
    return isTwice ? [{ id, line: start + 1 }] : [];
  });
}

export const hasDuplicateId = ({ items }: SpecOutline, id: string): boolean =>
  items.filter((item) => normalizeIdNumber(item.id) === normalizeIdNumber(id)).length > 1;

export interface WrittenDelta {
  readonly op: DeltaOp;
  readonly id: string;
  readonly to?: string;
  readonly priority?: RequirementPriority;
  /** The new text. For a removed item, the reason. */
  readonly text: string;
}

/** A delta with the text it was written against. Field names match the stored record. */
export interface SpecDelta extends WrittenDelta {
  readonly base: string;
  /** Text in the document at that time. Empty for an added item. */
  readonly was: string;
}

export const serializeDelta = ({ op, id, to, priority, text }: WrittenDelta): string =>
  JSON.stringify([op, id, to ?? "", priority ?? "", text]);

const DELTA_HEADING =
  /^(?:Requirements: )?(added|modified|removed|renamed)(?:\s+(?:(?:business\s+)?rules?|requirements?|constraints?))?:?$/i;
/** `- FR-004 (added): …` */
const STATED_OP = /^\((added|modified|removed|renamed)\)[*_`]{0,3}[ \t]*[:.–—-]?[ \t]*/i;
const PRIORITY_PREFIX = /^\(\s*(must|should|could|won['’]?t)\s*\)[*_`]{0,3}[ \t]*[:.–—-]?[ \t]*[*_`]{0,3}[ \t]*/i;
const RENAME_TARGET = /^(?:→|->|=>|(?:becomes|is now|to)\s)\s*[*_`]{0,3}((?:N?FR|BR)-\d{3,5})[*_`]{0,3}\s*/;

/** Each item begins with its id. `anywhere` reads artifacts in which such a heading may also be about files. */
export function parseSpecDeltas(spec: string, where: "requirements" | "anywhere" = "requirements") {
  const isSpec = where === "requirements";
  const normal = isSpec ? normalizeDeltaForms(spec) : spec;
  const lines = parseProseLines(normal);
  const searched = isSpec ? selectSectionOrAll(lines, "Requirements") : lines;
  const part = new Set(searched.map((line) => line.number - 1));
  const { items: all, headings } = outlineSpecItems(normal);
  const starts = new Set(all.map(({ start }) => start));
  const explained = new Set(all.flatMap(({ id, text }) => (text === "" ? [] : [id])));
  // A numbered list of the order may repeat ids without their text.
  const items = all.filter((item) => item.text !== "" || !/^\d/.test(item.lead) || !explained.has(item.id));
  const sections = headings.flatMap((heading) => {
    const op = DELTA_HEADING.exec(heading.text)?.[1]?.toLowerCase() as DeltaOp | undefined;
    if (!op || !part.has(heading.line - 1)) return [];
    // A requirement may be a heading of the same level.
    const next = headings.find(
      ({ line, level }) => line > heading.line && level <= heading.level && !starts.has(line - 1),
    );
    const [from, to] = [heading.line - 1, (next?.line ?? Number.POSITIVE_INFINITY) - 1];
    const isSection = isSpec || items.some(({ start }) => start > from && start < to);
    return isSection ? [{ op, from, to }] : [];
  });
  const sectionOf = (at: number) => sections.findLast(({ from, to }) => at > from && at < to);
  const parsed = items.flatMap((item) => {
    const section = sectionOf(item.start);
    const stated = isSpec && !section ? STATED_OP.exec(item.text) : undefined;
    if (stated) {
      const op = stated[1]?.toLowerCase() as DeltaOp;
      return [parseDeltaItem(op, { ...item, text: item.text.slice(stated[0].length) })];
    }
    if (!section) return [];
    const above = headings.findLast(({ line }) => line - 1 > section.from && line - 1 < item.start);
    const group = REQUIREMENT_PRIORITIES.find((each) => above && isListHeading(each, above.text));
    return [parseDeltaItem(section.op, item, group)];
  });
  return {
    deltas: parsed.flatMap(({ delta }) => (delta ? [delta] : [])),
    problems: [
      ...parsed.flatMap(({ problems }) => problems),
      ...lines
        .filter(({ number, text }) => sectionOf(number - 1) && /^(?:[-*+]|\d{1,4}[.)])\s+\S/.test(text))
        .filter(({ number, text }) => !starts.has(number - 1) && !isRemark(text) && !isTaskItem(text))
        .filter(({ number }) => !all.some(({ start, end }) => number > start && number <= end))
        .map(({ number }) => ({ problem: "It has no id: start it with one, such as FR-001.", line: number })),
    ],
    loose: isSpec
      ? items.filter(({ start, text }) => part.has(start) && !sectionOf(start) && !STATED_OP.test(text))
      : [],
  };
}

/** "- None.", "- No requirement is removed.", "- Note: FR-001 stays." */
const isRemark = (line: string): boolean =>
  isEmptyListText(line) ||
  /^(?:[-*+]|\d{1,4}[.)])\s+[*_(]*(?:(?:no|none|nothing|neither)\b|(?:note|remark|background|rationale|reason|why|source)s?\b[*_]*:)/i.test(
    line,
  );

const isTaskItem = (line: string): boolean => ITEM_START_PATTERNS.tasks.test(line);

/** Archiving reads only one artifact, and of a spec only the section "Requirements". A repeated delta is fine. */
export function findStrayDeltas(markdown: string, accepted: readonly WrittenDelta[], isOwnArtifact: boolean) {
  const known = new Map(accepted.map((delta) => [`${delta.op} ${delta.id}`, delta]));
  return parseSpecDeltas(markdown, "anywhere").deltas.filter((delta) => {
    const same = known.get(`${delta.op} ${delta.id}`);
    return !same || (!isOwnArtifact && serializeDelta(same) !== serializeDelta(delta));
  });
}

export function parseDeltaItem(
  op: DeltaOp,
  item: OutlineItem,
  group?: RequirementPriority,
): { delta?: WrittenDelta & { line: number }; problems: readonly Problem[] } {
  const { id } = item;
  const line = item.start + 1;
  const problem = (text: string) => ({ problems: [{ problem: text, line }] });
  const target = op === "renamed" ? RENAME_TARGET.exec(item.text) : undefined;
  if (op === "renamed" && !target) return problem(`${id} has no new id: write ${id} → and the id it gets.`);
  const said = target ? item.text.slice(target[0].length) : item.text;
  const stated = PRIORITY_PREFIX.exec(said);
  const to = target?.[1];
  const written = stated?.[1]?.toLowerCase().replace(/['’]/, "") as RequirementPriority | undefined;
  // Only a functional requirement has a priority.
  const isPrioritized = op === "renamed" ? to?.startsWith("FR-") && !id.startsWith("FR-") : id.startsWith("FR-");
  const priority = isPrioritized ? (written ?? (op === "added" ? group : undefined)) : undefined;
  const own = (stated ? said.slice(stated[0].length) : said).trimStart();
  const text = item.kind === "heading" ? flattenHeadings(own) : own;
  if (op === "renamed")
    return {
      delta: { op, id, ...(to ? { to } : {}), ...(priority ? { priority } : {}), text: "", line },
      problems: [],
    };
  if (text.trim() === "") {
    return problem(op === "removed" ? `${id} is removed without a reason: write why.` : `${id} has no text.`);
  }
  return { delta: { op, id, ...(priority && op !== "removed" ? { priority } : {}), text, line }, problems: [] };
}

/** A list item cannot hold headings, such as those of scenarios. */
const flattenHeadings = (text: string): string => text.replaceAll(/^#{1,6}[ \t]+(.+?)(?:[ \t]+#+)?[ \t]*$/gm, "**$1**");

export const listRenameTargets = (spec: string): string[] =>
  /renamed/i.test(spec) ? parseSpecDeltas(spec).deltas.flatMap(({ to }) => to ?? []) : [];
