import type { CommandEnding, CommandInvocation } from "../../model/shell-command.ts";

export interface CommandRequest {
  readonly run: CommandInvocation;
  readonly folder: string;
  /** Workspace root up to which project programs are looked up. Defaults to `folder`. */
  readonly root?: string;
  /** Seconds for the whole run, and without output. */
  readonly timeout_s: number;
  readonly silence_s: number;
  readonly input?: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly passes?: readonly string[];
  /** Called at most about once a second with the last output line. */
  readonly progress?: (line: string, ms: number) => void;
  readonly cancelled?: AbortSignal;
}

export interface CommandResult {
  readonly how: CommandEnding;
  readonly code?: number;
  readonly signal?: string;
  readonly why?: string;
  readonly ms: number;
  readonly output: CommandOutput;
}

/** Combined output. `forget` deletes the files. The names are empty if nothing ran. */
export interface CommandOutput {
  readonly bytes: number;
  readonly hash: string;
  /** At most 64 KB as text, with invalid bytes replaced. */
  readonly tail: string;
  /** True if a file lacks output, because of the size limit or a full disk. */
  readonly isCut: boolean;
  readonly file: string;
  readonly spool: string;
}

/** Runs a repository's command and ends all its processes before it returns. A failing command does not throw. */
export interface CommandRunner {
  run(running: CommandRequest): Promise<
    CommandResult & {
      /** Standard output, or with `both` also the errors between its lines. */
      readonly text: (most: number, both?: "both") => Promise<string | undefined>;
      readonly forget: () => Promise<void>;
    }
  >;
}

/** The path is relative to the folder that was searched. */
export type WrittenFile = Readonly<{ path: string; text: string }>;

/** A temporary folder outside the repository for reports of a command, deleted on dispose. */
export interface ScratchFolder extends AsyncDisposable {
  readonly folder: string;
  /** Text of the first existing file. Undefined if it is missing or too large. */
  text(names: readonly string[], most: number): Promise<string | undefined>;
  /** Texts of the files in a folder of this name. */
  texts(name: string, most: number): Promise<readonly WrittenFile[]>;
  /** Remembers the files that match a glob. The returned function reads those that were written since. */
  watch(folder: string, globs: readonly string[]): Promise<(most: number) => Promise<readonly WrittenFile[]>>;
  /** Writes a file and returns its path. */
  put(name: string, text: string): Promise<string>;
}
