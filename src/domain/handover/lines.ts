import { hasOnlyPlaceholders } from "../steering/blank.ts";

/** Includes blank lines between them. Empty for unfilled placeholders. */
export const readBodyLines = (body: string): string[] =>
  hasOnlyPlaceholders(body) ? [] : trimOuterBlankLines(body.split(/\r\n|\r|\n/));

export function trimOuterBlankLines(lines: readonly string[]): string[] {
  const isSaid = (line: string): boolean => line.trim() !== "";
  return lines
    .slice(Math.max(0, lines.findIndex(isSaid)), lines.findLastIndex(isSaid) + 1)
    .map((line) => line.trimEnd());
}

export const isListLine = (line: string): boolean => /^\s*(?:[-*+]|\d+[.)]) |^\s{2,}\S/.test(line);

interface LineLimit {
  readonly most: number;
  readonly isOwn: (line: string) => boolean;
}

export const EARLIER_COUNT_PATTERN = /^- Earlier: (\d{1,9}) more$/;

/**
 * Adds each new line once. Beyond `most`, a count replaces the oldest lines by the engine, because an endless list goes
 * unread. Lines by people stay.
 */
export function extendLimitedList(
  lines: readonly string[],
  more: readonly string[],
  { most, isOwn }: LineLimit,
): string[] {
  const known = new Set(lines);
  const fresh = [...new Set(more)].filter((line) => !known.has(line));
  if (fresh.length === 0) return [...lines];
  const earlier = lines.reduce((sum, line) => sum + Number(EARLIER_COUNT_PATTERN.exec(line)?.[1] ?? 0), 0);
  const there = lines.filter((line) => !EARLIER_COUNT_PATTERN.test(line));
  const own = [...there.filter(isOwn), ...fresh];
  const gone = new Set(own.slice(0, Math.max(0, own.length - most)));
  const left = earlier + gone.size;
  const kept = trimOuterBlankLines(there.filter((line) => !gone.has(line)));
  const gap = kept.length > 0 && !isListLine(kept.at(-1) ?? "") ? [""] : [];
  return [
    ...(left > 0 ? [`- Earlier: ${left} more`] : []),
    ...kept,
    ...gap,
    ...fresh.filter((line) => !gone.has(line)),
  ];
}
