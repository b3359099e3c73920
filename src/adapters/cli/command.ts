import type { OperationId } from "#operations/catalogue.ts";
import type { ModelChoice } from "#operations/ports/model.ts";
import type { Engine } from "#operations/engine.ts";
import type { CallProgress } from "#operations/ports/runner.ts";
import type { CliHost } from "./program.ts";

export interface CliOnlyFlag {
  readonly type: "boolean" | "string";
  readonly description: string;
  /** Placeholder for the value in the help; default `path`. */
  readonly value?: string;
  readonly choices?: readonly string[];
}

/** Runs the same operation on the same workspace again, with different arguments and progress. */
type OperationRerun = (progress: CallProgress) => Promise<{
  readonly engine: Engine;
  readonly run: (input: Readonly<Record<string, unknown>>) => Promise<unknown>;
}>;

export type CommandFollowUp = (
  output: unknown,
  flags: Readonly<Record<string, unknown>>,
  house: Pick<CliHost, "io" | "environment">,
  isJson: boolean,
  again: OperationRerun,
) => Promise<void>;

/** How the command line offers an operation. Its flags come from the operation's input schema. */
export interface CliCommand {
  readonly path: string;
  readonly operation: OperationId;
  readonly summary: string;
  readonly positionals?: readonly string[];
  /** The input field whose text `--file` reads. */
  readonly fileFor?: string;
  /** Asks a person at a terminal once whether to run it again with the token of its answer. */
  readonly asks?: {
    readonly field: string;
    readonly token: string;
    /** A list in the answer. While it has entries, yes or no is not enough, so no question is asked. */
    readonly unless?: string;
    readonly question: string;
  };
  /** Flags hidden from agents, such as those that write files anywhere. `afterwards` or `names` reads them. */
  readonly ownFlags?: Readonly<Record<string, CliOnlyFlag>>;
  readonly afterwards?: () => Promise<CommandFollowUp>;
  /** The model that its own flags name. Only the user decides where code is sent. */
  readonly names?: (flags: Readonly<Record<string, unknown>>) => ModelChoice;
  /** Whether it may run code of the repository. `--trust <hash>` then allows that code for one call. */
  readonly runsChecks?: boolean;
  /** For scripts: always JSON, exit code 1 for a refusal and 2 for every error. */
  readonly isScript?: boolean;
  /** Exit codes of a linter: 1 for a refusal, 2 for every error. */
  readonly isCheck?: boolean;
  readonly examples: readonly string[];
}
