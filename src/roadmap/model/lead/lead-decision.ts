import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import {
  estimateRoleTokens,
  getInspectorRole,
  pickPanelLead,
  REVIEW_INSPECTORS,
  type RoadmapRole,
} from "../agent/agent-roles.ts";
import { collectDownstreamFeatures } from "../dependency-graph.ts";
import { normalizePathKey } from "../feature/claimed-path.ts";
import type { FeatureRecord, SteeringProposal } from "../feature/feature-record.ts";
import { callInspectorRoll, findInspectionPanel } from "../review/stored-review.ts";
import {
  type ActionAssignment,
  type ActionId,
  type AgentWork,
  type EventOf,
  findActionGroup,
  isBuildAction,
  type Lead,
  type LeadAction,
  type OpenReview,
  type QuestionAction,
  type QuestionKind,
  type SpawnAction,
} from "./lead-state.ts";
import * as leadView from "./lead-view.ts";
import { findWaveToApprove, getNextStep } from "./next-step.ts";

/** A review to start. The caller adds hash and batch. */
export type PendingReview = Pick<EventOf<"review-begun">, "review" | "scope">;

interface PendingWork {
  /** Pending and unassigned actions, by wave and name. */
  readonly actions: readonly LeadAction[];
  /** Reviews to start. The caller adds hash and batch, starts them and decides again. */
  readonly reviews: readonly PendingReview[];
}

/** The same state gives the same decision. */
export interface LeadDecision extends PendingWork {
  readonly withheld: readonly string[];
  readonly out: readonly ActionAssignment[];
  readonly idle: string | null;
}

export function decideNextActions(lead: Lead): LeadDecision {
  const { actions, reviews, withheld } = listAffordableWork(lead);
  const idle = actions.length + reviews.length === 0 ? explainIdleLead(lead, withheld) : null;
  return { actions, reviews, withheld, out: [...lead.out.values()], idle };
}

export const estimateActionCost = (action: LeadAction): number =>
  action.kind === "spawn" ? estimateRoleTokens(action.role, action.work.of === "review" ? action.work.views : []) : 0;

/** Free actions always fit. If no agent can start, asks for a higher cap; `least` is the cheapest withheld work. */
export function listAffordableWork(lead: Lead) {
  const due = listPendingWork(lead);
  let room = leadView.getFreeTokens(lead);
  const costs = new Map<string, number>();
  const fits = (id: string, cost: number): boolean => {
    const isWithin = cost === 0 || cost <= room;
    if (isWithin) room -= cost;
    else costs.set(id, cost);
    return isWithin;
  };
  const actions = due.actions.filter((action) => fits(action.id, estimateActionCost(action)));
  const reviews = due.reviews.filter(({ review, scope }) => {
    // A review starts only if at least its cheapest inspector fits.
    const inspectors = REVIEW_INSPECTORS[review].map((name) => estimateRoleTokens(`inspector-${name}`));
    return fits(leadView.createReviewKey(review, scope), Math.min(...inspectors));
  });
  const withheld = [...costs.keys()];
  const least = costs.size === 0 ? 0 : Math.min(...costs.values());
  const assigned = [...lead.out.values()].map(({ action }) => action);
  const isAgentAtWork = [...actions, ...assigned].some(({ kind }) => kind === "spawn");
  if (costs.size > 0 && !isAgentAtWork && reviews.length === 0) {
    const { cap, spent } = lead.run;
    const left = `${formatCount(costs.size, "action")} ${costs.size === 1 ? "waits" : "wait"}`;
    const detail = `The run has cost ${leadView.formatTokens(spent)} of ${leadView.formatTokens(cap ?? spent)} tokens. ${left}, the cheapest for ${leadView.formatTokens(least)}. raise: say the new total, as "raise 2M". stop: the run stops and can continue later.`;
    const id = leadView.createCapQuestionId(lead);
    if (!lead.out.has(id)) actions.unshift(createQuestion("cap", id, "run", detail));
  }
  return { actions, reviews, withheld, least };
}

export function findPendingAction(lead: Lead, id: ActionId): LeadAction | undefined {
  if (id === leadView.createCapQuestionId(lead))
    return listAffordableWork(lead).actions.find((action) => action.id === id);
  const action = findCandidateAction(lead, id);
  return action && estimateActionCost(action) <= leadView.getFreeTokens(lead) ? action : undefined;
}

export function isWithheldAction(lead: Lead, id: ActionId): boolean {
  const action = findCandidateAction(lead, id);
  return action !== undefined && estimateActionCost(action) > leadView.getFreeTokens(lead);
}

/** The action that an id names, without computing all others. Ignores the token cap. */
function findCandidateAction(lead: Lead, id: ActionId): LeadAction | undefined {
  const head = id.slice(0, Math.max(0, id.indexOf("/")));
  const view = leadView.getLeadView(lead);
  const record = lead.features.get(head as FeatureName);
  const actions = [...lead.reviews].flatMap(([key, review]): readonly LeadAction[] =>
    key.startsWith(`${head}/`) ? listReviewWork(lead, key, review) : [],
  );
  if (head === "all") actions.push(...listGeneralQuestions(lead));
  else if (leadView.parseWaveHead(head) !== undefined) actions.push(...listWaveWork(view).actions);
  else if (record) actions.push(...listFeatureWork(view, record).actions);
  return actions.find((action) => action.id === id);
}

const MAX_IDLE_REASONS = 5;

function explainIdleLead(lead: Lead, withheld: readonly string[]): string {
  const { out, features, run } = lead;
  if (out.size > 0) {
    const working = `${formatCount(out.size, "action")} ${out.size === 1 ? "is" : "are"} under way.`;
    if (withheld.length === 0) return working;
    const rest = withheld.length - MAX_IDLE_REASONS;
    const held = `${withheld.slice(0, MAX_IDLE_REASONS).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
    const asked = out.has(leadView.createCapQuestionId(lead)) ? " The user was asked for more." : "";
    return `${working} The run may cost ${leadView.formatCapUsage(lead)}; held back: ${held}.${asked}`;
  }
  if (features.size === 0) return "No features yet. Add them with `sdd_design` or `sdd_roadmap create`.";
  const view = leadView.getLeadView(lead);
  const wanted = view.order.filter((record) => leadView.getFeatureGoal(lead, record) !== null);
  if (wanted.length === 0) {
    if (run.stopped !== null)
      return `The run was stopped: ${run.stopped.replace(/[^.!?]$/, "$&.")} Continue with \`sdd_roadmap run\`.`;
    if (run.isOn) return "The roadmap has no features. Add them with `sdd_roadmap create`.";
    return "Nothing is running. Start with `sdd_roadmap run`, `sdd_design` or `sdd_impl`.";
  }
  const waiting = wanted.flatMap((record) => {
    const step = getNextStep(view, record);
    return step.kind === "waiting" ? `${record.feature_name}: ${step.why}.` : [];
  });
  const rest = waiting.length - MAX_IDLE_REASONS;
  const reasons = waiting.slice(0, MAX_IDLE_REASONS);
  if (rest > 0) reasons.push(`${formatCount(rest, "more feature")} wait.`);
  if (leadView.getWaveStep(view)?.kind === "aborted") reasons.push(`The gate of wave ${view.openWave} was aborted.`);
  if (reasons.length > 0) return `Nothing is ready. ${reasons.join(" ")}`;
  const blocked = wanted.filter(({ phase }) => phase === "blocked").length;
  const done = `${formatCount(wanted.length - blocked, "feature")} ${wanted.length - blocked === 1 ? "is" : "are"} done`;
  return blocked === 0 ? `Everything is done: ${done}.` : `${done}, ${blocked} blocked.`;
}

const NO_PENDING_WORK: PendingWork = { actions: [], reviews: [] };

/** All pending work that is not assigned. Ignores the token cap. */
function listPendingWork(lead: Lead): PendingWork {
  const view = leadView.getLeadView(lead);
  const features = view.order.map((record) => ({ record, ...listFeatureWork(view, record) }));
  const waves = listWaveWork(view);
  const building = features.filter(({ actions }) => actions.some(isBuildAction));
  const buildWaves = new Set(building.map(({ record }) => leadView.getFeatureWave(record)));
  const actions = [
    ...[...lead.reviews].flatMap(([key, review]) => listReviewWork(lead, key, review)),
    ...features.flatMap((work) => work.actions),
    ...waves.actions,
    ...listGeneralQuestions(lead),
  ];
  // Inside one wave, the claims already keep shared files apart.
  const isApart = buildWaves.size < 2 && !buildWaves.has(leadView.NO_WAVE);
  return {
    actions: isApart ? actions : dropSharedFileBuilds(lead, actions),
    reviews: [...features.flatMap((work) => work.reviews), ...waves.reviews],
  };
}

function listFeatureWork(view: leadView.LeadView, record: FeatureRecord): PendingWork {
  const { run, out } = view.lead;
  const { feature_name: name, phase } = record;
  // After a stop, a feature without a goal raises no questions.
  if (run.stopped !== null && leadView.getFeatureGoal(view.lead, record) === null) return NO_PENDING_WORK;
  const proposals = phase === "blocked" ? [] : leadView.listFeatureProposals(record);
  const due = listStepWork(view, record);
  if (proposals.length === 0 && !view.outOf.has(name)) return due;
  const actions = [...proposals.map((line) => userQuestions.proposal(name, line)), ...due.actions];
  return { actions: actions.filter(({ id }) => !out.has(id)), reviews: due.reviews };
}

function listStepWork(view: leadView.LeadView, record: FeatureRecord): PendingWork {
  const { feature_name: feature, roadmap, fix } = record;
  const step = getNextStep(view, record);
  const hasOtherWork = (without?: "build"): boolean =>
    (view.outOf.get(feature) ?? []).some(({ action }) =>
      action.kind === "spawn" ? action.work.of !== without : action.kind === "gate",
    );
  const createAction = (action: LeadAction): PendingWork => ({ actions: [action], reviews: [] });
  const createExclusiveAction = (action: LeadAction): PendingWork =>
    hasOtherWork() ? NO_PENDING_WORK : createAction(action);
  switch (step.kind) {
    case "escalated":
      return createAction(userQuestions.escalation(view, record));
    case "structure":
      return createAction(userQuestions.structure(record));
    case "follow-up":
      return createExclusiveAction(userQuestions.followUp(record, step.on));
    case "agreement":
      return createAction(userQuestions.reviewPassed(record, step.of));
    case "design": {
      const work = { of: "design", feature, mode: step.mode, isFix: step.isFix } as const;
      return createExclusiveAction(createSpawn(leadView.createRunId(record, "architect"), "architect", work));
    }
    case "tasks": {
      const work = { of: "tasks", feature, excluded: step.excluded, blocker: step.blocker } as const;
      return createExclusiveAction(createSpawn(leadView.createRunId(record, "tasks"), "task-generator", work));
    }
    case "build": {
      if (hasOtherWork("build")) return NO_PENDING_WORK;
      const actions = step.groups.map(({ id: group, tasks: all }) => {
        const isFix = fix?.groups.includes(group) ?? false;
        const tasks = isFix && fix?.tasks ? all.filter((task) => fix.tasks?.includes(task)) : all;
        return createSpawn(leadView.createRunId(record, `build-${group}`), "builder", {
          of: "build",
          feature,
          group,
          tasks,
          isFix,
        });
      });
      return { actions, reviews: [] };
    }
    case "gate":
      return createExclusiveAction({ id: leadView.createRunId(record, "gate"), kind: "gate", feature });
    case "design-review":
    case "impl-review": {
      if (hasOtherWork()) return NO_PENDING_WORK;
      const review = step.kind === "design-review" ? "design" : "impl";
      return { actions: [], reviews: [{ review, scope: { of: "feature", feature } }] };
    }
    case "commit": {
      const [id, message] = [leadView.createRunId(record, "commit"), formatFeatureCommit(record)];
      return createAction({ id, kind: "commit", message, wave: roadmap?.wave ?? null, features: [feature] });
    }
    case "blocked":
    case "reached":
    case "resting":
    case "waiting":
      return NO_PENDING_WORK;
  }
}

const createSpawn = (id: ActionId, role: RoadmapRole, work: AgentWork): SpawnAction => ({
  id,
  kind: "spawn",
  role,
  work,
});

const formatFeatureCommit = ({ feature_name: name, description, version }: FeatureRecord): string =>
  `${name}: ${sanitizeText(description.split("\n", 1)[0]?.trim() || `version ${version}`, 100)}`;

const listAwaitedPanels = (review: OpenReview, awaited: readonly string[]): (readonly string[])[] => [
  ...new Map(
    awaited.map((name) => [pickPanelLead(findInspectionPanel(review, name)), findInspectionPanel(review, name)]),
  ).values(),
];

/** Pending work of an open review: all inspectors in parallel, then the auditor. */
function listReviewWork({ out }: Lead, key: string, review: OpenReview): readonly SpawnAction[] {
  const { awaited, isOver } = callInspectorRoll(review);
  const work = { of: "review", review: key, scope: review.scope } as const;
  const head = `${key}/${review.batch}`;
  const due = isOver
    ? [createSpawn(`${head}/${leadView.AUDITOR_NAME}`, `auditor-${review.kind}`, work)]
    : listAwaitedPanels(review, awaited).map((views) => {
        const lead = pickPanelLead(views);
        return createSpawn(`${head}/${lead}`, getInspectorRole(lead), views.length > 1 ? { ...work, views } : work);
      });
  return due.filter(({ id }) => !out.has(id));
}

function listWaveWork(view: leadView.LeadView): PendingWork {
  const { lead, openWave: wave, placed, byWave } = view;
  if (lead.run.stopped !== null) return NO_PENDING_WORK;
  const record = lead.waves.get(wave) ?? leadView.createWaveRecord(wave);
  const passed = findWaveToApprove(view);
  const step = leadView.getWaveStep(view);
  const actions: LeadAction[] = [...lead.waves.values()].flatMap((each) =>
    leadView.listWaveProposals(each).map((line) => userQuestions.proposal(leadView.formatWaveHead(each.wave), line)),
  );
  if (passed !== undefined) {
    const detail = `Wave ${passed} is done. Wave ${wave} is next.`;
    actions.push(
      createQuestion("wave-passed", leadView.createWavePassedId(passed), leadView.formatWaveHead(passed), detail),
    );
  }
  if (step?.kind === "failed") {
    const next = step.review === "cross-check" ? "the dead-code review" : "the tests and the commit";
    const { failure = `It failed ${formatCount(record.tries[leadView.getGateField(step.review)], "time")}.` } = record;
    const detail = `The ${step.review} review of wave ${wave} failed. ${failure} proceed: go on to ${next} with these findings. abort: stop the run; \`sdd_roadmap run\` reviews again.`;
    const head = leadView.formatWaveHead(wave);
    const id = `${head}/wave-failed/${(record.runs["failed"] ?? 0) + 1}`;
    actions.push(createQuestion("wave-failed", id, head, detail));
  }
  if (step?.kind === "gate") actions.push({ id: leadView.createWaveGateId(wave, record), kind: "wave-gate", wave });
  if (step?.kind === "commit") {
    const done = (byWave.get(wave) ?? []).filter(({ phase }) => phase !== "blocked");
    const [first] = done;
    const features = done.map(({ feature_name: name }) => name);
    const rest = features.length > 5 ? ` and ${formatCount(features.length - 5, "more feature")}` : "";
    const isSingle = placed === 1 && first !== undefined;
    const title = (record.runs["commit"] ?? 0) > 0 ? `Wave ${wave}, revised` : `Wave ${wave}`;
    const message = isSingle ? formatFeatureCommit(first) : `${title}: ${features.slice(0, 5).join(", ")}${rest}`;
    actions.push({ id: leadView.createWaveCommitId(wave, record), kind: "commit", message, wave, features });
  }
  const reviews: PendingReview[] = [];
  if (step?.kind === "review") {
    const review = step.review === "cross-check" ? "impl" : "dead-code";
    const scope = { of: "wave", wave } as const;
    if (!lead.reviews.has(leadView.createReviewKey(review, scope))) reviews.push({ review, scope });
  }
  return { actions: actions.filter(({ id }) => !lead.out.has(id)), reviews };
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

const QUESTION_CHOICES: Readonly<Record<QuestionKind, readonly string[]>> = {
  escalation: ["fix", "skip", "abort"],
  "review-passed": ["continue", "stop"],
  "wave-passed": ["continue", "stop"],
  "wave-failed": ["proceed", "abort"],
  steering: ["approve", "reject", "except"],
  structure: ["approve", "reject"],
  "follow-up": ["re-review", "re-implement", "skip"],
  cap: ["raise", "stop"],
  edit: ["accept", "review"],
};

const createQuestion = (question: QuestionKind, id: string, subject: string, detail: string): QuestionAction => ({
  id,
  kind: "ask",
  question,
  subject,
  choices: QUESTION_CHOICES[question],
  detail: sanitizeText(detail, 1_500),
});

const userQuestions = {
  escalation({ lead }: Pick<leadView.LeadView, "lead">, record: FeatureRecord): QuestionAction {
    const { feature_name: name, blocked_info } = record;
    const waiting = collectDownstreamFeatures(leadView.getActiveDependents(lead.features), [name]).length;
    const others = waiting === 0 ? "" : ` ${formatCount(waiting, "feature")} that build on it wait.`;
    const { retry_count, spec_update_count } = record.orchestration;
    const tried = `Tried: ${formatCount(retry_count, "retry").replace("retrys", "retries")}, ${formatCount(spec_update_count, "spec update")}.`;
    const cost = leadView.formatTokens(estimateRoleTokens("builder"));
    const effects = `fix: agents try again with all retries, about ${cost} tokens a fix and its review. skip: the wave goes on without it. abort: the run stops.`;
    const detail = `${name} failed: ${blocked_info?.detail ?? ""}${others} ${tried} ${effects}`;
    return createQuestion("escalation", leadView.createRunId(record, "escalation"), name, detail);
  },

  structure(record: FeatureRecord): QuestionAction {
    const detail = `The review of ${record.feature_name} wants a different structure: ${record.fix?.detail ?? ""} approve: an Architect changes the design. reject: the finding is closed and the structure stays.`;
    return createQuestion("structure", leadView.createRunId(record, "structure"), record.feature_name, detail);
  },

  followUp(record: FeatureRecord, on: readonly FeatureName[]): QuestionAction {
    const { feature_name: name } = record;
    const detail = `${name} is built on ${on.join(" and ")}, which has a new design. Review ${name} again, build it again, or leave it.`;
    return createQuestion("follow-up", leadView.createRunId(record, "follow-up"), name, detail);
  },

  reviewPassed({ feature_name: name, reviews }: FeatureRecord, of: "design" | "implementation"): QuestionAction {
    const { batch = "", verdict = "" } = reviews[of] ?? {};
    const detail = `The ${of} of ${name} passed review ${batch} with ${verdict}.`;
    return createQuestion("review-passed", leadView.createReviewPassedId(name, batch), name, detail);
  },

  /** `head` is a feature, `wave-2` or `all`. */
  proposal(head: string, line: SteeringProposal): QuestionAction {
    const detail = `Review ${line.batch} proposes for ${line.file}: ${line.text} approve: it becomes a rule for future work. reject: it is recorded as rejected. except: it is a rule, but not here.`;
    return createQuestion("steering", leadView.createProposalId(head, line), head, detail);
  },
};

/** The question that `unblock` answers. */
export const createEscalationQuestion = (lead: Lead, record: FeatureRecord): QuestionAction =>
  userQuestions.escalation({ lead }, record);
