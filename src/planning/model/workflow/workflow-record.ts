import type { FlowState, Flow } from "#kernel/model/flow/flow-engine.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import type { WorkflowId } from "#kernel/model/workflow-id.ts";
import type { SpecStatus } from "../spec/field-shapes.ts";
import type { CommandCheck } from "#kernel/model/workspace-config.ts";
import { countSecondsBetween } from "#kernel/model/utc-time.ts";
import { Fault } from "#kernel/model/fault.ts";
import { quote } from "#kernel/model/text-format.ts";

export interface SpecApproval {
  readonly stage: string;
  readonly by: string;
  readonly at: string;
  readonly spec: string;
}

/** Result of one check. An unknown result does not pass. */
export interface GateCheckResult {
  readonly check: string;
  readonly status: "passed" | "failed" | "unknown" | "waived";
  readonly problems: readonly Problem[];
  readonly reason?: string | undefined;
}

/** Result of a gate and the files it judged. A later edit makes it stale. */
export interface WorkflowGateResult {
  readonly gate: string;
  readonly stage: string;
  readonly passed: boolean;
  readonly at: string;
  readonly tree?: string;
  readonly checks: readonly { readonly check: string; readonly status: GateCheckResult["status"] }[];
  /** Inputs of the gate's commands: the source files without Tenon's own, and the hash of the rules. */
  readonly ran_on?: {
    readonly tree: string;
    readonly rules: string;
    readonly criteria?: readonly string[];
  };
}

export interface WorkflowRecord extends FlowState {
  readonly id: WorkflowId;
  readonly kind: WorkflowKind;
  readonly title: string;
  /** 0 is the most urgent, 9 the least. */
  readonly priority: number;
  readonly started_at: string;
  readonly updated_at: string;
  readonly finished_at?: string;
  readonly base_commit?: string;
  readonly approvals: readonly SpecApproval[];
  readonly gates: readonly WorkflowGateResult[];
  readonly retry_history: readonly {
    readonly gate: string;
    readonly attempts: number;
    readonly success: boolean;
    readonly timestamp: string;
  }[];
  readonly timebox?: Timebox;
  readonly adr?: string;
  readonly abandoned?: { readonly reason: string; readonly at: string };
  readonly worktree?: { readonly path: string; readonly branch: string };
}

export interface FileLock {
  readonly workflow: string;
  readonly path: string;
  readonly at: string;
  /** `claim`: requested explicitly. `edit`: a hook saw the edit. `git`: git showed the change. */
  readonly how: "claim" | "edit" | "git";
  readonly is_shared?: boolean;
  /**
   * Set when the workflow ended. Kept while older workflows run, so that their rollbacks do not undo protected files.
   */
  readonly released_at?: string;
}

export interface WorkflowSnapshot {
  readonly workflow: string;
  readonly n: number;
  readonly stage: string;
  /** `safety` precedes a rollback and can undo it. `fix` precedes an automatic fix by a tool. */
  readonly why: "start" | "stage" | "switch" | "request" | "safety" | "fix";
  readonly at: string;
  /** Worktrees have different files, so a snapshot belongs to one checkout. */
  readonly checkout: string;
  readonly commit: string;
  readonly tree: string;
  readonly head?: string;
  readonly files_modified: readonly string[];
  readonly state: WorkflowRecord;
  /** Number of the safety snapshot of the rollback that archived this one. Undoing that rollback restores it. */
  readonly dropped_by?: number;
}

export interface WorkSession {
  readonly id: string;
  readonly current?: string;
  /** Token of the session's lease. A greater token in the ledger means that another session took over. */
  readonly token?: number;
  readonly checkout: string;
  readonly started_at: string;
  readonly seen_at: string;
  readonly ended_at?: string;
  /** Hash of the files when the session took up the workflow. Later differences are its work. */
  readonly tree?: string;
  /** Unproven claims already reported to the session, as `AUTH-001 implement`. Each is reported once. */
  readonly told?: readonly string[];
}

export const WORKFLOW_KINDS = ["feature", "bugfix", "research"] as const;
export type WorkflowKind = (typeof WORKFLOW_KINDS)[number];

export interface StageGate {
  readonly name: string;
  readonly documents: readonly DocumentCheck[];
  readonly commands: readonly CommandCheck[];
  /** Subject of the approval, if the user must approve. */
  readonly approval?: string;
}

export type DocumentCheck =
  | "spec-draft"
  | "summary"
  | "spec-valid"
  | "no-markers"
  | "criteria-testable"
  | "success-measurable"
  | "contracts"
  | "scenarios"
  | "dependencies"
  | "reproduction"
  | "root-cause"
  | "regression-plan"
  | "spec-unchanged"
  | "traced"
  | "options"
  | "matrix"
  | "recommendation";

const createGatedStage = (name: string, gate: StageGate) => ({ name, gate });

const IMPLEMENTATION_CHECKS: readonly CommandCheck[] = [
  "tests",
  "lint",
  "types",
  "format",
  "tags",
  "shortcuts",
  "tests-kept",
  "tests-seen-to-fail",
  "coverage",
];

const WORKFLOW_STAGES: Readonly<Record<WorkflowKind, readonly ReturnType<typeof createGatedStage>[]>> = {
  feature: [
    createGatedStage("discover", {
      name: "gate-1-specify",
      documents: ["spec-draft", "summary"],
      commands: [],
      approval: "what is to be built is understood",
    }),
    createGatedStage("specify", {
      name: "gate-2-architect",
      documents: [
        "spec-valid",
        "no-markers",
        "criteria-testable",
        "success-measurable",
        "contracts",
        "scenarios",
        "dependencies",
      ],
      commands: [],
      approval: "the spec",
    }),
    createGatedStage("implement", {
      name: "gate-3-implement",
      documents: ["spec-valid", "spec-unchanged"],
      commands: IMPLEMENTATION_CHECKS,
    }),
    createGatedStage("verify", {
      name: "gate-4-verify",
      documents: ["spec-valid", "spec-unchanged", "traced"],
      commands: ["tests", "build", "tags", "criteria", "shortcuts", "tests-kept", "drift", "documentation"],
      approval: "every acceptance criterion is met",
    }),
  ],
  bugfix: [
    createGatedStage("investigate", {
      name: "investigation",
      documents: ["spec-draft", "summary", "reproduction", "root-cause"],
      commands: [],
      approval: "the root cause",
    }),
    createGatedStage("specify-fix", {
      name: "gate-1-bugfix-specify",
      documents: ["spec-valid", "no-markers", "criteria-testable", "regression-plan"],
      commands: [],
      approval: "the way to mend it",
    }),
    createGatedStage("fix", {
      name: "gate-2-bugfix-implement",
      documents: ["spec-valid", "spec-unchanged"],
      commands: ["regression-seen-to-fail", "tests", "lint", "types", "format", "tags", "tests-kept"],
    }),
    createGatedStage("verify", {
      name: "gate-3-bugfix-verify",
      documents: ["spec-valid", "spec-unchanged", "traced"],
      commands: ["tests", "build", "shortcuts", "tests-kept", "drift"],
      approval: "the bug is gone",
    }),
  ],
  research: [
    createGatedStage("explore", { name: "exploration", documents: ["spec-draft", "options"], commands: [] }),
    createGatedStage("synthesize", {
      name: "synthesis",
      documents: ["spec-valid", "options", "no-markers", "matrix", "recommendation"],
      commands: [],
    }),
    createGatedStage("decide", {
      name: "decision",
      documents: ["spec-valid", "options", "no-markers", "matrix", "recommendation"],
      commands: [],
      approval: "the decision",
    }),
  ],
};

export const getWorkflowFlow = (kind: WorkflowKind): Flow => ({
  stages: WORKFLOW_STAGES[kind].map(({ name }) => ({ name })),
});

export function findStageGate(kind: WorkflowKind, name: string): StageGate {
  const found = WORKFLOW_STAGES[kind].find((each) => each.name === name);
  if (!found) throw new RangeError(`A ${kind} has no stage ${name}.`);
  return found.gate;
}

/** Only these gates leave a receipt. The others can be evaluated again at any time. */
export const listCommandGates = (kind: WorkflowKind): string[] =>
  WORKFLOW_STAGES[kind].filter(({ gate }) => gate.commands.length > 0).map(({ gate }) => gate.name);

export function findSpecStatusAfterStage(kind: WorkflowKind, stageName: string): SpecStatus | undefined {
  const words: Readonly<Record<string, SpecStatus>> = {
    specify: "specified",
    "specify-fix": "specified",
    implement: "implemented",
    fix: "implemented",
    verify: "done",
    decide: "done",
  };
  return kind === "research" && stageName !== "decide" ? undefined : words[stageName];
}

export interface Timebox {
  readonly limit_s: number;
  readonly spent_s: number;
  readonly running_since?: string;
  /** Time of the last activity. A silence longer than `MAX_SILENCE_SECONDS` does not count as work. */
  readonly seen_at?: string;
  /** The warning at 80 % is given once. */
  readonly warned?: boolean;
  readonly extensions: readonly { readonly by_s: number; readonly reason: string; readonly at: string }[];
}

const TIMEBOX_WARNING_RATIO = 0.8;
/** Equal to the session timeout. */
const MAX_SILENCE_SECONDS = 30 * 60;
const DURATION_UNITS: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 8 * 3600 };
const DURATION_PATTERN = /^(\d{1,4}(?:\.\d)?) ?(m|min|minutes?|h|hours?|d|days?)$/;
const MAX_TIMEBOX_SECONDS = 30 * 8 * 3600;

/** Parses `30m`, `2 hours`, `1.5h` or `1d`. A day is eight hours because only work counts. */
export function parseWorkDuration(text: string): number {
  const [, amount = "", unit = ""] = DURATION_PATTERN.exec(text.trim().toLowerCase()) ?? [];
  const seconds = Math.round(Number(amount) * (DURATION_UNITS[unit.charAt(0)] ?? Number.NaN));
  if (amount !== "" && seconds >= 60 && seconds <= MAX_TIMEBOX_SECONDS) return seconds;
  throw new Fault("timebox.unreadable", {
    what: `${quote(text, 40)} is not a length of time.`,
    why: 'It is written as 30m, 2h, "2 hours" or 1d, from a minute to 30 days of eight hours.',
    fix: { operation: "workflow.research", input: { topic: "…", timebox: "2h" } },
  });
}

export const openTimebox = (limit_s: number, at: string): Timebox => ({
  limit_s,
  spent_s: 0,
  running_since: at,
  seen_at: at,
  extensions: [],
});

/** A clock set back subtracts nothing, and a night adds nothing. */
export function computeTimeSpent({ spent_s, running_since, seen_at }: Timebox, at: string): number {
  if (running_since === undefined) return spent_s;
  const until = seen_at !== undefined && countSecondsBetween(seen_at, at) > MAX_SILENCE_SECONDS ? seen_at : at;
  return spent_s + Math.max(0, countSecondsBetween(running_since, until));
}

export function pauseTimebox(timebox: Timebox, at: string): Timebox {
  const { running_since: _, seen_at: __, ...kept } = timebox;
  return { ...kept, spent_s: computeTimeSpent(timebox, at) };
}

export function resumeTimebox(timebox: Timebox, at: string): Timebox {
  const { running_since, seen_at } = timebox;
  const isOn =
    running_since !== undefined && (seen_at === undefined || countSecondsBetween(seen_at, at) <= MAX_SILENCE_SECONDS);
  return isOn ? { ...timebox, seen_at: at } : { ...pauseTimebox(timebox, at), running_since: at, seen_at: at };
}

export function extendTimebox(timebox: Timebox, by_s: number, reason: string, at: string): Timebox {
  const { warned: _, ...kept } = timebox;
  return {
    ...kept,
    limit_s: timebox.limit_s + by_s,
    extensions: [...timebox.extensions, { by_s, reason, at }],
  };
}

export const isTimeboxExceeded = (timebox: Timebox, at: string): boolean =>
  computeTimeSpent(timebox, at) >= timebox.limit_s;

export const isTimeboxWarningDue = (timebox: Timebox, at: string): boolean =>
  timebox.warned !== true && computeTimeSpent(timebox, at) >= TIMEBOX_WARNING_RATIO * timebox.limit_s;
