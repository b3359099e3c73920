import { lineCounter } from "./lines.ts";
import type { Look } from "./look.ts";

export interface Tag {
  /** `AUTH-001`, `FR-003`, or a feature of the roadmap: `user-login`. */
  readonly spec: string;
  /** `AC-1`, or `S1.AC2` for a feature of the roadmap. */
  readonly criterion?: string;
  readonly line: number;
  /** The form: `@spec AUTH-001`, `AC: AUTH-001.AC-1`, or the name of a test. */
  readonly by: "tag" | "marker" | "name";
}

export type Said = Pick<Tag, "spec" | "criterion">;

/** The id must end here: `AUTH-001` is not part of `AUTH-0010` or `AUTH-001-2`. */
const END = String.raw`(?![A-Za-z0-9_]|-\w)`;
const ID = String.raw`[A-Z][A-Z0-9]{0,31}-[0-9]{3,6}${END}`;
const CRITERION = String.raw`AC-[0-9]{1,4}${END}`;
const FEATURE = String.raw`[a-z0-9]{1,60}(?:-[a-z0-9]{1,60}){0,29}`;
const STORY = String.raw`S[0-9]{1,4}\.AC[0-9]{1,4}${END}`;
const GAP = String.raw`[^\S\n]`;
/** A list may continue on the next line of its comment, after the comment marker of that line. */
const BREAK = String.raw`(?:\n${GAP}*(?:\*|//[/!]?|#|--|;+|%+)?${GAP}*)?`;
const NAMED = String.raw`${ID}(?:${GAP}*[.:#/]${GAP}*${CRITERION}|${GAP}+${CRITERION})?`;
const AND = String.raw`${GAP}*(?:,|&|\band\b)${GAP}*${BREAK}`;
const MORE = String.raw`(?:${AND}(?:${NAMED}|${CRITERION}))*`;
const MARKED = String.raw`(?:${ID}\.${CRITERION}|${FEATURE}\.${STORY})`;
const MARKED_MORE = String.raw`(?:${AND}(?:${NAMED}|${CRITERION}|${FEATURE}\.${STORY}|${STORY}))*`;
const TAG = new RegExp(
  String.raw`(?<![\w@])@spec:?${GAP}+(${NAMED}${MORE})|(?<!\w)AC:${GAP}*(${MARKED}${MARKED_MORE})`,
  "g",
);
const PART = new RegExp(String.raw`(${ID})|(${FEATURE})(?=\.S[0-9])|${CRITERION}|${STORY}`, "g");

const WORDS = new RegExp(String.raw`(?<![A-Za-z0-9_-])${NAMED}${MORE}`, "g");

/** Ids in text that is not a tag, such as the name of a test: `AUTH-001 AC-2: refuses`. */
export const idsIn = (text: string): Said[] =>
  [...text.matchAll(WORDS)].flatMap(([list]) => tagsOf(list, "name", () => 1).map(asSaid));

const STORIES = new RegExp(
  String.raw`(?<![\w.-])${FEATURE}\.${STORY}(?:${AND}(?:${FEATURE}\.${STORY}|${STORY}))*`,
  "g",
);

export const storiesIn = (text: string): Said[] =>
  [...text.matchAll(STORIES)].flatMap(([list]) => tagsOf(list, "name", () => 1).map(asSaid));

const asSaid = ({ spec, criterion }: Tag): Said => ({ spec, ...(criterion === undefined ? {} : { criterion }) });

/** Tags in comments and docstrings, in file order. Other strings do not count. */
export function tagsIn(look: Look): Tag[] {
  return look.comments.flatMap(({ text, line }) => {
    const lineOf = lineCounter(text);
    return [...text.matchAll(TAG)].flatMap((match) => {
      const [said, named, marked = ""] = match;
      const list = named ?? marked;
      const start = match.index + said.length - list.length;
      return tagsOf(list, named === undefined ? "marker" : "tag", (at) => line - 1 + lineOf(start + at));
    });
  });
}

/** `AUTH-001.AC-1, AC-2` names two criteria of one spec. */
function tagsOf(named: string, by: Tag["by"], lineAt: (at: number) => number): Tag[] {
  const tags: Tag[] = [];
  let bare: Tag | undefined;
  let spec = "";
  for (const { 0: part, 1: id, 2: feature, index } of named.matchAll(PART)) {
    const line = lineAt(index);
    // `AC-100` has the form of an id, but counts as one only if no spec precedes it.
    const isId = feature !== undefined || (id !== undefined && (spec === "" || !/^AC-[0-9]{1,4}$/.test(id)));
    if (!isId) {
      tags.push({ spec, criterion: part, line, by });
      bare = undefined;
      continue;
    }
    if (bare) tags.push(bare);
    spec = part;
    bare = { spec, line, by };
  }
  return bare ? [...tags, bare] : tags;
}

/** `AUTH-001.AC-1`, `user-login.S1.AC2`, or the spec alone. */
export const nameOfTag = ({ spec, criterion }: Said): string =>
  criterion === undefined ? spec : `${spec}.${criterion}`;

/** Feature names start in lower case, spec ids do not. */
export const isFeature = (spec: string): boolean => /^[a-z0-9]/.test(spec);

/** Formats a comment that parses back to the same tag. */
export const sayTag = (tag: Said): string =>
  isFeature(tag.spec) ? `AC: ${nameOfTag(tag)}` : `@spec ${nameOfTag(tag)}`;
