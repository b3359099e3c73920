import { EMPTY_DECISION_FIELDS, findLastDecisionNumber, parseDecisionLog } from "../../model/handover/decision-log.ts";
import type { FinishedSessionWork } from "../../model/handover/session-document.ts";
import { carrySessionDecisions, draftSessionDocument } from "../../model/handover/session-document.ts";
import { ignoreFault } from "#kernel/model/fault.ts";
import { maskDetectedSecrets } from "#kernel/model/secret-detection.ts";
import { DECISIONS_PATH, HANDOVER_SESSION_PATH, HANDOVER_FOLDER, ROADMAP_PATH } from "#kernel/model/workspace-paths.ts";
import { commitWithExtras } from "#store/operations/engine.ts";
import type { RoadmapEngine } from "../engine.ts";
import type { LockedStoreTree, StorePlan, StoreStep, StoreTree } from "#store/operations/ports/store.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { SteeringDraft } from "../steering/steering-draft.ts";

type DraftedWork = Pick<FinishedSessionWork, "accomplished" | "next"> & Partial<FinishedSessionWork>;

/** Updates `session.md` if its content changes. An unreadable file is left alone. */
export function createSessionSteps(tree: StoreTree, work: DraftedWork, at: string): StoreStep[] {
  const { files = [], decided = [], branch = "" } = work;
  // Agent reports may contain secrets.
  const masked = decided.map((decision) => {
    const [summary, reason] = [maskDetectedSecrets(decision.summary), maskDetectedSecrets(decision.reason)];
    return { ...decision, summary, reason };
  });
  const [accomplished, next] = [work.accomplished.map(maskDetectedSecrets), maskDetectedSecrets(work.next)];
  const update = (): StoreStep[] => {
    const before = tree.text(HANDOVER_SESSION_PATH);
    const text = draftSessionDocument(before, { accomplished, next, files, decided: masked, branch }, at);
    return text === before ? [] : [{ kind: "document", path: HANDOVER_SESSION_PATH, text }];
  };
  return ignoreFault(update) ?? [];
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
    const step = plan.steps.find((each) => each.kind === "document" && each.path === DECISIONS_PATH);
    const before = step ? (tree.text(DECISIONS_PATH) ?? "") : "";
    const logged = step?.kind === "document" ? parseDecisionLog(step.text.slice(before.length)) : [];
    const decided = logged.filter(({ number }) => number > findLastDecisionNumber(before));
    const worked = { decided, branch: engine.branch() ?? "", ...work };
    return { steps: createSessionSteps(tree, worked, engine.clock.now()) };
  });
}

/** Logs each session start once and carries decisions over. Skips workspaces without a handover or roadmap. */
export function planSessionStart(tree: StoreTree, sessions: readonly string[], at: string) {
  const nothing = { steps: [], keeps: [] };
  if (sessions.length === 0) return nothing;
  const planned = ignoreFault(() => {
    if (tree.names(HANDOVER_FOLDER).length === 0 && !tree.has(ROADMAP_PATH)) return nothing;
    const draft = new SteeringDraft(tree, at);
    for (const session of sessions) {
      const summary = `Session ${sanitizeText(session, 64)} started`;
      draft.decide({ ...EMPTY_DECISION_FIELDS, type: "SESSION_START", summary, source: "session start" });
    }
    const before = tree.text(HANDOVER_SESSION_PATH);
    if (before !== undefined) draft.write(HANDOVER_SESSION_PATH, carrySessionDecisions(before));
    return { steps: draft.steps(), keeps: draft.keeps() };
  });
  return planned ?? nothing;
}
