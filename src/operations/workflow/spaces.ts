import type { Lock, Session, Snapshot, WorkflowRecord } from "#domain/workflow/record.ts";
import type { RecordedRed } from "../gate/running/recorded.ts";
import type { JournalPlace } from "../ports/journal.ts";
import type { Space } from "../ports/store.ts";

export const WORKFLOWS: Space<WorkflowRecord> = { name: "workflow" };
export const LOCKS: Space<Lock> = { name: "lock" };
/** By session id. The current work of `DEFAULT_SESSION_ID` is the project's. */
export const SESSIONS: Space<Session> = { name: "session" };
export const SNAPSHOTS: Space<Snapshot> = { name: "snapshot" };
export const JOURNAL: Space<JournalPlace> = { name: "journal" };

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
export const PRIORITIES: Space<number> = { name: "priority" };
/** The next command of any process finishes them. */
export const ROLLBACKS: Space<PendingRollback> = { name: "rollback" };
export const EVIDENCE: Space<readonly RecordedRed[]> = { name: "evidence" };
