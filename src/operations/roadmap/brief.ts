import { estimateOf } from "#domain/agent/roles.ts";
import type { Action, Spawn } from "#domain/roadmap/lead/action.ts";
import type { HandedOut, Lead } from "#domain/roadmap/lead/state.ts";
import { briefFor } from "../agent/brief.ts";
import type { Engine } from "../engine.ts";

export const estimated = (action: Action): number => (action.kind === "spawn" ? estimateOf(action.role) : 0);

/** Token limit for all briefs of one answer. The first brief is always complete. */
const MOST_OF_BRIEFS = 16_000;

export async function briefsOf(engine: Engine, lead: Lead, given: readonly HandedOut[]): Promise<Map<string, string>> {
  const briefs = new Map<string, string>();
  let room = MOST_OF_BRIEFS;
  for (const { action } of given) {
    if (action.kind !== "spawn") continue;
    const { text, tokens } = await briefFor(engine, lead, action);
    if (briefs.size > 0 && tokens > room) break;
    briefs.set(action.id, text);
    room -= tokens;
  }
  return briefs;
}

export async function formOf(engine: Engine, lead: Lead, action: Spawn): Promise<string> {
  const { text } = await briefFor(engine, lead, action);
  const [, report = text] = /^## Report\n+([\s\S]*?)(?=\n## |$(?![\s\S]))/m.exec(text) ?? [];
  return report.trim();
}
