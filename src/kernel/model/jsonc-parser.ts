/** Parses JSON with comments and trailing commas, as in `tsconfig.json`. Returns nothing if it is invalid. */
export function parseJsonc(text: string): unknown {
  // Keeps strings, removes comments and trailing commas. An unterminated string or comment ends with its line or the
  // text: otherwise each start would be searched to the end.
  const plain = text
    .replace(/^\uFEFF/, "")
    .replace(/("(?:[^"\\\n]|\\.)*"?)|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)/g, (_, kept?: string) => kept ?? " ")
    .replace(/("(?:[^"\\\n]|\\.)*"?)|,(?=\s*[\]}])/g, (_, kept?: string) => kept ?? "");
  try {
    return JSON.parse(plain);
  } catch {
    return undefined;
  }
}
