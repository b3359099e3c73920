import type { Refused } from "./report-form.ts";

export interface Line {
  readonly number: number;
  readonly text: string;
}

const LONGEST = 200_000;
// oxlint-disable-next-line no-control-regex -- what no text has is what it looks for.
export const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/** Agents often wrap a report in a code fence. It must enclose the whole report. */
export function reportLines(text: string): { readonly lines: readonly Line[] } | Refused {
  const read = plainLines(text);
  return "problems" in read ? read : unfenced(read.lines);
}

/** Drops blank lines at both ends and rejects an empty text. */
export function plainLines(text: string): { readonly lines: readonly Line[] } | Refused {
  if (text.length > LONGEST) {
    return { problems: [{ problem: `The report is longer than ${LONGEST.toLocaleString("en")} characters.` }] };
  }
  const lines = text
    .replace(/^\ufeff/, "")
    .toWellFormed()
    .split(/\r\n|\n|\r/)
    .map((line, i) => ({ number: i + 1, text: line }));
  const unclean = lines.find((line) => CONTROL.test(line.text));
  if (unclean) {
    return { problems: [{ problem: "A control character stands where only text may.", line: unclean.number }] };
  }
  const told = withoutBlankEnds(lines);
  return told.length === 0 ? { problems: [{ problem: "The report is empty." }] } : { lines: told };
}

function unfenced(lines: readonly Line[]): { readonly lines: readonly Line[] } | Refused {
  const [first, ...rest] = lines;
  const fence = first && fenceOf(first);
  if (!fence) return { lines };
  const end = rest.findIndex((line) => closes(line, fence));
  const { number } = first;
  if (end < 0) {
    return { problems: [{ problem: "The fence is not closed: the report may be cut off.", line: number }] };
  }
  const behind = rest.slice(end + 1).find(({ text }) => text.trim() !== "");
  if (behind) {
    const problem = "Something stands behind the fence: the report is all in one fence, or in none.";
    return { problems: [{ problem, line: behind.number }] };
  }
  const inside = withoutBlankEnds(rest.slice(0, end));
  return inside.length === 0 ? { problems: [{ problem: "The report is empty.", line: number }] } : { lines: inside };
}

export const fenceOf = ({ text }: Pick<Line, "text">): string | undefined =>
  /^\s*(?<fence>`{3,}(?=[^`]*$)|~{3,})/.exec(text)?.groups?.["fence"];

export function closes({ text }: Pick<Line, "text">, fence: string): boolean {
  const said = text.trim();
  return said.startsWith(fence) && said === (fence[0] ?? "").repeat(said.length);
}

function withoutBlankEnds(lines: readonly Line[]): readonly Line[] {
  const isTold = ({ text }: Line): boolean => text.trim() !== "";
  return lines.slice(Math.max(0, lines.findIndex(isTold)), lines.findLastIndex(isTold) + 1);
}
