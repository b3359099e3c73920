import type { ParsedCode, NodeIndex } from "../code.ts";

/** Removes escapes that only protect a quote: `it\'s` is `it's`. */
export const unescapeQuotes = (inner: string): string =>
  inner.includes("\\")
    ? inner.replace(/\\([\s\S])/g, (whole, letter: string) => (letter === '"' || letter === "'" ? letter : whole))
    : inner;

export const normalizeQuotes = (said: string): string =>
  /^["']/.test(said) ? `"${unescapeQuotes(said.slice(1, -1))}"` : said;

/** `0XFF` is `0xff`, `1.50` is `1.5`, `.5` is `0.5`. Only for languages in which `1.0` is `1`. */
export function normalizeNumber(said: string): string {
  const lower = said.toLowerCase();
  if (/^0[xbo]/.test(lower)) return lower;
  return lower
    .replace(/^\./, "0.")
    .replace(/(\.\d*?)0+(?=$|e)/, "$1")
    .replace(/\.(?=$|e)/, "")
    .replace("e+", "e");
}

/** `1_000L` is `1000l`: digit separators and letter case do not count. */
export const normalizeInteger = (code: ParsedCode, node: NodeIndex): string =>
  code
    .said(node)
    .replace(/(?<=\w)[_'](?=\w)/g, "")
    .toLowerCase();
