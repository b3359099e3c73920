import { Fault } from "#domain/fault.ts";
import { beginSession } from "#domain/handover/draft.ts";
import { sanitizeText } from "#domain/quote.ts";
import { HANDOVER_FOLDER, ROADMAP_PATH, HANDOVER_SESSION_PATH } from "#domain/workspace/path.ts";
import type { StorePlan, StoreStep, StoreTree } from "../ports/store.ts";
import { SteeringDraft } from "../steering/draft.ts";

/**
 * Logs each session start once and carries earlier decisions over. Workspaces without a handover or a roadmap are
 * skipped, and so are unreadable files.
 */
export function begunSteps(
  tree: StoreTree,
  sessions: readonly string[],
  at: string,
): Pick<StorePlan<void>, "steps"> & Required<Pick<StorePlan<void>, "keeps">> {
  if (sessions.length === 0) return NOTHING;
  try {
    if (tree.names(HANDOVER_FOLDER).length === 0 && !tree.has(ROADMAP_PATH)) return NOTHING;
    const draft = new SteeringDraft(tree, at);
    for (const session of sessions) draft.decide(begun(session));
    return { steps: [...carried(tree), ...draft.steps()], keeps: draft.keeps() };
  } catch (error) {
    if (error instanceof Fault) return NOTHING;
    throw error;
  }
}

const NOTHING = { steps: [], keeps: [] };

function carried(tree: StoreTree): StoreStep[] {
  const before = tree.text(HANDOVER_SESSION_PATH);
  const text = before === undefined ? undefined : beginSession(before);
  return text === undefined || text === before ? [] : [{ kind: "document", path: HANDOVER_SESSION_PATH, text }];
}

const begun = (session: string) =>
  ({
    type: "SESSION_START",
    summary: `Session ${sanitizeText(session, 64)} started`,
    context: "",
    decision: "",
    reason: "",
    impact: "",
    source: "session start",
  }) as const;
