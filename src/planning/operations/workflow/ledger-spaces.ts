import type { ApprovalQuestion } from "../../model/approval/approval-proof.ts";
import type { FileLock, WorkSession, WorkflowSnapshot, WorkflowRecord } from "../../model/workflow/workflow-record.ts";
import type { WorkBasis } from "../../model/workflow/work-attribution.ts";
import type { JournalPosition } from "#code/operations/ports/higher-modules.ts";
import type { LedgerSpace, Store, StoreTree } from "#store/operations/ports/store.ts";

export const WORKFLOW_SPACE: LedgerSpace<WorkflowRecord> = { name: "workflow" };
export const LOCK_SPACE: LedgerSpace<FileLock> = { name: "lock" };
/** By session id. The current work of `DEFAULT_SESSION_ID` is the project's. */
export const SESSION_SPACE: LedgerSpace<WorkSession> = { name: "session" };
export const SNAPSHOT_SPACE: LedgerSpace<WorkflowSnapshot> = { name: "snapshot" };
export const JOURNAL_SPACE: LedgerSpace<JournalPosition> = { name: "journal" };

/** By the id of a workflow or change. */
export const WORK_SPACE: LedgerSpace<WorkBasis> = { name: "work" };

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
  /** Why it stopped half-way. Without it, the process was killed, and the next command finishes the rollback. */
  readonly failed?: string;
}

/** Priorities of changes. Workflows keep theirs in the record. */
export const PRIORITY_SPACE: LedgerSpace<number> = { name: "priority" };
/** Rollbacks that are not finished. The next command of any process finishes those that did not fail. */
export const ROLLBACK_SPACE: LedgerSpace<PendingRollback> = { name: "rollback" };

export const APPROVAL_SPACE: LedgerSpace<ApprovalQuestion> = { name: "approval" };

/** An answer in a team names the database user of the machine that it was given on. */
export const noteMember = ({ store }: { readonly store: Pick<Store, "member"> }): { readonly member?: string } =>
  store.member === undefined ? {} : { member: store.member };

/** Questions without an answer, oldest first. Those of a stage that has ended are gone. */
export const listOpenQuestions = (tree: StoreTree): ApprovalQuestion[] =>
  [...tree.kept(APPROVAL_SPACE).values()]
    .filter(({ answer, area, id, stage }) => {
      const workflow = area === "workflow" ? tree.kept(WORKFLOW_SPACE).get(id) : undefined;
      const isOver = workflow && (workflow.status !== "active" || workflow.current_stage !== stage);
      return answer === undefined && !isOver;
    })
    .toSorted((one, other) => (one.at < other.at ? -1 : 1));
