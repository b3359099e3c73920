import fs from "node:fs";
import { isChangeId } from "#kernel/model/stages/change-stages.ts";
import type { ApprovalQuestion } from "#planning/model/approval/approval-proof.ts";
import type { GreetedChange } from "./model/session-greeting.ts";
import { type ActiveWork, foldJournalLines } from "#planning/model/workflow/journal-fold.ts";
import type { FileLock, WorkSession, WorkflowRecord } from "#planning/model/workflow/workflow-record.ts";
import { formatLeaseName, judgeLeaseProcess } from "#planning/model/workflow/work-sessions.ts";
import type { JournalPosition } from "#code/operations/ports/higher-modules.ts";
import type { HookServices, HookWorkspace } from "./hook-workspace.ts";

/** With journal lines that are not folded in yet. Undefined without a ledger; faults if it is unreadable. */
export async function loadWorkInProgress(place: HookWorkspace, house: HookServices) {
  const found = place.hasLedger ? await house.kept(place.ledger) : undefined;
  if (!found) return undefined;
  const { kept } = found;
  const workflows = readLedgerSpace<WorkflowRecord>(kept.get("workflow"), isStoredWorkflow);
  const before: ActiveWork = {
    workflows: workflows.sound,
    sessions: readLedgerSpace<WorkSession>(kept.get("session"), isStoredSession).sound,
    locks: readLedgerSpace<FileLock>(kept.get("lock"), isStoredLock).sound,
    isOpenChange: (id) => readOpenChange(place.root, id) !== undefined,
    lease: (workflow) => found.leases.get(formatLeaseName(workflow)),
  };
  const lead = `${place.checkout} `;
  const own = [...(kept.get("journal") ?? [])].filter(([key]) => key.startsWith(lead));
  const positions = new Map(own.map(([key, at]) => [key.slice(lead.length), (at ?? {}) as JournalPosition]));
  const parts = await house.unread(place.root, place.checkout, positions);
  const lines = parts.flatMap((part) => part.lines);
  const { after } = foldJournalLines(lines, before, place.checkout, house.now());
  const lease: ActiveWork["lease"] = (id) => judgeLeaseProcess(after.lease(id), after.sessions, house);
  const questions = [...readLedgerSpace<ApprovalQuestion>(kept.get("approval"), isStoredQuestion).sound.values()];
  const isCurrent = ({ area, id, stage }: ApprovalQuestion): boolean =>
    area !== "workflow" || after.workflows.get(id)?.current_stage === stage;
  return { atWork: { ...after, lease }, damaged: workflows.damaged, questions: questions.filter(isCurrent) };
}

export const NO_WORK_IN_PROGRESS: ActiveWork = {
  workflows: new Map(),
  sessions: new Map(),
  locks: new Map(),
  isOpenChange: () => false,
  lease: () => undefined,
};

type StoredFields = Readonly<Record<string, unknown>>;

function readLedgerSpace<T>(
  values: ReadonlyMap<string, unknown> | undefined,
  isSound: (value: StoredFields, key: string) => boolean,
): { sound: Map<string, T>; damaged: Set<string> } {
  const sound = new Map<string, T>();
  const damaged = new Set<string>();
  for (const [key, value] of values ?? []) {
    if (typeof value === "object" && value !== null && isSound(value as StoredFields, key)) sound.set(key, value as T);
    else damaged.add(key);
  }
  return { sound, damaged };
}

const areAllStrings = (...values: unknown[]): boolean => values.every((value) => typeof value === "string");

const isStoredWorkflow = (
  { id, kind, title, current_stage, status, started_at, priority, gates }: StoredFields,
  key: string,
) =>
  id === key &&
  areAllStrings(kind, title, current_stage, status, started_at) &&
  typeof priority === "number" &&
  Array.isArray(gates);
const isStoredSession = ({ id, seen_at, started_at }: StoredFields, key: string) =>
  id === key && areAllStrings(seen_at, started_at);
const isStoredQuestion = ({ id, key, session, choices }: StoredFields, name: string) =>
  id === name && areAllStrings(key, session) && Array.isArray(choices) && areAllStrings(...(choices as unknown[]));
const isStoredLock = ({ workflow, path, at }: StoredFields) => areAllStrings(workflow, path, at);

/** Skips unreadable records; `tenon validate` reports them. */
export function readOpenChanges(root: string): GreetedChange[] {
  try {
    const names = fs.readdirSync(`${root}/sdd/changes`).toSorted();
    return names.flatMap((id) => readOpenChange(root, id) ?? []);
  } catch {
    return [];
  }
}

export function readOpenChange(root: string, id: string): GreetedChange | undefined {
  if (!isChangeId(id)) return undefined;
  try {
    const record = JSON.parse(readSmallFile(`${root}/sdd/changes/${id}/change.json`, 1024 * 1024)) as StoredFields;
    const { description, current_stage, created_at, status } = record;
    if (status !== "active" || !areAllStrings(description, current_stage, created_at)) return undefined;
    return { id, description, current_stage, created_at } as GreetedChange;
  } catch {
    return undefined;
  }
}

/** Throws unless it is a regular file of at most that many bytes. */
export function readSmallFile(file: string, most: number): string {
  const stat = fs.lstatSync(file);
  if (!stat.isFile() || stat.size > most) throw new Error(`${file} is not a file of at most ${most} bytes.`);
  return fs.readFileSync(file, "utf8");
}
