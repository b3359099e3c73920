import { createLineCounter, type CodeScan } from "./code-scan.ts";

export interface SpecTag {
  /** `AUTH-001`, `FR-003`, or a feature of the roadmap: `user-login`. */
  readonly spec: string;
  /** `AC-1`, or `S1.AC2` for a feature of the roadmap. */
  readonly criterion?: string;
  readonly line: number;
  /** The form: `@spec AUTH-001`, `AC: AUTH-001.AC-1`, the name of a test, or the evidence that a requirement names. */
  readonly by: "tag" | "marker" | "name" | "evidence";
}

export type TagTarget = Pick<SpecTag, "spec" | "criterion">;

/** The id must end here: `AUTH-001` is not part of `AUTH-0010` or `AUTH-001-2`. */
const TAG_ID_END = String.raw`(?![A-Za-z0-9_]|-\w)`;
const TAG_SPEC_ID = String.raw`[A-Z][A-Z0-9]{0,31}-[0-9]{3,6}${TAG_ID_END}`;
const TAG_CRITERION = String.raw`AC-[0-9]{1,4}${TAG_ID_END}`;
const TAG_FEATURE = String.raw`[a-z0-9]{1,60}(?:-[a-z0-9]{1,60}){0,29}`;
const TAG_STORY_CRITERION = String.raw`S[0-9]{1,4}\.AC[0-9]{1,4}${TAG_ID_END}`;
const INLINE_SPACE = String.raw`[^\S\n]`;
/** A list may continue on the next line of its comment, after the comment marker of that line. */
const TAG_LINE_BREAK = String.raw`(?:\n${INLINE_SPACE}*(?:\*|//[/!]?|#|--|;+|%+)?${INLINE_SPACE}*)?`;
const TAGGED_ID = String.raw`${TAG_SPEC_ID}(?:${INLINE_SPACE}*[.:#/]${INLINE_SPACE}*${TAG_CRITERION}|${INLINE_SPACE}+${TAG_CRITERION})?`;
const TAG_SEPARATOR = String.raw`${INLINE_SPACE}*(?:,|&|\band\b)${INLINE_SPACE}*${TAG_LINE_BREAK}`;
const MORE_TAGGED_IDS = String.raw`(?:${TAG_SEPARATOR}(?:${TAGGED_ID}|${TAG_CRITERION}))*`;
const MARKED_CRITERION = String.raw`(?:${TAG_SPEC_ID}\.${TAG_CRITERION}|${TAG_FEATURE}\.${TAG_STORY_CRITERION})`;
const MORE_MARKED_CRITERIA = String.raw`(?:${TAG_SEPARATOR}(?:${TAGGED_ID}|${TAG_CRITERION}|${TAG_FEATURE}\.${TAG_STORY_CRITERION}|${TAG_STORY_CRITERION}))*`;
const SPEC_TAG_PATTERN = new RegExp(
  String.raw`(?<![\w@])@spec:?${INLINE_SPACE}+(${TAGGED_ID}${MORE_TAGGED_IDS})|(?<!\w)AC:${INLINE_SPACE}*(${MARKED_CRITERION}${MORE_MARKED_CRITERIA})`,
  "g",
);
const TAG_PART_PATTERN = new RegExp(
  String.raw`(${TAG_SPEC_ID})|(${TAG_FEATURE})(?=\.S[0-9])|${TAG_CRITERION}|${TAG_STORY_CRITERION}`,
  "g",
);

const NAMED_ID_LIST = new RegExp(String.raw`(?<![A-Za-z0-9_-])${TAGGED_ID}${MORE_TAGGED_IDS}`, "g");

/** Ids in text that is not a tag, such as the name of a test: `AUTH-001 AC-2: refuses`. */
export const findNamedSpecIds = (text: string): TagTarget[] => parseTagLists(text, NAMED_ID_LIST);

const STORY_CRITERION_LIST = new RegExp(
  String.raw`(?<![\w.-])${TAG_FEATURE}\.${TAG_STORY_CRITERION}(?:${TAG_SEPARATOR}(?:${TAG_FEATURE}\.${TAG_STORY_CRITERION}|${TAG_STORY_CRITERION}))*`,
  "g",
);

export const findStoryCriteria = (text: string): TagTarget[] => parseTagLists(text, STORY_CRITERION_LIST);

const parseTagLists = (text: string, pattern: RegExp): TagTarget[] =>
  [...text.matchAll(pattern)].flatMap(([list]) =>
    parseTagList(list, "name", () => 1).map(({ line: _line, by: _by, ...target }) => target),
  );

/** Tags in comments and docstrings, in file order. Other strings do not count. */
export function findSpecTags(look: CodeScan): SpecTag[] {
  return look.comments.flatMap(({ text, line }) => {
    const lineOf = createLineCounter(text);
    return [...text.matchAll(SPEC_TAG_PATTERN)].flatMap((match) => {
      const [said, named, marked = ""] = match;
      const list = named ?? marked;
      const start = match.index + said.length - list.length;
      return parseTagList(list, named === undefined ? "marker" : "tag", (at) => line - 1 + lineOf(start + at));
    });
  });
}

/** `AUTH-001.AC-1, AC-2` names two criteria of one spec. */
function parseTagList(named: string, by: SpecTag["by"], lineAt: (at: number) => number): SpecTag[] {
  const tags: SpecTag[] = [];
  let bare: SpecTag | undefined;
  let spec = "";
  for (const { 0: part, 1: id, 2: feature, index } of named.matchAll(TAG_PART_PATTERN)) {
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
export const formatTagName = ({ spec, criterion }: TagTarget): string =>
  criterion === undefined ? spec : `${spec}.${criterion}`;

/** Feature names start in lower case, spec ids do not. */
export const isFeatureTag = (spec: string): boolean => /^[a-z0-9]/.test(spec);

/** Formats a comment that parses back to the same tag. */
export const formatTagComment = (tag: TagTarget): string =>
  isFeatureTag(tag.spec) ? `AC: ${formatTagName(tag)}` : `@spec ${formatTagName(tag)}`;
