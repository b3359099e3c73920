import { proseLines } from "../document/prose.ts";
import type { Problem } from "../gate/verdict.ts";
import { wordsOf } from "../memory/words.ts";
import { plain } from "../quote.ts";
import type { Fact } from "./fact.ts";

const ANSWER =
  /^\s{0,12}(?:#{1,6}\s+|(?:[-*+]|\d{1,4}[.)])\s+(?:\[[ xX]\]\s+)?|\|\s*)?[*_`]{0,3}(CF-\d{1,3})(?!\d)(.*)$/;
const SHORTEST = 3;

/** An answer that only repeats the fact does not count. */
export function unanswered(facts: readonly Fact[], artifact: string): Problem[] {
  const answers = proseLines(artifact).flatMap(({ text }) => {
    const [, id, said = ""] = ANSWER.exec(text) ?? [];
    return id === undefined ? [] : [{ id, words: wordsOf(said.replace(/<[^<>]*>/g, " ")) }];
  });
  return facts
    .filter(({ severity }) => severity === "critical")
    .filter(({ id, fact }) => {
      const given = wordsOf(fact).join(" ");
      return !answers.some(
        (answer) =>
          answer.id === id && new Set(answer.words).size >= SHORTEST && !isEcho(answer.words.join(" "), given),
      );
    })
    .map(({ id, fact }) => {
      const wanted = answers.some((answer) => answer.id === id)
        ? `its line needs at least ${SHORTEST} words that say how it is settled and do not repeat the fact.`
        : `begin a line with "${id}:" and say how it is settled.`;
      return { problem: `${id} is not answered: ${wanted} It says: ${plain(fact, 300)}` };
    });
}

const isEcho = (answer: string, fact: string): boolean => answer === fact || answer === `critical ${fact}`;
