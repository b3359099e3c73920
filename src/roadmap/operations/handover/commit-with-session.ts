import { type LoggedDecision, findLastDecisionNumber, parseDecisionLog } from "../../model/handover/decision-log.ts";
import {
  carrySessionDecisions,
  draftSessionDocument,
  type FinishedSessionWork,
} from "../../model/handover/session-draft.ts";
import { Fault } from "#kernel/model/fault.ts";
import { maskDetectedSecrets } from "#kernel/model/secret-detection.ts";
import { DECISIONS_PATH, HANDOVER_SESSION_PATH, HANDOVER_FOLDER, ROADMAP_PATH } from "#kernel/model/workspace-paths.ts";
import { commitWithExtras } from "#store/operations/engine.ts";
import type { RoadmapEngine } from "../engine.ts";
import type { LockedStoreTree, StorePlan, StoreStep, StoreTree } from "#store/operations/ports/store.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { SteeringDraft } from "../steering/steering-draft.ts";

export type DraftedWork = Pick<FinishedSessionWork, "accomplished" | "next"> & Partial<FinishedSessionWork>;

/** Updates `session.md` if its content changes. An unreadable file is left alone. */
export function createSessionSteps(tree: StoreTree, work: DraftedWork, at: string): StoreStep[] {
  const { files = [], decided = [], branch = "" } = work;
  // Agent reports may contain secrets.
  const [accomplished, next] = [work.accomplished.map(maskDetectedSecrets), maskDetectedSecrets(work.next)];
  try {
    const before = tree.text(HANDOVER_SESSION_PATH);
    const worked = { accomplished, next, files, decided: decided.map(maskLoggedDecision), branch };
    const text = draftSessionDocument(before, worked, at);
    return text === before ? [] : [{ kind: "document", path: HANDOVER_SESSION_PATH, text }];
  } catch (error) {
    if (error instanceof Fault) return [];
    throw error;
  }
}

const maskLoggedDecision = (decision: LoggedDecision): LoggedDecision => ({
  ...decision,
  summary: maskDetectedSecrets(decision.summary),
  reason: maskDetectedSecrets(decision.reason),
});

function listNewDecisions(tree: StoreTree, steps: readonly StoreStep[]): LoggedDecision[] {
  const step = steps.find((each) => each.kind === "document" && each.path === DECISIONS_PATH);
  if (step?.kind !== "document") return [];
  const before = tree.text(DECISIONS_PATH) ?? "";
  const last = findLastDecisionNumber(before);
  return parseDecisionLog(step.text.slice(before.length)).filter(({ number }) => number > last);
}

export function commitWithSession<T>(
  engine: Pick<RoadmapEngine, "store" | "observers" | "notice" | "clock" | "branch">,
  decide: (tree: LockedStoreTree) => StorePlan<T>,
  describe: (tree: LockedStoreTree, plan: StorePlan<T>) => DraftedWork | undefined,
): Promise<T> {
  return commitWithExtras(engine, decide, (tree, plan) => {
    // A plan without events is not recorded.
    const work = plan.occurrences.length > 0 ? describe(tree, plan) : undefined;
    if (!work) return { steps: [] };
    const decided = listNewDecisions(tree, plan.steps);
    const worked = { decided, branch: engine.branch() ?? "", ...work };
    return { steps: createSessionSteps(tree, worked, engine.clock.now()) };
  });
}

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
    for (const session of sessions) {
      const summary = `Session ${sanitizeText(session, 64)} started`;
      const nothing = { context: "", decision: "", reason: "", impact: "" };
      draft.decide({ type: "SESSION_START", summary, ...nothing, source: "session start" });
    }
    const before = tree.text(HANDOVER_SESSION_PATH);
    if (before !== undefined) draft.write(HANDOVER_SESSION_PATH, carrySessionDecisions(before));
    return { steps: draft.steps(), keeps: draft.keeps() };
  } catch (error) {
    if (error instanceof Fault) return EMPTY_START_PLAN;
    throw error;
  }
}

const EMPTY_START_PLAN = { steps: [], keeps: [] };
