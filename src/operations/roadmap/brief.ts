import { estimateRoleTokens } from "#domain/agent/roles.ts";
import type { LeadAction, SpawnAction } from "#domain/roadmap/lead/action.ts";
import type { ActionAssignment, Lead } from "#domain/roadmap/lead/state.ts";
import { composeActionBrief } from "../agent/brief.ts";
import type { Engine } from "../engine.ts";

export const estimateActionTokens = (action: LeadAction): number =>
  action.kind === "spawn" ? estimateRoleTokens(action.role) : 0;

/** Token limit for all briefs of one answer. The first brief is always complete. */
const MAX_BRIEF_TOKENS = 16_000;

export async function composeActionBriefs(
  engine: Engine,
  lead: Lead,
  given: readonly ActionAssignment[],
): Promise<Map<string, string>> {
  const briefs = new Map<string, string>();
  let room = MAX_BRIEF_TOKENS;
  for (const { action } of given) {
    if (action.kind !== "spawn") continue;
    const { text, tokens } = await composeActionBrief(engine, lead, action);
    if (briefs.size > 0 && tokens > room) break;
    briefs.set(action.id, text);
    room -= tokens;
  }
  return briefs;
}

export async function extractReportForm(engine: Engine, lead: Lead, action: SpawnAction): Promise<string> {
  const { text } = await composeActionBrief(engine, lead, action);
  const [, report = text] = /^## Report\n+([\s\S]*?)(?=\n## |$(?![\s\S]))/m.exec(text) ?? [];
  return report.trim();
}
