import type { CommandCheck } from "#domain/workspace/config.ts";
import type { CheckResult } from "#domain/workflow/record.ts";

/** Checks that run something: tests, a linter, a look at the code. */
export interface Checks {
  /** One result a check, in their order. What cannot be told is unknown, and unknown does not pass. */
  run(request: {
    readonly workflow: string;
    readonly stage: string;
    readonly checks: readonly CommandCheck[];
  }): Promise<readonly CheckResult[]>;
}
