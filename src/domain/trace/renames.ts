type Names = readonly (readonly [was: string, is: string])[];

const STRING = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/.source;
const LETTER = String.raw`[\p{L}\p{N}_$]`;

/**
 * Replaces old names by new ones, once outside string literals and once also inside. A name in code matches whole
 * words; the name of a test matches any text.
 */
export const withNames = (text: string, names: Names): string[] => [
  ...new Set([true, false].map((keepsStrings) => renamed(text, names, keepsStrings))),
];

function renamed(text: string, names: Names, keepsStrings: boolean): string {
  const words = new Map(names.filter(([was]) => isWord(was)));
  const titles = names.filter(([was]) => was !== "" && !isWord(was));
  const said = titles.reduce((rest, [was, is]) => rest.replaceAll(was, () => is), text);
  if (words.size === 0) return said;
  const any = [...words.keys()].map((word) => word.replaceAll("$", String.raw`\$`)).join("|");
  const word = String.raw`(?<!${LETTER})(?:${any})(?!${LETTER})`;
  const pattern = new RegExp(keepsStrings ? `${STRING}|${word}` : word, "gu");
  return said.replace(pattern, (found) => words.get(found) ?? found);
}

const isWord = (name: string): boolean => /^[\p{L}\p{N}_$]+$/u.test(name);
