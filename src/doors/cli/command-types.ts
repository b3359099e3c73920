import type { OperationId } from "../catalogue.ts";
import type { ModelChoice } from "#code/operations/ports/model.ts";
import type { Engine } from "../engine.ts";
import type { CallProgress } from "#kernel/operations/call-progress.ts";
import type { CliHost } from "./run-cli.ts";
import { Fault } from "#kernel/model/fault.ts";

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

/** The terminal, or a test double. All output goes through it. */
export interface TerminalIo {
  readonly isTerminal: boolean;
  readonly hasColour: boolean;
  /** Standard error may go to a file while standard output goes to a terminal. */
  readonly hasErrorColour: boolean;
  /** Columns of the terminal behind standard error; undefined when it goes elsewhere. */
  readonly errorWidth: number | undefined;
  /** Calls `then` on the first interrupt; a second one ends the process. Returns a function that stops listening. */
  onInterrupt(then: () => void): () => void;
  out(text: string): void;
  err(text: string): void;
  readonly canAsk: boolean;
  /** Asks that person. Every answer except yes counts as no. */
  ask(question: string): Promise<boolean>;
  stdin(): Promise<string>;
  file(path: string): Promise<string>;
  /** Replaces a file named on the command line, completely or not at all. */
  save(path: string, text: string): Promise<void>;
}

export const EXIT_CODES = { done: 0, fault: 1, usage: 2, refused: 3, defect: 70, cancelled: 130 } as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

/** Faults in one argument. A different workspace state would not fix them. */
const ARGUMENT_FAULT_CODES = new Set(["lock.bad-path", "timebox.unreadable", "workflow.bad-id"]);

/** For a script, 1 is an answer, so every error is a 2. */
export function chooseExitCode(error: unknown, isScript = false): ExitCode {
  if (!(error instanceof Fault)) return EXIT_CODES.defect;
  if (error.code === "call.cancelled") return EXIT_CODES.cancelled;
  const isUsage = /^(?:usage|input)\./.test(error.code) || ARGUMENT_FAULT_CODES.has(error.code);
  return isUsage || isScript ? EXIT_CODES.usage : EXIT_CODES.fault;
}
