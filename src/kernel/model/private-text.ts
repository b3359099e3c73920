const REDACTED_MARK = "[REDACTED]";

/** Allows spaces and attributes, as people type them. A redaction mark is not an attribute. */
const PRIVATE_TAG_PATTERN = /<(\/?)\s*private(?:\s(?:(?!\[REDACTED\])[^<>])*)?>/gi;

/** After an unclosed tag all text is private. Before a closing tag without an opening one, all text may be. */
export function redactPrivateText(text: string): { text: string; count: number } {
  let kept = "";
  let depth = 0;
  let from = 0;
  let count = 0;
  for (const match of text.matchAll(PRIVATE_TAG_PATTERN)) {
    const isClosing = match[1] === "/";
    if (depth === 0) {
      kept = isClosing ? REDACTED_MARK : kept + text.slice(from, match.index) + REDACTED_MARK;
      count++;
    }
    depth = Math.max(0, depth + (isClosing ? -1 : 1));
    from = match.index + match[0].length;
  }
  return { text: depth > 0 ? kept : kept + text.slice(from), count };
}
