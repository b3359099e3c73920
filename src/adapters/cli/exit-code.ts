import { Fault } from "#domain/fault.ts";

export const EXIT = { done: 0, fault: 1, usage: 2, refused: 3, defect: 70, cancelled: 130 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Faults in one argument. A different workspace state would not fix them. */
const OF_AN_ARGUMENT = new Set(["lock.bad-path", "timebox.unreadable", "workflow.bad-id"]);

/** For a script, 1 is an answer, so every error is a 2. */
export function exitCodeOf(error: unknown, isScript = false): ExitCode {
  if (!(error instanceof Fault)) return EXIT.defect;
  if (error.code === "call.cancelled") return EXIT.cancelled;
  const isUsage = /^(?:usage|input)\./.test(error.code) || OF_AN_ARGUMENT.has(error.code);
  return isUsage || isScript ? EXIT.usage : EXIT.fault;
}
