import { PRIORITIES, type Priority } from "../spec/vocabulary.ts";
import { type Heading, headings, proseLines } from "../document/prose.ts";
import { linesFrom, linesOutside } from "../document/section.ts";
import type { Problem } from "../gate/verdict.ts";
import {
  type Given,
  type Item,
  itemProblems,
  numbered,
  Numbering,
  renderItems,
  sameText,
  splitItems,
} from "./items.ts";
import { HEADINGS, isNamedFor } from "./place.ts";

export interface Requirement extends Item {
  /** Absent for non-functional requirements. */
  readonly priority?: Priority;
}

export interface Lists {
  readonly must: string;
  readonly should: string;
  readonly could?: string | undefined;
  readonly wont?: string | undefined;
  readonly qualities: string;
}

/** Ids under these headings are mentions, not definitions. */
const BESIDE = ["Constraints", "Assumptions", "Dependencies", HEADINGS.removed];

export function parseRequirements(markdown: string): Requirement[] {
  const lines = linesOutside(proseLines(markdown), BESIDE);
  const parts = headings(lines);
  const above: { level: number; priority: Priority | undefined }[] = [];
  const bodies = linesFrom(
    lines,
    parts.map(({ line }) => line),
  );
  return parts.flatMap((heading, i) => {
    const body = (bodies[i] ?? []).slice(1).map(({ text }) => text);
    while ((above.at(-1)?.level ?? 0) >= heading.level) above.pop();
    // A heading without a priority inherits the one above it.
    const priority = priorityOf(heading) ?? above.at(-1)?.priority;
    above.push({ level: heading.level, priority });
    return splitItems(body.join("\n")).flatMap(({ id, text }) =>
      id === undefined || id.startsWith("BR-") ? [] : [{ id, text, ...(priority ? { priority } : {}) }],
    );
  });
}

function priorityOf({ text }: Heading): Priority | undefined {
  return PRIORITIES.find((priority) => isNamedFor(priority, text));
}

export interface Numbered {
  readonly requirements: readonly Requirement[];
  readonly texts: Readonly<Record<Priority | "qualities", string>>;
  readonly problems: readonly Problem[];
}

/**
 * Every requirement keeps its id forever. Reports ids in `taken` that are missing, and texts of `before` that got a
 * different id.
 */
export function numberRequirements(lists: Lists, before: string | undefined, { taken, removed }: Given): Numbered {
  const old = before === undefined ? [] : parseRequirements(before);
  const known = new Map(old.map(({ id, text }) => [sameText(text), id]));
  const given = Object.values(lists).flatMap((list) => splitItems(list ?? "").flatMap(({ id }) => id ?? []));
  const functional = new Numbering("FR", known, [...taken, ...removed, ...given]);
  const quality = new Numbering("NFR", known, [...taken, ...removed, ...given]);
  const of = (list: string | undefined, priority: Priority): Requirement[] =>
    numbered(list, functional).map((item) => ({ ...item, priority }));
  const groups = {
    must: of(lists.must, "must"),
    should: of(lists.should, "should"),
    could: of(lists.could, "could"),
    wont: of(lists.wont, "wont"),
  };
  const qualities = numbered(lists.qualities, quality);
  const requirements = [...Object.values(groups).flat(), ...qualities];
  return {
    requirements,
    texts: {
      must: renderItems(groups.must),
      should: renderItems(groups.should),
      could: groups.could.length > 0 ? renderItems(groups.could) : "",
      wont: groups.wont.length > 0 ? renderItems(groups.wont) : "",
      qualities: renderItems(qualities),
    },
    problems: [
      ...itemProblems(Object.values(groups).flat(), "FR", "the functional requirements"),
      ...itemProblems(qualities, "NFR", "the non-functional requirements"),
      ...lost(
        requirements,
        taken.filter((id) => !id.startsWith("BR-") && !removed.includes(id)),
      ),
      ...renumbered(requirements, old),
    ],
  };
}

function lost(requirements: readonly Requirement[], taken: readonly string[]): Problem[] {
  const present = new Set(requirements.map(({ id }) => id));
  return taken
    .filter((id) => !present.has(id))
    .map((id) => ({ problem: `${id} is gone: keep it, or put it under wont_have if it is no longer wanted.` }));
}

function renumbered(requirements: readonly Requirement[], old: readonly Requirement[]): Problem[] {
  const before = Map.groupBy(old, ({ text }) => sameText(text));
  return requirements.flatMap(({ id, text }) => {
    const was = before.get(sameText(text)) ?? [];
    return was.length === 0 || was.some((requirement) => requirement.id === id)
      ? []
      : [{ problem: `${id} says what ${was[0]?.id} said: ids are never renumbered.` }];
  });
}
