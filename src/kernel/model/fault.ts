import type { FaultCode } from "./fault-codes.ts";

/** An operation to call next. Each door formats it in its own syntax. */
export interface OperationCall {
  readonly operation: string;
  readonly input?: Readonly<Record<string, unknown>>;
  /** Arguments with blanks, if the caller has to correct its own. */
  readonly sample?: Readonly<Record<string, unknown>>;
}

/** A call, or plain advice if the fix is outside Tenon. */
export type SuggestedFix = OperationCall | string;

/** An error the user can act on: what failed, why, and what to run next. */
export class Fault extends Error {
  readonly code: FaultCode;
  readonly what: string;
  readonly why: string;
  readonly fixes: readonly SuggestedFix[];

  constructor(
    code: FaultCode,
    { what, why, fix }: { what: string; why: string; fix: SuggestedFix | readonly SuggestedFix[] },
  ) {
    super(`${what} ${why}`);
    this.name = "Fault";
    this.code = code;
    this.what = what;
    this.why = why;
    this.fixes = Array.isArray(fix) ? fix : [fix as SuggestedFix];
  }
}

export const UNSEALED_RECORD_REASON = "It has no seal, so Tenon did not write it: another tool uses this folder.";
export const IMPORT_ADVICE = "See what Tenon can import from another tool: tenon import";

/** The result of `attempt`, or of `recover` if it throws a fault. Other errors pass. */
export function catchFault<T, Other>(attempt: () => T, recover: (fault: Fault) => Other): T | Other {
  try {
    return attempt();
  } catch (error) {
    if (error instanceof Fault) return recover(error);
    throw error;
  }
}

const SYSTEM_FAULTS: ReadonlySet<FaultCode> = new Set(["disk.full", "files.unwritable"]);

/** Whether the system failed. A file that cannot be read may hold anything, so it does not count as missing. */
export const isSystemFault = ({ code }: Fault): boolean => SYSTEM_FAULTS.has(code);

/** Throws what must not be ignored: defects, and faults of the system, which prove nothing. */
export function dismissFault(error: unknown): undefined {
  if (!(error instanceof Fault) || isSystemFault(error)) throw error;
}

/** The result of `attempt`, or undefined if it throws a fault that may be ignored. */
export const ignoreFault = <T>(attempt: () => T): T | undefined => catchFault(attempt, (fault) => dismissFault(fault));
