import * as z from "zod/mini";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import { countNumber, featureName, type Immutable } from "#kernel/model/record-schema.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { ROADMAP_ROLES } from "../agent/agent-roles.ts";
import type { AcceptedDesign, FeatureRecord, TaskGroupRecord, WaveRecord } from "../feature/feature-record.ts";
import { SteeringProposal } from "../feature/feature-record.ts";
import type { FeatureEdits } from "../feature/held-content.ts";
import type { AuditResult, StoredReview } from "../review/review-finding.ts";
import {
  InspectionResult,
  KnownReviewFinding,
  ReviewFinding,
  ReviewReporter,
  ReviewScope,
} from "../review/review-finding.ts";
import { REVIEW_KINDS, type ReviewKind } from "../review/review-kinds.ts";

const texts = z.array(z.string());
const counts = z.record(z.string(), countNumber);

/** `commit`: a review outside of a run has passed, and its record is not committed yet. */
const FeatureGoal = z.enum(["design", "tasks", "implementation", "done", "commit"]);
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
  /** Inspectors for each view, if the run was started with a number. */
  consensus: z.exactOptional(countNumber),
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
  /** Inspectors that share one agent. Absent: each has its own. */
  panels: z.exactOptional(z.array(texts)),
  /** What changed since an earlier review of the same content, if that is little. */
  delta: z.exactOptional(z.object({ batch: z.string(), diff: z.string() })),
  inspections: z.record(z.string(), InspectionResult),
  reporters: z.exactOptional(z.record(z.string(), ReviewReporter)),
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
  z.object({
    of: z.literal("review"),
    review: z.string(),
    scope: ReviewScope,
    /** All views of an inspector that works for others too. */
    views: z.exactOptional(texts),
  }),
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
  /** Content changed after its review: accept the edit, or review it. Only `roadmap accept` asks it. */
  "edit",
]);
export type QuestionKind = z.infer<typeof QuestionKind>;

const LeadAction = z.discriminatedUnion("kind", [
  z.object({ id: z.string(), kind: z.literal("spawn"), role: z.enum(ROADMAP_ROLES), work: AgentWork }),
  /** The engine runs the checks itself when this is reported. An agent's statement does not count. */
  z.object({ id: z.string(), kind: z.literal("gate"), feature: featureName }),
  /** The same for what a wave will commit, from a clean checkout. */
  z.object({ id: z.string(), kind: z.literal("wave-gate"), wave: z.number() }),
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
export type QuestionAction = Extract<LeadAction, { kind: "ask" }>;
export type CommitAction = Extract<LeadAction, { kind: "commit" }>;

/** Identifies one action: `user-login/architect/1`, `wave-1/impl/B2/interface`. The same state gives the same ids. */
export type ActionId = string;

const WorkBaseline = z.object({
  commit: z.string(),
  head: z.optional(z.string()),
  branches: texts,
  log_mark: z.optional(z.string()),
  begun_ms: z.optional(z.number()),
});

export const ActionAssignment = z.object({
  action: LeadAction,
  session: z.string(),
  /** The process of the session, to notice that it is gone. */
  mark: z.exactOptional(z.string()),
  at: z.string(),
  /** By the clock that nobody can set, to notice a long silence. */
  steady: z.exactOptional(z.object({ boot: z.string(), ms: z.number() })),
  base: z.nullable(WorkBaseline),
  estimate: z.number(),
  refusals: countNumber,
  /** Tokens that rejected reports declared; already charged to the run. */
  paid: z.exactOptional(z.number()),
});
export type ActionAssignment = Immutable<z.infer<typeof ActionAssignment>>;

/** Features and waves are records of the repository. If the ledger with the rest is lost, open work is ready again. */
export interface Lead {
  readonly features: ReadonlyMap<FeatureName, FeatureRecord>;
  readonly waves: ReadonlyMap<number, WaveRecord>;
  readonly run: RoadmapRun;
  /** Open reviews by scope: `user-login/design`, `wave-2/impl`, `all/dead-code`. */
  readonly reviews: ReadonlyMap<string, OpenReview>;
  readonly out: ReadonlyMap<ActionId, ActionAssignment>;
  /** Content that changed since it was accepted. Read from the files with each load, and never stored. */
  readonly edits?: ReadonlyMap<FeatureName, FeatureEdits>;
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

/** The group that an action builds, with its files. */
export function findActionGroup({ features }: Pick<Lead, "features">, action: LeadAction) {
  if (!isBuildAction(action)) return undefined;
  const { feature, group: id } = action.work;
  const group = features.get(feature)?.implementation.groups.find((each) => each.id === id);
  return group && { feature, id, files: group.files };
}

export const isBuildAction = (action: LeadAction): action is SpawnAction & { readonly work: WorkOf<"build"> } =>
  action.kind === "spawn" && action.work.of === "build";

/** A change to the roadmap. `applyLeadEvent` handles each kind and rejects an unexpected event with a reason. */
export type LeadEvent = Immutable<
  | { kind: "feature-added"; record: FeatureRecord }
  | { kind: "feature-removed"; feature: FeatureName }
  /** A command sets the goal of a feature, or requests that certain tasks are done again. */
  | {
      kind: "wanted";
      feature: FeatureName;
      goal: FeatureGoal;
      tasks?: string[];
      isRedesign?: boolean;
      /** What the user wants changed in a redesign. */
      intent?: string;
      /** True if the task file is gone and must be planned again. */
      isReplanned?: boolean;
    }
  | ({ kind: "run-begun" } & Pick<RoadmapRun, "isGated" | "cap"> & Partial<Pick<RoadmapRun, "onOverlap" | "consensus">>)
  | { kind: "run-stopped"; why: string }
  | ({ kind: "review-begun"; review: ReviewKind; inspectors?: string[]; consensus?: number } & Pick<
      OpenReview,
      "scope" | "batch" | "of" | "tracked" | "mended" | "delta"
    > & { at?: string; design?: DesignFacts })
  | { kind: "tasks-edited"; feature: FeatureName; tasks: NonNullable<ReportFacts["tasks"]>; at: string }
  /** The user accepts edited content as it is. */
  | ({ kind: "edit-accepted"; feature: FeatureName; reason: string; source: string } & {
      design?: DesignFacts;
      code?: { hash: string };
    })
  | ({ kind: "handed-out"; action: ActionId } & Pick<
      ActionAssignment,
      "session" | "mark" | "at" | "steady" | "base" | "estimate"
    >)
  | { kind: "reported"; action: ActionId; report: AgentReport; facts: ReportFacts; tokens?: number }
  /** `isExpected`: its session ended, which does not count against the work. */
  | { kind: "lost"; action: ActionId; why: string; isExpected?: boolean }
  | { kind: "unblocked"; feature: FeatureName; how: "fix" | "skip"; source?: string }
  | { kind: "placed"; feature: FeatureName; wave: number; dependencies: FeatureName[]; foundation?: boolean }
  | { kind: "revised"; feature: FeatureName; intent: string }
  /** The user waived a finding. `review` is the review with its new verdict. */
  | { kind: "waived"; review: StoredReview; finding: string; source?: string }
>;

export type EventOf<K extends LeadEvent["kind"]> = Extract<LeadEvent, { kind: K }>;

/** Statements of an agent about its work. */
export type AgentReport = Immutable<
  | { kind: "architect"; discovery: string; tags: string[] }
  | { kind: "tasks"; tags: string[] }
  | {
      kind: "builder";
      tasks: string[];
      files: string[];
      tests: { passed: number; total: number } | null;
      tags: string[];
    }
  | { kind: "builder-blocked"; blocker: string; tasks: string[]; attempted: string; tags?: string[] }
  /** `others`: the further views of the agent, by name. */
  | { kind: "inspection"; inspection: InspectionResult; others?: Record<string, InspectionResult> }
  | { kind: "audit"; audit: AuditResult }
  | { kind: "gate" }
  /** `source` names the user and what proves the answer. */
  | { kind: "answer"; choice: string; said: string; source?: string }
  | { kind: "commit"; declined: boolean }
>;

export interface ReportOf<K extends AgentReport["kind"]> {
  readonly report: Extract<AgentReport, { kind: K }>;
  readonly facts: ReportFacts;
}

export type DesignFacts = Immutable<
  Omit<AcceptedDesign, "basis"> & {
    problems: Problem[];
    components?: { name: string; files: string[] }[];
  }
>;

/** Facts the engine measured itself, independent of the report. */
export type ReportFacts = Immutable<{
  at: string;
  design?: DesignFacts;
  tasks?: { hash: string; text?: string; groups: TaskGroupRecord[]; problems: Problem[] };
  build?: {
    hash: string;
    file_hashes?: Record<string, string>;
    missing: string[];
    /** Files changed since the assignment that belong to no group in progress. */
    outside: string[];
    files: string[];
    tests: TestFacts;
    /** Criteria that the group must show and that no test names. */
    unmarked?: string[];
    /** Tests that were there when the action began, and count no more. */
    lost?: string[];
  };
  frozen?: string;
  by?: ReviewReporter;
  /** `tree` identifies the tested files. */
  wave?: { tree: string; tests: TestFacts };
  /** `missing`: files of the work that the commit lacks. `tests`: unless it has exactly the tested files. */
  commit?: { hash: string; isClean: boolean; missing?: string[]; tests?: TestFacts };
}>;
export type BuildFacts = NonNullable<ReportFacts["build"]>;

export interface TestFacts {
  /** `deferred`: other agents build, so the feature's gate runs the tests. `waived`: by the settings. */
  readonly status: "passed" | "failed" | "unknown" | "deferred" | "waived";
  readonly problems: readonly Problem[];
}

/** Work besides storing the state. The operation does it in the same write. */
export type LeadEffect = Immutable<
  | ({ kind: "decision"; type: DecisionType; steeringRef?: string } & Record<
      "summary" | "context" | "decision" | "reason" | "impact" | "source",
      string
    >)
  | { kind: "steering"; file: string; text: string }
  | {
      kind: "proposal-answered";
      scope: ReviewScope;
      batch: string;
      line: number;
      answer: "approved" | "rejected" | "excepted";
    }
  | { kind: "batch"; batch: StoredReview }
  | { kind: "tasks-done"; feature: FeatureName; tasks: string[] }
  /** Lessons from work on a feature, or from a review of `wave-2` or `all`. */
  | { kind: "tags"; feature: string; role: string; tags: string[]; tasks?: string[] }
  | { kind: "dismissed"; action: ActionId }
  | { kind: "wave-finished"; wave: number }
>;

export const DECISION_TYPES = [
  "USER_DECISION",
  "STEERING_UPDATE",
  "DIRECTION_CHANGE",
  "ESCALATION_RESOLVED",
  "STEERING_EXCEPTION",
  "SESSION_START",
  "SESSION_END",
] as const;
export type DecisionType = (typeof DECISION_TYPES)[number];

export type LeadEventResult = Immutable<
  | { kind: "applied"; effects: LeadEffect[] }
  | { kind: "repeated" }
  /** The facts do not confirm it, or it is not pending. The problems are for the reporter. */
  | { kind: "refused"; problems: Problem[]; effects: LeadEffect[] }
>;

export type EventOutcome =
  | { readonly kind: "applied" | "repeated" }
  /** The draft is discarded unless `isKept`. */
  | { readonly kind: "refused"; readonly problems: readonly Problem[]; readonly isKept?: true };

export const EVENT_APPLIED: EventOutcome = { kind: "applied" };
export const EVENT_REPEATED: EventOutcome = { kind: "repeated" };

export const rejectEvent = (...problems: readonly (string | Problem)[]): EventOutcome & { kind: "refused" } => ({
  kind: "refused",
  problems: problems.map((problem) => (typeof problem === "string" ? { problem } : problem)),
});

/** Rejects the event but keeps the state change it revealed. */
export const rejectEventKeepState = (problem: string): EventOutcome => ({ ...rejectEvent(problem), isKept: true });
