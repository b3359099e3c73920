import { parseGivenWhenThen } from "../spec/yaml/sentence.ts";
import { collapseWhitespace } from "./chapter.ts";
import type { ForeignCriterion } from "./found.ts";

/** Words that begin an EARS condition, and the part of a criterion they introduce. */
const EARS_CONDITIONS: readonly (readonly [RegExp, "given" | "when"])[] = [
  [/^(?:while|where)\b/i, "given"],
  [/^(?:when|if|whenever)\b/i, "when"],
];

/** The boundary between condition and outcome: "…, THEN the system SHALL …", "…, the system SHALL …". */
const EARS_OUTCOME = /(?:,\s*|\s)then\b[,:]?\s+|,\s*(?=(?:the|a|an|it)\b[^,]{1,200}?\b(?:shall|must|should|will)\b)/i;

/**
 * Splits a sentence only where its form is certain: Given, When, Then of Gherkin, or the condition and outcome of EARS.
 * Any other sentence is an outcome.
 */
export function parseCriterionSentence(sentence: string): ForeignCriterion {
  const text = stripBoldMarks(sentence);
  const spoken = parseGivenWhenThen(text);
  const { given, when: event } = spoken;
  if (given !== undefined && event !== undefined) return { given, when: event, outcome: spoken.then ?? "" };
  const [word, part] = EARS_CONDITIONS.find(([begins]) => begins.test(text)) ?? [];
  const rest = word === undefined ? "" : text.replace(word, "").trim();
  const end = word === undefined ? null : EARS_OUTCOME.exec(rest);
  if (part === undefined || !end) return { outcome: text };
  const [condition, outcome] = [rest.slice(0, end.index).trim(), rest.slice(end.index + end[0].length).trim()];
  if (condition === "" || outcome === "") return { outcome: text };
  const [inner, occasion] = part === "given" ? splitStateAndEvent(condition) : [condition, undefined];
  const parts =
    part === "given" ? { given: inner, ...(occasion === undefined ? {} : { when: occasion }) } : { when: inner };
  // The parts no longer show whether the author wrote "if" or "when".
  return { ...parts, outcome, notes: text };
}

/** "While locked, when the door is opened" is a state and an event. */
function splitStateAndEvent(condition: string): [state: string, event?: string] {
  const [state = "", event, more] = condition.split(/,\s*(?:when|if)\s+/i);
  const isTwo = event !== undefined && more === undefined && state.trim() !== "";
  return isTwo ? [state.trim(), event.trim()] : [condition];
}

const GHERKIN_STEP = /^\s*(?:[-*+]\s+)?\*{0,2}(given|when|then|and|but)\*{0,2}\s*:?\s+(.*)$/i;

/** Parses lines that begin with Given, When, Then or And; undefined without a When or Then. */
export function parseCriterionSteps(text: string): ForeignCriterion | undefined {
  const said = new Map<string, string[]>();
  let lines: string[] | undefined;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, word = "", rest = ""] = GHERKIN_STEP.exec(line) ?? [];
    const named = word.toLowerCase();
    if (named === "given" || named === "when" || named === "then") {
      lines = said.get(named) ?? [];
      said.set(named, lines);
    }
    if (named !== "") lines?.push(stripBoldMarks(rest));
    else if (line.trim() !== "")
      lines?.push(`${lines.pop() ?? ""} ${stripBoldMarks(line.replace(/^\s*[-*+]\s+/, ""))}`.trim());
  }
  if (!said.has("when") && !said.has("then")) return undefined;
  const [given, event, outcome] = ["given", "when", "then"].map((name) => said.get(name)?.join("; and "));
  return {
    ...(given ? { given } : {}),
    ...(event ? { when: event } : {}),
    ...(outcome ? { outcome } : {}),
  };
}

export const stripBoldMarks = (text: string): string => collapseWhitespace(text.replace(/\*\*|__/g, ""));
