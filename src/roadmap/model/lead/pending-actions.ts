import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import type { RoadmapRole } from "../agent/agent-roles.ts";
import { normalizePathKey } from "../feature/claimed-path.ts";
import type { FeatureRecord, TaskGroupRecord } from "../feature/feature-record.ts";
import type { ReviewKind } from "../review/review-kinds.ts";
import { callInspectorRoll } from "../review/stored-review.ts";
import { AUDITOR_NAME, createReviewKey, createRunId, createWaveCommitId, parseWaveHead } from "./action-ids.ts";
import {
  type ActionId,
  type AgentWork,
  type CommitAction,
  findActionGroup,
  isBuildAction,
  type Lead,
  type LeadAction,
  type OpenReview,
  type ReviewScope,
  type SpawnAction,
} from "./lead-state.ts";
import {
  createWaveRecord,
  getFeatureGoal,
  getFeatureWave,
  getLeadView,
  getWaveStep,
  type LeadView,
  listFeatureProposals,
  listWaveProposals,
  NO_WAVE,
} from "./lead-view.ts";
import { findWaveToApprove, getNextStep, type NextStep } from "./next-step.ts";
import { userQuestions } from "./user-questions.ts";

/** A review to start. The caller adds hash and batch. */
export interface PendingReview {
  readonly review: ReviewKind;
  readonly scope: ReviewScope;
}

export interface PendingWork {
  readonly actions: readonly LeadAction[];
  readonly reviews: readonly PendingReview[];
}

const NO_PENDING_WORK: PendingWork = { actions: [], reviews: [] };

/** All pending work that is not assigned. Ignores the token cap. */
export function listAllPendingWork(lead: Lead): PendingWork {
  const view = getLeadView(lead);
  const reviewing = [...lead.reviews].flatMap(([key, review]) => listReviewWork(lead, key, review));
  const features = view.order.map((record) => ({ record, ...listFeatureWork(view, record) }));
  const waves = listWaveWork(view);
  const building = features.filter(({ actions }) => actions.some(isBuildAction));
  const buildWaves = new Set(building.map(({ record }) => getFeatureWave(record)));
  const actions = [
    ...reviewing,
    ...features.flatMap((work) => work.actions),
    ...waves.actions,
    ...listGeneralQuestions(lead),
  ];
  // Inside one wave, the claims already keep shared files apart.
  const isApart = buildWaves.size < 2 && !buildWaves.has(NO_WAVE);
  return {
    actions: isApart ? actions : dropSharedFileBuilds(lead, actions),
    reviews: [...features.flatMap((work) => work.reviews), ...waves.reviews],
  };
}

function listFeatureWork(view: LeadView, record: FeatureRecord): PendingWork {
  const { run, out } = view.lead;
  const { feature_name: name, phase } = record;
  // After a stop, a feature without a goal raises no questions.
  if (run.stopped !== null && getFeatureGoal(view.lead, record) === null) return NO_PENDING_WORK;
  const proposals = phase === "blocked" ? [] : listFeatureProposals(record);
  const due = listStepWork(view, record, getNextStep(view, record));
  if (proposals.length === 0 && !view.outOf.has(name)) return due;
  const actions = [...proposals.map((line) => userQuestions.proposal(name, line)), ...due.actions];
  return { actions: actions.filter(({ id }) => !out.has(id)), reviews: due.reviews };
}

function listStepWork(view: LeadView, record: FeatureRecord, step: NextStep): PendingWork {
  const { feature_name: feature } = record;
  const createExclusiveAction = (action: LeadAction): PendingWork =>
    hasOtherWork(view, record) ? NO_PENDING_WORK : createSingleAction(action);
  switch (step.kind) {
    case "escalated":
      return createSingleAction(userQuestions.escalation(view, record));
    case "structure":
      return createSingleAction(userQuestions.structure(record));
    case "follow-up":
      return createExclusiveAction(userQuestions.followUp(record, step.on));
    case "agreement":
      return createSingleAction(userQuestions.reviewPassed(record, step.of));
    case "design": {
      const work = { of: "design", feature, mode: step.mode, isFix: step.isFix } as const;
      return createExclusiveAction(createSpawn(createRunId(record, "architect"), "architect", work));
    }
    case "tasks": {
      const work = { of: "tasks", feature, excluded: step.excluded, blocker: step.blocker } as const;
      return createExclusiveAction(createSpawn(createRunId(record, "tasks"), "task-generator", work));
    }
    case "build":
      if (hasOtherWork(view, record, "build")) return NO_PENDING_WORK;
      return { actions: step.groups.map((group) => createBuildAction(record, group)), reviews: [] };
    case "gate":
      return createExclusiveAction({ id: createRunId(record, "gate"), kind: "gate", feature });
    case "design-review":
    case "impl-review": {
      if (hasOtherWork(view, record)) return NO_PENDING_WORK;
      const review = step.kind === "design-review" ? "design" : "impl";
      return { actions: [], reviews: [{ review, scope: { of: "feature", feature } }] };
    }
    case "commit":
      return createSingleAction({
        id: createRunId(record, "commit"),
        kind: "commit",
        message: formatFeatureCommit(record),
        wave: record.roadmap?.wave ?? null,
        features: [feature],
      });
    case "blocked":
    case "reached":
    case "resting":
    case "waiting":
      return NO_PENDING_WORK;
  }
}

const createSingleAction = (action: LeadAction): PendingWork => ({ actions: [action], reviews: [] });

const createSpawn = (id: ActionId, role: RoadmapRole, work: AgentWork): SpawnAction => ({
  id,
  kind: "spawn",
  role,
  work,
});

const hasOtherWork = ({ outOf }: LeadView, { feature_name: name }: FeatureRecord, without?: "build"): boolean =>
  (outOf.get(name) ?? []).some(({ action }) =>
    action.kind === "spawn" ? action.work.of !== without : action.kind === "gate",
  );

function createBuildAction(record: FeatureRecord, { id: group, tasks: all }: TaskGroupRecord): SpawnAction {
  const { feature_name: feature, fix } = record;
  const isFix = fix?.groups.includes(group) ?? false;
  const tasks = isFix && fix?.tasks ? all.filter((task) => fix.tasks?.includes(task)) : all;
  const work = { of: "build", feature, group, tasks, isFix } as const;
  return createSpawn(createRunId(record, `build-${group}`), "builder", work);
}

const formatFeatureCommit = ({ feature_name: name, description, version }: FeatureRecord): string =>
  `${name}: ${sanitizeText(description.split("\n", 1)[0]?.trim() || `version ${version}`, 100)}`;

/** Pending work of an open review: all inspectors in parallel, then the auditor. */
function listReviewWork({ out }: Lead, key: string, review: OpenReview): readonly SpawnAction[] {
  const { awaited, isOver } = callInspectorRoll(review);
  const work = { of: "review", review: key, scope: review.scope } as const;
  const head = `${key}/${review.batch}`;
  const due = isOver
    ? [createSpawn(`${head}/${AUDITOR_NAME}`, `auditor-${review.kind}`, work)]
    : awaited.map((name) => createSpawn(`${head}/${name}`, `inspector-${name}` as RoadmapRole, work));
  return due.filter(({ id }) => !out.has(id));
}

function listWaveWork(view: LeadView): PendingWork {
  const { lead, openWave } = view;
  if (lead.run.stopped !== null) return NO_PENDING_WORK;
  const record = lead.waves.get(openWave) ?? createWaveRecord(openWave);
  const question = findWaveToApprove(view);
  const step = getWaveStep(view);
  const actions: LeadAction[] = [...lead.waves.values()].flatMap((each) =>
    listWaveProposals(each).map((line) => userQuestions.proposal(`wave-${each.wave}`, line)),
  );
  if (question !== undefined) actions.push(userQuestions.wavePassed(question, openWave));
  if (step?.kind === "failed") actions.push(userQuestions.waveFailed(record, step.review));
  if (step?.kind === "commit") actions.push(createWaveCommit(view));
  const reviews: PendingReview[] = [];
  if (step?.kind === "review") {
    const review = step.review === "cross-check" ? "impl" : "dead-code";
    const scope = { of: "wave", wave: openWave } as const;
    if (!lead.reviews.has(createReviewKey(review, scope))) reviews.push({ review, scope });
  }
  return { actions: actions.filter(({ id }) => !lead.out.has(id)), reviews };
}

function createWaveCommit({ lead, openWave: wave, placed, byWave }: LeadView): CommitAction {
  const done = (byWave.get(wave) ?? []).filter(({ phase }) => phase !== "blocked");
  const [first] = done;
  const features = done.map(({ feature_name: name }) => name);
  const message = placed === 1 && first ? formatFeatureCommit(first) : `Wave ${wave}: ${formatFeatureNames(features)}`;
  return { id: createWaveCommitId(wave, lead.waves.get(wave)), kind: "commit", message, wave, features };
}

function formatFeatureNames(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(", ");
  return names.length > 5 ? `${shown} and ${formatCount(names.length - 5, "more feature")}` : shown;
}

/** Proposals from reviews of scope `all`, which no record holds. */
function listGeneralQuestions({ run, out }: Lead): readonly LeadAction[] {
  if (run.stopped !== null || !run.proposals) return [];
  return run.proposals.map((line) => userQuestions.proposal("all", line)).filter(({ id }) => !out.has(id));
}

/** Features of different waves may claim the same file. The first one gets it. */
function dropSharedFileBuilds(lead: Lead, actions: readonly LeadAction[]): readonly LeadAction[] {
  const holders = new Map<string, string>();
  return actions.filter((action) => {
    const { feature, files: claimed } = findActionGroup(lead, action) ?? { feature: "", files: [] };
    const files = claimed.map(normalizePathKey);
    if (files.some((file) => (holders.get(file) ?? feature) !== feature)) return false;
    for (const file of files) holders.set(file, feature);
    return true;
  });
}

/** The actions that an id can name, without computing all others. Ignores the token cap. */
export function findCandidateAction(lead: Lead, id: ActionId): LeadAction | undefined {
  const head = id.slice(0, Math.max(0, id.indexOf("/")));
  const reviewing = [...lead.reviews].flatMap(([key, review]) =>
    key.startsWith(`${head}/`) ? listReviewWork(lead, key, review) : [],
  );
  return [...reviewing, ...listHeadActions(lead, head)].find((action) => action.id === id);
}

function listHeadActions(lead: Lead, head: string): readonly LeadAction[] {
  if (head === "all") return listGeneralQuestions(lead);
  const view = getLeadView(lead);
  if (parseWaveHead(head) !== undefined) return listWaveWork(view).actions;
  const record = lead.features.get(head as FeatureRecord["feature_name"]);
  return record ? listFeatureWork(view, record).actions : [];
}
