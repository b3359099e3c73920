import type { PendingReview } from "./lead-decision.ts";
import type { FeatureRecord, TaskGroupRecord } from "../feature/feature-record.ts";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { callInspectorRoll } from "../review/stored-review.ts";
import { type RoadmapRole, REVIEW_INSPECTORS, estimateRoleTokens } from "../agent/agent-roles.ts";
import type { LeadAction, ActionId, CommitAction, SpawnAction, Lead, OpenReview, AgentWork } from "./lead-state.ts";
import { userQuestions } from "./user-questions.ts";
import { listFeatureProposals, createWaveRecord, listWaveProposals, getWaveStep } from "./wave-progress.ts";
import {
  AUDITOR_NAME,
  createReviewerId,
  createReviewKey,
  createRunId,
  createWaveCommitId,
  createCapQuestionId,
  parseWaveHead,
} from "./action-ids.ts";
import { type NextStep, getNextStep, findWaveToApprove } from "./next-step.ts";
import { getFeatureGoal, type LeadView, NO_WAVE, getLeadView, getFeatureWave } from "./lead-view.ts";
import { normalizePathKey } from "../feature/claimed-path.ts";
import { getUnpaidEstimate } from "./feature-counters.ts";

export interface PendingWork {
  readonly actions: readonly LeadAction[];
  readonly reviews: readonly PendingReview[];
}

const NO_PENDING_WORK: PendingWork = { actions: [], reviews: [] };

function listFeatureWork(view: LeadView, record: FeatureRecord): PendingWork {
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
function listReviewWork({ out }: Lead, key: string, review: OpenReview): readonly SpawnAction[] {
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

function listWaveWork(view: LeadView): PendingWork {
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
function listGeneralQuestions({ run, out }: Lead): readonly LeadAction[] {
  if (run.stopped !== null || !run.proposals) return [];
  return run.proposals.map((line) => userQuestions.generalProposal(line)).filter(({ id }) => !out.has(id));
}

type BuildAction = SpawnAction & { readonly work: Extract<AgentWork, { of: "build" }> };

/** Ignores the token cap. */
function listAllPendingWork(lead: Lead): PendingWork {
  const view = getLeadView(lead);
  const actions: LeadAction[] = [];
  const reviews: PendingReview[] = [];
  for (const [key, review] of lead.reviews) actions.push(...listReviewWork(lead, key, review));
  const building = new Set<number>();
  for (const record of view.order) {
    const due = listFeatureWork(view, record);
    for (const action of due.actions) actions.push(action);
    for (const review of due.reviews) reviews.push(review);
    if (due.actions.some(isBuildAction)) building.add(getFeatureWave(record));
  }
  const waves = listWaveWork(view);
  actions.push(...waves.actions, ...listGeneralQuestions(lead));
  reviews.push(...waves.reviews);
  // Inside one wave, the claims already keep shared files apart.
  const isApart = building.size < 2 && !building.has(NO_WAVE);
  return { actions: isApart ? actions : dropSharedFileBuilds(lead, actions), reviews };
}

const isBuildAction = (action: LeadAction): action is BuildAction =>
  action.kind === "spawn" && action.work.of === "build";

/** Features of different waves may claim the same file. The first one gets it. */
function dropSharedFileBuilds({ features }: Lead, actions: readonly LeadAction[]): readonly LeadAction[] {
  const holders = new Map<string, string>();
  return actions.filter((action) => {
    if (!isBuildAction(action)) return true;
    const { feature, group } = action.work;
    const its = features.get(feature)?.implementation.groups.find(({ id }) => id === group);
    const files = its?.files.map(normalizePathKey) ?? [];
    if (files.some((file) => (holders.get(file) ?? feature) !== feature)) return false;
    for (const file of files) holders.set(file, feature);
    return true;
  });
}

export interface WithheldWork {
  readonly ids: readonly string[];
  readonly least: number;
}

const NOTHING_WITHHELD: WithheldWork = { ids: [], least: 0 };

export const estimateActionCost = (action: LeadAction): number =>
  action.kind === "spawn" ? estimateRoleTokens(action.role) : 0;

function sumReservedTokens({ out }: Pick<Lead, "out">): number {
  let reserved = 0;
  for (const each of out.values()) reserved += getUnpaidEstimate(each);
  return reserved;
}

export const getFreeTokens = (lead: Lead): number =>
  lead.run.isOn && lead.run.cap !== null
    ? Math.max(0, lead.run.cap - lead.run.spent - sumReservedTokens(lead))
    : Number.POSITIVE_INFINITY;

/**
 * The pending work that fits the token cap. Free actions always fit. If no agent works and none can start, asks the
 * user for a higher cap.
 */
export function listAffordableWork(lead: Lead): PendingWork & { readonly withheld: WithheldWork } {
  const due = listAllPendingWork(lead);
  const room = getFreeTokens(lead);
  if (room === Number.POSITIVE_INFINITY) return { ...due, withheld: NOTHING_WITHHELD };
  const { actions, reviews, withheld } = splitByBudget(due, room);
  const isSomebodyAtWork =
    actions.some(isSpawnAction) || [...lead.out.values()].some(({ action }) => isSpawnAction(action));
  if (withheld.ids.length === 0 || isSomebodyAtWork || reviews.length > 0) return { actions, reviews, withheld };
  const question = userQuestions.cap(lead, withheld);
  return { actions: lead.out.has(question.id) ? actions : [question, ...actions], reviews, withheld };
}

const isSpawnAction = (action: LeadAction): boolean => action.kind === "spawn";

function splitByBudget(
  { actions, reviews }: PendingWork,
  all: number,
): PendingWork & { readonly withheld: WithheldWork } {
  let room = all;
  const ids: string[] = [];
  let least = Number.POSITIVE_INFINITY;
  const fits = (id: string, cost: number): boolean => {
    const isWithin = cost === 0 || cost <= room;
    if (isWithin) room -= cost;
    else {
      ids.push(id);
      least = Math.min(least, cost);
    }
    return isWithin;
  };
  return {
    actions: actions.filter((action) => fits(action.id, estimateActionCost(action))),
    reviews: reviews.filter((due) => fits(createReviewKey(due.review, due.scope), estimateReviewStart(due))),
    withheld: ids.length === 0 ? NOTHING_WITHHELD : { ids, least },
  };
}

/** A review starts only if at least its cheapest inspector fits. */
const estimateReviewStart = ({ review }: PendingReview): number =>
  Math.min(...REVIEW_INSPECTORS[review].map((name) => estimateRoleTokens(`inspector-${name}`)));

export function formatCapUsage(lead: Lead): string {
  const { cap, spent } = lead.run;
  const told = (tokens: number): string => tokens.toLocaleString("en");
  const reserved = sumReservedTokens(lead);
  const held = reserved === 0 ? "" : ` and ${told(reserved)} reserved for who is at work`;
  return `${told(cap ?? spent)} tokens, of which ${told(spent)} are spent${held}`;
}

export function findPendingAction(lead: Lead, id: ActionId): LeadAction | undefined {
  if (id === createCapQuestionId(lead)) return listAffordableWork(lead).actions.find((action) => action.id === id);
  const action = findCandidateAction(lead, id);
  return action && estimateActionCost(action) <= getFreeTokens(lead) ? action : undefined;
}

export function isWithheldAction(lead: Lead, id: ActionId): boolean {
  const action = findCandidateAction(lead, id);
  return action !== undefined && estimateActionCost(action) > getFreeTokens(lead);
}

function findCandidateAction(lead: Lead, id: ActionId): LeadAction | undefined {
  return listCandidateActions(lead, id).find((action) => action.id === id);
}

function listCandidateActions(lead: Lead, id: ActionId): readonly LeadAction[] {
  const head = id.slice(0, Math.max(0, id.indexOf("/")));
  const reviewing = [...lead.reviews].flatMap(([key, review]) =>
    key.startsWith(`${head}/`) ? listReviewWork(lead, key, review) : [],
  );
  if (head === "all") return [...reviewing, ...listGeneralQuestions(lead)];
  const view = getLeadView(lead);
  const wave = parseWaveHead(head);
  if (wave !== undefined) return [...reviewing, ...listWaveWork(view).actions];
  const record = lead.features.get(head as FeatureRecord["feature_name"]);
  return record ? [...reviewing, ...listFeatureWork(view, record).actions] : [];
}
