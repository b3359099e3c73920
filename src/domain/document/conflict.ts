import type { Problem } from "../gate/verdict.ts";
import type { Line } from "./prose.ts";

/** The middle marker (`=======`) is left out, because it may underline a heading. */
const MARK = /^(?:<{7}|>{7})(?:\s|$)/;

/** Reports only the first marker: other problems may follow from it. */
export function conflictMarks(lines: readonly Line[]): Problem[] {
  const mark = lines.find(({ text }) => MARK.test(text));
  if (!mark) return [];
  const problem = "A merge left its conflict marks here: keep what holds, take the marks out, then check again.";
  return [{ problem, line: mark.number }];
}
