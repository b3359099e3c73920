import type { TestOutcome } from "../report/tests.ts";

export interface CheckReceipt {
  readonly check: string;
  readonly status: "passed" | "failed" | "waived";
  readonly directory?: string;
  /**
   * The commit on whose files it ran, with the new tests copied over them. Undefined if it ran on the working files.
   */
  readonly on?: string;
  readonly tool?: string;
  /** The command line; a shell command is one argument after `sh -c`. Undefined for static checks. */
  readonly argv?: readonly string[];
  readonly exit?: number;
  readonly ms?: number;
  readonly tests?: readonly Pick<TestOutcome, "file" | "name" | "status">[];
  readonly output_hash?: string;
  readonly reason?: string;
}

/** Proof that a gate passed on certain files. Each receipt is chained to the one before it. */
export interface Receipt {
  readonly id: string;
  readonly gate: string;
  readonly workflow: string;
  readonly stage: string;
  readonly passed: boolean;
  readonly checks: readonly CheckReceipt[];
  /** Hash of the working files without Tenon's own; undefined outside git. */
  readonly tree?: string;
  readonly base?: string;
  /** Hash of the trusted check definitions at that time. */
  readonly trust?: string;
  readonly spec_ids: readonly string[];
  /** Criteria named by a passing test, as `AUTH-001.AC-1`. */
  readonly criteria: readonly string[];
  readonly environment: { readonly tenon: string; readonly node: string; readonly platform: string };
  readonly at: string;
}
