export interface ProseLine {
  readonly number: number;
  readonly text: string;
  /** A line of a code block. Its text is blank, but its number is kept. */
  readonly isCode?: boolean;
}

export interface MarkdownHeading {
  readonly level: number;
  readonly text: string;
  readonly line: number;
  readonly hasText: boolean;
}

/** A fence may follow a list marker. Backticks that close on the same line are inline code. */
const CODE_FENCE_PATTERN = /^ {0,12}(?:(?:[-*+]|\d{1,9}[.)]) {1,4}){0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const HEADING_PATTERN = /^ {0,3}(#{1,6})[ \t]+(.*)$/;

/** Drops HTML comments and the content of code blocks. Line numbers start at 1. */
export function parseProseLines(markdown: string): ProseLine[] {
  const lines: ProseLine[] = [];
  let fence: string | undefined;
  let isComment = false;
  for (const [i, raw] of markdown.split(/\r\n|\r|\n/).entries()) {
    const mark = isComment ? undefined : CODE_FENCE_PATTERN.exec(raw)?.[1];
    if (fence !== undefined) {
      if (mark && mark.startsWith(fence) && raw.trim() === mark) fence = undefined;
      else if (raw.trim() !== "") lines.push({ number: i + 1, text: "", isCode: true });
      continue;
    }
    if (mark) {
      fence = mark;
      continue;
    }
    const [text, opensComment] = stripHtmlComments(raw, isComment);
    isComment = opensComment;
    lines.push({ number: i + 1, text });
  }
  return lines;
}

export function parseHeadings(lines: readonly ProseLine[]): MarkdownHeading[] {
  const found: { level: number; text: string; line: number; hasText: boolean }[] = [];
  const above: (typeof found)[number][] = [];
  for (const line of lines) {
    const match = HEADING_PATTERN.exec(line.text);
    if (match) {
      const level = match[1]?.length ?? 1;
      while ((above.at(-1)?.level ?? 0) >= level) above.pop();
      const heading = {
        level,
        text: (match[2] ?? "").replace(/[ \t]#+[ \t]*$/, "").trim(),
        line: line.number,
        hasText: false,
      };
      found.push(heading);
      above.push(heading);
    } else if (line.isCode || line.text.trim() !== "") {
      for (const heading of above) heading.hasText = true;
    }
  }
  return found;
}

/** Linear in the length of the line. A comment inside inline code is text. */
function stripHtmlComments(raw: string, isInside: boolean): [text: string, isInside: boolean] {
  let text = "";
  let inside = isInside;
  let isCode = false;
  let start = 0;
  for (let at = 0; at < raw.length; at++) {
    if (inside) {
      const end = raw.indexOf("-->", at);
      if (end < 0) return [text, true];
      inside = false;
      start = end + 3;
      at = end + 2;
    } else if (raw[at] === "`") {
      isCode = !isCode;
    } else if (!isCode && raw.startsWith("<!--", at)) {
      text += raw.slice(start, at);
      inside = true;
      at += 3;
    }
  }
  return [inside ? text : text + raw.slice(start), inside];
}
