import { type ReviewedFile, listMentionedIds, formatLineLocation, type AddedDiffLine } from "./diff.ts";
import { collectIdentifierTerms, rankItemsByTerms, stripDraftPhrases, extractDistinctiveTerms } from "./telling.ts";

const CRITERION_KINDS = ["requirement", "rule", "component", "decision"] as const;
type CriterionKind = (typeof CRITERION_KINDS)[number];

export interface ReviewCriterion {
  readonly id: string;
  readonly kind: CriterionKind;
  readonly text: string;
  readonly isOwn?: boolean;
}

export interface ReviewChecklistItem {
  readonly id: string;
  readonly kind: CriterionKind;
  readonly text: string;
  readonly why: string;
  readonly evidence: readonly string[];
}

export interface ReviewedChange {
  readonly description: string;
  readonly artifacts: string;
  /** The artifacts that describe the change. Excludes the context check, which mentions everything. */
  readonly statements: string;
  readonly files: readonly ReviewedFile[];
  readonly lines: readonly AddedDiffLine[];
}

const CHECKLIST_ID_FAMILIES = ["requirement", "rule", "adr"] as const;
const MAX_SIMILAR_ITEMS = 5;
const MAX_ITEM_EVIDENCE = 10;

const MAX_CHECKLIST_ITEMS = 100;

/**
 * Most certain first: the change's own items, items it names, items that share its words. `left` counts the items
 * beyond the limit.
 */
export function buildReviewChecklist(
  criteria: readonly ReviewCriterion[],
  reviewed: ReviewedChange,
): { items: ReviewChecklistItem[]; left: number } {
  const { files, lines } = reviewed;
  const inDiff = new Set(lines.flatMap(({ text }) => listMentionedIds(text, CHECKLIST_ID_FAMILIES)));
  const named = findNamedCriteria(criteria, `${reviewed.description}\n${reviewed.artifacts}`);
  const whyOf = (item: ReviewCriterion): [why: string, rank: number] | undefined => {
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
    ...CRITERION_KINDS.flatMap((kind) => findSimilarCriteria(others, kind, reviewed)),
  ];
  const items = listed.slice(0, MAX_CHECKLIST_ITEMS).map(({ item: { id, kind, text }, why }) => {
    const evidence = collectItemEvidence({ id, kind, text }, files, lines);
    return { id, kind, text, why, evidence };
  });
  return { items, left: listed.length - items.length };
}

function findSimilarCriteria(
  criteria: readonly ReviewCriterion[],
  kind: CriterionKind,
  { description, statements, files }: ReviewedChange,
): { item: ReviewCriterion; why: string }[] {
  const asked = extractDistinctiveTerms([description, statements, ...files.map(({ path }) => path)].join("\n"));
  const spoken = criteria
    .filter((item) => item.kind === kind)
    .map((item) => ({ item, name: new Set<string>(), text: collectIdentifierTerms(getCriterionText(item)) }));
  return rankItemsByTerms(asked.keys(), spoken)
    .slice(0, MAX_SIMILAR_ITEMS)
    .map(({ item, terms }) => {
      const words = terms.slice(0, 3).map((term) => `"${asked.get(term) ?? term}"`);
      return { item, why: `it speaks of ${words.join(", ")}` };
    });
}

/** A component's text only lists ids, so its name is compared instead. */
const getCriterionText = ({ id, kind, text }: Pick<ReviewCriterion, "id" | "kind" | "text">): string =>
  kind === "component" ? id : stripDraftPhrases(text);

function findNamedCriteria(criteria: readonly ReviewCriterion[], text: string): Set<ReviewCriterion> {
  const ids = new Set(text.split("\n").flatMap((line) => listMentionedIds(line, CHECKLIST_ID_FAMILIES)));
  return new Set(criteria.filter(({ id, kind }) => (kind === "component" ? containsWholeName(text, id) : ids.has(id))));
}

/** Matches whole words: "cartography" does not name "Cart". */
function containsWholeName(text: string, name: string): boolean {
  const literal = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, "iu").test(text);
}

function collectItemEvidence(
  { id, kind, text }: Pick<ReviewCriterion, "id" | "kind" | "text">,
  files: readonly ReviewedFile[],
  lines: readonly AddedDiffLine[],
): string[] {
  const naming = new Set(
    kind === "component"
      ? []
      : lines.filter(
          (line) => line.text.includes(id) && listMentionedIds(line.text, CHECKLIST_ID_FAMILIES).includes(id),
        ),
  );
  const terms = [...extractDistinctiveTerms(getCriterionText({ id, kind, text })).keys()];
  const enough = Math.min(2, terms.length);
  const speaks = (spoken: ReadonlySet<string>): boolean =>
    enough > 0 && terms.filter((term) => spoken.has(term)).length >= enough;
  const speaking = lines.filter((line) => !naming.has(line) && speaks(line.terms));
  const paths = files.filter(({ path, from }) => speaks(collectIdentifierTerms(`${path} ${from ?? ""}`)));
  return [
    ...[...naming].map((line) => `${formatLineLocation(line)} names it`),
    ...paths.map(({ path, status }) => `${path} (${status})`),
    ...speaking.map((line) => formatLineLocation(line)),
  ].slice(0, MAX_ITEM_EVIDENCE);
}
