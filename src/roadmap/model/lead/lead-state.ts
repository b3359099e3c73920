import * as z from "zod/mini";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import { countNumber, featureName, type Immutable } from "#kernel/model/record-schema.ts";
import { ROADMAP_ROLES } from "../agent/agent-roles.ts";
import { type FeatureRecord, SteeringProposal, type WaveRecord } from "../feature/feature-record.ts";
import { REVIEW_KINDS } from "../review/review-kinds.ts";
import { InspectionResult, KnownReviewFinding, ReviewFinding, ReviewScope } from "../review/review-finding.ts";

const texts = z.array(z.string());
const counts = z.record(z.string(), countNumber);

const FeatureGoal = z.enum(["design", "tasks", "implementation", "done"]);
export type FeatureGoal = z.infer<typeof FeatureGoal>;

export const RoadmapRun = z.object({
  /** True while `roadmap run` is active: reviews are mandatory and waves have gates. */
  isOn: z.boolean(),
  isGated: z.boolean(),
  stopped: z.nullable(z.string()),
  /** Goals of features outside of a run. In a run, the goal of every roadmap feature is `done`. */
  goals: z.record(z.string(), FeatureGoal),
  /** Ids of the questions that the user approved. */
  agreed: texts,
  /** The token limit of the run, and the tokens used so far (reported, else estimated). */
  cap: z.nullable(z.number()),
  spent: z.number(),
  onOverlap: z.enum(["serialise", "partition"]),
  /** Steering proposals from reviews of scope `all`, which have no record of their own. */
  proposals: z.exactOptional(z.array(SteeringProposal)),
  /** Highest batch started outside of features. A void review keeps its number. */
  batches: z.exactOptional(countNumber),
  capAnswers: z.exactOptional(countNumber),
});
export type RoadmapRun = Immutable<z.infer<typeof RoadmapRun>>;

export type ReviewScope = Immutable<z.infer<typeof ReviewScope>>;

export const OpenReview = z.object({
  kind: z.enum(REVIEW_KINDS),
  scope: ReviewScope,
  batch: z.string(),
  /** Hash of the reviewed content. If it changes before a report arrives, the review is void. */
  of: z.string(),
  inspectors: texts,
  inspections: z.record(z.string(), InspectionResult),
  missing: texts,
  lost: counts,
  /** Findings of earlier batches of this scope: still open (`tracked`), or fixed and not to return (`mended`). */
  tracked: z.array(KnownReviewFinding),
  mended: z.array(ReviewFinding),
});
export type OpenReview = Immutable<z.infer<typeof OpenReview>>;

const AgentWork = z.discriminatedUnion("of", [
  z.object({ of: z.literal("design"), feature: featureName, mode: z.enum(["new", "existing"]), isFix: z.boolean() }),
  z.object({ of: z.literal("tasks"), feature: featureName, excluded: texts, blocker: z.nullable(z.string()) }),
  z.object({ of: z.literal("build"), feature: featureName, group: z.string(), tasks: texts, isFix: z.boolean() }),
  /** `review` is the key of an open review. Inspectors and the auditor work on one. */
  z.object({ of: z.literal("review"), review: z.string(), scope: ReviewScope }),
]);
export type AgentWork = Immutable<z.infer<typeof AgentWork>>;
export type WorkOf<K extends AgentWork["of"]> = Extract<AgentWork, { of: K }>;

const QuestionKind = z.enum([
  /** Retries are exhausted: fix, skip or abort. */
  "escalation",
  /** `--gate`: continue after a review, or stop. */
  "review-passed",
  /** `--gate`: continue with the next wave, or stop. */
  "wave-passed",
  /** A wave's gate failed three times: proceed or abort. */
  "wave-failed",
  /** A steering line that affects future work: approve, reject or except. */
  "steering",
  /** `--gate`: a change of structure: approve or reject. */
  "structure",
  /** `--gate`: a dependency changed: re-review, re-implement or skip. */
  "follow-up",
  /** The token limit is reached: raise or stop. */
  "cap",
]);
export type QuestionKind = z.infer<typeof QuestionKind>;

const LeadAction = z.discriminatedUnion("kind", [
  z.object({ id: z.string(), kind: z.literal("spawn"), role: z.enum(ROADMAP_ROLES), work: AgentWork }),
  /** The engine runs the checks itself when this is reported. An agent's statement does not count. */
  z.object({ id: z.string(), kind: z.literal("gate"), feature: featureName }),
  z.object({
    id: z.string(),
    kind: z.literal("ask"),
    question: QuestionKind,
    subject: z.string(),
    choices: texts,
    detail: z.string(),
  }),
  z.object({
    id: z.string(),
    kind: z.literal("commit"),
    message: z.string(),
    wave: z.nullable(z.number()),
    features: z.array(featureName),
  }),
]);
export type LeadAction = Immutable<z.infer<typeof LeadAction>>;
export type SpawnAction = Extract<LeadAction, { kind: "spawn" }>;
export type GateAction = Extract<LeadAction, { kind: "gate" }>;
export type QuestionAction = Extract<LeadAction, { kind: "ask" }>;
export type CommitAction = Extract<LeadAction, { kind: "commit" }>;

/** Identifies one action: `user-login/architect/1`, `wave-1/impl/B2/interface`. The same state gives the same ids. */
export type ActionId = string;

export const ActionAssignment = z.object({
  action: LeadAction,
  session: z.string(),
  at: z.string(),
  /** Snapshot tree of the files at assignment. */
  base: z.nullable(z.string()),
  estimate: z.number(),
  refusals: countNumber,
  /** Tokens that rejected reports declared; already charged to the run. */
  paid: z.exactOptional(z.number()),
});
export type ActionAssignment = Immutable<z.infer<typeof ActionAssignment>>;

/**
 * The input of every decision. Features and waves are records in the repository. The ledger keeps the rest: if it is
 * lost, work in progress becomes pending again and finished work is not repeated.
 */
export interface Lead {
  readonly features: ReadonlyMap<FeatureName, FeatureRecord>;
  readonly waves: ReadonlyMap<number, WaveRecord>;
  readonly run: RoadmapRun;
  /** Open reviews by scope: `user-login/design`, `wave-2/impl`, `all/dead-code`. */
  readonly reviews: ReadonlyMap<string, OpenReview>;
  readonly out: ReadonlyMap<ActionId, ActionAssignment>;
}

export const EMPTY_RUN: RoadmapRun = {
  isOn: false,
  isGated: false,
  stopped: null,
  goals: {},
  agreed: [],
  cap: null,
  spent: 0,
  onOverlap: "serialise",
};

export const createEmptyLead = (): Lead => ({
  features: new Map(),
  waves: new Map(),
  run: EMPTY_RUN,
  reviews: new Map(),
  out: new Map(),
});

/** The group that an action builds, with its files. */
export function findActionGroup({ features }: Pick<Lead, "features">, action: LeadAction) {
  if (!isBuildAction(action)) return undefined;
  const { feature, group: id } = action.work;
  const group = features.get(feature)?.implementation.groups.find((each) => each.id === id);
  return group && { feature, id, files: group.files };
}

export const isBuildAction = (action: LeadAction): action is SpawnAction & { readonly work: WorkOf<"build"> } =>
  action.kind === "spawn" && action.work.of === "build";
