import type { ChildProcess } from "node:child_process";

export interface PreparedCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly input?: string | undefined;
}

export interface ContainedCommand {
  /** Ends with the exit code or signal of the command. Leads its own process group and session. */
  readonly main: ChildProcess;
  readonly ask: () => void;
  /** Ends every remaining process and resolves when none is left. */
  readonly end: () => Promise<void>;
}

export type ProcessContainment = (prepared: PreparedCommand) => Promise<ContainedCommand>;

/** Longer than the kernel needs to end thousands of processes. */
export const LONGEST_PROCESS_END_MS = 20_000;

export const getCommandStreams = ({ input }: PreparedCommand): ["ignore" | "pipe", "pipe", "pipe"] => [
  input === undefined ? "ignore" : "pipe",
  "pipe",
  "pipe",
];

export const hasProcessEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

/** Resolves when the process ends, fails to start, or the time is up. */
export function waitForProcessEnd(child: ChildProcess, withinMs?: number): Promise<void> {
  return new Promise((resolve) => {
    if (hasProcessEnded(child)) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      child.off("exit", done).off("error", done);
      resolve();
    };
    const timer = withinMs === undefined ? undefined : setTimeout(done, withinMs);
    child.once("exit", done).once("error", done);
  });
}
