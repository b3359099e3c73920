import { Fault } from "../fault.ts";
import { quote } from "../quote.ts";

/** What hides a heading hides whatever is written behind it too, so nothing is. */
export const unreadable = (section: string): Fault =>
  new Fault("steering.unreadable", {
    what: `The section ${quote(section, 60)} cannot be written.`,
    why: "A comment or a block of code before it is never closed, and hides whatever follows.",
    fix: [
      "Close it in the steering file, then try again.",
      { operation: "steering.manage", input: { action: "show" } },
    ],
  });
