import { relatedInCode } from "../query/thesaurus.ts";
import { wordingOf } from "../query/wording.ts";

export type Topic = "components" | "changes" | "checks" | "feature" | "specs" | "untested" | "area";

/** Words per topic. A question matches if it uses only these words, and one of each required group. */
const TOPICS: readonly (readonly [Topic, readonly (readonly string[])[], readonly string[]])[] = [
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

export function topicOf(question: string): Topic | undefined {
  if (!/^\W*(?:how|what|where|which|show|list|give|tell)\b/i.test(question)) return undefined;
  const asked = termsAsked(question.replaceAll(/\b(?:no|without)\b/gi, "lack"));
  const found = TOPICS.find(([topic, parts, others]) => {
    const known = termsAsked([...parts.flat(), ...others].join(" "));
    const isAll = [...asked].every((term) => known.has(term));
    const isEach = parts.every((part) => [...termsAsked(part.join(" "))].some((term) => asked.has(term)));
    return asked.size > 0 && isAll && isEach && (topic !== "checks" || isAboutRunning(question));
  });
  return found?.[0];
}

/** A question about the meaning of a test does not ask for a command. */
const isAboutRunning = (question: string): boolean => /\b(?:how|command|run)\b/i.test(question);

export function asksAbout(question: string, name: string): boolean {
  const [asked, named] = [termsAsked(question), termsAsked(name)];
  if (asked.size !== named.size || asked.size === 0) return false;
  const isMet = (term: string): boolean => named.has(term) || [...relatedInCode(term)].some((each) => named.has(each));
  return [...asked].every(isMet);
}

const termsAsked = (text: string): ReadonlySet<string> => new Set(wordingOf(text, "").terms);
