export interface Line {
  readonly number: number;
  readonly text: string;
  /** A line of a code block: it keeps its place and loses its text. */
  readonly isCode?: boolean;
}

export interface Heading {
  readonly level: number;
  readonly text: string;
  readonly line: number;
  /** Whether anything stands under it before the next heading of its level or above. */
  readonly hasText: boolean;
}

/** A fence may open right behind a list's mark; backticks that close on their own line are no fence. */
const FENCE = /^ {0,12}(?:(?:[-*+]|\d{1,9}[.)]) {1,4}){0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*)$/;

/** The lines of a markdown text, without its HTML comments and what its code blocks say; numbers count from 1. */
export function proseLines(markdown: string): Line[] {
  const lines: Line[] = [];
  let fence: string | undefined;
  let isComment = false;
  for (const [i, raw] of markdown.split(/\r\n|\r|\n/).entries()) {
    const mark = isComment ? undefined : FENCE.exec(raw)?.[1];
    if (fence !== undefined) {
      if (mark && mark.startsWith(fence) && raw.trim() === mark) fence = undefined;
      else if (raw.trim() !== "") lines.push({ number: i + 1, text: "", isCode: true });
      continue;
    }
    if (mark) {
      fence = mark;
      continue;
    }
    const [text, opensComment] = withoutComments(raw, isComment);
    isComment = opensComment;
    lines.push({ number: i + 1, text });
  }
  return lines;
}

export function headings(lines: readonly Line[]): Heading[] {
  const found: { level: number; text: string; line: number; hasText: boolean }[] = [];
  const above: (typeof found)[number][] = [];
  for (const line of lines) {
    const match = HEADING.exec(line.text);
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

function withoutComments(raw: string, isInside: boolean): [text: string, isInside: boolean] {
  let text = "";
  let at = 0;
  let inside = isInside;
  while (at < raw.length) {
    const mark = inside ? raw.indexOf("-->", at) : commentStart(raw, at);
    if (mark < 0) break;
    if (!inside) text += raw.slice(at, mark);
    at = mark + (inside ? 3 : 4);
    inside = !inside;
  }
  return [inside ? text : text + raw.slice(at), inside];
}

/** Where a comment opens; one that stands in inline code is only spoken of. */
function commentStart(raw: string, from: number): number {
  let mark = raw.indexOf("<!--", from);
  while (mark >= 0 && raw.slice(0, mark).split("`").length % 2 === 0) mark = raw.indexOf("<!--", mark + 4);
  return mark;
}
