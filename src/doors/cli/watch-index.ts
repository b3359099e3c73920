import type { CallProgress } from "#kernel/operations/call-progress.ts";
import type { CommandFollowUp } from "./command-types.ts";

interface IndexUpdateCounts {
  readonly read: number;
  readonly gone: number;
}

export const watchCodeIndex: CommandFollowUp = async (_, { watch }, { io }, isJson, again) => {
  if (watch !== true) return;
  const stopping = new AbortController();
  const bell = new ChangeSignal();
  using _ignoring = {
    [Symbol.dispose]: io.onInterrupt(() => {
      stopping.abort();
      bell.ring();
    }),
  };
  const progress: CallProgress = { tell: () => undefined, cancelled: stopping.signal };
  const { engine, run } = await again(progress);
  using _watching = await engine.source.watch(() => bell.ring());
  if (!isJson) io.out("Watching; interrupt to end.\n");
  // Picks up changes made before the watch began.
  bell.ring();
  while (!stopping.signal.aborted) {
    await bell.rung();
    if (stopping.signal.aborted) return;
    const output = (await run({}).catch((error: unknown) => {
      if (stopping.signal.aborted) return undefined;
      throw error;
    })) as IndexUpdateCounts | undefined;
    if (output === undefined || output.read + output.gone === 0) continue;
    const line = isJson ? JSON.stringify(output) : `${engine.clock.now()} ${output.read} read, ${output.gone} gone`;
    io.out(`${line}\n`);
  }
};

/** Several rings before a listener waits count as one. */
class ChangeSignal {
  #hasRung = false;
  #heard: (() => void) | undefined;

  ring(): void {
    this.#hasRung = true;
    this.#heard?.();
  }

  async rung(): Promise<void> {
    if (!this.#hasRung) await new Promise<void>((resolve) => (this.#heard = resolve));
    this.#hasRung = false;
    this.#heard = undefined;
  }
}
