import type { FaultCode } from "./fault-codes.ts";

/** An operation to try next; each door says it in its own words. */
export interface Call {
  readonly operation: string;
  readonly input?: Readonly<Record<string, unknown>>;
}

/** A call Tenon can name, or plain advice where the cure lies outside Tenon. */
export type Fix = Call | string;

interface FaultText {
  readonly what: string;
  readonly why: string;
  readonly fix: Fix | readonly Fix[];
}

/** An error a user can act on: what could not be done, why, and what to type next. */
export class Fault extends Error {
  readonly code: FaultCode;
  readonly what: string;
  readonly why: string;
  readonly fixes: readonly Fix[];

  constructor(code: FaultCode, text: FaultText) {
    super(`${text.what} ${text.why}`);
    this.name = "Fault";
    this.code = code;
    this.what = text.what;
    this.why = text.why;
    this.fixes = Array.isArray(text.fix) ? text.fix : [text.fix as Fix];
  }
}
