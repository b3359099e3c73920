import { headings, proseLines } from "../document/prose.ts";
import { mentions, nearMisses } from "../document/reference.ts";
import type { Problem } from "../gate/verdict.ts";
import { constraintProblems, constraintsIn } from "../project/business-rules.ts";
import { parseComponents } from "../project/components.ts";
import { type Item, itemProblems, splitItems } from "../project/items.ts";
import { parseRequirements } from "../project/requirements.ts";
import { quote } from "../quote.ts";
import type { Drafts } from "./drafts.ts";

/** What stands in the way of documents that somebody else worded; all of it at once. `present` are the requirements that will hold. */
export function problemsOf(given: Partial<Drafts>, present: string): Problem[] {
  return [
    ...(given.requirements === undefined ? [] : inRequirements(given.requirements)),
    ...(given.business_rules === undefined ? [] : inRules(given.business_rules)),
    ...(given.design === undefined ? [] : inDesign(given.design, present)),
  ];
}

function inRequirements(text: string): Problem[] {
  const all = parseRequirements(text);
  const functional = all.filter(({ priority }) => priority !== undefined);
  const rest = all.filter(({ priority }) => priority === undefined);
  const twice = all.map(({ id }) => id).filter((id, i, ids) => ids.indexOf(id) !== i);
  return [
    ...(all.length === 0
      ? [{ problem: "The requirements define none: a line such as - **FR-001**: … under ### Must have does." }]
      : []),
    ...[...new Set(twice)].map((id) => ({ problem: `${id} is given twice in the requirements.` })),
    ...itemProblems(unique(functional), "FR", "the functional requirements"),
    ...itemProblems(unique(rest), "NFR", "the non-functional requirements"),
    ...bare(text, /^(?:must|should|could|won[’']t) have|^non-functional/i, "requirement"),
    ...misses(text),
  ];
}

function inRules(text: string): Problem[] {
  const items = constraintsIn(text);
  const ids = items.map(({ id }) => id);
  const twice = ids.filter((id, i) => ids.indexOf(id) !== i);
  return [
    ...[...new Set(twice)].map((id) => ({ problem: `${id} is given twice in the constraints.` })),
    ...itemProblems(items, "BR", "the constraints"),
    ...constraintProblems(items),
    ...bare(text, /^constraints/i, "constraint"),
    ...misses(text),
  ];
}

function inDesign(text: string, present: string): Problem[] {
  const known = new Set(parseRequirements(present).map(({ id }) => id));
  const said = [...new Set(mentions(proseLines(text), "requirement").map(({ id }) => id))];
  return [
    ...(parseComponents(text).length === 0
      ? [{ problem: "The design names no component: a heading such as ### Orders under ## Components does." }]
      : []),
    ...said
      .filter((id) => !known.has(id))
      .map((id) => ({ problem: `The design names ${id}, which no requirement has.` })),
  ];
}

/** The texts under the headings of that name. */
function sectionsOf(text: string, name: RegExp): string[] {
  const lines = proseLines(text);
  const parts = headings(lines);
  return parts.flatMap((heading, i) => {
    if (!name.test(heading.text)) return [];
    const end = parts[i + 1]?.line ?? Number.POSITIVE_INFINITY;
    return [
      lines
        .filter(({ number }) => number > heading.line && number < end)
        .map((line) => line.text)
        .join("\n"),
    ];
  });
}

/** Items of a list that should have ids. */
const bare = (text: string, name: RegExp, what: string): Problem[] =>
  sectionsOf(text, name).flatMap((body) =>
    /^(?:[-*+]|\d+[.)])\s/m.test(body)
      ? splitItems(body)
          .filter(({ id }) => id === undefined)
          .map((item) => ({ problem: `A ${what} has no id: ${quote(item.text.split("\n", 1)[0] ?? "", 80)}.` }))
      : [],
  );

const misses = (text: string): Problem[] =>
  nearMisses(proseLines(text)).map(({ id, line }) => ({
    problem: `${id} in line ${line} has too few digits for an id.`,
  }));

const unique = (items: readonly Item[]): Item[] => [...new Map(items.map((item) => [item.id, item])).values()];
