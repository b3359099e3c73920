import { type LoggedDecision, findLastDecisionNumber, parseDecisionLog } from "../../model/handover/decision-log.ts";
import { draftSessionDocument, carrySessionDecisions } from "../../model/handover/session-draft.ts";
import { Fault } from "#kernel/model/fault.ts";
import { maskDetectedSecrets } from "#kernel/model/secret-detection.ts";
import { DECISIONS_PATH, HANDOVER_SESSION_PATH, HANDOVER_FOLDER, ROADMAP_PATH } from "#kernel/model/workspace-paths.ts";
import { commitWithExtras } from "#store/operations/engine.ts";
import type { RoadmapEngine } from "../engine.ts";
import type { LockedStoreTree, StorePlan, StoreStep, StoreTree } from "#store/operations/ports/store.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { SteeringDraft } from "../steering/steering-draft.ts";

export interface DraftedWork {
  readonly accomplished: string | readonly string[];
  readonly next: string;
  readonly files?: readonly string[];
  readonly decided?: readonly LoggedDecision[];
  readonly branch?: string | undefined;
}

/** Updates `session.md` if its content changes. An unreadable file is left alone. */
export function createSessionSteps(tree: StoreTree, work: DraftedWork, at: string): StoreStep[] {
  const { accomplished, next, files = [], decided = [], branch = "" } = work;
  const lines = typeof accomplished === "string" ? [accomplished] : accomplished;
  try {
    const before = tree.text(HANDOVER_SESSION_PATH);
    const text = draftSessionDocument(
      before,
      {
        accomplished: lines.map(maskDetectedSecrets),
        next: maskDetectedSecrets(next),
        files,
        decided: decided.map(maskLoggedDecision),
        branch,
      },
      at,
    );
    return text === before ? [] : [{ kind: "document", path: HANDOVER_SESSION_PATH, text }];
  } catch (error) {
    if (error instanceof Fault) return [];
    throw error;
  }
}

/** Agent reports may contain secrets. */
const maskLoggedDecision = (decision: LoggedDecision): LoggedDecision => ({
  ...decision,
  summary: maskDetectedSecrets(decision.summary),
  reason: maskDetectedSecrets(decision.reason),
});

function listNewDecisions(tree: StoreTree, steps: readonly StoreStep[]): LoggedDecision[] {
  const step = steps.find((each) => each.kind === "document" && each.path === DECISIONS_PATH);
  if (step?.kind !== "document") return [];
  const last = findLastDecisionNumber(tree.text(DECISIONS_PATH) ?? "");
  return parseDecisionLog(step.text.slice(tree.text(DECISIONS_PATH)?.length ?? 0)).filter(
    ({ number }) => number > last,
  );
}

type DraftingEngine = Pick<RoadmapEngine, "store" | "observers" | "notice" | "clock" | "branch">;

export function commitWithSession<T>(
  engine: DraftingEngine,
  decide: (tree: LockedStoreTree) => StorePlan<T>,
  worked: (tree: LockedStoreTree, plan: StorePlan<T>) => DraftedWork | undefined,
): Promise<T> {
  return commitWithExtras(engine, decide, (tree, plan) => {
    // A plan without events is not recorded.
    const work = plan.occurrences.length > 0 ? worked(tree, plan) : undefined;
    if (!work) return { steps: [] };
    const told = { decided: listNewDecisions(tree, plan.steps), branch: engine.branch(), ...work };
    return { steps: createSessionSteps(tree, told, engine.clock.now()) };
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
