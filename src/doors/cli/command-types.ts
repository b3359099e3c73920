import type { OperationId } from "../catalogue.ts";
import type { DoorRow } from "../door-table.ts";
import type { ModelChoice } from "#code/operations/ports/model.ts";
import type { Engine } from "../engine.ts";
import type { CallProgress } from "#kernel/operations/call-progress.ts";
import type { CliHost } from "./run-cli.ts";
import { Fault } from "#kernel/model/fault.ts";

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
export interface CliCommand extends Omit<DoorRow, "command"> {
  readonly path: string;
  readonly operation: OperationId;
  readonly afterwards?: () => Promise<CommandFollowUp>;
  /** The model that its own flags name. Only the user decides where code is sent. */
  readonly names?: (flags: Readonly<Record<string, unknown>>) => ModelChoice;
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
