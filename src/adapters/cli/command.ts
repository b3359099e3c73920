import type { OperationId } from "#operations/catalogue.ts";

/** How an operation is said on the command line. Its flags come from the operation's input schema. */
export interface Command {
  /** The words after `tenon`. */
  readonly path: string;
  readonly operation: OperationId;
  readonly summary: string;
  /** Input fields that may be given without a flag, in order. */
  readonly positionals?: readonly string[];
  /** The input field whose text `--file` reads. */
  readonly fileFor?: string;
  /** What a person at a terminal is asked once: whether to run it again with the token of its answer. */
  readonly asks?: {
    readonly field: string;
    readonly token: string;
    /** A list in the answer; while there is anything in it, somebody has to decide more than yes or no. */
    readonly unless: string;
    readonly question: string;
  };
  /** For scripts: always JSON, 1 for a refusal and 2 for whatever goes wrong. */
  readonly isScript?: boolean;
  readonly examples: readonly string[];
}
