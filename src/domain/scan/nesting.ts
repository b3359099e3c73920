import type { Span } from "./look.ts";

type Extent = Pick<Span, "start" | "end">;

/** Pairs each span with the spans around it, outermost first. The spans must be sorted by start. */
export function nested<T extends Extent>(row: readonly T[]): { readonly one: T; readonly around: readonly T[] }[] {
  const open: T[] = [];
  return row.map((one) => {
    close(open, one);
    const around = [...open];
    open.push(one);
    return { one, around };
  });
}

/** Maps each span to the closest outer span around it, in one sweep. Both lists must be sorted by start. */
export function innermost<T extends Extent, O extends Extent>(row: readonly T[], outer: readonly O[]): Map<T, O> {
  const open: O[] = [];
  const found = new Map<T, O>();
  let next = 0;
  for (const one of row) {
    for (let other = outer[next]; other !== undefined && other.start <= one.start; other = outer[++next]) {
      close(open, other);
      open.push(other);
    }
    close(open, one);
    const closest = open.findLast((other) => (other as Extent) !== one && other.end >= one.end);
    if (closest !== undefined) found.set(one, closest);
  }
  return found;
}

function close<T extends Extent>(open: T[], coming: Extent): void {
  while (open.length > 0 && (open.at(-1)?.end ?? 0) <= coming.start) open.pop();
}
