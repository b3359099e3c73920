import { isEmptyListText } from "../project/items.ts";
import { areSame, type Chunk, diff3, joined } from "./diff3.ts";
import { familyOf, numberOf, placeOf, withNone } from "./edit.ts";
import { type Ids, idsGivenTwice, outline } from "./outline.ts";

export interface Merged {
  readonly text: string;
  readonly conflicts: readonly string[];
  /** Ids of items that both sides changed in different lines. The user should read them again. */
  readonly joined?: readonly string[];
}

/** Placeholder for an item among the lines around it. Document lines never contain NUL. */
const TOKEN = "\0";
const LIVE = `${TOKEN}item `;
const GONE = `${TOKEN}removed `;

interface Side {
  readonly frame: readonly string[];
  readonly items: ReadonlyMap<string, readonly string[]>;
}

/**
 * Three-way merge by item, and by line outside of items. A conflict puts git's conflict markers around the item only.
 */
export function mergeDocuments(base: string, ours: string, theirs: string, ids: Ids): Merged {
  const [was, mine, other] = [sideOf(base, ids), sideOf(ours, ids), sideOf(theirs, ids)];
  // With a duplicate id it is unclear which item is meant. Then only lines are compared, and the id counts as a
  // conflict.
  if (!was || !mine || !other) {
    const { text, conflicts } = mergeLines(base, ours, theirs);
    return {
      text,
      conflicts: [...conflicts, ...idsGivenTwice(outline(text, ids)).map(({ id }) => `${id} (given twice)`)],
    };
  }
  const moved = ids === "specs" ? movedApart(base, ours, theirs) : [];
  if (moved.length > 0) return { text: closed(marked(linesOf(ours), linesOf(theirs))), conflicts: moved };
  const conflicts: string[] = [];
  const joinedIds: string[] = [];
  const settled = new Map<string, readonly string[]>();
  for (const token of new Set([...was.items.keys(), ...mine.items.keys(), ...other.items.keys()])) {
    const item = mergeItem(was.items.get(token), mine.items.get(token), other.items.get(token));
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
  for (const chunk of mergeFrames(was, mine, other)) {
    if ("lines" in chunk) text.push(...chunk.lines.flatMap(written));
    else {
      conflicts.push("the text around the items");
      text.push(...marked(expand(chunk.ours, mine), expand(chunk.theirs, other)));
      for (const line of [...chunk.ours, ...chunk.theirs]) placed.add(line);
    }
  }
  const isClean = conflicts.length === 0 && ids === "specs";
  const merged = isClean ? withNone(closed(text), [ours, theirs]) : closed(text);
  const isSound = conflicts.length > 0 ? areIn(placed, settled) : isReadAs(merged, settled, ids);
  if (isSound) return { text: merged, conflicts, ...(joinedIds.length > 0 ? { joined: joinedIds } : {}) };
  // An item has no location or ran into its neighbour. Both complete texts are shown instead of a guess.
  return { text: closed(marked(linesOf(ours), linesOf(theirs))), conflicts: [...conflicts, "the order of the items"] };
}

/** Items that both sides moved to different lists, or that one side gave up while the other changed the text. */
function movedApart(base: string, ours: string, theirs: string): string[] {
  const [was, mine, other] = [base, ours, theirs].map(placesIn) as [Places, Places, Places];
  return [...was].flatMap(([id, before]) => {
    const [one, two] = [mine.get(id), other.get(id)];
    if (!one || !two) return [];
    const isApart = one.place !== two.place && one.place !== before.place && two.place !== before.place;
    const isGivenUp = [[one, two] as const, [two, one] as const].some(
      ([up, edit]) => up.place === "wont" && before.place !== "wont" && edit.text !== before.text,
    );
    return isApart || isGivenUp ? [`${id} (the list it stands in)`] : [];
  });
}

type Places = ReadonlyMap<string, { readonly place: string | undefined; readonly text: string }>;

function placesIn(document: string): Places {
  const found = outline(document);
  const live = found.items.filter(({ isRemoved }) => !isRemoved);
  return new Map(live.map((item) => [item.id, { place: placeOf(found, item), text: item.text }]));
}

const areIn = (placed: ReadonlySet<string>, settled: ReadonlyMap<string, Lines>): boolean =>
  [...settled].every(([token, lines]) => lines.length === 0 || placed.has(token));

function isReadAs(merged: string, settled: ReadonlyMap<string, Lines>, ids: Ids): boolean {
  const found = sideOf(merged, ids)?.items;
  const wanted = [...settled].filter(([, lines]) => lines.length > 0);
  const textOf = (lines: Lines): string => lines.join("").trimEnd();
  return (
    found?.size === wanted.length && wanted.every(([token, lines]) => textOf(found.get(token) ?? []) === textOf(lines))
  );
}

function closed(lines: readonly string[]): string {
  const newline = lines.some((line) => line.endsWith("\r\n")) ? "\r\n" : "\n";
  return lines.map((line, i) => (i === lines.length - 1 || /[\r\n]$/.test(line) ? line : `${line}${newline}`)).join("");
}

function sideOf(document: string, ids: Ids): Side | undefined {
  const found = outline(document, ids);
  if (document.includes(TOKEN) || idsGivenTwice(found).length > 0) return undefined;
  const frame: string[] = [];
  const items = new Map<string, readonly string[]>();
  let at = 0;
  for (const { id, start, end, isRemoved } of found.items) {
    const token = `${isRemoved ? GONE : LIVE}${id}`;
    frame.push(...found.lines.slice(at, start), token);
    items.set(token, found.lines.slice(start, end));
    at = end;
  }
  return { frame: [...frame, ...found.lines.slice(at)], items };
}

type Lines = readonly string[];

function mergeItem(
  was: Lines = [],
  mine: Lines = [],
  other: Lines = [],
): { lines: Lines; isConflict: boolean; isJoined?: boolean } {
  if (areSame(mine, other) || areSame(was, other)) return { lines: mine, isConflict: false };
  if (areSame(was, mine)) return { lines: other, isConflict: false };
  const isChangedTwice = was.length > 0 && mine.length > 0 && other.length > 0;
  const both = isChangedTwice ? joined(diff3(was, mine, other)) : undefined;
  return both ? { lines: both, isConflict: false, isJoined: true } : { lines: marked(mine, other), isConflict: true };
}

function mergeFrames(was: Side, mine: Side, other: Side): Chunk[] {
  // A removed item keeps its token until the other side is known to have left it unchanged.
  const kept = (side: Side, rest: Side): Lines => {
    const missing = [...was.items.keys()].filter(
      (token) =>
        !side.items.has(token) &&
        rest.items.has(token) &&
        !areSame(was.items.get(token) ?? [], rest.items.get(token) ?? []),
    );
    return missing.length === 0 ? side.frame : withTokens(side.frame, was.frame, missing);
  };
  return diff3(was.frame, kept(mine, other), kept(other, mine)).map((chunk) =>
    "lines" in chunk ? chunk : settleFrame(chunk),
  );
}

function withTokens(frame: Lines, was: Lines, missing: readonly string[]): Lines {
  const result = [...frame];
  for (const token of missing) {
    const before = was.slice(0, was.indexOf(token)).findLast((line) => isToken(line) && result.includes(line));
    const heading = was.slice(0, was.indexOf(token)).findLast((line) => line.trim() !== "" && result.includes(line));
    let at = result.indexOf(before ?? heading ?? "") + 1;
    while (before === undefined && (result[at] ?? token).trim() === "") at++;
    result.splice(at, 0, token);
  }
  return result;
}

const isToken = (line: string): boolean => line.startsWith(TOKEN);
const proseOf = (lines: Lines): Lines => lines.filter((line) => !isToken(line) && line.trim() !== "");

/** Items added or removed by both sides are combined. Prose is combined only if one side left it unchanged. */
function settleFrame(chunk: Exclude<Chunk, { readonly lines: Lines }>): Chunk {
  const { base, ours, theirs } = chunk;
  const all = [...base, ...ours, ...theirs];
  // The note that a list is empty is not prose: it follows from the items.
  const isOneList = all.some(isToken) && !all.some((line) => line.startsWith("#"));
  const spoken = (lines: Lines): Lines => (isOneList ? lines.filter((line) => !isEmptyListText(line)) : lines);
  const [was, mine, other] = [base, ours, theirs].map((lines) => proseOf(spoken(lines))) as [Lines, Lines, Lines];
  const settled = (lines: Lines): Chunk => ({ lines: lines.some(isToken) ? spoken(lines) : lines });
  if (areSame(mine, other) || areSame(was, other)) return settled(withItemsOf(theirs, base, ours));
  return areSame(was, mine) ? settled(withItemsOf(ours, base, theirs)) : chunk;
}

function withItemsOf(side: Lines, base: Lines, frame: Lines): Lines {
  const result = frame.filter((line) => !isToken(line) || side.includes(line) || !base.includes(line));
  for (const [i, token] of side.entries()) {
    if (!isToken(token) || base.includes(token) || result.includes(token)) continue;
    const next = result.findIndex((line) => isToken(line) && comesAfter(line, token));
    const last = result.findLastIndex((line) => isToken(line) && kindOf(line) === kindOf(token));
    const isBehindProse = proseOf(side.slice(0, i)).length > 0;
    const at = next >= 0 ? next : last >= 0 ? last + 1 : isBehindProse ? result.length : 0;
    result.splice(at, 0, token);
  }
  return result;
}

const kindOf = (token: string): string => token.slice(0, token.indexOf(" "));

function comesAfter(line: string, token: string): boolean {
  const [a, b] = [line.split(" ")[1] ?? "", token.split(" ")[1] ?? ""];
  return kindOf(line) === kindOf(token) && familyOf(a) === familyOf(b) && numberOf(a) > numberOf(b);
}

const expand = (lines: Lines, side: Side): Lines => lines.flatMap((line) => side.items.get(line) ?? [line]);

export function mergeLines(base: string, ours: string, theirs: string): Merged {
  const chunks = diff3(linesOf(base), linesOf(ours), linesOf(theirs));
  const conflicts = chunks.filter((chunk) => !("lines" in chunk)).map(() => "some lines");
  const text = chunks.flatMap((chunk) => ("lines" in chunk ? chunk.lines : marked(chunk.ours, chunk.theirs)));
  return { text: closed(text), conflicts };
}

const linesOf = (text: string): Lines => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

function marked(ours: Lines, theirs: Lines): Lines {
  const newline = [...ours, ...theirs].some((line) => line.endsWith("\r\n")) ? "\r\n" : "\n";
  const ended = (lines: Lines): Lines => lines.map((line) => (/[\r\n]$/.test(line) ? line : `${line}${newline}`));
  return [`<<<<<<< ours${newline}`, ...ended(ours), `=======${newline}`, ...ended(theirs), `>>>>>>> theirs${newline}`];
}
