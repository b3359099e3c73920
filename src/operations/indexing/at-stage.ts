import { type IndexEngine, refreshCodeIndex } from "./up-to-date.ts";

/**
 * Refreshes an existing index after a stage, because the next stage queries it soon. A failure is only reported: the
 * next query makes up for it.
 */
export async function refreshIndexAfterStage(engine: IndexEngine): Promise<void> {
  try {
    const index = await engine.codeIndex();
    if (index.isThere) await refreshCodeIndex(engine);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    engine.notice(`The stage has ended, but the index of the code is not up to date: ${why}`);
  }
}
