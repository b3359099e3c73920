import { Fault } from "../fault.ts";
import { quote } from "../quote.ts";

/** An unclosed comment or code block hides every later heading, so nothing is written. */
export const createHiddenSectionFault = (section: string): Fault =>
  new Fault("steering.unreadable", {
    what: `The section ${quote(section, 60)} cannot be written.`,
    why: "A comment or a block of code before it is never closed, and hides whatever follows.",
    fix: [
      "Close it in the steering file, then try again.",
      { operation: "steering.manage", input: { action: "show" } },
    ],
  });
