import { parseProseLines } from "../document/prose.ts";
import type { Problem } from "../gate/verdict.ts";
import { splitSearchWords } from "../memory/words.ts";
import { sanitizeText } from "../quote.ts";
import type { ContextFact } from "./fact.ts";

const FACT_ANSWER_PATTERN =
  /^\s{0,12}(?:#{1,6}\s+|(?:[-*+]|\d{1,4}[.)])\s+(?:\[[ xX]\]\s+)?|\|\s*)?[*_`]{0,3}(CF-\d{1,3})(?!\d)(.*)$/;
const MIN_ANSWER_WORDS = 3;

/** An answer that only repeats the fact does not count. */
export function findUnansweredFacts(facts: readonly ContextFact[], artifact: string): Problem[] {
  const answers = parseProseLines(artifact).flatMap(({ text }) => {
    const [, id, said = ""] = FACT_ANSWER_PATTERN.exec(text) ?? [];
    return id === undefined ? [] : [{ id, words: splitSearchWords(said.replace(/<[^<>]*>/g, " ")) }];
  });
  return facts
    .filter(({ severity }) => severity === "critical")
    .filter(({ id, fact }) => {
      const given = splitSearchWords(fact).join(" ");
      return !answers.some(
        (answer) =>
          answer.id === id &&
          new Set(answer.words).size >= MIN_ANSWER_WORDS &&
          !isFactRepeated(answer.words.join(" "), given),
      );
    })
    .map(({ id, fact }) => {
      const wanted = answers.some((answer) => answer.id === id)
        ? `its line needs at least ${MIN_ANSWER_WORDS} words that say how it is settled and do not repeat the fact.`
        : `begin a line with "${id}:" and say how it is settled.`;
      return { problem: `${id} is not answered: ${wanted} It says: ${sanitizeText(fact, 300)}` };
    });
}

const isFactRepeated = (answer: string, fact: string): boolean => answer === fact || answer === `critical ${fact}`;
