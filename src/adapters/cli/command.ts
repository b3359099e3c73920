import type { OperationId } from "#operations/catalogue.ts";
import type { ModelChoice } from "#operations/ports/model.ts";
import type { Engine } from "#operations/engine.ts";
import type { Progress } from "#operations/ports/runner.ts";
import type { CliHouse } from "./program.ts";

/** A flag that only the command line has. */
export interface OwnFlag {
  readonly type: "boolean" | "string";
  readonly description: string;
  /** What stands for its value in the help; a path unless told. */
  readonly value?: string;
  /** What it may be, where that is not anything. */
  readonly choices?: readonly string[];
}

/** The same operation on the same workspace once more, with other arguments and another who waits for it. */
type Again = (progress: Progress) => Promise<{
  readonly engine: Engine;
  readonly run: (input: Readonly<Record<string, unknown>>) => Promise<unknown>;
}>;

/** What is done with an answer once it is shown. */
export type Afterwards = (
  output: unknown,
  flags: Readonly<Record<string, unknown>>,
  house: Pick<CliHouse, "io" | "environment">,
  isJson: boolean,
  again: Again,
) => Promise<void>;

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
    readonly unless?: string;
    readonly question: string;
  };
  /** Flags that no agent is offered, such as those that write files anywhere; `afterwards` or `names` heeds them. */
  readonly ownFlags?: Readonly<Record<string, OwnFlag>>;
  readonly afterwards?: () => Promise<Afterwards>;
  /** The model that its own flags name: where code is sent is for the user to say. */
  readonly names?: (flags: Readonly<Record<string, unknown>>) => ModelChoice;
  /** Whether it may run what the repository brings along, so that `--trust <hash>` can vouch for it, this once. */
  readonly runsChecks?: boolean;
  /** For scripts: always JSON, 1 for a refusal and 2 for whatever goes wrong. */
  readonly isScript?: boolean;
  /** Its exit code is a linter's: 1 for a refusal and 2 for whatever goes wrong. */
  readonly isCheck?: boolean;
  readonly examples: readonly string[];
}
