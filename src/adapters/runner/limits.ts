import type { CommandResult, CommandRequest } from "#operations/ports/runner.ts";
import type { OutputRecording } from "./recording.ts";

export type CommandEnding = Pick<CommandResult, "how" | "code" | "signal">;

const PROGRESS_INTERVAL_MS = 1000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const LONGEST_PROGRESS_LINE = 200;

export class RunLimits {
  readonly reached: Promise<CommandEnding>;
  readonly #running: CommandRequest;
  readonly #stops: (() => void)[] = [];
  #heard: number = performance.now();

  constructor(running: CommandRequest, started: number, recording: OutputRecording) {
    this.#running = running;
    this.reached = new Promise((resolve) => {
      const end = (how: CommandEnding["how"]): void => resolve({ how });
      this.#after(running.timeout_s * 1000 - (performance.now() - started), () => end("timed-out"));
      this.#silence(() => end("silent"));
      this.#cancellation(() => end("cancelled"));
    });
    this.#progress(started, recording);
  }

  heard(): void {
    this.#heard = performance.now();
  }

  stop(): void {
    for (const stop of this.#stops) stop();
  }

  #after(ms: number, then: () => void): void {
    const timer = setTimeout(then, Math.min(Math.max(ms, 0), LONGEST_TIMER_MS));
    this.#stops.push(() => clearTimeout(timer));
  }

  #silence(then: () => void): void {
    const left = this.#running.silence_s * 1000 - (performance.now() - this.#heard);
    if (left <= 0) then();
    else this.#after(left, () => this.#silence(then));
  }

  #cancellation(then: () => void): void {
    const { cancelled } = this.#running;
    if (cancelled?.aborted) return then();
    cancelled?.addEventListener("abort", then, { once: true });
    this.#stops.push(() => cancelled?.removeEventListener("abort", then));
  }

  #progress(started: number, recording: OutputRecording): void {
    if (!this.#running.progress) return;
    let told = 0;
    const timer = setInterval(() => {
      const line = recording.bytes > told ? recording.lastLine() : undefined;
      told = recording.bytes;
      if (line !== undefined) {
        this.#running.progress?.(line.slice(0, LONGEST_PROGRESS_LINE), Math.round(performance.now() - started));
      }
    }, PROGRESS_INTERVAL_MS);
    this.#stops.push(() => clearInterval(timer));
  }
}
