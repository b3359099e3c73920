import { Fault } from "#domain/fault.ts";

/** What the shell is told. */
export const EXIT = { done: 0, fault: 1, usage: 2, refused: 3, defect: 70 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export function exitCodeOf(error: unknown): ExitCode {
  if (!(error instanceof Fault)) return EXIT.defect;
  return /^(?:usage|input)\./.test(error.code) ? EXIT.usage : EXIT.fault;
}
