import type { SteadyMoment } from "#kernel/model/utc-time.ts";
import { canGlobsOverlap } from "#kernel/model/path-glob.ts";
import { quote } from "#kernel/model/text-format.ts";
import { type ActiveWork, isUnfinishedWork, findSessionWork } from "#planning/model/workflow/journal-fold.ts";
import { findLockConflicts } from "#planning/model/workflow/file-locks.ts";
import { type FileLock, isTimeboxExceeded } from "#planning/model/workflow/workflow-record.ts";
import { DEFAULT_SESSION_ID } from "#planning/model/workflow/work-sessions.ts";
import { type AgentRole, ROLE_FACTS } from "#roadmap/model/agent/agent-roles.ts";
import type { WriteScope } from "#roadmap/model/agent/role-schema.ts";
import { isTestData, isTestPath } from "#code/model/scan/test-files.ts";
import refusals from "./hook-refusals.json" with { type: "json" };
import { findWorkspaceCommand, describeShellWrite } from "./tool-writes.ts";

export interface HookRefusal {
  readonly what: string;
  readonly why: string;
  readonly instead: string;
}

export function refuseProtectedFileEdit(path: string, isCaseBlind: boolean): HookRefusal | undefined {
  const said = isCaseBlind ? path.toLowerCase() : path;
  if (canGlobsOverlap(".sdd/worktrees/*/**", said)) return undefined;
  // Files that only the engine writes. The first match wins.
  const own = refusals.protectedFiles.find(({ glob }) => canGlobsOverlap(glob, said));
  return own && { what: `${path} must not be edited by hand.`, why: own.why, instead: own.instead };
}

/** The ledger lies in git's folder, which may be outside the workspace. */
export const createLedgerRefusal = (path: string): HookRefusal => ({
  what: `${path} must not be edited by hand.`,
  ...refusals.ledger,
});

export interface EditSituation {
  readonly session: string;
  readonly now: string;
  readonly steady?: SteadyMoment | undefined;
  readonly atWork: ActiveWork;
  readonly isCaseBlind: boolean;
  changeStage(id: string): string | undefined;
}

export const refuseWorkspaceEdit = (path: string, scene: EditSituation): HookRefusal | undefined =>
  refuseTakenOverEdit(path, scene) ?? refuseLockedEdit(path, scene) ?? refuseOvertimeEdit(path, scene);

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
  return (
    fence && {
      what: `Edit of ${path} blocked: this session no longer holds ${fence.workflow}.`,
      why: `Session ${fence.holder} took it over.`,
      instead: `Leave it to that session, or take it back: sdd_workflow_resume {"id":"${fence.workflow}","take_over":true}`,
    }
  );
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
    what: `Edit of ${path} blocked: ${id} has locked it.`,
    why: `${record ? `The ${record.kind} ${id}, ${quote(record.title, 60)},` : `The change ${id}`} is at stage ${stage} and has held the lock since ${at}.`,
    instead: `Switch to it (sdd_workflow_switch {"id":"${id}"}), or ask its owner to release the path.`,
  };
}

/** After the timebox only the spec may still be written. */
function refuseOvertimeEdit(path: string, { session, atWork, now, steady }: EditSituation): HookRefusal | undefined {
  const id = findSessionWork(session, atWork);
  const record = id === undefined ? undefined : atWork.workflows.get(id);
  if (record?.kind !== "research" || record.current_stage !== "explore" || !record.timebox) return undefined;
  if (!isTimeboxExceeded(record.timebox, now, steady) || path === `sdd/specs/${record.id}.yaml`) return undefined;
  return {
    what: `Edit of ${path} blocked: the timebox of ${record.id} is over.`,
    why: "After the timebox only the research's spec may change.",
    instead: `Write your findings into sdd/specs/${record.id}.yaml and call sdd_workflow_advance, or ask the user for more time.`,
  };
}

export const createOutsideRefusal = (path: string, worktree: string): HookRefusal => ({
  what: `Edit of ${path} blocked: it is outside this session's worktree.`,
  why: `This session works in ${worktree}. Other sessions use the main checkout and other worktrees.`,
  instead: `Edit the file of the same name in ${worktree}.`,
});

/** Requires the plugin prefix: a `builder` of a different plugin is not our agent. */
export function parseAgentRole(agent: string | undefined): AgentRole | undefined {
  const [, name = ""] = /^sdd[:-]([a-z-]+)$/.exec(agent ?? "") ?? [];
  return Object.hasOwn(ROLE_FACTS, name) ? (name as AgentRole) : undefined;
}

const isOutsideSddFolder = (path: string): boolean => !/^sdd(?:\/|$)/i.test(path);
const WRITE_SCOPES: Readonly<Record<WriteScope, (path: string) => boolean>> = {
  spec: (path) => canGlobsOverlap("sdd/specs/*.yaml", path),
  tests: isOutsideSddFolder,
  implementation: (path) => isOutsideSddFolder(path) && !isTestPath(path) && !isTestData(path),
  design: (path) => ["design.md", "research.md"].some((name) => canGlobsOverlap(`sdd/features/*/${name}`, path)),
  tasks: (path) => canGlobsOverlap("sdd/features/*/tasks.yaml", path),
  code: isOutsideSddFolder,
};

export function refuseRoleEdit(role: AgentRole, path: string): HookRefusal | undefined {
  const { writes } = ROLE_FACTS[role];
  if (writes !== null && WRITE_SCOPES[writes](path)) return undefined;
  const { does, why, instead } = refusals.roleLimits[writes ?? (role === "lead" ? "lead" : "nothing")];
  return { what: `Edit of ${path} blocked: the ${role} ${does}.`, why, instead };
}

/** Read-only roles run no obvious write commands, and writing roles none that reach other agents. The Lead may commit. */
export function refuseRoleCommand(
  role: AgentRole,
  input: Readonly<Record<string, unknown>>,
  root?: string,
): HookRefusal | undefined {
  if (role === "lead") return undefined;
  if (ROLE_FACTS[role].writes !== null) {
    const shared = findWorkspaceCommand(input);
    const { does, why, instead } = refusals.roleLimits.workspace;
    return shared === undefined
      ? undefined
      : { what: `Command blocked: the ${role} ${does}: ${shared}.`, why, instead };
  }
  const found = describeShellWrite(input, root);
  const { does, why, instead } = refusals.roleLimits.nothing;
  return found === undefined
    ? undefined
    : { what: `Command blocked: the ${role} ${does}, and ${found}.`, why, instead };
}
