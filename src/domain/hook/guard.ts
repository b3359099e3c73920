import { quote } from "../quote.ts";
import { type ActiveWork, isUnfinishedWork, findSessionWork } from "../workflow/fold.ts";
import { findLockConflicts } from "../workflow/locks.ts";
import type { FileLock } from "../workflow/record.ts";
import { DEFAULT_SESSION_ID } from "../workflow/session-name.ts";
import { isTimeboxExceeded } from "../workflow/timebox.ts";
import type { HookRefusal } from "./own-files.ts";

export interface EditSituation {
  readonly session: string;
  readonly now: string;
  readonly atWork: ActiveWork;
  /** Whether `A.ts` and `a.ts` are the same file. */
  readonly isCaseBlind: boolean;
  changeStage(id: string): string | undefined;
}

export function refuseWorkspaceEdit(path: string, scene: EditSituation): HookRefusal | undefined {
  return refuseTakenOverEdit(path, scene) ?? refuseLockedEdit(path, scene) ?? refuseOvertimeEdit(path, scene);
}

/** A second session holds the work. Further edits here would undo its changes. */
export function findSessionTakeover(
  session: string,
  atWork: ActiveWork,
): { workflow: string; holder: string } | undefined {
  const own = session === DEFAULT_SESSION_ID ? undefined : atWork.sessions.get(session);
  if (own?.current === undefined || !isUnfinishedWork(own.current, atWork)) return undefined;
  const lease = atWork.lease(own.current);
  if (lease === undefined || lease.holder === session) return undefined;
  const isTakenOver = own.token !== undefined && lease.token > own.token;
  return isTakenOver || lease.isLive ? { workflow: own.current, holder: lease.holder } : undefined;
}

function refuseTakenOverEdit(path: string, { session, atWork }: EditSituation): HookRefusal | undefined {
  const fence = findSessionTakeover(session, atWork);
  if (!fence) return undefined;
  return {
    what: `${path} is not edited: this session may no longer work on ${fence.workflow}.`,
    why: `Session ${fence.holder} has taken it over.`,
    instead: `Leave it to that session, or take it back: tenon workflow resume --id ${fence.workflow} --take-over.`,
  };
}

function refuseLockedEdit(path: string, scene: EditSituation): HookRefusal | undefined {
  const { atWork, session, isCaseBlind } = scene;
  const own = findSessionWork(session, atWork) ?? "";
  const fold = (text: string): string => (isCaseBlind ? text.toLowerCase() : text);
  const locks = [...atWork.locks.values()].map((lock): FileLock => ({ ...lock, path: fold(lock.path) }));
  const found = findLockConflicts([fold(path)], own, locks).find(({ lock }) => isUnfinishedWork(lock.workflow, atWork));
  if (!found) return undefined;
  const { workflow: id, at } = found.lock;
  const record = atWork.workflows.get(id);
  const stage = record?.current_stage ?? scene.changeStage(id) ?? "an unknown stage";
  return {
    what: `${path} is not edited: ${id} has it.`,
    why: `${record ? `The ${record.kind} ${id}, ${quote(record.title, 60)},` : `The change ${id}`} is at ${stage} and has locked it since ${at}.`,
    instead: `Work on that one (tenon workflow switch --id ${id}), or ask its owner to release the path.`,
  };
}

/** After the timebox only the spec may still be written. */
function refuseOvertimeEdit(path: string, { session, atWork, now }: EditSituation): HookRefusal | undefined {
  const id = findSessionWork(session, atWork);
  const record = id === undefined ? undefined : atWork.workflows.get(id);
  if (record?.kind !== "research" || record.current_stage !== "explore" || !record.timebox) return undefined;
  if (!isTimeboxExceeded(record.timebox, now) || path === `sdd/specs/${record.id}.yaml`) return undefined;
  return {
    what: `${path} is not edited: the time of ${record.id} is used up.`,
    why: "A research explores no longer than was agreed.",
    instead: `Write what was found into sdd/specs/${record.id}.yaml and run tenon workflow advance --id ${record.id}, or let the user extend the time.`,
  };
}

export const createOutsideRefusal = (path: string, worktree: string): HookRefusal => ({
  what: `${path} is not edited: it is outside the lease of this worktree.`,
  why: `This session works in ${worktree}, and the main checkout and other worktrees belong to others.`,
  instead: `Edit the file of the same name in ${worktree}.`,
});
