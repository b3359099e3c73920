import { type ChildProcess, spawn } from "node:child_process";
import { BIN, environment, type Finished, finished, type Settings } from "./process.ts";

const HOOK = new URL("./fault-hook.ts", import.meta.url).href;

/** Somebody who stands still in the middle of a command, until it is told to go on. */
export interface Frozen {
  readonly process: ChildProcess;
  readonly ended: Promise<Finished>;
  /** Lets it go on, and gives how it ended. */
  thaw(): Promise<Finished>;
}

/** Starts a command that stops itself before a call, as the hook names it; it stands still when this resolves. */
export async function freezeTenon(words: readonly string[], { cwd, env }: Settings, call: string): Promise<Frozen> {
  const hook = { TENON_FAULT: `SIGSTOP:${call}`, TENON_FAULT_LOG: "3", TENON_FAULT_WIDE: "1" };
  const child = spawn(process.execPath, ["--import", HOOK, BIN, ...words], {
    cwd,
    env: environment({ ...env, ...hook }),
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const ended = finished(child);
  await new Promise<void>((resolve, reject) => {
    let log = "";
    child.stdio[3]?.on("data", (chunk: Buffer) => {
      log += chunk.toString();
      if (/^!.*\n/m.test(log)) resolve();
    });
    void ended.then(({ out, err }) => reject(new Error(`It never stood still: ${log}${out}${err}`)));
  });
  return {
    process: child,
    ended,
    thaw() {
      // It tells of the call before it stops, so one who is quick may wake it too early.
      const again = setInterval(() => child.kill("SIGCONT"), 20);
      return ended.finally(() => clearInterval(again));
    },
  };
}
