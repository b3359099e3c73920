export function detectNewline(text: string): "\r\n" | "\n" {
  const all = text.split("\n").length - 1;
  const wide = text.split("\r\n").length - 1;
  return wide > all / 2 ? "\r\n" : "\n";
}

export const convertNewlines = (text: string, newline: string): string => text.replaceAll(/\r?\n/g, newline);

/** Separators added around an insertion, so that its removal restores the text to the byte. */
export interface InsertionSeparators {
  readonly lead: string;
  readonly tail: string;
}

export interface InsertionResult {
  readonly text: string;
  readonly seam: InsertionSeparators;
}

/** Appends lines after a blank line. */
export function appendLines(text: string, lines: string): InsertionResult {
  const newline = detectNewline(text);
  const isEmpty = text.replace(/^\uFEFF/, "") === "";
  const lead = isEmpty ? "" : text.endsWith("\n") ? newline : `${newline}${newline}`;
  return { text: `${text}${lead}${convertNewlines(lines, newline)}`, seam: { lead, tail: "" } };
}

/** Removes whole lines. Text added behind them keeps its own line. */
export function removeInsertedLines(
  text: string,
  start: number,
  end: number,
  seam: InsertionSeparators | undefined,
): string {
  const lead = seam?.lead ?? "";
  const from = text.slice(0, start).endsWith(lead) ? start - lead.length : start;
  const [before, after] = [text.slice(0, from), text.slice(end)];
  const isOpen = before.replace(/^\uFEFF/, "") !== "" && !before.endsWith("\n");
  const isLeft = after !== "" && !/^\r?\n/.test(after);
  return isOpen && isLeft ? `${before}${detectNewline(text)}${after}` : `${before}${after}`;
}
