import { REQUIREMENT_PRIORITIES, type RequirementPriority } from "../living-spec/delta-vocabulary.ts";
import {
  type MarkdownHeading,
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
  IdNumbering,
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
    const priority = findHeadingPriority(heading) ?? above.at(-1)?.priority;
    above.push({ level: heading.level, priority });
    return splitListItems(body.join("\n")).flatMap(({ id, text }) =>
      id === undefined || id.startsWith("BR-") ? [] : [{ id, text, ...(priority ? { priority } : {}) }],
    );
  });
}

function findHeadingPriority({ text }: MarkdownHeading): RequirementPriority | undefined {
  return REQUIREMENT_PRIORITIES.find((priority) => isListHeading(priority, text));
}

export interface NumberedRequirements {
  readonly requirements: readonly PrioritizedRequirement[];
  readonly texts: Readonly<Record<RequirementPriority | "qualities", string>>;
  readonly problems: readonly Problem[];
}

/**
 * Every requirement keeps its id forever. Reports ids in `taken` that are missing, and texts of `before` that got a
 * different id.
 */
export function assignRequirementIds(
  lists: RequirementLists,
  before: string | undefined,
  { taken, removed }: AssignedIds,
): NumberedRequirements {
  const old = before === undefined ? [] : parseRequirementItems(before);
  const known = new Map(old.map(({ id, text }) => [normalizeItemText(text), id]));
  const given = Object.values(lists).flatMap((list) => splitListItems(list ?? "").flatMap(({ id }) => id ?? []));
  const functional = new IdNumbering("FR", known, [...taken, ...removed, ...given]);
  const quality = new IdNumbering("NFR", known, [...taken, ...removed, ...given]);
  const of = (list: string | undefined, priority: RequirementPriority): PrioritizedRequirement[] =>
    numberListItems(list, functional).map((item) => ({ ...item, priority }));
  const groups = {
    must: of(lists.must, "must"),
    should: of(lists.should, "should"),
    could: of(lists.could, "could"),
    wont: of(lists.wont, "wont"),
  };
  const qualities = numberListItems(lists.qualities, quality);
  const requirements = [...Object.values(groups).flat(), ...qualities];
  return {
    requirements,
    texts: {
      must: renderNumberedItems(groups.must),
      should: renderNumberedItems(groups.should),
      could: groups.could.length > 0 ? renderNumberedItems(groups.could) : "",
      wont: groups.wont.length > 0 ? renderNumberedItems(groups.wont) : "",
      qualities: renderNumberedItems(qualities),
    },
    problems: [
      ...findItemProblems(Object.values(groups).flat(), "FR", "the functional requirements"),
      ...findItemProblems(qualities, "NFR", "the non-functional requirements"),
      ...findLostRequirements(
        requirements,
        taken.filter((id) => !id.startsWith("BR-") && !removed.includes(id)),
      ),
      ...findRenumberedRequirements(requirements, old),
    ],
  };
}

function findLostRequirements(requirements: readonly PrioritizedRequirement[], taken: readonly string[]): Problem[] {
  const present = new Set(requirements.map(({ id }) => id));
  return taken
    .filter((id) => !present.has(id))
    .map((id) => ({ problem: `${id} is gone: keep it, or put it under wont_have if it is no longer wanted.` }));
}

function findRenumberedRequirements(
  requirements: readonly PrioritizedRequirement[],
  old: readonly PrioritizedRequirement[],
): Problem[] {
  const before = Map.groupBy(old, ({ text }) => normalizeItemText(text));
  return requirements.flatMap(({ id, text }) => {
    const was = before.get(normalizeItemText(text)) ?? [];
    return was.length === 0 || was.some((requirement) => requirement.id === id)
      ? []
      : [{ problem: `${id} says what ${was[0]?.id} said: ids are never renumbered.` }];
  });
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

export const listConstraintIds = (markdown: string): string[] => parseConstraintItems(markdown).map(({ id }) => id);

export function parseBusinessConstraints(markdown: string): BusinessConstraint[] {
  return parseConstraintItems(markdown).flatMap((item) => {
    const parts = parseConstraintParts(item.text);
    return parts ? [{ ...item, ...parts }] : [];
  });
}

export function findConstraintProblems(items: readonly NumberedItem[]): Problem[] {
  return items
    .filter(({ text }) => text.trim() !== "" && !parseConstraintParts(text))
    .map(({ id, text }) => ({
      problem: `${id} is not in the form "When … Then … [Otherwise …]": ${quote(text.split("\n", 1)[0] ?? "", 80)}.`,
    }));
}

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

export function assignConstraintIds(
  list: string,
  before: string | undefined,
  { taken, removed }: AssignedIds,
): { items: NumberedItem[]; problems: Problem[] } {
  const old = parseConstraintItems(before ?? "");
  const known = new Map(old.map(({ id, text }): [string, string] => [normalizeItemText(text), id]));
  const given = splitListItems(list).flatMap(({ id }) => id ?? []);
  const items = numberListItems(list, new IdNumbering("BR", known, [...taken, ...removed, ...given]));
  const present = new Set(items.map(({ id }) => id));
  return {
    items,
    problems: [
      ...findItemProblems(items, "BR", "the constraints"),
      ...taken
        .filter((id) => id.startsWith("BR-") && !present.has(id) && !removed.includes(id))
        .map((id) => ({ problem: `${id} is gone: keep it, and say in it that it no longer holds.` })),
    ],
  };
}

export function listDefinedTerms(markdown: string): string[] {
  const lines = parseProseLines(markdown);
  const sections = ["Definitions", "Glossary"].flatMap((name) => findSectionLines(lines, name) ?? []);
  return parseTermDefinitions(sections.map(({ text }) => text).join("\n"));
}

/** Reads lines such as `- **Customer**: a person who…`. */
export function parseTermDefinitions(list: string): string[] {
  return list.split(/\r?\n/).flatMap((line) => {
    const match =
      /^\s*(?:[-*+]\s+|\d{1,4}[.)]\s+|\|\s*)?(?:[*_`"]{1,3}([^*_`":|]{2,60})[*_`"]{1,3}|([\p{Lu}][\p{L}\p{N} /-]{1,58}?))\s*(?::|—|–|\||\bmeans\b|\bis\b)/u.exec(
        line,
      );
    const term = (match?.[1] ?? match?.[2])?.trim();
    return term ? [term] : [];
  });
}
