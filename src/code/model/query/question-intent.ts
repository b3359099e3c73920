import { listCodeSynonyms, createSearchQuestion } from "./code-search-terms.ts";
import words from "./search-words.json" with { type: "json" };

export type QuestionIntent = "meaning" | "callers" | "calls" | "signature" | "tests" | "specs" | "changes";

export interface CodeQuestion {
  readonly wish: QuestionIntent;
  readonly about: string;
  /** Words spelled like names in code, without call parentheses: `Session.login`, `parse_date`. */
  readonly names: readonly string[];
  /** The whole question, if it is a single name, path, key or id. */
  readonly exact?: string;
}

const MAX_QUESTION_LENGTH = 2_000;
const MAX_QUESTION_NAMES = 5;

/** The first match decides the intent. Its group captures the subject. */
const INTENT_PATTERNS: readonly (readonly [QuestionIntent, RegExp])[] = [
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

export function parseCodeQuestion(text: string): CodeQuestion {
  const said = text.slice(0, MAX_QUESTION_LENGTH).replaceAll(/\s+/g, " ").trim();
  const bare = said.replace(/^[`"'([\s]+/, "").replace(/[`"')\]\s?!.]+$/, "");
  const names = extractQuestionNames(said);
  if (bare !== "" && !bare.includes(" ")) return { wish: "meaning", about: bare, names, exact: bare };
  for (const [wish, pattern] of INTENT_PATTERNS) {
    const match = pattern.exec(said.toLowerCase());
    if (!match) continue;
    const [whole, about = ""] = match;
    const at = match.index + whole.lastIndexOf(about);
    const meant = said.slice(at, at + about.length).trim();
    if (wish === "changes" || /[\p{L}\p{N}]/u.test(meant)) return { wish, about: meant, names };
  }
  return { wish: "meaning", about: said, names };
}

/** `useState`, `Session.login`, `parse_date()`, `$ZodType`, and anything in backticks. */
function extractQuestionNames(said: string): string[] {
  const names = (said.match(/`[^`]{1,200}`|[\w$][\w$.#/~-]*(?:\(\))?/g) ?? [])
    .filter((word) => /^`|\(\)$|[a-z0-9][A-Z]|_|\$|[\w$]\.[A-Za-z_$]|#/.test(word))
    .map((word) =>
      word
        .replaceAll("`", "")
        .replace(/\(.*$/, "")
        .replace(/[.\s]+$/, ""),
    );
  return [...new Set(names.filter((name) => name !== ""))].slice(0, MAX_QUESTION_NAMES);
}

const CHANGE_FILLER_WORDS =
  /\b(?:what|which|is|are|was|were|has|have|been|did|the|changes?|changed|commits?|work|edits?|new|news|happened|recent(?:ly)?|lately|last|latest|newest|today|yesterday|this|past|week|month|days?|in|here|repo(?:sitory)?|project|code(?:base)?|show|me|list|made|by|anybody|we|s)\b/gi;

export const isAboutAllChanges = (question: string): boolean =>
  !/[\p{L}\p{N}]/u.test(question.replaceAll(CHANGE_FILLER_WORDS, ""));

export type AnswerTopic = "components" | "changes" | "checks" | "feature" | "specs" | "untested" | "area";

/** A question is about a topic if it uses only the words of the topic, and one of each required group. */
export function matchAnswerTopic(question: string): AnswerTopic | undefined {
  if (!/^\W*(?:how|what|where|which|show|list|give|tell)\b/i.test(question)) return undefined;
  const asked = extractQuestionTerms(question.replaceAll(/\b(?:no|without)\b/gi, "lack"));
  const found = words.topics.find(({ topic, required, others }) => {
    const known = extractQuestionTerms([...required, others].join(" "));
    const isEach = required.every((part) => [...extractQuestionTerms(part)].some((term) => asked.has(term)));
    const isAll = [...asked].every((term) => known.has(term));
    // A question about the meaning of a test does not ask for a command.
    return isEach && isAll && (topic !== "checks" || /\b(?:how|command|run)\b/i.test(question));
  });
  return asked.size > 0 ? (found?.topic as AnswerTopic | undefined) : undefined;
}

export function isQuestionAboutArea(question: string, name: string): boolean {
  const [asked, named] = [extractQuestionTerms(question), extractQuestionTerms(name)];
  if (asked.size !== named.size || asked.size === 0) return false;
  const isMet = (term: string): boolean =>
    named.has(term) || [...listCodeSynonyms(term)].some((each) => named.has(each));
  return [...asked].every(isMet);
}

const extractQuestionTerms = (text: string): ReadonlySet<string> => new Set(createSearchQuestion(text, "").terms);
