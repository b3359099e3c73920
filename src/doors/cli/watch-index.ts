import type { CallProgress } from "#kernel/operations/call-progress.ts";
import type { CommandFollowUp } from "./command-table.ts";

export const watchCodeIndex: CommandFollowUp = async (_, { watch }, { io }, isJson, again) => {
  if (watch !== true) return;
  const stopping = new AbortController();
  // Several rings before the next wait count as one.
  let bell = Promise.withResolvers<void>();
  using _ignoring = {
    [Symbol.dispose]: io.onInterrupt(() => {
      stopping.abort();
      bell.resolve();
    }),
  };
  const progress: CallProgress = { tell: () => undefined, cancelled: stopping.signal };
  const { engine, run } = await again(progress);
  using _watching = await engine.source.watch(() => bell.resolve());
  if (!isJson) io.out("Watching for changes. Press Ctrl-C to stop.\n");
  // Picks up changes made before the watch began.
  bell.resolve();
  while (!stopping.signal.aborted) {
    await bell.promise;
    bell = Promise.withResolvers();
    if (stopping.signal.aborted) return;
    const output = (await run({}).catch((error: unknown) => {
      if (stopping.signal.aborted) return undefined;
      throw error;
    })) as { readonly read: number; readonly gone: number } | undefined;
    if (output === undefined || output.read + output.gone === 0) continue;
    const line = isJson ? JSON.stringify(output) : `${engine.clock.now()} ${output.read} read, ${output.gone} gone`;
    io.out(`${line}\n`);
  }
};
