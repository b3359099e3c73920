import type { ChildProcess } from "node:child_process";

export interface Prepared {
  readonly file: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly input?: string | undefined;
}

export interface Contained {
  /** Ends with the exit code or signal of the command. Leads its own process group and session. */
  readonly main: ChildProcess;
  readonly ask: () => void;
  /** Ends every remaining process and resolves when none is left. */
  readonly end: () => Promise<void>;
}

export type Containment = (prepared: Prepared) => Promise<Contained>;

/** Longer than the kernel needs to end thousands of processes. */
export const LONGEST_END_MS = 20_000;

export const streamsFor = ({ input }: Prepared): ["ignore" | "pipe", "pipe", "pipe"] => [
  input === undefined ? "ignore" : "pipe",
  "pipe",
  "pipe",
];

export const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

/** Resolves when the process ends, fails to start, or the time is up. */
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
