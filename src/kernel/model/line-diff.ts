/** Beyond this the changed middle is shown as replaced as a whole. */
const MAX_COMPARED_LINES = 2_000;
const DIFF_CONTEXT_LINES = 2;

export interface ComparedLine {
  readonly mark: " " | "-" | "+";
  readonly text: string;
}

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

export function compareTextLines(before: readonly string[], after: readonly string[]): ComparedLine[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const same = (lines: readonly string[]): ComparedLine[] => lines.map((text) => ({ mark: " ", text }));
  return [
    ...same(before.slice(0, head)),
    ...compareMiddleLines(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...same(before.slice(before.length - tail)),
  ];
}

function compareMiddleLines(before: readonly string[], after: readonly string[]): ComparedLine[] {
  const gone = (lines: readonly string[]): ComparedLine[] => lines.map((text) => ({ mark: "-", text }));
  const come = (lines: readonly string[]): ComparedLine[] => lines.map((text) => ({ mark: "+", text }));
  if (before.length * after.length > MAX_COMPARED_LINES * MAX_COMPARED_LINES) return [...gone(before), ...come(after)];
  const width = after.length + 1;
  const common = new Uint16Array((before.length + 1) * width);
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      common[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: ComparedLine[] = [];
  let [i, j] = [0, 0];
  while (i < before.length && j < after.length) {
    if (before[i] === after[j]) {
      lines.push({ mark: " ", text: before[i] ?? "" });
      i++;
      j++;
    } else if (at(i + 1, j) >= at(i, j + 1)) lines.push({ mark: "-", text: before[i++] ?? "" });
    else lines.push({ mark: "+", text: after[j++] ?? "" });
  }
  return [...lines, ...gone(before.slice(i)), ...come(after.slice(j))];
}
