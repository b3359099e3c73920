import type { ModelChoice } from "#code/operations/ports/model.ts";
import type { CallProgress } from "#kernel/operations/call-progress.ts";
import { DOOR_TABLE, type DoorRow, type OperationId } from "../catalogue.ts";
import type { Engine } from "../engine.ts";
import type { CliHost } from "./run-cli.ts";
import { wrapHelpText } from "./text-wrap.ts";

export type CommandFollowUp = (
  output: unknown,
  flags: Readonly<Record<string, unknown>>,
  house: CliHost,
  isJson: boolean,
  /** Runs the same operation on the same workspace again, with different arguments and progress. */
  again: (progress: CallProgress) => Promise<{
    readonly engine: Engine;
    readonly run: (input: Readonly<Record<string, unknown>>) => Promise<unknown>;
  }>,
) => Promise<void>;

/** How the command line offers an operation. Its flags come from the operation's input schema. */
export interface CliCommand extends Omit<DoorRow, "command"> {
  readonly path: string;
  readonly operation: OperationId;
  readonly afterwards?: () => Promise<CommandFollowUp>;
  /** Shows progress in its own way. */
  readonly view?: () => Promise<(io: TerminalIo, isJson: boolean) => CallProgress & { end(): void }>;
  /** Leads on with questions on a terminal, so its hints for next commands are left out there. */
  readonly isLeading?: boolean;
  /** The model that its own flags name. Only the user decides where code is sent. */
  readonly names?: (flags: Readonly<Record<string, unknown>>) => ModelChoice;
}

/** The terminal, or a test double. All output goes through it. */
export interface TerminalIo {
  readonly isTerminal: boolean;
  readonly hasColour: boolean;
  /** Standard error may go to a file while standard output goes to a terminal. */
  readonly hasErrorColour: boolean;
  /** Columns to wrap at: those of the terminal, or 80. */
  readonly width: number;
  /** Columns of the terminal behind standard error; undefined when it goes elsewhere. */
  readonly errorWidth: number | undefined;
  /** Calls `then` on the first interrupt; a second one ends the process. Returns a function that stops listening. */
  onInterrupt(then: () => void): () => void;
  out(text: string): void;
  err(text: string): void;
  readonly canAsk: boolean;
  /** Asks that person. Every answer except yes counts as no. */
  ask(question: string): Promise<boolean>;
  askKey(question: string): Promise<boolean>;
  stdin(): Promise<string>;
  file(path: string): Promise<string>;
  /** Replaces a file named on the command line, completely or not at all. */
  save(path: string, text: string): Promise<void>;
}

export const EXIT_CODES = { done: 0, fault: 1, usage: 2, refused: 3, defect: 70, cancelled: 130 } as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

export function printCliText({ io }: Pick<CliHost, "io">, text: string): ExitCode {
  io.out(text);
  return EXIT_CODES.done;
}

export const printHelpText = ({ io }: Pick<CliHost, "io">, text: string): ExitCode =>
  printCliText({ io }, wrapHelpText(text, io.width));

const EXTRAS: Partial<Record<OperationId, Pick<CliCommand, "afterwards" | "isLeading" | "names" | "view">>> = {
  "workspace.init": { isLeading: true, afterwards: async () => (await import("./init-lead.ts")).leadAfterInit },
  "ci.run": { afterwards: async () => (await import("./ci-output.ts")).printCiAnnotations },
  "run.start": { view: async () => (await import("./run-view.ts")).createRunView },
  "worker.start": { view: async () => (await import("./run-view.ts")).createRunView },
  "gate.verify": { afterwards: async () => (await import("./ci-output.ts")).writeVerificationReports },
  "indexing.update": { afterwards: async () => (await import("./watch-index.ts")).watchCodeIndex },
  // Only a user names a model: agents are not offered these flags, and repository settings cannot set them.
  "indexing.summarize": {
    names: (flags) => {
      const read = (name: string): string | undefined => (typeof flags[name] === "string" ? flags[name] : undefined);
      return { command: read("with"), url: read("url"), model: read("model"), timeout: read("timeout") };
    },
  },
};

export const CLI_COMMANDS: readonly CliCommand[] = Object.entries(DOOR_TABLE).map(([id, { command, ...row }]) => {
  const operation = id as OperationId;
  return { path: command, operation, ...row, ...EXTRAS[operation] };
});

/** Commands under an earlier name still work. Help does not list them. */
const FORMER_COMMANDS: Readonly<Record<string, string>> = { bite: "mutation-check" };

export function matchCommand(said: readonly string[]): { command: CliCommand; rest: readonly string[] } | undefined {
  const [first = "", ...others] = said;
  const isTeam = first === "status" && others.includes("--team");
  const words = isTeam
    ? ["team", "status", ...others.filter((word) => word !== "--team")]
    : [FORMER_COMMANDS[first] ?? first, ...others];
  const command = [words.slice(0, 2).join(" "), words[0]]
    .map((path) => CLI_COMMANDS.find((candidate) => candidate.path === path))
    .find((found) => found !== undefined);
  return command && { command, rest: words.slice(command.path.split(" ").length) };
}

export const listGroupCommands = (word: string): readonly CliCommand[] =>
  CLI_COMMANDS.filter((command) => command.path.startsWith(`${word} `));
