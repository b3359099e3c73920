import type { Problem } from "../gate/verdict.ts";
import type { ProseLine } from "./prose.ts";

/** The middle marker (`=======`) is left out, because it may underline a heading. */
const CONFLICT_MARKER_PATTERN = /^(?:<{7}|>{7})(?:\s|$)/;

/** Reports only the first marker: other problems may follow from it. */
export function findConflictMarkers(lines: readonly ProseLine[]): Problem[] {
  const mark = lines.find(({ text }) => CONFLICT_MARKER_PATTERN.test(text));
  if (!mark) return [];
  const problem = "A merge left its conflict marks here: keep what holds, take the marks out, then check again.";
  return [{ problem, line: mark.number }];
}
