import { Fault } from "#domain/fault.ts";
import { carrySessionDecisions } from "#domain/handover/draft.ts";
import { sanitizeText } from "#domain/quote.ts";
import { HANDOVER_FOLDER, ROADMAP_PATH, HANDOVER_SESSION_PATH } from "#domain/workspace/path.ts";
import type { StorePlan, StoreStep, StoreTree } from "../ports/store.ts";
import { SteeringDraft } from "../steering/draft.ts";

/**
 * Logs each session start once and carries earlier decisions over. Workspaces without a handover or a roadmap are
 * skipped, and so are unreadable files.
 */
export function planSessionStart(
  tree: StoreTree,
  sessions: readonly string[],
  at: string,
): Pick<StorePlan<void>, "steps"> & Required<Pick<StorePlan<void>, "keeps">> {
  if (sessions.length === 0) return EMPTY_START_PLAN;
  try {
    if (tree.names(HANDOVER_FOLDER).length === 0 && !tree.has(ROADMAP_PATH)) return EMPTY_START_PLAN;
    const draft = new SteeringDraft(tree, at);
    for (const session of sessions) draft.decide(createStartDecision(session));
    return { steps: [...createCarryOverSteps(tree), ...draft.steps()], keeps: draft.keeps() };
  } catch (error) {
    if (error instanceof Fault) return EMPTY_START_PLAN;
    throw error;
  }
}

const EMPTY_START_PLAN = { steps: [], keeps: [] };

function createCarryOverSteps(tree: StoreTree): StoreStep[] {
  const before = tree.text(HANDOVER_SESSION_PATH);
  const text = before === undefined ? undefined : carrySessionDecisions(before);
  return text === undefined || text === before ? [] : [{ kind: "document", path: HANDOVER_SESSION_PATH, text }];
}

const createStartDecision = (session: string) =>
  ({
    type: "SESSION_START",
    summary: `Session ${sanitizeText(session, 64)} started`,
    context: "",
    decision: "",
    reason: "",
    impact: "",
    source: "session start",
  }) as const;
