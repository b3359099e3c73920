import { parseProseLines } from "../document/prose.ts";
import { selectSectionOrAll } from "../document/section.ts";
import type { Problem } from "../gate/verdict.ts";
import { type DeltaOp, type RequirementPriority } from "./vocabulary.ts";
import { outlineSpecItems, type OutlineItem } from "./outline.ts";

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

export interface ParsedDeltas {
  readonly deltas: readonly (WrittenDelta & { readonly line: number })[];
  readonly problems: readonly Problem[];
  readonly loose: readonly OutlineItem[];
}

const DELTA_HEADING =
  /^(added|modified|removed|renamed)(?:\s+(?:(?:business\s+)?rules?|requirements?|constraints?))?:?$/i;
const PRIORITY_PREFIX = /^\(\s*(must|should|could|won['’]?t)\s*\)[*_`]{0,3}[ \t]*[:.–—-]?[ \t]*[*_`]{0,3}[ \t]*/i;
const RENAME_TARGET = /^(?:→|->|=>)\s*[*_`]{0,3}((?:N?FR|BR)-\d{3,5})[*_`]{0,3}\s*/;

/** Reads the items under ADDED, MODIFIED, REMOVED and RENAMED. Each item begins with its id. */
export function parseSpecDeltas(spec: string): ParsedDeltas {
  const lines = parseProseLines(spec);
  const part = new Set(selectSectionOrAll(lines, "Requirements").map((line) => line.number - 1));
  const { items, headings } = outlineSpecItems(spec);
  const starts = new Set(items.map(({ start }) => start));
  const sections = headings.flatMap((heading) => {
    const op = DELTA_HEADING.exec(heading.text)?.[1]?.toLowerCase() as DeltaOp | undefined;
    if (!op || !part.has(heading.line - 1)) return [];
    const next = headings.find((other) => other.line > heading.line && other.level <= heading.level);
    return [{ op, from: heading.line - 1, to: (next?.line ?? Number.POSITIVE_INFINITY) - 1 }];
  });
  const sectionOf = (at: number) => sections.findLast(({ from, to }) => at > from && at < to);
  const parsed = items.flatMap((item) => {
    const section = sectionOf(item.start);
    return section ? [parseDeltaItem(section.op, item)] : [];
  });
  return {
    deltas: parsed.flatMap(({ delta }) => (delta ? [delta] : [])),
    problems: [
      ...parsed.flatMap(({ problems }) => problems),
      ...lines
        .filter(({ number, text }) => sectionOf(number - 1) && /^(?:[-*+]|\d{1,4}[.)])\s+\S/.test(text))
        .filter(({ number }) => !starts.has(number - 1))
        .map(({ number }) => ({ problem: "It has no id: begin it with one, as FR-001.", line: number })),
    ],
    loose: items.filter(({ start }) => part.has(start) && !sectionOf(start)),
  };
}

function parseDeltaItem(
  op: DeltaOp,
  item: OutlineItem,
): { delta?: WrittenDelta & { line: number }; problems: readonly Problem[] } {
  const { id } = item;
  const line = item.start + 1;
  const problem = (text: string) => ({ problems: [{ problem: text, line }] });
  const target = op === "renamed" ? RENAME_TARGET.exec(item.text) : undefined;
  if (op === "renamed" && !target) return problem(`${id} has no new id: write ${id} → and the id it gets.`);
  const said = target ? item.text.slice(target[0].length) : item.text;
  const stated = PRIORITY_PREFIX.exec(said);
  const priority = stated?.[1]?.toLowerCase().replace(/['’]/, "") as RequirementPriority | undefined;
  const to = target?.[1];
  if (priority && !(op === "added" && id.startsWith("FR-")) && !(to?.startsWith("FR-") && !id.startsWith("FR-"))) {
    return problem(`${id} has a priority, which only a functional requirement gets when it is added.`);
  }
  const text = stated ? said.slice(stated[0].length) : said;
  if (op === "renamed")
    return {
      delta: { op, id, ...(to ? { to } : {}), ...(priority ? { priority } : {}), text: "", line },
      problems: [],
    };
  if (text.trim() === "") {
    return problem(op === "removed" ? `${id} is removed without a reason: say why.` : `${id} says nothing.`);
  }
  return { delta: { op, id, ...(priority ? { priority } : {}), text, line }, problems: [] };
}

export const listRenameTargets = (spec: string): string[] =>
  /renamed/i.test(spec) ? parseSpecDeltas(spec).deltas.flatMap(({ to }) => to ?? []) : [];
