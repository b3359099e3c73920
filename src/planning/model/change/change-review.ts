import {
  collectIdentifierTerms,
  rankItemsByTerms,
  stripDraftPhrases,
  extractDistinctiveTerms,
} from "./distinctive-terms.ts";
import { type IdFamily, findIdMentions } from "#kernel/model/document/id-references.ts";
import { isTestPath } from "#code/model/scan/test-files.ts";
import { formatCount } from "#kernel/model/text-format.ts";
import { parseProseLines } from "#kernel/model/document/markdown-document.ts";
import { parseTaskList } from "#kernel/model/document/document-tasks.ts";

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

export interface ReviewedFile {
  readonly path: string;
  readonly status: "added" | "modified" | "deleted" | "renamed";
  readonly from?: string;
  readonly added: readonly { readonly number: number; readonly text: string }[];
  readonly removed: number;
}

export interface AddedDiffLine {
  readonly path: string;
  readonly number: number;
  readonly text: string;
  readonly terms: ReadonlySet<string>;
}

const MAX_ADDED_LINE_LENGTH = 400;
const MAX_ADDED_LINES = 20_000;

/** Skips lines without terms. `unread` counts the lines beyond the limit. */
export function collectAddedLines(files: readonly ReviewedFile[]): { lines: AddedDiffLine[]; unread: number } {
  const all = files.flatMap(({ path, added }) => added.map((line) => ({ path, ...line })));
  const lines = all.slice(0, MAX_ADDED_LINES).map(({ path, number, text }) => {
    const said = text.slice(0, MAX_ADDED_LINE_LENGTH);
    return { path, number, text: said, terms: collectIdentifierTerms(said) };
  });
  return { lines: lines.filter(({ terms }) => terms.size > 0), unread: Math.max(0, all.length - MAX_ADDED_LINES) };
}

const listMentionedIds = (text: string, families: readonly IdFamily[]): string[] =>
  families.flatMap((family) => findIdMentions([{ number: 1, text }], family).map(({ id }) => id));

const formatLineLocation = ({ path, number }: Pick<AddedDiffLine, "path" | "number">): string => `${path}:${number}`;

const DIFF_ID_FAMILIES = ["requirement", "rule", "adr"] as const;
const MAX_NAMES_IN_FACT = 5;

export const listIdsInAddedLines = (lines: readonly AddedDiffLine[]): string[] =>
  lines.flatMap(({ text }) => listMentionedIds(text, DIFF_ID_FAMILIES));

/** Facts only, without judgement. `strangers` are ids that no document defines. */
export function collectDiffFacts(
  files: readonly ReviewedFile[],
  lines: readonly AddedDiffLine[],
  tasks: string | undefined,
  strangers: readonly string[],
): string[] {
  return [
    ...describeUnknownIds(lines, new Set(strangers)),
    ...describeTestChanges(files),
    ...describeLeftovers(lines),
    ...(tasks === undefined ? [] : compareTasksWithDiff(files, tasks)),
  ];
}

function describeUnknownIds(lines: readonly AddedDiffLine[], strangers: ReadonlySet<string>): string[] {
  const told = new Map<string, AddedDiffLine>();
  for (const line of lines)
    for (const id of listMentionedIds(line.text, DIFF_ID_FAMILIES))
      if (strangers.has(id) && !told.has(id)) told.set(id, line);
  return [...told].map(([id, line]) => `${id} is mentioned at ${formatLineLocation(line)}, and nothing has that id.`);
}

function describeTestChanges(files: readonly ReviewedFile[]): string[] {
  const tests = files.filter(({ path }) => isTestPath(path));
  const deleted = tests.filter(({ status }) => status === "deleted").map(({ path }) => path);
  const changed = tests.filter(({ status }) => status !== "deleted").map(({ path }) => path);
  const moved = files.filter(({ path, from }) => from !== undefined && isTestPath(from) && !isTestPath(path));
  return [
    ...(deleted.length > 0
      ? [`${formatCount(deleted.length, "test file")} deleted: ${formatShortNameList(deleted)}.`]
      : []),
    ...moved.map(({ path, from }) => `${from} was a test; it is ${path} now.`),
    changed.length > 0
      ? `${formatCount(changed.length, "test file")} changed: ${formatShortNameList(changed)}.`
      : "No test was added or changed.",
  ];
}

const LEFTOVER_PATTERNS: readonly (readonly [what: string, pattern: RegExp, isProseToo?: true])[] = [
  ["Conflict marks of a merge, added", /^(?:<{7}|>{7})(?: |$)/, true],
  ["Notes to come back, added", /\b(?:TODO|FIXME|XXX|HACK)\b/, true],
  [
    "Debugging lines, added",
    /\bconsole\.(?:log|debug|trace)\(|^\s*debugger;?\s*$|\b(?:dbg!|var_dump)\(|\bbinding\.pry\b|\bbyebug\b|\bi?pdb\.set_trace\(|^\s*breakpoint\(\)/,
  ],
  ["Tests that run alone, added", /\b(?:describe|it|test|context)\.only\(|\bf(?:it|describe)\(/],
  [
    "Tests that are skipped, added",
    /\b(?:describe|it|test|context)\.skip\(|\bx(?:it|describe)\(|@pytest\.mark\.skip\b|\bt\.Skip\(|@Disabled\b/,
  ],
];
const PROSE_FILE_PATTERN = /\.(?:md|mdx|markdown|rst|adoc|txt)$/i;

function describeLeftovers(lines: readonly AddedDiffLine[]): string[] {
  return LEFTOVER_PATTERNS.flatMap(([what, pattern, isProseToo]) => {
    const found = lines.filter(
      ({ path, text }) => (isProseToo || !PROSE_FILE_PATTERN.test(path)) && pattern.test(text),
    );
    return found.length > 0 ? [`${what}: ${formatShortNameList(found.map(formatLineLocation))}.`] : [];
  });
}

/** In backticks, or with a folder in front. A folder ends in a slash. */
const TASK_PATH_PATTERN =
  /`([\w@.][\w@./-]*(?:\.\w{1,8}|\/))`|(?<![\w:/.@-])([\w@.-]+(?:\/[\w@.-]+)*\/(?:[\w@.-]+\.\w{1,8})?)(?![\w/])/g;

function compareTasksWithDiff(files: readonly ReviewedFile[], text: string): string[] {
  const lines = parseProseLines(text);
  const tasks = parseTaskList(lines);
  const plans = tasks.map(({ id, line }, i) => {
    const end = tasks[i + 1]?.line ?? Number.POSITIVE_INFINITY;
    const own = lines.filter(({ number }) => number >= line && number < end);
    return { id, paths: own.flatMap((each) => extractTaskPaths(each.text)) };
  });
  const paths = lines.flatMap((line) => extractTaskPaths(line.text));
  if (paths.length === 0)
    return files.length > 0 ? ["No task names a file, so none can be compared with the diff."] : [];
  const places = files.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]));
  const unplanned = files
    .filter(
      ({ path, from }) =>
        !paths.some((each) => isPathCovered(each, path) || (from !== undefined && isPathCovered(each, from))),
    )
    .map(({ path }) => path);
  const untouched = plans.flatMap(({ id, paths: planned }) => {
    const missing = [...new Set(planned)].filter((each) => !places.some((place) => isPathCovered(each, place)));
    return missing.length > 0 ? [`${id} names what the diff does not touch: ${formatShortNameList(missing)}.`] : [];
  });
  return [
    ...(unplanned.length > 0
      ? [`${formatCount(unplanned.length, "file")} changed that no task names: ${formatShortNameList(unplanned)}.`]
      : []),
    ...untouched,
  ];
}

const extractTaskPaths = (text: string): string[] =>
  [...text.replace(/\w+:\/\/\S+/g, "").matchAll(TASK_PATH_PATTERN)].map(([, ticked, bare]) =>
    (ticked ?? bare ?? "").replace(/^\.\//, ""),
  );

/** `search.ts` and `src/search.ts` match `src/search.ts`; `src/` matches everything below it. */
const isPathCovered = (named: string, path: string): boolean =>
  named.endsWith("/")
    ? path.startsWith(named) || path.includes(`/${named}`)
    : path === named || path.endsWith(`/${named}`);

const formatShortNameList = (names: readonly string[]): string =>
  `${names.slice(0, MAX_NAMES_IN_FACT).join(", ")}${names.length > MAX_NAMES_IN_FACT ? ` and ${names.length - MAX_NAMES_IN_FACT} more` : ""}`;
