import { compareTextLines } from "../line-diff.ts";

export type MergeChunk =
  | { readonly lines: readonly string[] }
  | { readonly base: readonly string[]; readonly ours: readonly string[]; readonly theirs: readonly string[] };

/** Three-way merge by line. Adjacent changes are left as conflicts. */
export function mergeThreeWay(
  base: readonly string[],
  ours: readonly string[],
  theirs: readonly string[],
): MergeChunk[] {
  const inOurs = mapUnchangedLines(base, ours);
  const inTheirs = mapUnchangedLines(base, theirs);
  const chunks: MergeChunk[] = [];
  const from = { base: 0, ours: 0, theirs: 0 };
  for (let at = 0; at <= base.length; at++) {
    const isEnd = at === base.length;
    const ourPlace = isEnd ? ours.length : inOurs.get(at);
    const theirPlace = isEnd ? theirs.length : inTheirs.get(at);
    if (ourPlace === undefined || theirPlace === undefined) continue;
    chunks.push(
      resolveMergeChunk(
        base.slice(from.base, at),
        ours.slice(from.ours, ourPlace),
        theirs.slice(from.theirs, theirPlace),
      ),
    );
    if (!isEnd) chunks.push({ lines: [base[at] ?? ""] });
    from.base = at + 1;
    from.ours = ourPlace + 1;
    from.theirs = theirPlace + 1;
  }
  return chunks.filter((chunk) => !("lines" in chunk) || chunk.lines.length > 0);
}

function mapUnchangedLines(base: readonly string[], side: readonly string[]): Map<number, number> {
  const found = new Map<number, number>();
  let [i, j] = [0, 0];
  for (const { mark } of compareTextLines(base, side)) {
    if (mark === " ") found.set(i++, j++);
    else if (mark === "-") i++;
    else j++;
  }
  return found;
}

function resolveMergeChunk(base: readonly string[], ours: readonly string[], theirs: readonly string[]): MergeChunk {
  if (areLinesEqual(ours, base) || areLinesEqual(ours, theirs)) return { lines: theirs };
  return areLinesEqual(theirs, base) ? { lines: ours } : { base, ours, theirs };
}

export const areLinesEqual = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((line, i) => line === b[i]);

export function joinMergedLines(chunks: readonly MergeChunk[]): string[] | undefined {
  const lines: string[] = [];
  for (const chunk of chunks) {
    if (!("lines" in chunk)) return undefined;
    lines.push(...chunk.lines);
  }
  return lines;
}
