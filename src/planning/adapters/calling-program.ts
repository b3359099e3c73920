import { isProcessGone, isProcessRunning, markClients, markProcess } from "#kernel/adapters/process-marks.ts";
import type { CallingProgram } from "../operations/ports/caller.ts";

/** `name` belongs to a connection, whose process is this one. Without a name it is one command. */
export function createCallingProgram(name?: string): CallingProgram {
  let clients: readonly string[] | undefined;
  const given = new Set<string>();
  return {
    name,
    mark: () => (name === undefined ? undefined : markProcess(process.pid)),
    clients: () => (clients ??= markClients(process.ppid)),
    isGone: isProcessGone,
    isRunning: isProcessRunning,
    note: (session) => void given.add(session),
    get given() {
      return given.size === 1 ? [...given][0] : undefined;
    },
  };
}
