type RenamePairs = readonly (readonly [was: string, is: string])[];

const STRING_LITERAL = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/.source;
const WORD_CHARACTER = String.raw`[\p{L}\p{N}_$]`;

/**
 * Replaces old names by new ones, once outside string literals and once also inside. A name in code matches whole
 * words; the name of a test matches any text.
 */
export const createRenamedTexts = (text: string, names: RenamePairs): string[] => [
  ...new Set([true, false].map((keepsStrings) => replaceRenamedWords(text, names, keepsStrings))),
];

function replaceRenamedWords(text: string, names: RenamePairs, keepsStrings: boolean): string {
  const words = new Map(names.filter(([was]) => isIdentifierWord(was)));
  const titles = names.filter(([was]) => was !== "" && !isIdentifierWord(was));
  const said = titles.reduce((rest, [was, is]) => rest.replaceAll(was, () => is), text);
  if (words.size === 0) return said;
  const any = [...words.keys()].map((word) => word.replaceAll("$", String.raw`\$`)).join("|");
  const word = String.raw`(?<!${WORD_CHARACTER})(?:${any})(?!${WORD_CHARACTER})`;
  const pattern = new RegExp(keepsStrings ? `${STRING_LITERAL}|${word}` : word, "gu");
  return said.replace(pattern, (found) => words.get(found) ?? found);
}

const isIdentifierWord = (name: string): boolean => /^[\p{L}\p{N}_$]+$/u.test(name);
