import { listCodeSynonyms } from "../query/thesaurus.ts";
import { createSearchQuestion } from "../query/wording.ts";

export type AnswerTopic = "components" | "changes" | "checks" | "feature" | "specs" | "untested" | "area";

/** Words per topic. A question matches if it uses only these words, and one of each required group. */
const TOPIC_WORDS: readonly (readonly [AnswerTopic, readonly (readonly string[])[], readonly string[]])[] = [
  [
    "untested",
    [
      ["requirement", "criterion", "criteria", "spec"],
      ["lack", "without", "untested", "uncovered", "missing", "no", "uncover"],
    ],
    ["test", "coverage", "acceptance"],
  ],
  ["specs", [["spec", "specification", "requirement"]], ["find", "live", "list", "kept", "stored", "file", "folder"]],
  [
    "components",
    [["component", "architecture", "overview", "structure", "module"]],
    ["main", "important", "central", "part", "key", "list", "core", "organized", "look", "like"],
  ],
  [
    "feature",
    [["feature"], ["add", "new", "start", "begin", "create", "build", "introduce"]],
    ["add", "new", "start", "begin", "create", "build", "introduce"],
  ],
  [
    "checks",
    [["test", "check", "lint", "linter", "build", "typecheck", "coverage", "formatter"]],
    ["run", "execute", "start", "suite", "command", "type", "unit", "all", "format", "launch", "use", "invoke"],
  ],
];

export function matchAnswerTopic(question: string): AnswerTopic | undefined {
  if (!/^\W*(?:how|what|where|which|show|list|give|tell)\b/i.test(question)) return undefined;
  const asked = extractQuestionTerms(question.replaceAll(/\b(?:no|without)\b/gi, "lack"));
  const found = TOPIC_WORDS.find(([topic, parts, others]) => {
    const known = extractQuestionTerms([...parts.flat(), ...others].join(" "));
    const isAll = [...asked].every((term) => known.has(term));
    const isEach = parts.every((part) => [...extractQuestionTerms(part.join(" "))].some((term) => asked.has(term)));
    return asked.size > 0 && isAll && isEach && (topic !== "checks" || isAboutRunningChecks(question));
  });
  return found?.[0];
}

/** A question about the meaning of a test does not ask for a command. */
const isAboutRunningChecks = (question: string): boolean => /\b(?:how|command|run)\b/i.test(question);

export function isQuestionAboutArea(question: string, name: string): boolean {
  const [asked, named] = [extractQuestionTerms(question), extractQuestionTerms(name)];
  if (asked.size !== named.size || asked.size === 0) return false;
  const isMet = (term: string): boolean =>
    named.has(term) || [...listCodeSynonyms(term)].some((each) => named.has(each));
  return [...asked].every(isMet);
}

const extractQuestionTerms = (text: string): ReadonlySet<string> => new Set(createSearchQuestion(text, "").terms);
