import { REQUIREMENT_PRIORITIES, type RequirementPriority } from "../spec/vocabulary.ts";
import { type MarkdownHeading, parseHeadings, parseProseLines } from "../document/prose.ts";
import { groupLinesByStart, excludeSections } from "../document/section.ts";
import type { Problem } from "../gate/verdict.ts";
import {
  type AssignedIds,
  type NumberedItem,
  findItemProblems,
  numberListItems,
  IdNumbering,
  renderNumberedItems,
  normalizeItemText,
  splitListItems,
} from "./items.ts";
import { REQUIREMENT_LIST_HEADINGS, isListHeading } from "./place.ts";

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
