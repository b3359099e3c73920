import type { TestOutcome } from "../report/tests.ts";

/** What was run, and what came of it. */
export interface CheckReceipt {
  /** What the gate calls it: `tests`, `lint`. */
  readonly check: string;
  readonly status: "passed" | "failed" | "waived";
  /** Where it ran, relative to the workspace. */
  readonly directory?: string;
  /** The commit on whose files it ran, with the new tests put over them; nothing where it ran on the files as they are. */
  readonly on?: string;
  readonly tool?: string;
  /** The words that were run; a shell's line is one word after `sh -c`. Nothing where only files were looked at. */
  readonly argv?: readonly string[];
  /** Nothing where it did not exit by itself. */
  readonly exit?: number;
  readonly ms?: number;
  /** What became of each test. */
  readonly tests?: readonly Pick<TestOutcome, "file" | "name" | "status">[];
  /** SHA-256 of everything that it said. */
  readonly output_hash?: string;
  /** Why it was waived. */
  readonly reason?: string;
}

/** That a gate was passed: by whom it was run, on which files. Each is chained to the one before it. */
export interface Receipt {
  readonly id: string;
  readonly gate: string;
  readonly workflow: string;
  readonly stage: string;
  readonly passed: boolean;
  readonly checks: readonly CheckReceipt[];
  /** The hash of the working files without Tenon's own; nothing outside git. */
  readonly tree?: string;
  /** The commit that the workflow began at. */
  readonly base?: string;
  /** The hash of what was trusted when it ran. */
  readonly trust?: string;
  readonly spec_ids: readonly string[];
  /** As `AUTH-001.AC-1`: criteria that a passing test names. */
  readonly criteria: readonly string[];
  readonly environment: { readonly tenon: string; readonly node: string; readonly platform: string };
  readonly at: string;
}
