import { listCodeSynonyms, createSearchQuestion } from "./code-search-terms.ts";
import words from "./search-words.json" with { type: "json" };

export type QuestionIntent =
  | "meaning"
  | "subtypes"
  | "overrides"
  | "callers"
  | "calls"
  | "signature"
  | "tests"
  | "specs"
  | "changes";

/** Names are spelled as in code, without call parentheses. `exact` is the whole question, if it is one name or id. */
export type CodeQuestion = Readonly<{
  intent: QuestionIntent;
  about: string;
  names: readonly string[];
  exact?: string;
}>;

const MAX_QUESTION_LENGTH = 2_000;
const MAX_QUESTION_NAMES = 5;

/** The first match decides the intent. Its group captures the subject. */
const INTENT_PATTERNS = (
  ["tests", "specs", "subtypes", "overrides", "callers", "calls", "signature", "changes"] as const
).flatMap((intent) => words.intents[intent].map((pattern) => ({ intent, pattern: new RegExp(pattern) })));

export function parseCodeQuestion(text: string): CodeQuestion {
  const said = text.slice(0, MAX_QUESTION_LENGTH).replaceAll(/\s+/g, " ").trim();
  const bare = said.replace(/^[`"'([\s]+/, "").replace(/[`"')\]\s?!.]+$/, "");
  const names = extractQuestionNames(said);
  if (bare !== "" && !bare.includes(" ")) return { intent: "meaning", about: bare, names, exact: bare };
  for (const { intent, pattern } of INTENT_PATTERNS) {
    const match = pattern.exec(said.toLowerCase());
    if (!match) continue;
    const [whole, about = ""] = match;
    const at = match.index + whole.lastIndexOf(about);
    const meant = said.slice(at, at + about.length).trim();
    if (intent === "changes" || /[\p{L}\p{N}]/u.test(meant)) return { intent, about: meant, names };
  }
  return { intent: "meaning", about: said, names };
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
