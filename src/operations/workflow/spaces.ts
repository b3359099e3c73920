import type { Lock, Session, Snapshot, WorkflowRecord } from "#domain/workflow/record.ts";
import type { RecordedRed } from "../gate/running/recorded.ts";
import type { JournalPlace } from "../ports/journal.ts";
import type { Space } from "../ports/store.ts";

/** What the ledger keeps of workflows, by id. */
export const WORKFLOWS: Space<WorkflowRecord> = { name: "workflow" };
/** By `lockKey`. */
export const LOCKS: Space<Lock> = { name: "lock" };
/** By the session's id; what is current for `NOBODY` is so for the project. */
export const SESSIONS: Space<Session> = { name: "session" };
export const SNAPSHOTS: Space<Snapshot> = { name: "snapshot" };
/** By checkout and file, with a space between them. */
export const JOURNAL: Space<JournalPlace> = { name: "journal" };

/** A rollback as the ledger keeps it until it is done. */
export interface PendingRollback {
  readonly workflow: string;
  /** In which checkout, and where that was. */
  readonly checkout: string;
  readonly root: string;
  /** The commits of the two snapshots. */
  readonly from: string;
  readonly to: string;
  readonly paths: readonly string[];
  /** Their numbers: where it goes, and what takes it back. */
  readonly n: number;
  readonly safety: number;
  readonly at: string;
}

/** What somebody gave a change; workflows have their priority in their record. */
export const PRIORITIES: Space<number> = { name: "priority" };
/** Rollbacks that have begun: whoever comes next finishes them. */
export const ROLLBACKS: Space<PendingRollback> = { name: "rollback" };
/** Tests that were seen to fail before their code was there, by workflow. */
export const EVIDENCE: Space<readonly RecordedRed[]> = { name: "evidence" };
