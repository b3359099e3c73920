import { isBlank } from "../steering/blank.ts";

/** The lines as they stand, blank ones between them included; none where a template left it open. */
export const rawLines = (body: string): string[] => (isBlank(body) ? [] : withoutEdges(body.split(/\r\n|\r|\n/)));

/** Without the blank lines before and behind. */
export function withoutEdges(lines: readonly string[]): string[] {
  const isSaid = (line: string): boolean => line.trim() !== "";
  return lines
    .slice(Math.max(0, lines.findIndex(isSaid)), lines.findLastIndex(isSaid) + 1)
    .map((line) => line.trimEnd());
}

/** Whether a line is an item of a list, or goes on with one. */
export const isOfList = (line: string): boolean => /^\s*(?:[-*+]|\d+[.)]) |^\s{2,}\S/.test(line);

/** What has to be kept of a list that only grows. */
interface Keeping {
  /** Lines of the engine's own, at most. */
  readonly most: number;
  readonly isOwn: (line: string) => boolean;
}

/** How many went before those that stand there. */
export const EARLIER = /^- Earlier: (\d{1,9}) more$/;

/**
 * The lines with some more behind them, each once. Beyond `most` the oldest of those that the engine wrote go, and are
 * counted: a file that only grows is read by nobody. What anybody else wrote stays.
 */
export function withLines(lines: readonly string[], more: readonly string[], { most, isOwn }: Keeping): string[] {
  const known = new Set(lines);
  const fresh = [...new Set(more)].filter((line) => !known.has(line));
  if (fresh.length === 0) return [...lines];
  const earlier = lines.reduce((sum, line) => sum + Number(EARLIER.exec(line)?.[1] ?? 0), 0);
  const there = lines.filter((line) => !EARLIER.test(line));
  const own = [...there.filter(isOwn), ...fresh];
  const gone = new Set(own.slice(0, Math.max(0, own.length - most)));
  const left = earlier + gone.size;
  const kept = withoutEdges(there.filter((line) => !gone.has(line)));
  const gap = kept.length > 0 && !isOfList(kept.at(-1) ?? "") ? [""] : [];
  return [
    ...(left > 0 ? [`- Earlier: ${left} more`] : []),
    ...kept,
    ...gap,
    ...fresh.filter((line) => !gone.has(line)),
  ];
}
