import { canGlobsOverlap } from "#kernel/model/path-glob.ts";
import { quote } from "#kernel/model/text-format.ts";
import { type ActiveWork, isUnfinishedWork, findSessionWork } from "#planning/model/workflow/journal-fold.ts";
import { findLockConflicts } from "#planning/model/workflow/file-locks.ts";
import { type FileLock, isTimeboxExceeded } from "#planning/model/workflow/workflow-record.ts";
import { DEFAULT_SESSION_ID } from "#planning/model/workflow/work-sessions.ts";
import { type AgentRole, ROLE_FACTS } from "#roadmap/model/agent/agent-roles.ts";
import type { WriteScope } from "#roadmap/model/agent/role-schema.ts";
import { isTestData, isTestPath } from "#code/model/scan/test-files.ts";
import { describeShellWrite } from "./tool-writes.ts";

export interface HookRefusal {
  readonly what: string;
  readonly why: string;
  readonly instead: string;
}

const SEALED_RECORD_REASON = "It is a record: it is sealed, and only Tenon writes it.";
const REVIEW_RESULT_REASON = "It says what a review came to: only Tenon writes it, from what was reported.";
const CHECK_RESULT_REASON = "It says what was checked: only Tenon writes it, when it has checked.";
const MACHINE_DATA_REASON = "It is what Tenon keeps for this machine.";

interface ProtectedFile {
  readonly glob: string;
  readonly why: string;
  readonly instead: string;
}

/** Files that only the engine writes. The first match wins. */
const PROTECTED_FILES: readonly ProtectedFile[] = [
  { glob: "sdd/sdd.json", why: SEALED_RECORD_REASON, instead: "Run: tenon project --help." },
  {
    glob: "sdd/changes/*/change.json",
    why: SEALED_RECORD_REASON,
    instead: "Run: tenon change advance, or tenon change --help.",
  },
  {
    glob: "sdd/history/**",
    why: "It is archived, and what is archived stays as it was.",
    instead: "Start another change: tenon change start.",
  },
  {
    glob: "sdd/features/*/spec.yaml",
    why: SEALED_RECORD_REASON,
    instead: "Edit the documents beside it, and let Tenon advance it.",
  },
  {
    glob: "sdd/waves/*.yaml",
    why: SEALED_RECORD_REASON,
    instead: "Report what was done, and let Tenon advance the wave.",
  },
  {
    glob: "sdd/features/*/reviews/**",
    why: REVIEW_RESULT_REASON,
    instead: "Report what was found, and let Tenon store it.",
  },
  { glob: "sdd/reviews/**", why: REVIEW_RESULT_REASON, instead: "Report what was found, and let Tenon store it." },
  { glob: "sdd/receipts/**", why: CHECK_RESULT_REASON, instead: "Let the gate run: tenon workflow advance." },
  { glob: "sdd/features/*/receipts.jsonl", why: CHECK_RESULT_REASON, instead: "Let the gate run: tenon next." },
  {
    glob: "sdd/trace/*.json",
    why: "It says what somebody accepted: only Tenon writes it, with the reason.",
    instead: "Say why: tenon drift --accept AUTH-001 --reason.",
  },
  {
    glob: "sdd/roadmap.md",
    why: "It is generated from the features, so that an edit would be lost.",
    instead: "Change the feature that it shows.",
  },
  {
    glob: "sdd/handover/buffer.md",
    why: "It is generated from what agents reported, so that an edit would not count.",
    instead: "Answer what waits: tenon knowledge review.",
  },
  {
    glob: "sdd/knowledge/index.md",
    why: "It is generated from the files beside it, so that an edit would be lost.",
    instead: "Edit the file that it names, or add one: tenon knowledge add.",
  },
  { glob: "sdd/setup.json", why: "It says which files setup wrote.", instead: "Ask the user to run tenon setup." },
  { glob: ".sdd/**", why: MACHINE_DATA_REASON, instead: "Look at it with tenon status; mend it with tenon doctor." },
  {
    glob: ".git/tenon/**",
    why: MACHINE_DATA_REASON,
    instead: "Look at it with tenon status; mend it with tenon doctor.",
  },
  { glob: ".git/**/refs/**", why: "Refs are git's.", instead: "Use git." },
  { glob: ".git/packed-refs", why: "Refs are git's.", instead: "Use git." },
];
const WORKTREE_GLOB = ".sdd/worktrees/*/**";

export function refuseProtectedFileEdit(path: string, isCaseBlind: boolean): HookRefusal | undefined {
  const said = isCaseBlind ? path.toLowerCase() : path;
  if (canGlobsOverlap(WORKTREE_GLOB, said)) return undefined;
  const own = PROTECTED_FILES.find(({ glob }) => canGlobsOverlap(glob, said));
  return own && { what: `${path} is not edited by hand.`, why: own.why, instead: own.instead };
}

/** The ledger lies in git's folder, which may be outside the workspace. */
export const createLedgerRefusal = (path: string): HookRefusal => ({
  what: `${path} is not edited by hand.`,
  why: MACHINE_DATA_REASON,
  instead: "Look at it with tenon status; mend it with tenon doctor.",
});

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

/** Requires the plugin prefix: a `builder` of a different plugin is not our agent. */
const OWN_AGENT_PATTERN = /^sdd[:-]([a-z-]+)$/;

export function parseAgentRole(agent: string | undefined): AgentRole | undefined {
  const [, name = ""] = OWN_AGENT_PATTERN.exec(agent ?? "") ?? [];
  return Object.hasOwn(ROLE_FACTS, name) ? (name as AgentRole) : undefined;
}

interface RoleWriteLimit {
  isAllowed(path: string): boolean;
  readonly does: string;
  readonly why: string;
  readonly instead: string;
}

const createGlobMatcher =
  (...globs: readonly string[]) =>
  (path: string): boolean =>
    globs.some((glob) => canGlobsOverlap(glob, path));
const isOutsideSddFolder = (path: string): boolean => !/^sdd(?:\/|$)/i.test(path);
const isTestOrTestData = (path: string): boolean => isTestPath(path) || isTestData(path);

const AGREED_DOCUMENTS_REASON = "Specs, designs and tasks were agreed to before, and others build from them too.";
const REPORT_ADVICE = "Say in your report what is wrong with it, and go on with what does not depend on it.";

const ROLE_WRITE_LIMITS: Readonly<Record<WriteScope, RoleWriteLimit>> = {
  spec: {
    isAllowed: createGlobMatcher("sdd/specs/*.yaml"),
    does: "writes specs in sdd/specs, and nothing else",
    why: "Tests and code are written by others, once the user has agreed to the spec.",
    instead: "Say it in the spec.",
  },
  tests: {
    isAllowed: isOutsideSddFolder,
    does: "writes tests, and nothing under sdd/",
    why: AGREED_DOCUMENTS_REASON,
    instead: REPORT_ADVICE,
  },
  implementation: {
    isAllowed: (path) => isOutsideSddFolder(path) && !isTestOrTestData(path),
    does: "writes code, no tests, and nothing under sdd/",
    why: "Whoever makes tests pass must not bend them, nor what was agreed to.",
    instead: "Make the code pass. If a test is wrong, report which and why: the test-agent mends it.",
  },
  design: {
    isAllowed: createGlobMatcher("sdd/features/*/design.md", "sdd/features/*/research.md"),
    does: "writes design.md and research.md of features, and nothing else",
    why: "What is designed is reviewed before anybody builds it.",
    instead: "Say it in the design: others build it from there.",
  },
  tasks: {
    isAllowed: createGlobMatcher("sdd/features/*/tasks.yaml"),
    does: "writes tasks.yaml of features, and nothing else",
    why: "It plans what others build from a design that was reviewed.",
    instead: "Say it in a task, or in your report.",
  },
  code: {
    isAllowed: isOutsideSddFolder,
    does: "writes code and tests, and nothing under sdd/",
    why: AGREED_DOCUMENTS_REASON,
    instead: REPORT_ADVICE,
  },
};

const READ_ONLY_ROLE: Omit<RoleWriteLimit, "isAllowed"> = {
  does: "only looks",
  why: "What it looks at must stay as it is until it is judged: a change would void the review.",
  instead: "Report what you found; the engine asks somebody to mend it.",
};

const LEAD_ROLE: Omit<RoleWriteLimit, "isAllowed"> = {
  does: "hands work out",
  why: "Designs, tasks and code are made by those who are asked for them, and judged by others.",
  instead: "Call sdd_next and start the agent that it names.",
};

export function refuseRoleEdit(role: AgentRole, path: string): HookRefusal | undefined {
  const limit = getRoleWriteLimit(role);
  if (limit.isAllowed(path)) return undefined;
  return {
    what: `${path} is not edited: the ${role} ${limit.does}.`,
    why: limit.why,
    instead: limit.instead,
  };
}

function getRoleWriteLimit(role: AgentRole): RoleWriteLimit {
  const { writes } = ROLE_FACTS[role];
  if (writes !== null) return ROLE_WRITE_LIMITS[writes];
  return { isAllowed: () => false, ...(role === "lead" ? LEAD_ROLE : READ_ONLY_ROLE) };
}

/** Read-only roles may not run obvious write commands. The Lead may commit. */
export function refuseRoleCommand(
  role: AgentRole,
  input: Readonly<Record<string, unknown>>,
  root?: string,
): HookRefusal | undefined {
  if (ROLE_FACTS[role].writes !== null || role === "lead") return undefined;
  const found = describeShellWrite(input, root);
  return found === undefined
    ? undefined
    : {
        what: `This was not run: the ${role} only looks, and ${found}.`,
        why: READ_ONLY_ROLE.why,
        instead: READ_ONLY_ROLE.instead,
      };
}
