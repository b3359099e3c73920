import { type ChangedFile, idsIn, placeOf, type SpokenLine } from "./diff.ts";
import { codeTerms, likely, ownWords, tellingTerms } from "./telling.ts";

const KINDS = ["requirement", "rule", "component", "decision"] as const;
type Kind = (typeof KINDS)[number];

export interface Criterion {
  readonly id: string;
  readonly kind: Kind;
  readonly text: string;
  readonly isOwn?: boolean;
}

export interface CheckItem {
  readonly id: string;
  readonly kind: Kind;
  readonly text: string;
  readonly why: string;
  readonly evidence: readonly string[];
}

export interface Reviewed {
  readonly description: string;
  readonly artifacts: string;
  /** The artifacts that describe the change. Excludes the context check, which mentions everything. */
  readonly statements: string;
  readonly files: readonly ChangedFile[];
  readonly lines: readonly SpokenLine[];
}

const FAMILIES = ["requirement", "rule", "adr"] as const;
const MOST_ALIKE = 5;
const MOST_EVIDENCE = 10;

const MOST_ITEMS = 100;

/**
 * Most certain first: the change's own items, items it names, items that share its words. `left` counts the items
 * beyond the limit.
 */
export function checklist(criteria: readonly Criterion[], reviewed: Reviewed): { items: CheckItem[]; left: number } {
  const { files, lines } = reviewed;
  const inDiff = new Set(lines.flatMap(({ text }) => idsIn(text, FAMILIES)));
  const named = namedIn(criteria, `${reviewed.description}\n${reviewed.artifacts}`);
  const whyOf = (item: Criterion): [why: string, rank: number] | undefined => {
    if (item.isOwn) return ["the change states it", 0];
    if (named.has(item)) return ["the change names it", 1];
    return inDiff.has(item.id) ? ["the diff names it", 2] : undefined;
  };
  const certain = criteria.flatMap((item) => {
    const [why, rank] = whyOf(item) ?? [];
    return why === undefined || rank === undefined ? [] : [{ item, why, rank }];
  });
  const others = criteria.filter((item) => whyOf(item) === undefined);
  const listed = [
    ...certain.toSorted((a, b) => a.rank - b.rank),
    ...KINDS.flatMap((kind) => alike(others, kind, reviewed)),
  ];
  const items = listed.slice(0, MOST_ITEMS).map(({ item: { id, kind, text }, why }) => {
    const evidence = evidenceFor({ id, kind, text }, files, lines);
    return { id, kind, text, why, evidence };
  });
  return { items, left: listed.length - items.length };
}

function alike(
  criteria: readonly Criterion[],
  kind: Kind,
  { description, statements, files }: Reviewed,
): { item: Criterion; why: string }[] {
  const asked = tellingTerms([description, statements, ...files.map(({ path }) => path)].join("\n"));
  const spoken = criteria
    .filter((item) => item.kind === kind)
    .map((item) => ({ item, name: new Set<string>(), text: codeTerms(saidBy(item)) }));
  return likely(asked.keys(), spoken)
    .slice(0, MOST_ALIKE)
    .map(({ item, terms }) => {
      const words = terms.slice(0, 3).map((term) => `"${asked.get(term) ?? term}"`);
      return { item, why: `it speaks of ${words.join(", ")}` };
    });
}

/** A component's text only lists ids, so its name is compared instead. */
const saidBy = ({ id, kind, text }: Pick<Criterion, "id" | "kind" | "text">): string =>
  kind === "component" ? id : ownWords(text);

function namedIn(criteria: readonly Criterion[], text: string): Set<Criterion> {
  const ids = new Set(text.split("\n").flatMap((line) => idsIn(line, FAMILIES)));
  return new Set(criteria.filter(({ id, kind }) => (kind === "component" ? hasName(text, id) : ids.has(id))));
}

/** Matches whole words: "cartography" does not name "Cart". */
function hasName(text: string, name: string): boolean {
  const literal = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, "iu").test(text);
}

function evidenceFor(
  { id, kind, text }: Pick<Criterion, "id" | "kind" | "text">,
  files: readonly ChangedFile[],
  lines: readonly SpokenLine[],
): string[] {
  const naming = new Set(
    kind === "component"
      ? []
      : lines.filter((line) => line.text.includes(id) && idsIn(line.text, FAMILIES).includes(id)),
  );
  const terms = [...tellingTerms(saidBy({ id, kind, text })).keys()];
  const enough = Math.min(2, terms.length);
  const speaks = (spoken: ReadonlySet<string>): boolean =>
    enough > 0 && terms.filter((term) => spoken.has(term)).length >= enough;
  const speaking = lines.filter((line) => !naming.has(line) && speaks(line.terms));
  const paths = files.filter(({ path, from }) => speaks(codeTerms(`${path} ${from ?? ""}`)));
  return [
    ...[...naming].map((line) => `${placeOf(line)} names it`),
    ...paths.map(({ path, status }) => `${path} (${status})`),
    ...speaking.map((line) => placeOf(line)),
  ].slice(0, MOST_EVIDENCE);
}
