import type { Connection } from "./client.ts";

type Answer = Awaited<ReturnType<Connection["call"]>>;

/** Ends one stage after the other as an agent does, which looks around before it ends the context check. */
export async function endStages<T>(
  { call }: Pick<Connection, "call">,
  artifacts: readonly string[],
  look: (answer: Answer) => T,
): Promise<T[]> {
  const seen: T[] = [];
  let stage: string | undefined;
  for (const content of artifacts) {
    if (stage === "context-check") await call("sdd_context_check");
    const answer = await call("sdd_change_advance", {
      content,
      ...(stage === "verify" ? { no_code: "Nothing is built here" } : {}),
    });
    stage = (answer.structuredContent as { change?: { current_stage: string } }).change?.current_stage;
    seen.push(look(answer));
  }
  return seen;
}
