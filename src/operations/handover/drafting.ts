import { type LoggedDecision, findLastDecisionNumber, parseDecisionLog } from "#domain/handover/decisions.ts";
import { draftSessionDocument } from "#domain/handover/draft.ts";
import { Fault } from "#domain/fault.ts";
import { maskDetectedSecrets } from "#domain/secret.ts";
import { DECISIONS_PATH, HANDOVER_SESSION_PATH } from "#domain/workspace/path.ts";
import { commitStoreWrite, type Engine } from "../engine.ts";
import type { LockedStoreTree, StorePlan, StoreStep, StoreTree } from "../ports/store.ts";

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

type DraftingEngine = Pick<Engine, "store" | "observers" | "notice" | "clock" | "branch">;

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
  engine: Pick<Engine, "store" | "observers" | "notice">,
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
