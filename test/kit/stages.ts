import type { Connection } from "./client.ts";

/** Ends one stage after the other as an agent does; each time it looks around first, as the context check demands. */
export async function endStages<T>(
  { call }: Pick<Connection, "call">,
  artifacts: readonly string[],
  look: (answer: Awaited<ReturnType<Connection["call"]>>) => T,
): Promise<T[]> {
  const seen: T[] = [];
  for (const content of artifacts) {
    await call("sdd_context_check");
    seen.push(look(await call("sdd_change_advance", { content })));
  }
  return seen;
}
