import { Fault } from "#domain/fault.ts";

/** What the shell is told. */
export const EXIT = { done: 0, fault: 1, usage: 2, refused: 3, defect: 70, cancelled: 130 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Faults of one argument, which no other state of the workspace would mend. */
const OF_AN_ARGUMENT = new Set(["lock.bad-path", "timebox.unreadable", "workflow.bad-id"]);

/** What a script is told with 1 is an answer, so whatever goes wrong there is a 2. */
export function exitCodeOf(error: unknown, isScript = false): ExitCode {
  if (!(error instanceof Fault)) return EXIT.defect;
  if (error.code === "call.cancelled") return EXIT.cancelled;
  const isUsage = /^(?:usage|input)\./.test(error.code) || OF_AN_ARGUMENT.has(error.code);
  return isUsage || isScript ? EXIT.usage : EXIT.fault;
}
