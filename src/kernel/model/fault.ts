import type { FaultCode } from "./fault-codes.ts";

/** An operation to call next. Each door formats it in its own syntax. */
export interface OperationCall {
  readonly operation: string;
  readonly input?: Readonly<Record<string, unknown>>;
}

/** A call, or plain advice if the fix is outside Tenon. */
export type SuggestedFix = OperationCall | string;

interface FaultText {
  readonly what: string;
  readonly why: string;
  readonly fix: SuggestedFix | readonly SuggestedFix[];
}

/** An error the user can act on: what failed, why, and what to run next. */
export class Fault extends Error {
  readonly code: FaultCode;
  readonly what: string;
  readonly why: string;
  readonly fixes: readonly SuggestedFix[];

  constructor(code: FaultCode, text: FaultText) {
    super(`${text.what} ${text.why}`);
    this.name = "Fault";
    this.code = code;
    this.what = text.what;
    this.why = text.why;
    this.fixes = Array.isArray(text.fix) ? text.fix : [text.fix as SuggestedFix];
  }
}

export const UNSEALED_RECORD_REASON = "Tenon did not write it, for it has no seal: another tool is at work here.";
export const IMPORT_ADVICE = "See what can be taken over from another tool: tenon import";

/** The result of `attempt`, or of `recover` if it throws a fault. Other errors pass. */
export function catchFault<T, Other>(attempt: () => T, recover: (fault: Fault) => Other): T | Other {
  try {
    return attempt();
  } catch (error) {
    if (error instanceof Fault) return recover(error);
    throw error;
  }
}

/** The result of `attempt`, or undefined if it throws a fault. */
export const ignoreFault = <T>(attempt: () => T): T | undefined => catchFault(attempt, () => undefined);
