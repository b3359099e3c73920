import { Fault } from "#domain/fault.ts";
import type { Run } from "#domain/gate/outcome.ts";
import type { Invocation } from "#domain/stack/check.ts";

export interface Running {
  readonly run: Invocation;
  /** Where, as an absolute path. */
  readonly folder: string;
  /** The workspace, up to which programs that a project brings along are looked for; the folder unless told. */
  readonly root?: string;
  /** Seconds for the whole, and without a word. */
  readonly timeout_s: number;
  readonly silence_s: number;
  /** What it reads on its standard input; nothing to read unless told. */
  readonly input?: string;
  /** Variables on top of those that every check gets. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Names of the user's own variables that the user lets through. */
  readonly passes?: readonly string[];
  /** Told about once a second at most: the last line that it said. */
  progress?(line: string, ms: number): void;
  readonly cancelled?: AbortSignal;
}

/** How a command ended. */
export interface Ended {
  readonly how: Run["how"];
  /** Only where it exited by itself. */
  readonly code?: number;
  readonly signal?: string;
  /** Why it could not be started. */
  readonly why?: string;
  readonly ms: number;
  readonly output: Output;
}

/** What it said, on both streams as it came. The files are gone when `forget` is called, and empty names when nothing ran. */
export interface Output {
  readonly bytes: number;
  /** SHA-256 of every byte. */
  readonly hash: string;
  /** At most 64 KB, as text, with what is no text replaced. */
  readonly tail: string;
  /** Whether a file holds less than was said, because it was too much or the disk was full. */
  readonly isCut: boolean;
  /** Standard output alone, on the disk. */
  readonly file: string;
  /** Both streams, on the disk. */
  readonly spool: string;
}

/** What is left of it on the disk, until it is forgotten. */
export interface Told {
  /** Its standard output; nothing when that is larger, or was too much to keep. */
  readonly text: (most: number) => Promise<string | undefined>;
  readonly forget: () => Promise<void>;
}

/**
 * Runs a command that belongs to a repository, and ends all of it: when this returns, nothing that it started is alive.
 * It never throws for what the command does.
 */
export interface Runner {
  run(running: Running): Promise<Ended & Told>;
}

/** Told to whoever waits, on a terminal or as a notification; saying nothing is allowed. */
export interface Progress {
  tell(text: string, done?: number, of?: number): void;
  /** Ends when the caller gives up. */
  readonly cancelled: AbortSignal;
}

/** Ends a call that nobody waits for any more. */
export function stopIfCancelled({ cancelled }: Pick<Progress, "cancelled">): void {
  if (!cancelled.aborted) return;
  throw new Fault("call.cancelled", {
    what: "The call was cancelled.",
    why: "Whoever waited for it gave up; what it had started has ended.",
    fix: "Call it again to begin anew.",
  });
}

/** A folder for what a command writes about itself, outside the repository; gone when it is disposed of. */
export interface Scratch extends AsyncDisposable {
  readonly folder: string;
  /** The text of a file in it, or of the first of these files that is there; nothing when it is missing or too large. */
  text(names: readonly string[], most: number): Promise<string | undefined>;
}
