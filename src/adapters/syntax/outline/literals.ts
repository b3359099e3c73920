import type { Code, Place } from "../code.ts";

/** Without what only keeps a quote from ending the string: `it\'s` says `it's`. */
export const quotesAlone = (inner: string): string =>
  inner.includes("\\")
    ? inner.replace(/\\([\s\S])/g, (whole, letter: string) => (letter === '"' || letter === "'" ? letter : whole))
    : inner;

/** A plain string in double quotes: `'it\'s'` and `"it's"` say the same. */
export const inOneQuote = (said: string): string => (/^["']/.test(said) ? `"${quotesAlone(said.slice(1, -1))}"` : said);

/** `0XFF` is `0xff`, `1.50` is `1.5`, `.5` is `0.5`: for a language in which `1.0` is `1`. */
export function numberInOneForm(said: string): string {
  const lower = said.toLowerCase();
  if (/^0[xbo]/.test(lower)) return lower;
  return lower
    .replace(/^\./, "0.")
    .replace(/(\.\d*?)0+(?=$|e)/, "$1")
    .replace(/\.(?=$|e)/, "")
    .replace("e+", "e");
}

/** `1_000L` is `1000l`: what parts the digits, and the case of letters, say nothing. */
export const integerInOneForm = (code: Code, node: Place): string =>
  code
    .said(node)
    .replace(/(?<=\w)[_'](?=\w)/g, "")
    .toLowerCase();
