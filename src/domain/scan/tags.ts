import { lineCounter } from "./lines.ts";
import type { Look } from "./look.ts";

/** A place that says which spec it belongs to, and perhaps which acceptance criterion of it. */
export interface Tag {
  /** `AUTH-001`, `FR-003`, or a feature of the roadmap: `user-login`. */
  readonly spec: string;
  /** As `AC-1`; of a feature of the roadmap as `S1.AC2`. */
  readonly criterion?: string;
  readonly line: number;
  /** How it is said: `@spec AUTH-001`, `AC: AUTH-001.AC-1`, or by the name of a test. */
  readonly by: "tag" | "marker" | "name";
}

/** What a tag says, wherever it stands. */
export type Said = Pick<Tag, "spec" | "criterion">;

/** What follows is part of another word: `AUTH-001` is not in `AUTH-0010` nor in `AUTH-001-2`. */
const END = String.raw`(?![A-Za-z0-9_]|-\w)`;
const ID = String.raw`[A-Z][A-Z0-9]{0,31}-[0-9]{3,6}${END}`;
const CRITERION = String.raw`AC-[0-9]{1,4}${END}`;
const FEATURE = String.raw`[a-z0-9]{1,60}(?:-[a-z0-9]{1,60}){0,29}`;
const STORY = String.raw`S[0-9]{1,4}\.AC[0-9]{1,4}${END}`;
/** Space within a line. */
const GAP = String.raw`[^\S\n]`;
/** A list may go on in the next line of its comment, behind that line's own mark. */
const BREAK = String.raw`(?:\n${GAP}*(?:\*|//[/!]?|#|--|;+|%+)?${GAP}*)?`;
/** What may follow a tag: ids and criteria, with commas, `and` or nothing but a space before a criterion. */
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

/** What a text names without being a tag, such as the name of a test: `AUTH-001 AC-2: refuses`. */
export const idsIn = (text: string): Said[] =>
  [...text.matchAll(WORDS)].flatMap(([list]) => tagsOf(list, "name", () => 1).map(asSaid));

const STORIES = new RegExp(
  String.raw`(?<![\w.-])${FEATURE}\.${STORY}(?:${AND}(?:${FEATURE}\.${STORY}|${STORY}))*`,
  "g",
);

/** Criteria of the roadmap's features that a text names in full: `user-login.S1.AC2`. */
export const storiesIn = (text: string): Said[] =>
  [...text.matchAll(STORIES)].flatMap(([list]) => tagsOf(list, "name", () => 1).map(asSaid));

const asSaid = ({ spec, criterion }: Tag): Said => ({ spec, ...(criterion === undefined ? {} : { criterion }) });

/** The tags in comments and docstrings, in the order of the file. A tag in any other string is none. */
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
    // `AC-100` looks like an id, and is one only where no spec was named before it.
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

/** Whether it names a feature of the roadmap, which is written in small letters. */
export const isFeature = (spec: string): boolean => /^[a-z0-9]/.test(spec);

/** As a comment says it, so that it is read back as the same. */
export const sayTag = (tag: Said): string =>
  isFeature(tag.spec) ? `AC: ${nameOfTag(tag)}` : `@spec ${nameOfTag(tag)}`;
