const REDACTED = "[REDACTED]";

/** A tag may carry spaces and attributes, as people type them; what was redacted is no attribute. */
const TAG = /<(\/?)\s*private(?:\s(?:(?!\[REDACTED\])[^<>])*)?>/gi;

/**
 * The text without what stands between `<private>` and `</private>`. Where a tag is not closed, everything after it is
 * private; where one is only closed, everything before it may have been.
 */
export function redactPrivate(text: string): { text: string; count: number } {
  let kept = "";
  let depth = 0;
  let from = 0;
  let count = 0;
  for (const match of text.matchAll(TAG)) {
    const isClosing = match[1] === "/";
    if (!isClosing) {
      if (depth === 0) {
        kept += text.slice(from, match.index) + REDACTED;
        count++;
      }
      depth++;
    } else if (depth > 0) {
      depth--;
    } else {
      kept = REDACTED;
      count++;
    }
    from = match.index + match[0].length;
  }
  return { text: depth > 0 ? kept : kept + text.slice(from), count };
}
