import { misspelledIds, NOUNS } from "../document/phantom.ts";
import { type Line, proseLines } from "../document/prose.ts";
import { definitions, type Family, mentions } from "../document/reference.ts";
import { plain } from "../quote.ts";
import { type Fact, LONGEST_FACT, MOST_FACTS, SEVERITIES, type Severity } from "./fact.ts";
import { glossaryOf, termsUsed, unexplained } from "./glossary.ts";
import { type Document, isRemoved, type Piece, saidBy } from "./piece.ts";

export interface Material {
  readonly said: readonly Document[];
  readonly pieces: readonly Piece[];
  readonly rules?: Document | undefined;
  readonly tasks: readonly string[];
  readonly spec?: string | undefined;
  readonly adrs: readonly string[];
  readonly others: readonly { readonly id: string; readonly texts: readonly string[] }[];
  readonly likely: readonly string[];
}

type Unnumbered = Omit<Fact, "id">;

const FAMILIES = Object.keys(NOUNS) as Family[];
/** Families whose ids mean the same in every change. */
const SHARED: readonly Family[] = ["requirement", "rule"];

interface Named {
  readonly id: string;
  readonly family: Family;
  readonly where: string;
}

export function structuralFacts(material: Material): Fact[] {
  const named = namedIn(material.said);
  const all: Unnumbered[] = [
    // Conflicts with other changes come first, so that a long list of unknown ids does not crowd them out.
    ...shared(named, material),
    ...missing(named, material),
    ...misspelled(material.said),
    ...overlapping(named, material),
    ...newTerms(material),
    ...requirements(named, material),
  ];
  const kept = SEVERITIES.flatMap((severity) => capped(all, severity));
  return kept.map(({ severity, fact }, i) => ({ id: `CF-${i + 1}`, severity, fact: plain(fact, LONGEST_FACT) }));
}

function capped(all: readonly Unnumbered[], severity: Severity): Unnumbered[] {
  const own = all.filter((fact) => fact.severity === severity);
  if (own.length <= MOST_FACTS) return own;
  const shown = own.slice(0, MOST_FACTS - 1);
  return [...shown, { severity, fact: `${own.length - shown.length} more of this kind are not listed.` }];
}

function namedIn(said: readonly Document[]): Named[] {
  const found = new Map<string, Named>();
  for (const { path, text } of said) {
    const lines = proseLines(text);
    for (const family of FAMILIES) {
      for (const { id } of mentions(lines, family)) if (!found.has(id)) found.set(id, { id, family, where: path });
    }
  }
  return [...found.values()];
}

function missing(named: readonly Named[], { pieces, tasks, spec, adrs }: Material): Unnumbered[] {
  const removed = new Map(pieces.flatMap((piece) => (piece.id && isRemoved(piece) ? [[piece.id, piece]] : [])));
  const items = pieces.flatMap((piece) => (piece.id && !isRemoved(piece) ? [piece.id] : []));
  const own = spec === undefined ? [] : SHARED.flatMap((family) => idsDefined(proseLines(spec), family));
  const known = new Set([...items, ...own, ...adrs, ...tasks.flatMap((text) => idsDefined(proseLines(text), "task"))]);
  return named
    .filter(({ id }) => !known.has(id))
    .map(({ id, family, where }) => {
      const left = removed.get(id);
      const fact =
        left === undefined
          ? `${where} names ${id}, which does not exist: no ${NOUNS[family]} has that id.`
          : `${where} names ${id}, which ${whatBecame(left)}`;
      return { severity: "critical", fact };
    });
}

/** A removed item's text may name its successor. */
function whatBecame(left: Piece): string {
  const [, to] = /^Now ((?:N?FR|BR)-\d+)\b/.exec(saidBy(left)) ?? [];
  return to === undefined ? `${left.path} has removed.` : `is now ${to}.`;
}

const idsDefined = (lines: readonly Line[], family: Family): string[] => definitions(lines, family).map(({ id }) => id);

function shared(named: readonly Named[], { others }: Material): Unnumbered[] {
  const ids = new Set(named.filter(({ family }) => SHARED.includes(family)).map(({ id }) => id));
  return others.flatMap(({ id, texts }) =>
    sharedIds(texts)
      .filter((each) => ids.has(each))
      .map((each): Unnumbered => ({ severity: "critical", fact: `The open change ${id} names ${each} too.` })),
  );
}

function overlapping(named: readonly Named[], { others, likely }: Material): Unnumbered[] {
  const own = new Set(named.map(({ id }) => id));
  const ids = new Set(likely.filter((id) => !own.has(id)));
  return others.flatMap(({ id, texts }) =>
    sharedIds(texts)
      .filter((each) => ids.has(each))
      .map((each): Unnumbered => ({
        severity: "warning",
        fact: `The open change ${id} names ${each}, which this change seems to be about.`,
      })),
  );
}

function sharedIds(texts: readonly string[]): string[] {
  const lines = texts.flatMap((text) => proseLines(text));
  return [...new Set(SHARED.flatMap((family) => mentions(lines, family).map(({ id }) => id)))].toSorted();
}

function misspelled(said: readonly Document[]): Unnumbered[] {
  const told = new Set(said.flatMap(({ text }) => misspelledIds(proseLines(text)).map(({ problem }) => problem)));
  return [...told].map((fact) => ({ severity: "warning", fact }));
}

/** Reads only the description: longer texts contain too many capitalized names. */
function newTerms({ said: [description], rules }: Material): Unnumbered[] {
  const glossary = rules ? glossaryOf(rules) : [];
  if (!rules || !description || glossary.length === 0) return [];
  return unexplained(termsUsed(description.text), glossary).map((term) => ({
    severity: "warning",
    fact: `The term "${term}" is not in the glossary of ${rules.path}.`,
  }));
}

function requirements(named: readonly Named[], { pieces }: Material): Unnumbered[] {
  const texts = new Map(pieces.flatMap((piece) => (piece.id && !isRemoved(piece) ? [[piece.id, piece]] : [])));
  return named.flatMap(({ id, where }) => {
    const piece = texts.get(id);
    if (!piece) return [];
    return [{ severity: "info", fact: `${where} names ${id} (${piece.path}:${piece.line}): ${saidBy(piece)}` }];
  });
}
