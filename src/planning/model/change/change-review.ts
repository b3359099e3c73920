import {
  collectIdentifierTerms,
  rankItemsByTerms,
  stripDraftPhrases,
  extractDistinctiveTerms,
} from "./distinctive-terms.ts";
import { listMentionedIds } from "#kernel/model/document/id-references.ts";
import type { SourceChange } from "#git/operations/ports/git-files.ts";
import { isTestPath } from "#code/model/scan/test-files.ts";
import { formatCount, formatShortList } from "#kernel/model/text-format.ts";
import { groupLinesByStart, parseProseLines } from "#kernel/model/document/markdown-document.ts";
import { parseTaskList } from "#kernel/model/document/document-tasks.ts";

const CRITERION_KINDS = ["requirement", "rule", "component", "decision"] as const;
type CriterionKind = (typeof CRITERION_KINDS)[number];

export interface ReviewCriterion {
  readonly id: string;
  readonly kind: CriterionKind;
  readonly text: string;
  readonly isOwn?: boolean;
}

export type ReviewChecklistItem = ReturnType<typeof buildReviewChecklist>["items"][number];

export interface ReviewedChange {
  readonly description: string;
  readonly artifacts: string;
  /** The artifacts that describe the change. Excludes the context check, which mentions everything. */
  readonly statements: string;
  readonly files: readonly SourceChange[];
  readonly lines: readonly AddedDiffLine[];
}

const MAX_SIMILAR_ITEMS = 5;
const MAX_ITEM_EVIDENCE = 10;
const MAX_CHECKLIST_ITEMS = 100;

/** Most certain first. `left` counts the items beyond the limit. */
export function buildReviewChecklist(criteria: readonly ReviewCriterion[], reviewed: ReviewedChange) {
  const inDiff = new Set(listIdsInAddedLines(reviewed.lines));
  const text = `${reviewed.description}\n${reviewed.artifacts}`;
  const ids = new Set(text.split("\n").flatMap(listReviewedIds));
  const reasonsByRank: readonly (readonly [why: string, applies: (item: ReviewCriterion) => boolean])[] = [
    ["the change states it", ({ isOwn }) => isOwn === true],
    ["the change names it", ({ id, kind }) => (kind === "component" ? containsWholeName(text, id) : ids.has(id))],
    ["the diff names it", ({ id }) => inDiff.has(id)],
  ];
  const { description, statements, files } = reviewed;
  const asked = extractDistinctiveTerms([description, statements, ...files.map(({ path }) => path)].join("\n"));
  const ranked = criteria.map((item) => ({ item, rank: reasonsByRank.findIndex(([, applies]) => applies(item)) }));
  const others = ranked.flatMap(({ item, rank }) => (rank < 0 ? [item] : []));
  const listed = [
    ...reasonsByRank.flatMap(([why], i) => ranked.flatMap(({ item, rank }) => (rank === i ? [{ item, why }] : []))),
    ...CRITERION_KINDS.flatMap((kind) => {
      const spoken = others
        .filter((item) => item.kind === kind)
        .map((item) => ({ item, name: new Set<string>(), text: collectIdentifierTerms(getCriterionText(item)) }));
      const similar = rankItemsByTerms(asked.keys(), spoken).slice(0, MAX_SIMILAR_ITEMS);
      return similar.map(({ item, terms }) => {
        const words = terms.slice(0, 3).map((term) => `"${asked.get(term) ?? term}"`);
        return { item, why: `it mentions ${words.join(", ")}` };
      });
    }),
  ];
  const items = listed.slice(0, MAX_CHECKLIST_ITEMS).map(({ item, why }) => {
    const { id, kind, text: said } = item;
    return { id, kind, text: said, why, evidence: collectItemEvidence(item, reviewed) };
  });
  return { items, left: listed.length - items.length };
}

/** A component's text only lists ids, so its name is compared instead. */
const getCriterionText = ({ id, kind, text }: ReviewCriterion): string =>
  kind === "component" ? id : stripDraftPhrases(text);

/** Matches whole words: "cartography" does not name "Cart". */
function containsWholeName(text: string, name: string): boolean {
  const literal = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, "iu").test(text);
}

function collectItemEvidence(item: ReviewCriterion, { files, lines }: ReviewedChange): string[] {
  const { id, kind } = item;
  const namesItem = ({ text: line }: AddedDiffLine): boolean =>
    kind !== "component" && line.includes(id) && listReviewedIds(line).includes(id);
  const naming = new Set(lines.filter(namesItem));
  const terms = [...extractDistinctiveTerms(getCriterionText(item)).keys()];
  const enough = Math.min(2, terms.length);
  const speaks = (spoken: ReadonlySet<string>): boolean =>
    enough > 0 && terms.filter((term) => spoken.has(term)).length >= enough;
  const speaking = lines.filter((line) => !naming.has(line) && speaks(line.terms));
  const paths = files.filter(({ path, from }) => speaks(collectIdentifierTerms(`${path} ${from ?? ""}`)));
  return [
    ...[...naming].map((line) => `${formatLineLocation(line)} names it`),
    ...paths.map(({ path, status }) => `${path} (${status})`),
    ...speaking.map(formatLineLocation),
  ].slice(0, MAX_ITEM_EVIDENCE);
}

export type AddedDiffLine = ReturnType<typeof collectAddedLines>["lines"][number];

const MAX_ADDED_LINE_LENGTH = 400;
const MAX_ADDED_LINES = 20_000;

/** Skips lines without terms. `unread` counts the lines beyond the limit. */
export function collectAddedLines(files: readonly SourceChange[]) {
  const all = files.flatMap(({ path, added }) => added.map((line) => ({ path, ...line })));
  const lines = all.slice(0, MAX_ADDED_LINES).map(({ path, number, text }) => {
    const said = text.slice(0, MAX_ADDED_LINE_LENGTH);
    return { path, number, text: said, terms: collectIdentifierTerms(said) };
  });
  return { lines: lines.filter(({ terms }) => terms.size > 0), unread: Math.max(0, all.length - MAX_ADDED_LINES) };
}

const listReviewedIds = (text: string): string[] =>
  listMentionedIds([{ number: 1, text }], "requirement", "rule", "adr");

const formatLineLocation = ({ path, number }: Pick<AddedDiffLine, "path" | "number">): string => `${path}:${number}`;

const formatNames = (names: readonly string[]): string => formatShortList(names, 5);

export const listIdsInAddedLines = (lines: readonly AddedDiffLine[]): string[] =>
  lines.flatMap(({ text }) => listReviewedIds(text));

/** Facts only, without judgement. `strangers` are ids that no document defines. */
export function collectDiffFacts(
  files: readonly SourceChange[],
  lines: readonly AddedDiffLine[],
  tasks: string | undefined,
  strangers: readonly string[],
): string[] {
  const mentions = lines.flatMap((line) =>
    listReviewedIds(line.text).map((id) => ({ id, place: formatLineLocation(line) })),
  );
  const unknown = mentions.filter(({ id }) => strangers.includes(id));
  return [
    ...[...Map.groupBy(unknown, ({ id }) => id)].map(
      ([id, [first]]) => `${id} is mentioned at ${first?.place}, and nothing has that id.`,
    ),
    ...describeTestChanges(files),
    ...LEFTOVER_PATTERNS.flatMap(([what, pattern, isProseToo]) => {
      const isSearched = (path: string): boolean => isProseToo === true || !PROSE_FILE_PATTERN.test(path);
      const found = lines.filter(({ path, text }) => isSearched(path) && pattern.test(text));
      return found.length > 0 ? [`${what}: ${formatNames(found.map(formatLineLocation))}.`] : [];
    }),
    ...(tasks === undefined ? [] : compareTasksWithDiff(files, tasks)),
  ];
}

function describeTestChanges(files: readonly SourceChange[]): string[] {
  const tests = files.filter(({ path }) => isTestPath(path));
  const deleted = tests.filter(({ status }) => status === "deleted").map(({ path }) => path);
  const changed = tests.filter(({ status }) => status !== "deleted").map(({ path }) => path);
  const moved = files.filter(({ path, from }) => from !== undefined && isTestPath(from) && !isTestPath(path));
  return [
    ...(deleted.length > 0 ? [`${formatCount(deleted.length, "test file")} deleted: ${formatNames(deleted)}.`] : []),
    ...moved.map(({ path, from }) => `${from} was a test; it is ${path} now.`),
    changed.length > 0
      ? `${formatCount(changed.length, "test file")} changed: ${formatNames(changed)}.`
      : "No test was added or changed.",
  ];
}

const LEFTOVER_PATTERNS: readonly (readonly [what: string, pattern: RegExp, isProseToo?: true])[] = [
  ["Added merge conflict marks", /^(?:<{7}|>{7})(?: |$)/, true],
  ["Added TODO notes", /\b(?:TODO|FIXME|XXX|HACK)\b/, true],
  [
    "Added debugging lines",
    /\bconsole\.(?:log|debug|trace)\(|^\s*debugger;?\s*$|\b(?:dbg!|var_dump)\(|\bbinding\.pry\b|\bbyebug\b|\bi?pdb\.set_trace\(|^\s*breakpoint\(\)/,
  ],
  ["Added tests that run alone (.only)", /\b(?:describe|it|test|context)\.only\(|\bf(?:it|describe)\(/],
  [
    "Added skipped tests",
    /\b(?:describe|it|test|context)\.skip\(|\bx(?:it|describe)\(|@pytest\.mark\.skip\b|\bt\.Skip\(|@Disabled\b/,
  ],
];
const PROSE_FILE_PATTERN = /\.(?:md|mdx|markdown|rst|adoc|txt)$/i;

/** In backticks, or with a folder in front. A folder ends in a slash. */
const TASK_PATH_PATTERN =
  /`([\w@.][\w@./-]*(?:\.\w{1,8}|\/))`|(?<![\w:/.@-])([\w@.-]+(?:\/[\w@.-]+)*\/(?:[\w@.-]+\.\w{1,8})?)(?![\w/])/g;

function compareTasksWithDiff(files: readonly SourceChange[], text: string): string[] {
  const lines = parseProseLines(text);
  const tasks = parseTaskList(lines);
  const paths = lines.flatMap((line) => extractTaskPaths(line.text));
  if (paths.length === 0)
    return files.length > 0 ? ["No task names a file, so none can be compared with the diff."] : [];
  const isTouched = (named: string, { path, from }: SourceChange): boolean =>
    [path, from ?? path].some((place) => isPathCovered(named, place));
  const unplanned = files.filter((file) => !paths.some((named) => isTouched(named, file))).map(({ path }) => path);
  const starts = tasks.map(({ line }) => line);
  const untouched = groupLinesByStart(lines, starts).flatMap((part, i) => {
    const planned = new Set(part.flatMap((line) => extractTaskPaths(line.text)));
    const missing = [...planned].filter((named) => !files.some((file) => isTouched(named, file)));
    const id = tasks[i]?.id;
    return missing.length > 0 ? [`${id} names files that the diff does not touch: ${formatNames(missing)}.`] : [];
  });
  return [
    ...(unplanned.length > 0
      ? [`${formatCount(unplanned.length, "file")} changed that no task names: ${formatNames(unplanned)}.`]
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
