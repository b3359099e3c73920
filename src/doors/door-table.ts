import rows from "../../assets/doors.json" with { type: "json" };
import type { OperationId } from "./catalogue.ts";

/** A flag of the command line that agents are not offered, such as one that writes files anywhere. */
export interface CliOnlyFlag {
  readonly type: "boolean" | "string";
  readonly description: string;
  /** Placeholder for the value in the help; default `path`. */
  readonly value?: string;
  readonly choices?: readonly string[];
}

/** How the doors offer one operation: a row of `assets/doors.json`. */
export interface DoorRow {
  /** Without a tool, the operation is for the user alone. Its description is `assets/tools/<tool>.md`. */
  readonly tool?: string;
  readonly toolset?: string;
  /** Offered to agents without asking for its toolset. */
  readonly isDefault?: boolean;
  readonly command: string;
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
  readonly ownFlags?: Readonly<Record<string, CliOnlyFlag>>;
  /** Whether it may run code of the repository. `--trust <hash>` then allows that code for one call. */
  readonly runsChecks?: boolean;
  /** For scripts: always JSON, exit code 1 for a refusal and 2 for every error. */
  readonly isScript?: boolean;
  /** Exit codes of a linter: 1 for a refusal, 2 for every error. */
  readonly isCheck?: boolean;
  readonly examples: readonly string[];
}

/** One table for tools and commands, in the order in which they are listed. */
export const DOOR_TABLE = rows.operations as Readonly<Record<OperationId, DoorRow>>;

export const COMMAND_GROUPS: Readonly<Record<string, string>> = rows.groups;
