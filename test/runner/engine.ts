/** An engine in a process of its own: runs what it is told to, and says how that ended and what it took at most. */
import { createProcessRunner } from "#checking/adapters/runner/process-runner.ts";
import type { CommandRequest } from "#kernel/operations/ports/runner.ts";

export interface Order {
  readonly way: "cell" | "group";
  readonly running: CommandRequest;
}

export interface Report {
  readonly how: string;
  readonly code?: number;
  readonly signal?: string;
  readonly why?: string;
  readonly bytes: number;
  readonly tail: string;
  readonly isCut: boolean;
  /** Of all runs so far. */
  readonly megabytes: number;
}

process.on("message", ({ way, running }: Order) => {
  void (async () => {
    const done = await createProcessRunner(process.env, { way, graceMs: 200 }).run(running);
    const { how, code, signal, why, output } = done;
    await done.forget();
    const { bytes, isCut } = output;
    const megabytes = process.resourceUsage().maxRSS / 1024;
    process.send?.({ how, code, signal, why, bytes, isCut, tail: output.tail.slice(-200), megabytes });
  })();
});
