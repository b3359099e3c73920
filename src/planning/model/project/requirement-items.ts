import { REQUIREMENT_PRIORITIES, type RequirementPriority } from "../living-spec/delta-vocabulary.ts";
import {
  parseHeadings,
  parseProseLines,
  groupLinesByStart,
  excludeSections,
  findSectionLines,
} from "#kernel/model/document/markdown-document.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import {
  type AssignedIds,
  type NumberedItem,
  findItemProblems,
  numberListItems,
  createIdNumbering,
  renderNumberedItems,
  normalizeItemText,
  splitListItems,
  REQUIREMENT_LIST_HEADINGS,
  isListHeading,
} from "./requirement-lists.ts";
import { quote } from "#kernel/model/text-format.ts";

export interface PrioritizedRequirement extends NumberedItem {
  /** Absent for non-functional requirements. */
  readonly priority?: RequirementPriority;
}

export interface RequirementLists {
  readonly must: string;
  readonly should: string;
  readonly could?: string | undefined;
  readonly wont?: string | undefined;
  readonly qualities: string;
}

/** Ids under these headings are mentions, not definitions. */
const NON_DEFINING_HEADINGS = ["Constraints", "Assumptions", "Dependencies", REQUIREMENT_LIST_HEADINGS.removed];

export function parseRequirementItems(markdown: string): PrioritizedRequirement[] {
  const lines = excludeSections(parseProseLines(markdown), NON_DEFINING_HEADINGS);
  const parts = parseHeadings(lines);
  const above: { level: number; priority: RequirementPriority | undefined }[] = [];
  const bodies = groupLinesByStart(
    lines,
    parts.map(({ line }) => line),
  );
  return parts.flatMap((heading, i) => {
    const body = (bodies[i] ?? []).slice(1).map(({ text }) => text);
    while ((above.at(-1)?.level ?? 0) >= heading.level) above.pop();
    // A heading without a priority inherits the one above it.
    const own = REQUIREMENT_PRIORITIES.find((each) => isListHeading(each, heading.text));
    const priority = own ?? above.at(-1)?.priority;
    above.push({ level: heading.level, priority });
    return splitListItems(body.join("\n")).flatMap(({ id, text }) =>
      id === undefined || id.startsWith("BR-") ? [] : [{ id, text, ...(priority ? { priority } : {}) }],
    );
  });
}

/** Old texts keep their ids. New ones get numbers that were never given, neither before nor in `lists`. */
function prepareNumbering(
  lists: readonly (string | undefined)[],
  old: readonly NumberedItem[],
  { taken, removed }: AssignedIds,
) {
  const known = new Map(old.map(({ id, text }) => [normalizeItemText(text), id]));
  const given = lists.flatMap((list) => splitListItems(list ?? "").flatMap(({ id }) => id ?? []));
  return (prefix: string) => createIdNumbering(prefix, known, [...taken, ...removed, ...given]);
}

/** Reports ids of the wanted families that no item has any more. */
function findLostItems(
  items: readonly NumberedItem[],
  { taken, removed }: AssignedIds,
  isRule: boolean,
  advice: string,
): Problem[] {
  const present = new Set([...items.map(({ id }) => id), ...removed]);
  return taken
    .filter((id) => id.startsWith("BR-") === isRule && !present.has(id))
    .map((id) => ({ problem: `${id} is missing: keep it, ${advice}.` }));
}

/** Every requirement keeps its id forever. Reports missing ids of `taken`, and texts of `before` with a new id. */
export function assignRequirementIds(lists: RequirementLists, before: string | undefined, ids: AssignedIds) {
  const old = parseRequirementItems(before ?? "");
  const createNumbering = prepareNumbering(Object.values(lists), old, ids);
  const chooseId = createNumbering("FR");
  const number = (priority: RequirementPriority) =>
    numberListItems(lists[priority], chooseId).map((item) => ({ ...item, priority }));
  const [must, should, could, wont] = [number("must"), number("should"), number("could"), number("wont")];
  const functional = [...must, ...should, ...could, ...wont];
  const qualities = numberListItems(lists.qualities, createNumbering("NFR"));
  const requirements: PrioritizedRequirement[] = [...functional, ...qualities];
  const earlier = Map.groupBy(old, ({ text }) => normalizeItemText(text));
  return {
    requirements,
    texts: {
      must: renderNumberedItems(must),
      should: renderNumberedItems(should),
      could: could.length > 0 ? renderNumberedItems(could) : "",
      wont: wont.length > 0 ? renderNumberedItems(wont) : "",
      qualities: renderNumberedItems(qualities),
    },
    problems: [
      // A quality that is no longer wanted keeps its id in `wont_have`.
      ...findItemProblems(
        functional.filter(({ id, priority }) => priority !== "wont" || !id.startsWith("NFR-")),
        "FR",
        "the functional requirements",
      ),
      ...findItemProblems(qualities, "NFR", "the non-functional requirements"),
      ...findLostItems(requirements, ids, false, "or put it under wont_have if it is no longer wanted"),
      ...requirements.flatMap(({ id, text }) => {
        const was = earlier.get(normalizeItemText(text)) ?? [];
        if (was.length === 0 || was.some((requirement) => requirement.id === id)) return [];
        return [{ problem: `${id} has the text of ${was[0]?.id}: never renumber ids.` }];
      }),
    ],
  };
}

export interface BusinessConstraint extends NumberedItem {
  readonly when: string;
  readonly imposes: string;
  readonly otherwise?: string;
}

export function parseConstraintItems(markdown: string): NumberedItem[] {
  const section = findSectionLines(parseProseLines(markdown), REQUIREMENT_LIST_HEADINGS.constraints) ?? [];
  return splitListItems(section.map(({ text }) => text).join("\n")).flatMap(({ id, text }) =>
    id?.startsWith("BR-") ? [{ id, text }] : [],
  );
}

export const parseBusinessConstraints = (markdown: string): BusinessConstraint[] =>
  parseConstraintItems(markdown).flatMap((item) => {
    const parts = parseConstraintParts(item.text);
    return parts ? [{ ...item, ...parts }] : [];
  });

export const findConstraintProblems = (items: readonly NumberedItem[]): Problem[] =>
  items
    .filter(({ text }) => text.trim() !== "" && !parseConstraintParts(text))
    .map(({ id, text }) => ({
      problem: `${id} is not in the form "When … Then … [Otherwise …]": ${quote(text.split("\n", 1)[0] ?? "", 80)}.`,
    }));

/** Linear in the length of the text: each keyword is searched after the previous one. */
function parseConstraintParts(text: string): Omit<BusinessConstraint, keyof NumberedItem> | undefined {
  const bare = text.replace(/[*_`]/g, "").trim();
  const opening = /^\W{0,4}when\b/i.exec(bare);
  const then = /\bthen\b/i.exec(bare);
  if (!opening || !then) return undefined;
  const tail = bare.slice(then.index + then[0].length);
  const or = /\botherwise\b/i.exec(tail);
  const when = trimClauseSeparators(bare.slice(opening[0].length, then.index));
  const imposes = trimClauseSeparators(or ? tail.slice(0, or.index) : tail);
  const otherwise = or ? trimClauseSeparators(tail.slice(or.index + or[0].length)) : "";
  if (when === "" || imposes === "" || (or && otherwise === "")) return undefined;
  return { when, imposes, ...(otherwise === "" ? {} : { otherwise }) };
}

const CLAUSE_SEPARATORS = new Set(" ,;:.\n\r\t");

function trimClauseSeparators(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && CLAUSE_SEPARATORS.has(text[from] ?? "")) from++;
  while (to > from && CLAUSE_SEPARATORS.has(text[to - 1] ?? "")) to--;
  return text.slice(from, to);
}

export function assignConstraintIds(list: string, before: string | undefined, ids: AssignedIds) {
  const items = numberListItems(list, prepareNumbering([list], parseConstraintItems(before ?? ""), ids)("BR"));
  return {
    items,
    problems: [
      ...findItemProblems(items, "BR", "the constraints"),
      ...findLostItems(items, ids, true, "and state in it that it no longer applies"),
    ],
  };
}

export function listDefinedTerms(markdown: string): string[] {
  const lines = parseProseLines(markdown);
  const sections = ["Definitions", "Glossary"].flatMap((name) => findSectionLines(lines, name) ?? []);
  return parseTermDefinitions(sections.map(({ text }) => text).join("\n"));
}

/** Reads lines such as `- **Customer**: a person who…`. */
export const parseTermDefinitions = (list: string): string[] =>
  list.split(/\r?\n/).flatMap((line) => {
    const match =
      /^\s*(?:[-*+]\s+|\d{1,4}[.)]\s+|\|\s*)?(?:[*_`"]{1,3}([^*_`":|]{2,60})[*_`"]{1,3}|([\p{Lu}][\p{L}\p{N} /-]{1,58}?))\s*(?::|—|–|\||\bmeans\b|\bis\b)/u.exec(
        line,
      );
    const term = (match?.[1] ?? match?.[2])?.trim();
    return term ? [term] : [];
  });
