import table from "./workflow-stages.json" with { type: "json" };
import type { Approval } from "../approval/approval-record.ts";
import type { FlowState, Flow } from "#kernel/model/flow/flow-engine.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import type { WorkflowId } from "#kernel/model/workflow-id.ts";
import type { SpecStatus } from "../spec/field-shapes.ts";
import type { CommandCheck } from "#kernel/model/workspace-config.ts";
import { countElapsedSeconds, formatDuration, type SteadyMoment } from "#kernel/model/utc-time.ts";
import { Fault } from "#kernel/model/fault.ts";
import { quote } from "#kernel/model/text-format.ts";

/** An approval as it was stored before approvals carried their proof. */
interface UnprovenApproval extends Pick<Approval, "stage" | "by" | "at"> {
  readonly spec: string;
}

/** An approval without a proof is the agent's word. */
export const listStageApprovals = ({ approvals }: Pick<WorkflowRecord, "approvals">): Approval[] =>
  approvals.map((each) => {
    if (!("spec" in each)) return each;
    const { spec: text, ...rest } = each;
    return { ...rest, text, proof: "relayed" };
  });

export interface GateCheckResult {
  readonly check: string;
  readonly status: "passed" | "failed" | "unknown" | "waived";
  readonly problems: readonly Problem[];
  readonly reason?: string | undefined;
  /** Findings that a reason excuses. The receipt shows them to a reviewer. */
  readonly allowed?: readonly GateAllowance[] | undefined;
}

export interface GateAllowance {
  readonly what: string;
  readonly reason: string;
}

/** A test that the work removes on purpose: its name, or the file of all removed tests. */
export interface TestRemoval {
  readonly test: string;
  readonly reason: string;
}

export interface SpecTraceFiles {
  readonly code: readonly string[];
  readonly tests: readonly string[];
}

/** Result of a gate and the files it judged. A later edit makes it stale. */
interface WorkflowGateResult {
  readonly gate: string;
  readonly stage: string;
  readonly passed: boolean;
  readonly at: string;
  readonly tree?: string;
  readonly checks: readonly { readonly check: string; readonly status: GateCheckResult["status"] }[];
  /** Inputs of the gate's commands: the source files without Tenon's own, the same without the work, and the rules. */
  readonly ran_on?: {
    readonly tree: string;
    readonly base_tree?: string;
    readonly rules: string;
    readonly criteria?: readonly string[];
    readonly trace?: SpecTraceFiles;
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
  readonly approvals: readonly (Approval | UnprovenApproval)[];
  readonly tests_removed?: readonly TestRemoval[];
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
  /** When the workflow last changed the file, in milliseconds by the file system. */
  readonly changed_ms?: number;
  /** Whether others changed the file too. */
  readonly is_mixed?: true;
  /** Set when the workflow ended. Released locks protect files from rollbacks of older workflows. */
  readonly released_at?: string;
}

export const SNAPSHOT_REASONS = ["start", "stage", "switch", "request", "safety", "fix"] as const;

export interface WorkflowSnapshot {
  readonly workflow: string;
  readonly n: number;
  readonly stage: string;
  /** `safety` precedes a rollback and can undo it. `fix` precedes an automatic fix by a tool. */
  readonly why: (typeof SNAPSHOT_REASONS)[number];
  readonly at: string;
  /** Worktrees have different files, so a snapshot belongs to one checkout. */
  readonly checkout: string;
  readonly commit: string;
  readonly tree: string;
  readonly head?: string;
  readonly files_modified: readonly string[];
  readonly state: WorkflowRecord;
  /** Of a safety snapshot: the paths that its rollback changed, and when, in milliseconds. 0 for a deleted file. */
  readonly undoes?: readonly (readonly [string, number])[];
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
  /** When a call found that its process is gone. */
  readonly gone_at?: string;
  /** The process that ends with the session. Empty if its events come from different ones. */
  readonly mark?: string;
  /** The process of the client program. Equal to `mark` except for connections, which have a process of their own. */
  readonly client?: string;
  /** Hash of the files when the session took up the workflow. Later differences are its work. */
  readonly tree?: string;
  /** Whether hooks of its client have named it. */
  readonly hooked?: true;
  /** Whether its client reports its edits. Then other changes are not its own. */
  readonly reports_edits?: true;
  /** Shell commands that have begun: the client's id of the call, and the time in milliseconds. */
  readonly shells_open?: readonly (readonly [string, number])[];
  /** When shell commands ran, in milliseconds. Files that changed meanwhile are the session's. */
  readonly shells?: readonly (readonly [number, number])[];
  /** Files that changed while its commands ran, and when. Git or an editor may have changed them again since then. */
  readonly shell_changes?: readonly (readonly [string, number])[];
  /** Files that others had changed before the session edited them. */
  readonly mixed?: readonly string[];
  /** Unproven claims already reported to the session, as `AUTH-001 implement`. Each is reported once. */
  readonly told?: readonly string[];
}

export const WORKFLOW_KINDS = ["feature", "bugfix", "research"] as const;
export type WorkflowKind = (typeof WORKFLOW_KINDS)[number];

/** The checks of the spec that a stage gate may have. */
export type DocumentCheck = keyof typeof table.document_checks;

export interface StageGate {
  readonly name: string;
  readonly documents: readonly DocumentCheck[];
  readonly commands: readonly CommandCheck[];
  /** Subject of the approval, if the user must approve. */
  readonly approval?: string;
}

type GateRow = Pick<StageGate, "name" | "approval"> & Readonly<Record<"documents" | "commands", readonly string[]>>;

const getStageRows = (kind: WorkflowKind): Readonly<Record<string, GateRow>> => table.stages[kind];

export const getWorkflowFlow = (kind: WorkflowKind): Flow => ({
  stages: Object.keys(getStageRows(kind)).map((name) => ({ name })),
});

export function findStageGate(kind: WorkflowKind, name: string): StageGate {
  const found = getStageRows(kind)[name];
  if (!found) throw new RangeError(`A ${kind} has no stage ${name}.`);
  return {
    ...found,
    documents: found.documents.filter((check): check is DocumentCheck => check in table.document_checks),
    commands: found.commands.filter(
      (check): check is keyof typeof table.command_checks => check in table.command_checks,
    ),
  };
}

export const listGateCommands = (kind: WorkflowKind): string[] =>
  Object.values(getStageRows(kind)).flatMap(({ commands }) => commands);

/** Only these gates leave a receipt. The others can be evaluated again at any time. */
export const listCommandGates = (kind: WorkflowKind): string[] =>
  Object.values(getStageRows(kind)).flatMap(({ name, commands }) => (commands.length > 0 ? [name] : []));

/** Stages that do not change the status of the spec are absent. */
export const SPEC_STATUS_AFTER_STAGE: Readonly<Record<string, SpecStatus>> = {
  specify: "specified",
  "specify-fix": "specified",
  implement: "implemented",
  fix: "implemented",
  verify: "done",
  decide: "done",
};

/** The stage that a spec of this status waits in. */
export function findStageAfterStatus(kind: WorkflowKind, status: string | undefined): string | undefined {
  const stages = Object.keys(getStageRows(kind));
  const last = stages.findLastIndex((stage) => SPEC_STATUS_AFTER_STAGE[stage] === status);
  return status === undefined ? undefined : stages[last + 1];
}

export interface Timebox {
  readonly limit_s: number;
  readonly spent_s: number;
  readonly running_since?: string;
  /** Time of the last activity. A silence longer than `MAX_SILENCE_SECONDS` does not count as work. */
  readonly seen_at?: string;
  /** The same moments by a clock that no program can set. */
  readonly steady?: { readonly since: SteadyMoment; readonly seen?: SteadyMoment };
  /** The warning at 80 % is given once. */
  readonly warned?: boolean;
  readonly extensions: readonly { readonly by_s: number; readonly reason: string; readonly at: string }[];
}

const TIMEBOX_WARNING_RATIO = 0.8;
/** Equal to the session timeout. */
const MAX_SILENCE_SECONDS = 30 * 60;
const WORKDAY_SECONDS = 8 * 3600;
const DURATION_UNITS: Readonly<Record<string, number>> = { m: 60, h: 3600, d: WORKDAY_SECONDS };
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
    fix: { operation: "workflow.research", input: { description: "…", timebox: "2h" } },
  });
}

/** Whole days of eight hours as days, everything else as hours. */
export function formatWorkDuration(seconds: number): string {
  const days = seconds / WORKDAY_SECONDS;
  if (days >= 2 && Number.isInteger(days)) return `${days} days`;
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  if (hours < 48) return formatDuration(seconds);
  return minutes === 0 ? `${hours} h` : `${hours} h ${minutes} min`;
}

export const openTimebox = (limit_s: number, at: string, steady?: SteadyMoment): Timebox =>
  startTimebox({ limit_s, spent_s: 0, extensions: [] }, at, steady);

const startTimebox = (timebox: Timebox, at: string, steady: SteadyMoment | undefined): Timebox => ({
  ...timebox,
  running_since: at,
  seen_at: at,
  ...(steady ? { steady: { since: steady, seen: steady } } : {}),
});

/** A night adds nothing. Setting the user's clock changes nothing while the machine runs. */
export function computeTimeSpent(timebox: Timebox, at: string, steady?: SteadyMoment): number {
  const { spent_s, running_since, seen_at, steady: known } = timebox;
  if (running_since === undefined) return spent_s;
  const isSilent = seen_at !== undefined && !isTimeboxHeard(timebox, at, steady);
  const until = isSilent ? { at: seen_at, steady: known?.seen } : { at, steady };
  return spent_s + Math.max(0, countElapsedSeconds({ at: running_since, steady: known?.since }, until));
}

function isTimeboxHeard({ seen_at, steady: known }: Timebox, at: string, steady?: SteadyMoment): boolean {
  if (seen_at === undefined) return true;
  return countElapsedSeconds({ at: seen_at, steady: known?.seen }, { at, steady }) <= MAX_SILENCE_SECONDS;
}

export function pauseTimebox(timebox: Timebox, at: string, steady?: SteadyMoment): Timebox {
  const { running_since: _, seen_at: __, steady: ___, ...kept } = timebox;
  return { ...kept, spent_s: computeTimeSpent(timebox, at, steady) };
}

export function resumeTimebox(timebox: Timebox, at: string, steady?: SteadyMoment): Timebox {
  const { steady: known, ...rest } = timebox;
  const isSteady = (known === undefined) === (steady === undefined);
  if (timebox.running_since === undefined || !isSteady || !isTimeboxHeard(timebox, at, steady))
    return startTimebox(pauseTimebox(timebox, at, steady), at, steady);
  return { ...rest, seen_at: at, ...(known && steady ? { steady: { since: known.since, seen: steady } } : {}) };
}

export function extendTimebox(timebox: Timebox, by_s: number, reason: string, at: string): Timebox {
  const { warned: _, ...kept } = timebox;
  return { ...kept, limit_s: timebox.limit_s + by_s, extensions: [...timebox.extensions, { by_s, reason, at }] };
}

export const isTimeboxExceeded = (timebox: Timebox, at: string, steady?: SteadyMoment): boolean =>
  computeTimeSpent(timebox, at, steady) >= timebox.limit_s;

export const isTimeboxWarningDue = (timebox: Timebox, at: string, steady?: SteadyMoment): boolean =>
  timebox.warned !== true && computeTimeSpent(timebox, at, steady) >= TIMEBOX_WARNING_RATIO * timebox.limit_s;
