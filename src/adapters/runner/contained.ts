import type { ChildProcess } from "node:child_process";

/** A command that is ready to start: nothing is looked up any more. */
export interface Prepared {
  readonly file: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  /** What it reads on its standard input. */
  readonly input?: string | undefined;
}

/** A command under way, with everything that it starts. */
export interface Contained {
  /** Ends as the command does, with its code or its signal. It leads a group and a session of its own. */
  readonly main: ChildProcess;
  /** Asks it to end, so that it may tidy up. */
  readonly ask: () => void;
  /** Ends what is left of it, wherever it went; resolves when nothing is. */
  readonly end: () => Promise<void>;
}

/** How commands are kept together. */
export type Containment = (prepared: Prepared) => Promise<Contained>;

/** Longer than the kernel needs to end thousands of processes. */
export const LONGEST_END_MS = 20_000;

/** Its streams: nobody to ask, unless it is given something to read. */
export const streamsFor = ({ input }: Prepared): ["ignore" | "pipe", "pipe", "pipe"] => [
  input === undefined ? "ignore" : "pipe",
  "pipe",
  "pipe",
];

export const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

/** Resolves when the process has ended, or could not be started; or when the time is over. */
export function ended(child: ChildProcess, withinMs?: number): Promise<void> {
  return new Promise((resolve) => {
    if (hasEnded(child)) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      child.off("exit", done).off("error", done);
      resolve();
    };
    const timer = withinMs === undefined ? undefined : setTimeout(done, withinMs);
    child.once("exit", done).once("error", done);
  });
}
