import { type LoggedDecision, findLastDecisionNumber, parseDecisionLog } from "../../model/handover/decision-log.ts";
import { draftSessionDocument, carrySessionDecisions } from "../../model/handover/session-draft.ts";
import { Fault } from "#kernel/model/fault.ts";
import { maskDetectedSecrets } from "#kernel/model/secret-detection.ts";
import { DECISIONS_PATH, HANDOVER_SESSION_PATH, HANDOVER_FOLDER, ROADMAP_PATH } from "#kernel/model/workspace-paths.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
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
 * Commits a plan with optional extra steps. The extras come first: if one cannot be written, nothing is, and the plan
 * is committed without them.
 */
export async function commitWithExtras<T>(
  engine: Pick<RoadmapEngine, "store" | "observers" | "notice">,
  decide: (tree: LockedStoreTree) => StorePlan<T>,
  beside: (tree: LockedStoreTree, plan: StorePlan<T>) => Pick<StorePlan<T>, "steps" | "keeps">,
): Promise<T> {
  let paths: readonly string[] = [];
  try {
    return await commitStoreWrite(engine, (tree) => {
      paths = [];
      const plan = decide(tree);
      const { steps, keeps = [] } = beside(tree, plan);
      if (steps.length === 0) return plan;
      paths = steps.map((step) => (step.kind === "move" ? step.to : step.path));
      return { ...plan, steps: [...steps, ...plan.steps], keeps: [...(plan.keeps ?? []), ...keeps] };
    });
  } catch (error) {
    if (paths.length === 0 || isUnfinishedWrite(error)) throw error;
    const result = await commitStoreWrite(engine, decide);
    const why = error instanceof Error ? error.message : String(error);
    engine.notice(`${paths.join(", ")} could not be brought up to date: ${why}`);
    return result;
  }
}

/** The write is recorded and the next command finishes it. Another write would repeat it. */
const isUnfinishedWrite = (error: unknown): boolean => error instanceof Fault && error.code === "store.pending";

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
