import type { Question } from "../../memory/question.ts";
import { type Ranked, Ranking, type Weights } from "../../memory/rank.ts";
import { isStopWord, termOf, wordsOf } from "../../memory/words.ts";
import { isTestPath } from "../../scan/test-path.ts";
import type { ComponentKind } from "../outline.ts";
import { partsOf } from "../words.ts";

export interface Findable {
  readonly id: number;
  readonly kind: "component" | "file" | "spec" | "doc";
  readonly key: string;
  readonly path: string;
  readonly title: string;
  readonly text: string;
  readonly component?: {
    readonly kind: ComponentKind;
    readonly name: string;
    readonly within: string;
    readonly isExported: boolean;
    readonly isTest: boolean;
    readonly doc: string;
  };
}

const HIDDEN = 0.85;
const TEST = 0.35;
const FILE = 0.5;
const DOC = 0.8;
/** Functions and classes answer more questions than types and constants. */
const KINDS: Readonly<Partial<Record<ComponentKind, number>>> = {
  interface: 0.9,
  type: 0.7,
  constant: 0.7,
  module: 0.8,
};
const NAMED = 0.6;
/** Share of the score that depends on how many question words the entry contains. */
const MET = 0.4;
const LENT = 0.25;
const READ = 700;
const MOST_PARTS = 8;

export function rankFound<T extends Findable>(question: Question, weights: Weights, found: readonly T[]): Ranked<T>[] {
  const ranking = new Ranking<{ id: number; title: string; content: string; revision: number; updated_at: string }>(
    question,
    weights,
  );
  const asked = new Map([...weights].filter(([term]) => question.terms.includes(term)));
  const byId = new Map(found.map((each) => [each.id, each]));
  const items = found.map((each) => ({
    id: each.id,
    title: tellingOf(each.component?.name ?? each.title),
    content: tellingOf(contentOf(each)),
    revision: 0,
    updated_at: "",
  }));
  const scored = ranking.rank(items).flatMap(({ item: { id }, score }) => {
    const item = byId.get(id);
    if (!item) return [];
    const told = (1 + NAMED * namedShare(item, weights)) * (1 - MET + MET * metShare(item, asked));
    return [{ item, score: score * worthOf(item) * told }];
  });
  return withLoans(scored).toSorted((one, other) => other.score - one.score || compare(one.item.key, other.item.key));
}

const contentOf = ({ component, title, text }: Findable): string =>
  `${component?.within ?? title}\n${text.slice(0, READ)}`;

/** Each word once, because signatures repeat their types; without stop words. */
const tellingOf = (text: string): string =>
  [...new Set(wordsOf(partsOf(text)))].filter((word) => !isStopWord(word)).join(" ");

function worthOf({ kind, path, component }: Findable): number {
  const isTest = component?.isTest ?? isTestPath(path);
  const ofKind = { component: 1, spec: 1, file: FILE, doc: DOC }[kind];
  const ofComponent = component ? (component.isExported ? 1 : HIDDEN) * (KINDS[component.kind] ?? 1) : 1;
  return ofKind * ofComponent * (isTest ? TEST : 1);
}

/** Averages two shares: question weight found in the name, and name words found in the question. */
function namedShare({ component, title }: Findable, weights: Weights): number {
  const words = tellingOf(component?.name ?? title).split(" ");
  const parts = new Set(words.slice(-MOST_PARTS).map(termOf));
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const met = [...parts].filter((term) => weights.has(term));
  if (total === 0 || parts.size === 0) return 0;
  return (met.reduce((sum, term) => sum + (weights.get(term) ?? 0), 0) / total + met.length / parts.size) / 2;
}

function metShare(item: Findable, asked: Weights): number {
  const held = new Set(wordsOf(partsOf(`${item.title} ${contentOf(item)}`)).map(termOf));
  let [met, total] = [0, 0];
  for (const [term, weight] of asked) {
    total += weight;
    if (held.has(term)) met += weight;
  }
  return total === 0 ? 1 : met / total;
}

/** A class, interface or module also ranks by its members. */
function withLoans<T extends Findable>(scored: readonly Ranked<T>[]): Ranked<T>[] {
  const best = new Map<string, number>();
  for (const { item, score } of scored) {
    if (!item.component || item.component.within === "") continue;
    const around = `${item.path}#${item.component.within}`;
    best.set(around, Math.max(best.get(around) ?? 0, score));
  }
  return scored.map(({ item, score }) => ({ item, score: score + LENT * (best.get(item.key) ?? 0) }));
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
