import type { ScanSpan } from "./look.ts";

type SpanExtent = Pick<ScanSpan, "start" | "end">;

/** Pairs each span with the spans around it, outermost first. The spans must be sorted by start. */
export function pairEnclosingSpans<T extends SpanExtent>(
  row: readonly T[],
): { readonly one: T; readonly around: readonly T[] }[] {
  const open: T[] = [];
  return row.map((one) => {
    closeEndedSpans(open, one);
    const around = [...open];
    open.push(one);
    return { one, around };
  });
}

/** Maps each span to the closest outer span around it, in one sweep. Both lists must be sorted by start. */
export function findInnermostSpans<T extends SpanExtent, O extends SpanExtent>(
  row: readonly T[],
  outer: readonly O[],
): Map<T, O> {
  const open: O[] = [];
  const found = new Map<T, O>();
  let next = 0;
  for (const one of row) {
    for (let other = outer[next]; other !== undefined && other.start <= one.start; other = outer[++next]) {
      closeEndedSpans(open, other);
      open.push(other);
    }
    closeEndedSpans(open, one);
    const closest = open.findLast((other) => (other as SpanExtent) !== one && other.end >= one.end);
    if (closest !== undefined) found.set(one, closest);
  }
  return found;
}

function closeEndedSpans<T extends SpanExtent>(open: T[], coming: SpanExtent): void {
  while (open.length > 0 && (open.at(-1)?.end ?? 0) <= coming.start) open.pop();
}
