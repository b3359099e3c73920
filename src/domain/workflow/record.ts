import type { FlowState } from "../flow/flow.ts";
import type { Problem } from "../gate/verdict.ts";
import type { WorkflowKind } from "./flows.ts";
import type { WorkflowId } from "./id.ts";
import type { Timebox } from "./timebox.ts";

/** The user agreed: who, when, and to which text of the spec. */
export interface Approval {
  readonly stage: string;
  readonly by: string;
  readonly at: string;
  /** SHA-256 of the spec that was agreed to. */
  readonly spec: string;
}

/** What one check found. Unknown is not passed. */
export interface CheckResult {
  readonly check: string;
  readonly status: "passed" | "failed" | "unknown" | "waived";
  readonly problems: readonly Problem[];
  /** Why it was waived, or why nobody knows. */
  readonly reason?: string;
}

/** What a gate said, and about which files. An edit after it makes it stale. */
export interface GateResult {
  readonly gate: string;
  readonly stage: string;
  readonly passed: boolean;
  readonly at: string;
  /** The hash of the files it was computed on; nothing outside git. */
  readonly tree?: string;
  readonly checks: readonly { readonly check: string; readonly status: CheckResult["status"] }[];
  /** What its commands were run on: the files without Tenon's own, and all that decided what they do. */
  readonly ran_on?: {
    readonly tree: string;
    readonly rules: string;
    /** The criteria of the spec that had to be shown, where they had to be. */
    readonly criteria?: readonly string[];
  };
}

/** How often a gate was tried before it gave way, or did not. */
interface Retry {
  readonly gate: string;
  readonly attempts: number;
  readonly success: boolean;
  readonly timestamp: string;
}

/** One run of a feature, bugfix or research flow, as the ledger keeps it. */
export interface WorkflowRecord extends FlowState {
  readonly id: WorkflowId;
  readonly kind: WorkflowKind;
  readonly title: string;
  /** 0 is the most urgent, 9 the least. */
  readonly priority: number;
  readonly started_at: string;
  readonly updated_at: string;
  readonly finished_at?: string;
  /** The commit that was checked out when it began. */
  readonly base_commit?: string;
  readonly approvals: readonly Approval[];
  readonly gates: readonly GateResult[];
  readonly retry_history: readonly Retry[];
  readonly timebox?: Timebox;
  /** The decision in which a research ended. */
  readonly adr?: string;
  readonly abandoned?: { readonly reason: string; readonly at: string };
  /** Where it has a working folder of its own. */
  readonly worktree?: { readonly path: string; readonly branch: string };
}

/** Who works on which file, or on which files: a path may be a glob. */
export interface Lock {
  readonly workflow: string;
  readonly path: string;
  readonly at: string;
  /** Somebody claimed it, an edit was seen, or git showed that it changed. */
  readonly how: "claim" | "edit" | "git";
  /** Somebody claimed it though another held it, and both know. */
  readonly is_shared?: boolean;
  /** When its workflow ended. It is kept while older workflows run: a rollback must not undo what it protected. */
  readonly released_at?: string;
}

/** The files at one moment, under a private ref, with the workflow as it was then. */
export interface Snapshot {
  readonly workflow: string;
  readonly n: number;
  readonly stage: string;
  /** A safety one comes before a rollback, and takes it back; one for a fix comes before a tool mends files. */
  readonly why: "start" | "stage" | "switch" | "request" | "safety" | "fix";
  readonly at: string;
  /** Whose files it kept: those of another worktree are others. */
  readonly checkout: string;
  readonly commit: string;
  readonly tree: string;
  readonly head?: string;
  /** What had changed since the snapshot before it. */
  readonly files_modified: readonly string[];
  readonly state: WorkflowRecord;
  /** The safety snapshot of the rollback that set it aside; taking that back brings it back. */
  readonly dropped_by?: number;
}

/** Somebody at work: an agent's session, or whoever gives no name. */
export interface Session {
  readonly id: string;
  /** What it works on. */
  readonly current?: string;
  /** The token of the lease with which it does; a greater one in the ledger means that somebody took over. */
  readonly token?: number;
  readonly checkout: string;
  readonly started_at: string;
  readonly seen_at: string;
  readonly ended_at?: string;
  /** The hash of the files when it took the workflow up: what differs since is its work. */
  readonly tree?: string;
  /** Claims that no gate bears out, of which it was told, as `AUTH-001 implement`: each is told once. */
  readonly told?: readonly string[];
}
