import { Fault } from "#domain/fault.ts";

export const EXIT_CODES = { done: 0, fault: 1, usage: 2, refused: 3, defect: 70, cancelled: 130 } as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

/** Faults in one argument. A different workspace state would not fix them. */
const ARGUMENT_FAULT_CODES = new Set(["lock.bad-path", "timebox.unreadable", "workflow.bad-id"]);

/** For a script, 1 is an answer, so every error is a 2. */
export function chooseExitCode(error: unknown, isScript = false): ExitCode {
  if (!(error instanceof Fault)) return EXIT_CODES.defect;
  if (error.code === "call.cancelled") return EXIT_CODES.cancelled;
  const isUsage = /^(?:usage|input)\./.test(error.code) || ARGUMENT_FAULT_CODES.has(error.code);
  return isUsage || isScript ? EXIT_CODES.usage : EXIT_CODES.fault;
}
