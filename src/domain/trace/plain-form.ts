const CODE_TOKEN = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|[\p{L}\p{N}_$]+|[^\s]/gu;
const CLOSING_BRACKETS = new Set([")", "]", "}"]);

/**
 * Normalizes code that has no syntax tree hash: without comments and layout, with one kind of quotes, and without the
 * commas and semicolons that formatters add or remove.
 */
export function normalizeCodeText(
  text: string,
  comments: readonly { readonly start: number; readonly end: number }[],
): string {
  const tokens = [...removeCodeComments(text, comments).matchAll(CODE_TOKEN)].map(([token]) => token);
  return tokens
    .filter((token, i) => token !== ";" && !(token === "," && CLOSING_BRACKETS.has(tokens[i + 1] ?? "")))
    .map((token) => (/^'[^"\\]*'$/.test(token) ? `"${token.slice(1, -1)}"` : token))
    .join("\n");
}

function removeCodeComments(
  text: string,
  comments: readonly { readonly start: number; readonly end: number }[],
): string {
  let [code, at] = ["", 0];
  for (const { start, end } of comments.toSorted((a, b) => a.start - b.start)) {
    if (start < at) continue;
    code += `${text.slice(at, start)} `;
    at = end;
  }
  return code + text.slice(at);
}
