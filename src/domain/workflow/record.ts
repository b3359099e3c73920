import type { FlowState } from "../flow/flow.ts";
import type { Problem } from "../gate/verdict.ts";
import type { WorkflowKind } from "./flows.ts";
import type { WorkflowId } from "./id.ts";
import type { Timebox } from "./timebox.ts";

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
  readonly reason?: string;
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

interface GateRetry {
  readonly gate: string;
  readonly attempts: number;
  readonly success: boolean;
  readonly timestamp: string;
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
  readonly retry_history: readonly GateRetry[];
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
