import type { PendingReview } from "../decide.ts";
import type { FeatureRecord, TaskGroupRecord } from "../../../feature/record.ts";
import { formatCount } from "../../../count.ts";
import { callInspectorRoll } from "../../../review/rollcall.ts";
import type { RoadmapRole } from "../../../agent/role.ts";
import { sanitizeText } from "../../../quote.ts";
import type { LeadAction, ActionId, CommitAction, SpawnAction } from "../action.ts";
import { userQuestions } from "./question.ts";
import { listFeatureProposals } from "./done.ts";
import { AUDITOR_NAME, createReviewerId, createReviewKey, createRunId, createWaveCommitId } from "../ids.ts";
import type { Lead, OpenReview } from "../state.ts";
import { type NextStep, getNextStep, findWaveToApprove } from "./step.ts";
import { getFeatureGoal, type LeadView } from "../view.ts";
import { createWaveRecord, listWaveProposals, getWaveStep } from "./wave.ts";

export interface PendingWork {
  readonly actions: readonly LeadAction[];
  readonly reviews: readonly PendingReview[];
}

const NO_PENDING_WORK: PendingWork = { actions: [], reviews: [] };

export function listFeatureWork(view: LeadView, record: FeatureRecord): PendingWork {
  const { run, out } = view.lead;
  // After a stop, a feature without a goal raises no questions.
  if (run.stopped !== null && getFeatureGoal(view.lead, record) === null) return NO_PENDING_WORK;
  const asked =
    record.phase === "blocked" ? [] : listFeatureProposals(record).map((line) => userQuestions.proposal(record, line));
  const due = listStepWork(view, record, getNextStep(view, record));
  if (asked.length === 0 && !view.outOf.has(record.feature_name)) return due;
  return { actions: [...asked, ...due.actions].filter(({ id }) => !out.has(id)), reviews: due.reviews };
}

function listStepWork(view: LeadView, record: FeatureRecord, step: NextStep): PendingWork {
  const { feature_name: feature } = record;
  switch (step.kind) {
    case "escalated":
      return createSingleAction(userQuestions.escalation(view, record));
    case "structure":
      return createSingleAction(userQuestions.structure(record));
    case "follow-up":
      return hasOtherWork(view, record) ? NO_PENDING_WORK : createSingleAction(userQuestions.followUp(record, step.on));
    case "agreement":
      return createSingleAction(userQuestions.reviewPassed(record, step.of));
    case "design":
      return createExclusiveAction(view, record, {
        ...createSpawnBase(createRunId(record, "architect"), "architect"),
        work: { of: "design", feature, mode: step.mode, isFix: step.isFix },
      });
    case "tasks":
      return createExclusiveAction(view, record, {
        ...createSpawnBase(createRunId(record, "tasks"), "task-generator"),
        work: { of: "tasks", feature, excluded: step.excluded, blocker: step.blocker },
      });
    case "build":
      if (hasOtherWork(view, record, "build")) return NO_PENDING_WORK;
      return { actions: step.groups.map((group) => createBuildAction(record, group)), reviews: [] };
    case "gate":
      return createExclusiveAction(view, record, { id: createRunId(record, "gate"), kind: "gate", feature });
    case "design-review":
    case "impl-review": {
      if (hasOtherWork(view, record)) return NO_PENDING_WORK;
      const review = step.kind === "design-review" ? "design" : "impl";
      return { actions: [], reviews: [{ kind: "review-due", review, scope: { of: "feature", feature } }] };
    }
    case "commit":
      return createSingleAction(createFeatureCommit(record));
    case "blocked":
    case "resting":
    case "reached":
    case "waiting":
      return NO_PENDING_WORK;
  }
}

const createSingleAction = (action: LeadAction): PendingWork => ({ actions: [action], reviews: [] });

const createExclusiveAction = (view: LeadView, record: FeatureRecord, action: LeadAction): PendingWork =>
  hasOtherWork(view, record) ? NO_PENDING_WORK : createSingleAction(action);

function hasOtherWork({ outOf }: LeadView, { feature_name: name }: FeatureRecord, but?: "build"): boolean {
  const out = outOf.get(name);
  if (!out) return false;
  return out.some(({ action }) => {
    if (action.kind === "spawn") return action.work.of !== but;
    return action.kind === "gate";
  });
}

const createSpawnBase = <R extends RoadmapRole>(id: ActionId, role: R) => ({ id, kind: "spawn", role }) as const;

function createBuildAction(record: FeatureRecord, group: TaskGroupRecord): SpawnAction {
  const { feature_name: feature, fix } = record;
  const isFix = fix?.groups.includes(group.id) ?? false;
  const chosen = isFix && fix?.tasks ? group.tasks.filter((task) => fix.tasks?.includes(task)) : group.tasks;
  return {
    ...createSpawnBase(createRunId(record, `build-${group.id}`), "builder"),
    work: { of: "build", feature, group: group.id, tasks: chosen, isFix },
  };
}

function createFeatureCommit(record: FeatureRecord): CommitAction {
  const { feature_name: feature } = record;
  return {
    id: createRunId(record, "commit"),
    kind: "commit",
    message: `${feature}: ${formatFeatureSummary(record)}`,
    wave: record.roadmap?.wave ?? null,
    features: [feature],
  };
}

const formatFeatureSummary = ({ description, version }: FeatureRecord): string =>
  sanitizeText(description.split("\n", 1)[0]?.trim() || `version ${version}`, 100);

/** Pending work of an open review: all inspectors in parallel, then the auditor. */
export function listReviewWork({ out }: Lead, key: string, review: OpenReview): readonly SpawnAction[] {
  const { awaited, isOver } = callInspectorRoll(review);
  const work = { of: "review", review: key, scope: review.scope } as const;
  const due: SpawnAction[] = isOver
    ? [{ ...createSpawnBase(createReviewerId(key, review, AUDITOR_NAME), `auditor-${review.kind}`), work }]
    : awaited.map((name) => ({
        ...createSpawnBase(createReviewerId(key, review, name), `inspector-${name}` as RoadmapRole),
        work,
      }));
  return due.filter(({ id }) => !out.has(id));
}

export function listWaveWork(view: LeadView): PendingWork {
  const { lead, openWave, byWave } = view;
  if (lead.run.stopped !== null) return NO_PENDING_WORK;
  const actions: LeadAction[] = [];
  for (const record of lead.waves.values()) {
    for (const line of listWaveProposals(record)) actions.push(userQuestions.waveProposal(record.wave, line));
  }
  const question = findWaveToApprove(view);
  if (question !== undefined) actions.push(userQuestions.wavePassed(question, openWave));
  const reviews: PendingReview[] = [];
  const record = lead.waves.get(openWave) ?? createWaveRecord(openWave);
  const step = getWaveStep(view);
  if (step?.kind === "failed") actions.push(userQuestions.waveFailed(record, step.review));
  if (step?.kind === "commit") actions.push(createWaveCommit(view, byWave.get(openWave) ?? []));
  if (step?.kind === "review") {
    const review = step.review === "cross-check" ? "impl" : "dead-code";
    const scope = { of: "wave", wave: openWave } as const;
    if (!lead.reviews.has(createReviewKey(review, scope))) reviews.push({ kind: "review-due", review, scope });
  }
  return { actions: actions.filter(({ id }) => !lead.out.has(id)), reviews };
}

function createWaveCommit(view: LeadView, records: readonly FeatureRecord[]): CommitAction {
  const { lead, openWave: wave, placed } = view;
  const done = records.filter(({ phase }) => phase !== "blocked");
  const [first] = done;
  const names = done.map(({ feature_name: name }) => name);
  const message =
    placed === 1 && first
      ? `${first.feature_name}: ${formatFeatureSummary(first)}`
      : `Wave ${wave}: ${formatFeatureNames(names)}`;
  return { id: createWaveCommitId(wave, lead.waves.get(wave)), kind: "commit", message, wave, features: names };
}

function formatFeatureNames(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(", ");
  return names.length > 5 ? `${shown} and ${formatCount(names.length - 5, "more feature")}` : shown;
}

/** Proposals from reviews of scope `all`, which no record holds. */
export function listGeneralQuestions({ run, out }: Lead): readonly LeadAction[] {
  if (run.stopped !== null || !run.proposals) return [];
  return run.proposals.map((line) => userQuestions.generalProposal(line)).filter(({ id }) => !out.has(id));
}
