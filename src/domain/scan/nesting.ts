import type { Span } from "./look.ts";

type Extent = Pick<Span, "start" | "end">;

/** Each of a row with what of the same row lies around it, outermost first. The row is in the order of its beginnings. */
export function nested<T extends Extent>(row: readonly T[]): { readonly one: T; readonly around: readonly T[] }[] {
  const open: T[] = [];
  return row.map((one) => {
    close(open, one);
    const around = [...open];
    open.push(one);
    return { one, around };
  });
}

/** What of a row lies closest around each of another; both are in the order of their beginnings. One sweep over both. */
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
