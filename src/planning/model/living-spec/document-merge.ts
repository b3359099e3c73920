import { isEmptyListText } from "../project/requirement-lists.ts";
import { getIdFamily, parseIdNumber, findItemList, addEmptyNotes } from "./item-edit.ts";
import { type OutlineIdKind, listDuplicateIds, outlineSpecItems } from "./item-outline.ts";
import { diff3MergeRegions } from "node-diff3";

export interface MergedDocument {
  readonly text: string;
  readonly conflicts: readonly string[];
  /** Ids of items that both sides changed in different lines. The user should read them again. */
  readonly joined?: readonly string[];
}

/** Begins the placeholder of an item among the lines around it. Document lines never contain NUL. */
const ITEM_TOKEN = "\0";

interface MergeSide {
  readonly frame: readonly string[];
  readonly items: ReadonlyMap<string, readonly string[]>;
}

/** By item, and by line outside of items. A conflict puts git's markers around the item only. */
export function mergeItemDocuments(base: string, ours: string, theirs: string, ids: OutlineIdKind): MergedDocument {
  const [was, mine, other] = [createMergeSide(base, ids), createMergeSide(ours, ids), createMergeSide(theirs, ids)];
  // With a duplicate id it is unclear which item is meant. Then only lines are compared, and the id counts as a
  // conflict.
  if (!was || !mine || !other) {
    const { text, conflicts } = mergeDocumentLines(base, ours, theirs);
    const twice = listDuplicateIds(outlineSpecItems(text, ids)).map(({ id }) => `${id} (used twice)`);
    return { text, conflicts: [...conflicts, ...twice] };
  }
  const showBoth = (): string =>
    joinClosedLines(formatConflictMarkers(splitDocumentLines(ours), splitDocumentLines(theirs)));
  const moved = ids === "specs" ? listDivergingMoves(base, ours, theirs) : [];
  if (moved.length > 0) return { text: showBoth(), conflicts: moved };
  const conflicts: string[] = [];
  const joinedIds: string[] = [];
  const settled = new Map<string, readonly string[]>();
  for (const token of new Set([...was.items.keys(), ...mine.items.keys(), ...other.items.keys()])) {
    const item = mergeItemLines(was.items.get(token), mine.items.get(token), other.items.get(token));
    settled.set(token, item.lines);
    if (item.isConflict) conflicts.push(token.split(" ")[1] ?? "");
    else if (item.isJoined) joinedIds.push(token.split(" ")[1] ?? "");
  }
  const text: string[] = [];
  const placed = new Set<string>();
  // An item that the sides put in different lists appears once, at the first location.
  const written = (line: string): readonly string[] => {
    const item = settled.get(line);
    if (!item) return [line];
    const isAgain = placed.has(line);
    placed.add(line);
    return isAgain ? [] : item;
  };
  for (const chunk of mergeItemOrder(was, mine, other)) {
    if ("lines" in chunk) text.push(...chunk.lines.flatMap(written));
    else {
      conflicts.push("the text around the items");
      text.push(...formatConflictMarkers(expandItemTokens(chunk.ours, mine), expandItemTokens(chunk.theirs, other)));
      for (const line of [...chunk.ours, ...chunk.theirs]) placed.add(line);
    }
  }
  const isClean = conflicts.length === 0 && ids === "specs";
  const merged = isClean ? addEmptyNotes(joinClosedLines(text), [ours, theirs]) : joinClosedLines(text);
  const isSound =
    conflicts.length > 0
      ? [...settled].every(([token, lines]) => lines.length === 0 || placed.has(token))
      : hasMergedItems(merged, settled, ids);
  if (isSound) return { text: merged, conflicts, ...(joinedIds.length > 0 ? { joined: joinedIds } : {}) };
  // An item has no location or ran into its neighbour. Both complete texts are shown instead of a guess.
  return { text: showBoth(), conflicts: [...conflicts, "the order of the items"] };
}

/** Items that both sides moved to different lists, or that one side gave up while the other changed the text. */
function listDivergingMoves(base: string, ours: string, theirs: string): string[] {
  const [was, mine, other] = [locateLiveItems(base), locateLiveItems(ours), locateLiveItems(theirs)];
  return [...was].flatMap(([id, before]) => {
    const [one, two] = [mine.get(id), other.get(id)];
    if (!one || !two) return [];
    const isApart = one.place !== two.place && one.place !== before.place && two.place !== before.place;
    const isGivenUp = [[one, two] as const, [two, one] as const].some(
      ([up, edit]) => up.place === "wont" && before.place !== "wont" && edit.text !== before.text,
    );
    return isApart || isGivenUp ? [`${id} (its list)`] : [];
  });
}

function locateLiveItems(document: string) {
  const found = outlineSpecItems(document);
  const live = found.items.filter(({ isRemoved }) => !isRemoved);
  return new Map(live.map((item) => [item.id, { place: findItemList(found, item), text: item.text }]));
}

function hasMergedItems(merged: string, settled: ReadonlyMap<string, DocumentLines>, ids: OutlineIdKind): boolean {
  const found = createMergeSide(merged, ids)?.items;
  const wanted = [...settled].filter(([, lines]) => lines.length > 0);
  const textOf = (lines: DocumentLines): string => lines.join("").trimEnd();
  return (
    found?.size === wanted.length && wanted.every(([token, lines]) => textOf(found.get(token) ?? []) === textOf(lines))
  );
}

function joinClosedLines(lines: readonly string[]): string {
  const newline = lines.some((line) => line.endsWith("\r\n")) ? "\r\n" : "\n";
  return lines.map((line, i) => (i === lines.length - 1 || /[\r\n]$/.test(line) ? line : `${line}${newline}`)).join("");
}

function createMergeSide(document: string, ids: OutlineIdKind): MergeSide | undefined {
  const found = outlineSpecItems(document, ids);
  if (document.includes(ITEM_TOKEN) || listDuplicateIds(found).length > 0) return undefined;
  const frame: string[] = [];
  const items = new Map<string, readonly string[]>();
  let at = 0;
  for (const { id, start, end, isRemoved } of found.items) {
    const token = `${ITEM_TOKEN}${isRemoved ? "removed" : "item"} ${id}`;
    frame.push(...found.lines.slice(at, start), token);
    items.set(token, found.lines.slice(start, end));
    at = end;
  }
  return { frame: [...frame, ...found.lines.slice(at)], items };
}

type DocumentLines = readonly string[];

function mergeItemLines(was: DocumentLines = [], mine: DocumentLines = [], other: DocumentLines = []) {
  if (areLinesEqual(mine, other) || areLinesEqual(was, other)) return { lines: mine, isConflict: false };
  if (areLinesEqual(was, mine)) return { lines: other, isConflict: false };
  const isChangedTwice = was.length > 0 && mine.length > 0 && other.length > 0;
  const both = isChangedTwice ? joinMergedLines(mergeThreeWay(was, mine, other)) : undefined;
  return both
    ? { lines: both, isConflict: false, isJoined: true }
    : { lines: formatConflictMarkers(mine, other), isConflict: true };
}

function mergeItemOrder(was: MergeSide, mine: MergeSide, other: MergeSide): MergeChunk[] {
  // A removed item keeps its token until the other side is known to have left it unchanged.
  const kept = (side: MergeSide, rest: MergeSide): DocumentLines => {
    const missing = [...was.items.keys()].filter(
      (token) =>
        !side.items.has(token) &&
        rest.items.has(token) &&
        !areLinesEqual(was.items.get(token) ?? [], rest.items.get(token) ?? []),
    );
    return missing.length === 0 ? side.frame : restoreMissingTokens(side.frame, was.frame, missing);
  };
  return mergeThreeWay(was.frame, kept(mine, other), kept(other, mine)).map((chunk) =>
    "lines" in chunk ? chunk : resolveOrderConflict(chunk),
  );
}

function restoreMissingTokens(frame: DocumentLines, was: DocumentLines, missing: readonly string[]): DocumentLines {
  const result = [...frame];
  for (const token of missing) {
    const before = was.slice(0, was.indexOf(token)).findLast((line) => isItemToken(line) && result.includes(line));
    const heading = was.slice(0, was.indexOf(token)).findLast((line) => line.trim() !== "" && result.includes(line));
    let at = result.indexOf(before ?? heading ?? "") + 1;
    while (before === undefined && (result[at] ?? token).trim() === "") at++;
    result.splice(at, 0, token);
  }
  return result;
}

const isItemToken = (line: string): boolean => line.startsWith(ITEM_TOKEN);
const listProseLines = (lines: DocumentLines): DocumentLines =>
  lines.filter((line) => !isItemToken(line) && line.trim() !== "");

/** Items added or removed by both sides are combined. Prose is combined only if one side left it unchanged. */
function resolveOrderConflict(chunk: Exclude<MergeChunk, { readonly lines: DocumentLines }>): MergeChunk {
  const { base, ours, theirs } = chunk;
  const all = [...base, ...ours, ...theirs];
  // The note that a list is empty is not prose: it follows from the items.
  const isOneList = all.some(isItemToken) && !all.some((line) => line.startsWith("#"));
  const spoken = (lines: DocumentLines): DocumentLines =>
    isOneList ? lines.filter((line) => !isEmptyListText(line)) : lines;
  const prose = (lines: DocumentLines): DocumentLines => listProseLines(spoken(lines));
  const [was, mine, other] = [prose(base), prose(ours), prose(theirs)];
  const settled = (lines: DocumentLines): MergeChunk => ({ lines: lines.some(isItemToken) ? spoken(lines) : lines });
  if (areLinesEqual(mine, other) || areLinesEqual(was, other)) return settled(transferItems(theirs, base, ours));
  return areLinesEqual(was, mine) ? settled(transferItems(ours, base, theirs)) : chunk;
}

function transferItems(side: DocumentLines, base: DocumentLines, frame: DocumentLines): DocumentLines {
  const result = frame.filter((line) => !isItemToken(line) || side.includes(line) || !base.includes(line));
  for (const [i, token] of side.entries()) {
    if (!isItemToken(token) || base.includes(token) || result.includes(token)) continue;
    const [kind = "", id = ""] = token.split(" ");
    const isSameKind = (line: string): boolean => isItemToken(line) && line.startsWith(`${kind} `);
    const next = result.findIndex((line) => {
      const other = line.split(" ")[1] ?? "";
      return isSameKind(line) && getIdFamily(other) === getIdFamily(id) && parseIdNumber(other) > parseIdNumber(id);
    });
    const last = result.findLastIndex(isSameKind);
    const isBehindProse = listProseLines(side.slice(0, i)).length > 0;
    const at = next >= 0 ? next : last >= 0 ? last + 1 : isBehindProse ? result.length : 0;
    result.splice(at, 0, token);
  }
  return result;
}

const expandItemTokens = (lines: DocumentLines, side: MergeSide): DocumentLines =>
  lines.flatMap((line) => side.items.get(line) ?? [line]);

export function mergeDocumentLines(base: string, ours: string, theirs: string): MergedDocument {
  const chunks = mergeThreeWay(splitDocumentLines(base), splitDocumentLines(ours), splitDocumentLines(theirs));
  const conflicts = chunks.filter((chunk) => !("lines" in chunk)).map(() => "some lines");
  const text = chunks.flatMap((chunk) =>
    "lines" in chunk ? chunk.lines : formatConflictMarkers(chunk.ours, chunk.theirs),
  );
  return { text: joinClosedLines(text), conflicts };
}

const splitDocumentLines = (text: string): DocumentLines => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

function formatConflictMarkers(ours: DocumentLines, theirs: DocumentLines): DocumentLines {
  const newline = [...ours, ...theirs].some((line) => line.endsWith("\r\n")) ? "\r\n" : "\n";
  const ended = (lines: DocumentLines): DocumentLines =>
    lines.map((line) => (/[\r\n]$/.test(line) ? line : `${line}${newline}`));
  return [`<<<<<<< ours${newline}`, ...ended(ours), `=======${newline}`, ...ended(theirs), `>>>>>>> theirs${newline}`];
}

export type MergeChunk =
  | { readonly lines: readonly string[] }
  | { readonly base: readonly string[]; readonly ours: readonly string[]; readonly theirs: readonly string[] };

/** Three-way merge by line. Adjacent changes are left as conflicts. */
export const mergeThreeWay = (
  base: readonly string[],
  ours: readonly string[],
  theirs: readonly string[],
): MergeChunk[] =>
  diff3MergeRegions([...ours], [...base], [...theirs])
    .map((region): MergeChunk => {
      if (region.stable) return { lines: region.bufferContent };
      const { oContent: was, aContent: mine, bContent: other } = region;
      if (areLinesEqual(mine, was) || areLinesEqual(mine, other)) return { lines: other };
      return areLinesEqual(other, was) ? { lines: mine } : { base: was, ours: mine, theirs: other };
    })
    .filter((chunk) => !("lines" in chunk) || chunk.lines.length > 0);

const areLinesEqual = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((line, i) => line === b[i]);

export function joinMergedLines(chunks: readonly MergeChunk[]): string[] | undefined {
  const lines: string[] = [];
  for (const chunk of chunks) {
    if (!("lines" in chunk)) return undefined;
    lines.push(...chunk.lines);
  }
  return lines;
}

type RecordFields = Readonly<Record<string, unknown>>;

/** Fields of flows, features and waves that describe progress together. All of them come from one side. */
const PROGRESS_FIELDS: readonly string[] = (
  "stages current_stage status abandoned reopenings deltas merged " +
  "phase version version_refs changelog design implementation orchestration blocked_info reviews fix " +
  "step tries cross_check dead_code proceeded runs"
).split(" ");
const DERIVED_FIELDS: readonly string[] = ["rev", "checksum", "updated_at"];
/** Unordered lists that only grow. The merge is their union. */
const UNION_FIELDS: readonly string[] = ["ids"];

/** The record is without the checksum, which the caller adds. */
export function mergeRecordFields(base: RecordFields, ours: RecordFields, theirs: RecordFields) {
  const record: Record<string, unknown> = {};
  const conflicts: string[] = [];
  const hasChanged = (side: RecordFields, names: readonly string[]): boolean =>
    names.some((name) => isFieldDifferent(base, side, name));
  const isFlowTheirs = !hasChanged(ours, PROGRESS_FIELDS) && hasChanged(theirs, PROGRESS_FIELDS);
  if (hasChanged(ours, PROGRESS_FIELDS) && hasChanged(theirs, PROGRESS_FIELDS)) {
    conflicts.push(...PROGRESS_FIELDS.filter((name) => isFieldDifferent(ours, theirs, name)));
  }
  for (const name of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
    if (name === "checksum") continue;
    const union = UNION_FIELDS.includes(name) ? mergeTextLists(base[name], ours[name], theirs[name]) : undefined;
    if (union) {
      record[name] = union;
      continue;
    }
    const isMine = !isFieldDifferent(base, theirs, name) || !isFieldDifferent(ours, theirs, name);
    const isProgress = PROGRESS_FIELDS.includes(name);
    const isTheirs = isProgress ? isFlowTheirs : !isMine;
    const isOwnField = !isProgress && !DERIVED_FIELDS.includes(name);
    if (isTheirs && isOwnField && isFieldDifferent(base, ours, name)) conflicts.push(name);
    const side = isTheirs ? theirs : ours;
    if (side[name] !== undefined) record[name] = side[name];
  }
  const revisions = [ours["rev"], theirs["rev"]].map(Number);
  const times = [ours["updated_at"], theirs["updated_at"]].filter((time) => typeof time === "string");
  if (times.length > 0) record["updated_at"] = times.toSorted().at(-1);
  record["rev"] = Math.max(...revisions) + 1;
  return { record, conflicts };
}

/** The result does not depend on the order of the sides. Undefined if a value is not a list of strings. */
function mergeTextLists(base: unknown, ours: unknown, theirs: unknown): string[] | undefined {
  if (!isTextList(base) || !isTextList(ours) || !isTextList(theirs)) return undefined;
  return [...new Set([...base, ...[...ours, ...theirs].toSorted()])];
}

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string");

const isFieldDifferent = (a: RecordFields, b: RecordFields, name: string): boolean =>
  JSON.stringify(a[name]) !== JSON.stringify(b[name]);
