import { diffArrays } from "diff";

/** Above this many edits the changed middle is shown as replaced as a whole. */
const MAX_DIFF_EDITS = 2_000;
const DIFF_CONTEXT_LINES = 2;

/** Shows two lines of context around each change. Empty if nothing changed. */
export function formatLineDiff(before: string, after: string): string {
  const lines = compareTextLines(splitDiffLines(before), splitDiffLines(after));
  const isNear = lines.map((_, i) =>
    lines.slice(Math.max(0, i - DIFF_CONTEXT_LINES), i + DIFF_CONTEXT_LINES + 1).some((line) => line.mark !== " "),
  );
  return lines
    .flatMap((line, i) => {
      if (isNear[i]) return [`${line.mark} ${line.text}`.trimEnd()];
      return isNear[i - 1] ? ["…"] : [];
    })
    .join("\n")
    .replace(/\n…$/, "");
}

const splitDiffLines = (text: string): string[] => (text === "" ? [] : text.split("\n"));

function compareTextLines(before: readonly string[], after: readonly string[]) {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const [gone, come] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  const middle = diffArrays(gone, come, { maxEditLength: MAX_DIFF_EDITS }) ?? [
    { value: gone, removed: true, added: false },
    { value: come, removed: false, added: true },
  ];
  return [
    ...markLines(" ", before.slice(0, head)),
    ...middle.flatMap(({ value, removed, added }) => markLines(removed ? "-" : added ? "+" : " ", value)),
    ...markLines(" ", before.slice(before.length - tail)),
  ];
}

const markLines = (mark: " " | "-" | "+", lines: readonly string[]) => lines.map((text) => ({ mark, text }));
