import type { Problem } from "../gate/verdict.ts";
import type { Line } from "./prose.ts";

/** The marks of git at either end of a conflict. The one in its middle may underline a heading. */
const MARK = /^(?:<{7}|>{7})(?:\s|$)/;

/** Where git could not merge a document, the first mark; whatever else is wrong with it follows from that. */
export function conflictMarks(lines: readonly Line[]): Problem[] {
  const mark = lines.find(({ text }) => MARK.test(text));
  if (!mark) return [];
  const problem = "A merge left its conflict marks here: keep what holds, take the marks out, then check again.";
  return [{ problem, line: mark.number }];
}
