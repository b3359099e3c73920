import { type Indexer, bringIndexUpToDate } from "./up-to-date.ts";

/**
 * Brings the index up to date where there is one: a stage has just ended, and whoever begins the next asks it soon. What
 * fails here is told and made good by the next who asks.
 */
export async function refreshIndex(engine: Indexer): Promise<void> {
  try {
    const index = await engine.codeIndex();
    if (index.isThere) await bringIndexUpToDate(engine);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    engine.notice(`The stage has ended, but the index of the code is not up to date: ${why}`);
  }
}
