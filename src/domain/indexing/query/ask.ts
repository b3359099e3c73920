/** What a question wants to know of what it is about. */
export type Wish = "meaning" | "callers" | "calls" | "signature" | "tests" | "specs" | "changes";

/** A question as it was read. */
export interface Ask {
  readonly wish: Wish;
  /** The words that say what it is about. */
  readonly about: string;
  /** Words that are written as code writes names, without what is called on them: `Session.login`, `parse_date`. */
  readonly names: readonly string[];
  /** The whole question, where it is nothing but one name, path, key or id. */
  readonly exact?: string;
}

/** Nobody asks in more words than this, and a whole file may be pasted as a question. */
const LONGEST = 2_000;
const MOST_NAMES = 5;

/** The first that fits says what is wished; what it sets apart is what the question is about. */
const WISHES: readonly (readonly [Wish, RegExp])[] = [
  [
    "tests",
    /\b(?:which|what|where)\b.{0,20}?\btests?\b.{0,20}?\b(?:cover|test|check|exercise|verif|prove|for|of)\w*\s+(.+)/,
  ],
  ["tests", /\b(?:is|are|where is|where are|how is|how are)\s+(.+?)\s+(?:tested|covered)\b/],
  ["tests", /^tests?\s+(?:of|for|covering)\s+(.+)/],
  [
    "specs",
    /\b(?:which|what)\s+(?:specs?|requirements?|criteri\w+)\b.{0,20}?\b(?:for|of|to|does|do|cover\w*|describ\w*|belongs?)\s+(.+)/,
  ],
  [
    "callers",
    /\b(?:what|who|which\s+\w+)\s+(?:else\s+|all\s+)?(?:calls?|uses?|invokes?|imports?|depends?\s+on|relies?\s+on|consumes?)\s+(.+)/,
  ],
  ["callers", /\b(?:callers?|users?|usages?|uses|dependents?|references)\s+(?:of|to)\s+(.+)/],
  ["callers", /\bwhere\s+(?:is|are)\s+(.+?)\s+(?:used|called|invoked|imported|referenced)\b/],
  ["calls", /\bwhat\s+(?:does|do)\s+(.+?)\s+(?:call|use|invoke|import|depend\s+on|rely\s+on)\b/],
  [
    "signature",
    /\b(?:what|which)\b.{0,24}?\b(?:does|do|can)\s+(.+?)\s+(?:return|take|accept|expect|give|yield|have)\b/,
  ],
  ["signature", /\b(?:signature|parameters?|arguments?|params|args|return\s+(?:type|value))\s+(?:of|for)\s+(.+)/],
  [
    "changes",
    /\bwhat(?:'s|\s+is|\s+has|\s+was|\s+did)?\s+(?:been\s+|anybody\s+|we\s+)?(?:changed?|happened|new)\b(.*)/,
  ],
  ["changes", /\b(?:recent|latest|last|newest)\s+(?:changes?|commits?|work|edits?)\b(.*)/],
];

/** Reads any text as a question. Nothing is ever wrong with one. */
export function readAsk(text: string): Ask {
  const said = text.slice(0, LONGEST).replaceAll(/\s+/g, " ").trim();
  const bare = said.replace(/^[`"'([\s]+/, "").replace(/[`"')\]\s?!.]+$/, "");
  const names = namesIn(said);
  if (bare !== "" && !bare.includes(" ")) return { wish: "meaning", about: bare, names, exact: bare };
  for (const [wish, pattern] of WISHES) {
    const match = pattern.exec(said.toLowerCase());
    if (!match) continue;
    const [whole, about = ""] = match;
    // As it was written, since the case of a name counts.
    const at = match.index + whole.lastIndexOf(about);
    const meant = said.slice(at, at + about.length).trim();
    if (wish === "changes" || /[\p{L}\p{N}]/u.test(meant)) return { wish, about: meant, names };
  }
  return { wish: "meaning", about: said, names };
}

/** `useState`, `Session.login`, `parse_date()`, `$ZodType`, and whatever stands in backticks. */
function namesIn(said: string): string[] {
  const words = said.match(/`[^`]{1,200}`|[\w$][\w$.#/~-]*(?:\(\))?/g) ?? [];
  const names = words
    .filter((word) => /^`|\(\)$|[a-z0-9][A-Z]|_|\$|[\w$]\.[A-Za-z_$]|#/.test(word))
    .map((word) =>
      word
        .replaceAll("`", "")
        .replace(/\(.*$/, "")
        .replace(/[.\s]+$/, ""),
    );
  return [...new Set(names.filter((name) => name !== ""))].slice(0, MOST_NAMES);
}

const WHEN =
  /\b(?:what|which|is|are|was|were|has|have|been|did|the|changes?|changed|commits?|work|edits?|new|news|happened|recent(?:ly)?|lately|last|latest|newest|today|yesterday|this|past|week|month|days?|in|here|repo(?:sitory)?|project|code(?:base)?|show|me|list|made|by|anybody|we|s)\b/gi;

/** Whether a question about changes asks for all of them: what is left says no more. */
export const isWhole = (question: string): boolean => !/[\p{L}\p{N}]/u.test(question.replaceAll(WHEN, ""));
