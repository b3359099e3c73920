import type { FileLock, WorkSession, WorkflowSnapshot, WorkflowRecord } from "../../model/workflow/workflow-record.ts";
import type { JournalPosition } from "#code/operations/ports/higher-modules.ts";
import type { LedgerSpace } from "#store/operations/ports/store.ts";

export const WORKFLOW_SPACE: LedgerSpace<WorkflowRecord> = { name: "workflow" };
export const LOCK_SPACE: LedgerSpace<FileLock> = { name: "lock" };
/** By session id. The current work of `DEFAULT_SESSION_ID` is the project's. */
export const SESSION_SPACE: LedgerSpace<WorkSession> = { name: "session" };
export const SNAPSHOT_SPACE: LedgerSpace<WorkflowSnapshot> = { name: "snapshot" };
export const JOURNAL_SPACE: LedgerSpace<JournalPosition> = { name: "journal" };

export interface PendingRollback {
  readonly workflow: string;
  readonly checkout: string;
  readonly root: string;
  readonly from: string;
  readonly to: string;
  readonly paths: readonly string[];
  readonly n: number;
  readonly safety: number;
  readonly at: string;
}

/** Priorities of changes. Workflows keep theirs in the record. */
export const PRIORITY_SPACE: LedgerSpace<number> = { name: "priority" };
/** The next command of any process finishes them. */
export const ROLLBACK_SPACE: LedgerSpace<PendingRollback> = { name: "rollback" };
