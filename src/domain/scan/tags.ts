import type { Look } from "./look.ts";

/** A place that says which spec it belongs to, and perhaps which acceptance criterion of it. */
export interface Tag {
  readonly spec: string;
  /** As `AC-1`. */
  readonly criterion?: string;
  readonly line: number;
}

const ID = String.raw`[A-Z][A-Z0-9]{0,31}-[0-9]{3,6}(?![A-Za-z0-9_]|-\w)`;
const CRITERION = String.raw`AC-[0-9]{1,4}(?![A-Za-z0-9_]|-\w)`;
/** What may follow a tag: ids and criteria, with commas, `and` or nothing but a space before a criterion. */
const NAMED = String.raw`${ID}(?:[ \t]*[.:#/][ \t]*${CRITERION}|[ \t]+${CRITERION})?`;
const MORE = String.raw`(?:[ \t]*(?:,|&|\band\b)[ \t]*(?:${NAMED}|${CRITERION}))*`;
const TAG = new RegExp(
  String.raw`(?<![\w@])@spec:?[ \t]+(${NAMED}${MORE})|(?<!\w)AC:[ \t]*(${ID}\.${CRITERION}${MORE})`,
  "g",
);
const PART = new RegExp(`(${ID})|(${CRITERION})`, "g");

/** The tags in comments and docstrings, in the order of the file. A tag in any other string is none. */
export function tagsIn(look: Look): Tag[] {
  return look.comments.flatMap((comment) =>
    comment.text
      .split("\n")
      .flatMap((text, at) =>
        [...text.matchAll(TAG)].flatMap((match) => tagsOf(match[1] ?? match[2] ?? "", comment.line + at)),
      ),
  );
}

/** `AUTH-001.AC-1, AC-2` names two criteria of one spec. */
function tagsOf(named: string, line: number): Tag[] {
  const tags: Tag[] = [];
  let spec = "";
  let isBare = false;
  for (const [, id, criterion] of named.matchAll(PART)) {
    if (id !== undefined) {
      if (isBare) tags.push({ spec, line });
      [spec, isBare] = [id, true];
    } else if (criterion !== undefined) {
      tags.push({ spec, criterion, line });
      isBare = false;
    }
  }
  return isBare ? [...tags, { spec, line }] : tags;
}
