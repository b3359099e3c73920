import type { Problem } from "../gate/verdict.ts";
import { quote } from "../quote.ts";
import type { DesignSpec } from "./criteria.ts";

const VAGUE_WORD_PATTERN =
  /\b(?:appropriate(?:ly)?|proper(?:ly)?|suitabl[ey]|as needed|if necessary|as necessary|as required|etc\b|and so on|basically|usually|normally|typically|generally|mostly|sometimes|as much as possible|if possible|as far as possible|user-friendly|intuitive(?:ly)?|easy|easily|seamless(?:ly)?|robust(?:ly)?|reasonabl[ey]|sufficient(?:ly)?|various|correctly|as expected)\b|適切|適宜|必要に応じ|など|等の|基本的に|通常|可能な限り|できるだけ|なるべく/iu;
/** Checked only in a criterion without a number. */
const VAGUE_AMOUNT_PATTERN =
  /\b(?:fast(?:er)?|quick(?:ly)?|slow(?:ly)?|many|few|several|some|large|small|big|long|short|high|low|often|rarely|soon|recent(?:ly)?|immediately|real-time)\b|高速|迅速|すぐに|多く|少な|大量|大き|小さ/iu;

export function findAmbiguousCriteria(specs: readonly DesignSpec[]): Problem[] {
  return specs.flatMap(({ criteria }) =>
    criteria.flatMap(({ id, text, line }): Problem[] => {
      const loose = VAGUE_WORD_PATTERN.exec(text)?.[0];
      const amount = /\d/.test(text) ? undefined : VAGUE_AMOUNT_PATTERN.exec(text)?.[0];
      const word = loose ?? amount;
      if (word === undefined) return [];
      const instead = loose === undefined ? "say how much" : "say what is seen";
      return [{ problem: `${id} says ${quote(word, 40)}, which may be read in two ways: ${instead}.`, line }];
    }),
  );
}
