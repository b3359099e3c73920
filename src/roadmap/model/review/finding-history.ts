import type { ReviewScope, OpenReview } from "../lead/lead-state.ts";
import { type ReviewKind } from "./review-kinds.ts";
import {
  parseBatchNumber,
  type AuditResult,
  type ReviewFinding,
  type KnownReviewFinding,
  FINDING_SEVERITIES,
  type FindingSeverity,
  type StoredFinding,
  type StoredReview,
} from "./review-finding.ts";
import { extractSearchTerms } from "#kernel/model/search/search-terms.ts";
import { isStopWord } from "#kernel/model/search/stop-words.ts";
import { normalizeCategoryName } from "./review-verdict.ts";
import { compareTexts, quote } from "#kernel/model/text-format.ts";
import type { Problem } from "#kernel/model/verdict.ts";

/**
 * A fixed finding that returns is a `regression`, one severity higher until it is fixed. A waiver carries over to the
 * same words at the same or a lower severity. The input order does not matter.
 */
export function addFindingHistory(
  found: readonly ReviewFinding[],
  tracked: readonly KnownReviewFinding[],
  mended: readonly ReviewFinding[],
): StoredFinding[] {
  const open = tracked.map((known) => ({ known, like: createFindingSignature(known) }));
  const gone = mended.map(createFindingSignature);
  return mergeEqualFindings(found)
    .map((finding) => {
      const like = createFindingSignature(finding);
      const isBack = gone.some((one) => isSameFinding(one, like));
      const isOpen = open.some((one) => isSameFinding(one.like, like));
      const severity = isBack ? raiseFindingSeverity(finding.severity) : finding.severity;
      // Only for the exact words that were waived: a similar finding may be worse.
      const [waived] = open
        .filter(
          (one) => one.like.key === like.key && rankFindingSeverity(one.known) <= rankFindingSeverity({ severity }),
        )
        .flatMap(({ known }) => known.waived ?? [])
        .toSorted();
      const seen: StoredFinding["seen"] = isOpen ? "tracked" : isBack ? "regression" : "new";
      return { ...finding, severity, seen, ...(waived === undefined ? {} : { waived }) };
    })
    .toSorted(
      (one, other) =>
        rankFindingSeverity(one) - rankFindingSeverity(other) ||
        compareTexts(formatFindingKey(one), formatFindingKey(other)) ||
        compareTexts(serializeFinding(one), serializeFinding(other)),
    )
    .map((finding, i) => ({ id: `F${i + 1}`, ...finding }));
}

/** Findings that were open and are gone. One that the auditor removed as a mistake was never fixed. */
export function listFixedFindings(
  tracked: readonly ReviewFinding[],
  found: readonly ReviewFinding[],
  removed: AuditResult["removed"],
): ReviewFinding[] {
  return tracked.filter(createOpenTest(found, removed)).map(pickFindingFields);
}

/** Tests whether a finding is neither among those found nor removed as a mistake. */
function createOpenTest(found: readonly ReviewFinding[], removed: AuditResult["removed"]) {
  const there = found.map(createFindingSignature);
  return (finding: ReviewFinding): boolean => {
    const like = createFindingSignature(finding);
    return (
      !there.some((one) => isSameFinding(one, like)) && !removed.some((one) => isFindingMentioned(like, one.finding))
    );
  };
}

export function collectFindingHistory(earlier: readonly StoredReview[]): {
  readonly tracked: readonly StoredFinding[];
  readonly mended: readonly ReviewFinding[];
} {
  let tracked: readonly StoredFinding[] = [];
  const mended = new Map<string, ReviewFinding>();
  for (const { findings, removed, ...batch } of sortReviewBatches(earlier)) {
    tracked = [...tracked.filter(createOpenTest([...findings, ...batch.mended], removed)), ...findings];
    for (const finding of batch.mended) mended.set(formatFindingKey(finding), finding);
  }
  return { tracked, mended: [...mended.values()] };
}

/** Waives only findings with the same words and no higher severity. */
export function applyFindingWaiver(tracked: readonly KnownReviewFinding[], { waived, ...finding }: KnownReviewFinding) {
  const key = formatFindingKey(finding);
  return tracked.map((known) => {
    const isMeant =
      waived !== undefined &&
      formatFindingKey(known) === key &&
      rankFindingSeverity(known) >= rankFindingSeverity(finding);
    return isMeant ? { ...known, waived } : known;
  });
}

/** Whether a batch belongs to the history of this scope. A wave review includes earlier waves. */
export function isRelatedBatch(batch: Pick<StoredReview, "kind" | "scope">, kind: ReviewKind, scope: ReviewScope) {
  if (batch.kind !== kind || batch.scope.of !== scope.of) return false;
  if (batch.scope.of === "feature" && scope.of === "feature") return batch.scope.feature === scope.feature;
  if (batch.scope.of === "wave" && scope.of === "wave") return batch.scope.wave <= scope.wave;
  return true;
}

/** Oldest first. */
export const sortReviewBatches = <B extends Pick<StoredReview, "batch">>(batches: readonly B[]): B[] =>
  batches.toSorted((a, b) => (parseBatchNumber(a.batch) ?? 0) - (parseBatchNumber(b.batch) ?? 0));

export const raiseFindingSeverity = (severity: FindingSeverity): FindingSeverity =>
  FINDING_SEVERITIES[FINDING_SEVERITIES.indexOf(severity) - 1] ?? "C";

function mergeEqualFindings(found: readonly ReviewFinding[]): ReviewFinding[] {
  const byText = new Map<string, ReviewFinding>();
  for (const finding of found) {
    const text = JSON.stringify([finding.category, finding.location, finding.description]);
    const known = byText.get(text);
    byText.set(text, {
      ...pickFindingFields(finding),
      severity: known && rankFindingSeverity(known) < rankFindingSeverity(finding) ? known.severity : finding.severity,
      sources: [...new Set([...(known?.sources ?? []), ...finding.sources])].toSorted(),
    });
  }
  return [...byText.values()];
}

const pickFindingFields = ({ severity, category, location, description, sources }: ReviewFinding): ReviewFinding => ({
  severity,
  category,
  location,
  description,
  sources,
});

const rankFindingSeverity = ({ severity }: Pick<ReviewFinding, "severity">): number =>
  FINDING_SEVERITIES.indexOf(severity);

const serializeFinding = (finding: ReviewFinding): string =>
  JSON.stringify([finding.category, finding.location, finding.description, finding.sources]);

/** Share of the shorter description's words that both must contain. */
const MIN_FINDING_OVERLAP = 0.5;

type FindingSignature = ReturnType<typeof createFindingSignature>;

/** Equal for a finding that is repeated with different lines, quotes, case or spacing. */
export const formatFindingKey = (finding: ReviewFinding): string => createFindingSignature(finding).key;

export function createFindingSignature({ category, location, description }: ReviewFinding) {
  const at = removeLineReferences(location)
    .replaceAll("\\", "/")
    .replace(QUOTE_MARKS, "")
    .replaceAll(" ", "")
    .replace(/^\.\//, "");
  const place = `${normalizeCategoryName(category)}|${at}`;
  const text = removeLineReferences(description).replace(QUOTE_MARKS, "").replaceAll("  ", " ").trim();
  return {
    at,
    place,
    key: `${place}|${text.replace(/\.$/, "")}`,
    words: extractMeaningfulWords(description),
    names: extractNamedCode(description),
  };
}

/** Same category and location, similar words. Findings that name different code or quotes are different. */
export function isSameFinding(one: FindingSignature, other: FindingSignature): boolean {
  if (one.key === other.key) return true;
  const fewer = Math.min(one.words.size, other.words.size);
  if (one.place !== other.place || hasDifferentNames(one, other) || fewer === 0) return false;
  return countSharedWords(one.words, other.words) / fewer >= MIN_FINDING_OVERLAP;
}

export function isFindingMentioned(finding: FindingSignature, text: string): boolean {
  const told = { words: extractMeaningfulWords(text), names: extractNamedCode(text) };
  if (finding.words.size === 0 || hasDifferentNames(finding, told)) return false;
  return countSharedWords(finding.words, told.words) / finding.words.size >= MIN_FINDING_OVERLAP;
}

type NamedCode = Pick<FindingSignature, "names">;

/** Texts that name different code are different findings. */
export const hasDifferentNames = (one: NamedCode, other: NamedCode): boolean =>
  one.names.size > 0 && other.names.size > 0 && countSharedWords(one.names, other.names) === 0;

export const countSharedWords = (one: ReadonlySet<string>, other: ReadonlySet<string>): number =>
  [...one].filter((word) => other.has(word)).length;

const QUOTE_MARKS = /["'`“”‘’«»]/g;
const LINE_REFERENCE_PATTERN =
  / ?\(?(?:#l\d+(?:-l?\d+)?|\blines? ?\d+(?: ?[-–,] ?\d+)*|:\d+(?:[:-]\d+)*(?!\w|\.\d))\)?/g;

const removeLineReferences = (text: string): string =>
  text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim().replace(LINE_REFERENCE_PATTERN, "");

export const extractMeaningfulWords = (description: string): ReadonlySet<string> =>
  new Set(extractSearchTerms(removeLineReferences(description)).filter((word) => !isStopWord(word)));

const QUOTED_TEXT_PATTERN = /(?<![\p{L}\p{N}])["'`“‘«]([^"'`“”‘’«»]{1,80})["'`”’»](?![\p{L}\p{N}])/gu;
/** Matches a call, but not the plural `file(s)`. */
const CODE_WORD_PATTERN = /[\p{L}\p{N}_$]+(?:\((?!s\)))?/gu;

export function extractNamedCode(description: string): ReadonlySet<string> {
  const quoted = Array.from(description.matchAll(QUOTED_TEXT_PATTERN), ([, name]) => name ?? "");
  const code = (description.match(CODE_WORD_PATTERN) ?? []).filter((word) => /\($|._|\p{Ll}\p{Lu}/u.test(word));
  return new Set([...quoted, ...code].flatMap((name) => name.toLowerCase().match(/[\p{L}\p{N}_$]+/gu) ?? []));
}

/** Tests whether an audit neither verifies, removes nor resolves a finding. */
export function createUnaccountedTest(audit: AuditResult): (finding: ReviewFinding) => boolean {
  const verified = audit.verified.map(createFindingSignature);
  const retold = [...audit.removed.map(({ finding }) => finding), ...audit.resolved.map(({ conflict }) => conflict)];
  return (finding) => {
    const like = createFindingSignature(finding);
    const isTold = verified.some((one) => isSameFinding(one, like) || one.at === like.at);
    return !isTold && !retold.some((text) => isFindingMentioned(like, text));
  };
}

/** Findings of inspectors, with what the audit says about each. */
function compareAudit({ inspections }: Pick<OpenReview, "inspections">, audit: AuditResult) {
  const verified = audit.verified.map((finding) => ({ finding, like: createFindingSignature(finding) }));
  const retold = [...audit.removed.map(({ finding }) => finding), ...audit.resolved.map(({ conflict }) => conflict)];
  return Object.entries(inspections).flatMap(([inspector, { findings }]) =>
    findings.map((finding) => {
      const like = createFindingSignature(finding);
      const near = verified.filter((one) => isSameFinding(one.like, like) || one.like.at === like.at);
      const severities = near.map((one) => FINDING_SEVERITIES.indexOf(one.finding.severity));
      /** Undefined if the audit does not verify it. */
      const kept = near.length === 0 ? undefined : FINDING_SEVERITIES[Math.min(...severities)];
      const { location, description } = finding;
      const what = `of ${inspector} at ${quote(location, 80)}, ${quote(description)}`;
      return { finding, what, kept, isRetold: retold.some((text) => isFindingMentioned(like, text)) };
    }),
  );
}

/** Critical findings of inspectors that the audit makes less of, without a reason. */
export const findLoweredCriticals = (review: Pick<OpenReview, "inspections">, audit: AuditResult): Problem[] =>
  compareAudit(review, audit).flatMap(({ finding, what, kept, isRetold }) => {
    if (finding.severity !== "C" || kept === undefined || kept === "C" || isRetold) return [];
    const problem = `The Critical ${what}, is ${kept} in VERIFIED. Keep it C, or give the reason under REMOVED or RESOLVED.`;
    return [{ problem }];
  });

/** Other findings that the auditor made less of, for the stored review. */
export const listLoweredFindings = (review: Pick<OpenReview, "inspections">, audit: AuditResult): string[] =>
  compareAudit(review, audit).flatMap(({ finding, what, kept }) =>
    kept !== undefined && FINDING_SEVERITIES.indexOf(kept) > FINDING_SEVERITIES.indexOf(finding.severity)
      ? [`The auditor lowered a finding ${what}, from ${finding.severity} to ${kept}.`]
      : [],
  );
