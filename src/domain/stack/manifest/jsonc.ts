/** JSON with comments and commas at the end, as `tsconfig.json` is written; nothing where it is none. */
export function parseJsonc(text: string): unknown {
  // A text is kept as it is; a comment goes, and so does a comma before a closing bracket. What is never closed reaches to
  // the end: else each beginning would be looked at to there, which takes for ever.
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
