import fc from "fast-check";
import { expect, test } from "vitest";
import { stemEnglishWord } from "./search-terms.ts";

/** From the examples and the vocabulary that Porter published with his algorithm. */
const PUBLISHED = `
  caresses caress, ponies poni, ties ti, caress caress, cats cat, feed feed, agreed agre, plastered plaster, bled bled,
  motoring motor, sing sing, conflated conflat, troubled troubl, sized size, hopping hop, tanned tan, falling fall,
  hissing hiss, fizzed fizz, failing fail, filing file, happy happi, sky sky, relational relat, conditional condit,
  rational ration, valenci valenc, hesitanci hesit, digitizer digit, conformabli conform, radicalli radic,
  differentli differ, vileli vile, analogousli analog, vietnamization vietnam, predication predic, operator oper,
  feudalism feudal, decisiveness decis, hopefulness hope, callousness callous, formaliti formal, sensitiviti sensit,
  sensibiliti sensibl, triplicate triplic, formative form, formalize formal, electriciti electr, electrical electr,
  hopeful hope, goodness good, revival reviv, allowance allow, inference infer, airliner airlin, gyroscopic gyroscop,
  adjustable adjust, defensible defens, irritant irrit, replacement replac, adjustment adjust, dependent depend,
  adoption adopt, homologou homolog, communism commun, activate activ, angulariti angular, homologous homolog,
  effective effect, bowdlerize bowdler, probate probat, rate rate, cease ceas, controll control, roll roll,
  connections connect, generalizations gener, oscillators oscil, abilities abil, archaeology archaeolog, enjoyed enjoi,
  organized organ, digitizing digit
`;

test.each(PUBLISHED.trim().split(/,\s+/))("finds %s, word and stem", (pair) => {
  const [word = "", published] = pair.split(" ");
  expect(stemEnglishWord(word)).toBe(published);
});

test.each(["", "a", "is", "go", "k8s", "2026s", "naïve", "Running", "修复", "\ud800ing", "has_it"])(
  "keeps %j as its own stem, without an English ending",
  (word) => {
    expect(stemEnglishWord(word)).toBe(word);
  },
);

test("returns a stem no longer than the word, and empty only for an empty word", () => {
  const texts = fc.oneof(
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.string({
      unit: fc.constantFrom(..."a e i o u y b d l n s t z ed ing ation iti ness ll".split(" ")),
      maxLength: 20,
    }),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const stemmed = stemEnglishWord(text);
      expect({ isEmpty: stemmed === "", grew: Math.max(0, stemmed.length - text.length) }).toEqual({
        isEmpty: text === "",
        grew: 0,
      });
    }),
    { numRuns: 2000 },
  );
});
