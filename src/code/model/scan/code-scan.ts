/** The facts of a syntax tree that gates need. Lines count from 1, offsets from 0. */
export interface CodeScan {
  readonly language: string;
  /** `comments`: read without a grammar, so calls and definitions are empty. */
  readonly by: "grammar" | "comments";
  /** False if some code does not parse; then only the parsed part is here. */
  readonly isWhole: boolean;
  /** Includes docstrings, but no other strings. */
  readonly comments: readonly ScanSpan[];
  readonly calls: readonly ScannedCall[];
  readonly definitions: readonly ScannedDefinition[];
  readonly signs: readonly ScannedSign[];
}

export type ScanSpan = Readonly<{ start: number; end: number; line: number; lastLine: number; text: string }>;

/** `text` is the called expression as written: `console.log`, `print`, `t.Skip`, `dbg!`, `it.each()`. */
export interface ScannedCall extends ScanSpan {
  /** The first argument as written, if it is short. */
  readonly argument?: string;
  /** The second argument, if it is an object. */
  readonly options?: string;
  /** Whether its function may skip it: it is in a loop, or in an `if` that is not always true. */
  readonly isConditional: boolean;
}

/** `text` is the name. The span starts at the first annotation. */
export interface ScannedDefinition extends ScanSpan {
  readonly kind: "function" | "class" | "module";
  /** Decorators and attributes as written: `@pytest.mark.skip`, `#[test]`. */
  readonly marks: readonly string[];
}

/** `any` as a type, a debugger statement, a thrown error, or an assignment that test runners read. */
export type ScannedSign = ScanSpan & Readonly<{ kind: "any" | "debugger" | "throw" | "assignment" }>;

/** Maps an offset to its line number, counting from 1. */
export function listLineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

export function createLineCounter(text: string, starts: readonly number[] = listLineStarts(text)) {
  return (at: number): number => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? Infinity) <= at) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}

type SpanExtent = Pick<ScanSpan, "start" | "end">;

/** Pairs each span with the spans around it, outermost first. The spans must be sorted by start. */
export function pairEnclosingSpans<T extends SpanExtent>(row: readonly T[]) {
  const open: T[] = [];
  return row.map((one) => {
    closeEndedSpans(open, one);
    const around = [...open];
    open.push(one);
    return { one, around };
  });
}

/** Maps each span to the closest outer span around it, in one sweep. Both lists must be sorted by start. */
export function findInnermostSpans<T extends SpanExtent, O extends SpanExtent>(row: readonly T[], outer: readonly O[]) {
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
