import type { Problem } from "#kernel/model/verdict.ts";
import { isMatchingHeading } from "#kernel/model/document/markdown-document.ts";

export interface NumberedItem {
  readonly id: string;
  readonly text: string;
}

export interface AssignedIds {
  readonly taken: readonly string[];
  /** Ids that need no list item: removed, or added by an open change. */
  readonly removed: readonly string[];
}

const ITEM_START_PATTERN = /^(?:[-*+]|\d{1,4}[.)])\s+(?:\[[ xX]\]\s+)?(.*)$/s;
/** An id with its emphasis and separator. Emphasis inside the text is left alone. */
const ITEM_ID_PATTERN =
  /^([*_`]{0,3})((?:N?FR|BR)-\d{3,5})(?![A-Za-z0-9]|-[A-Za-z0-9])(?:\1[ \t]{0,4}[:.–—-]?|[ \t]{0,4}[:.–—-]\1|)(.*)$/s;

/** Items begin at the margin. A text without list markers has one item per line. */
export function splitListItems(list: string): { id?: string; text: string }[] {
  const items: { id?: string; lines: string[] }[] = [];
  const isMarked = list.split(/\r?\n/).some((line) => ITEM_START_PATTERN.test(line));
  for (const line of list.trim().split(/\r?\n/)) {
    const marked = ITEM_START_PATTERN.exec(line)?.[1];
    const begins = marked !== undefined || (!isMarked && line.trim() !== "" && !/^\s/.test(line));
    if (!begins) {
      items.at(-1)?.lines.push(line.trimEnd());
      continue;
    }
    const said = (marked ?? line).trim();
    const [, , id, rest] = ITEM_ID_PATTERN.exec(said) ?? [];
    items.push(id === undefined ? { lines: [said] } : { id, lines: [(rest ?? "").trim()] });
  }
  return items.map(({ id, lines }) => ({ ...(id === undefined ? {} : { id }), text: lines.join("\n").trimEnd() }));
}

type IdNumbering = (text: string) => string;

/** Reuses the id of an identical text, else takes the number after the highest ever assigned. */
export function createIdNumbering(
  prefix: string,
  known: ReadonlyMap<string, string>,
  taken: Iterable<string>,
): IdNumbering {
  let last = 0;
  for (const id of [...taken, ...known.values()])
    if (id.startsWith(`${prefix}-`)) last = Math.max(last, Number(id.split("-")[1]));
  return (text) => known.get(normalizeItemText(text)) ?? `${prefix}-${String(++last).padStart(3, "0")}`;
}

export const EMPTY_LIST_TEXT = "None.";
export const isEmptyListText = (list: string): boolean => /^(?:[-*+]\s+)?(?:none|nothing|n\/a)\.?$/i.test(list.trim());

export function numberListItems(list: string | undefined, chooseId: IdNumbering): NumberedItem[] {
  if (list === undefined || list.trim() === "" || isEmptyListText(list)) return [];
  return splitListItems(list).map(({ id, text }) => ({ id: id ?? chooseId(text), text }));
}

export const renderNumberedItems = (items: readonly NumberedItem[]): string =>
  items.length === 0 ? EMPTY_LIST_TEXT : items.map(({ id, text }) => `- **${id}**: ${text}`).join("\n");

export function normalizeItemText(text: string): string {
  const words = text.toLowerCase().replace(/[*_`]/g, "").replace(/\s+/g, " ");
  let end = words.length;
  while (end > 0 && ".; ".includes(words[end - 1] ?? "")) end--;
  return words.slice(0, end).trim();
}

/** Empty texts, ids of another family and numbers that are too long. The document check reports duplicates. */
export const findItemProblems = (items: readonly NumberedItem[], prefix: string, where: string): Problem[] =>
  items.flatMap(({ id, text }): Problem[] => [
    ...(text.trim() === "" ? [{ problem: `${id} has no text.` }] : []),
    ...(id.startsWith(`${prefix}-`)
      ? []
      : [{ problem: `${id} does not belong in ${where}: ids there begin with ${prefix}-.` }]),
    ...(/-\d{3,5}$/.test(id) ? [] : [{ problem: `${id} has too many digits: use a lower number.` }]),
  ]);

const REQUIREMENT_LIST_NAMES = ["must", "should", "could", "wont", "qualities", "constraints", "removed"] as const;
export type RequirementListName = (typeof REQUIREMENT_LIST_NAMES)[number];

export const REQUIREMENT_LIST_HEADINGS = {
  must: "Must have",
  should: "Should have",
  could: "Could have",
  wont: "Won't have",
  qualities: "Non-functional requirements",
  constraints: "Constraints",
  removed: "Removed",
} as const satisfies Readonly<Record<RequirementListName, string>>;

const ALTERNATIVE_LIST_HEADINGS: Readonly<Partial<Record<RequirementListName, readonly string[]>>> = {
  must: ["Must haves"],
  should: ["Should haves"],
  could: ["Could haves"],
  wont: ["Won't haves"],
  qualities: ["Non-functional", "Nonfunctional", "Quality", "Qualities"],
  constraints: ["Constraint"],
};

export const isListHeading = (place: RequirementListName, text: string): boolean =>
  [REQUIREMENT_LIST_HEADINGS[place], ...(ALTERNATIVE_LIST_HEADINGS[place] ?? [])].some((name) =>
    isMatchingHeading(text, name),
  );

export const findListForHeading = (text: string): RequirementListName | undefined =>
  REQUIREMENT_LIST_NAMES.find((place) => isListHeading(place, text));

export const listsAfter = (place: RequirementListName): readonly RequirementListName[] =>
  REQUIREMENT_LIST_NAMES.slice(REQUIREMENT_LIST_NAMES.indexOf(place) + 1);
