import fs from "node:fs";
import { isChangeId } from "#kernel/model/stages/change-stages.ts";
import type { GreetedChange } from "./model/session-greeting.ts";
import { type ActiveWork, foldJournalLines } from "#planning/model/workflow/journal-fold.ts";
import type { FileLock, WorkSession, WorkflowRecord } from "#planning/model/workflow/workflow-record.ts";
import { formatLeaseName } from "#planning/model/workflow/work-sessions.ts";
import type { JournalPosition } from "#code/operations/ports/higher-modules.ts";
import type { HookServices, LedgerContent, HookWorkspace } from "./hook-workspace.ts";

/** Ledger state including journal lines that are not folded in yet. */
export interface WorkInProgress {
  readonly atWork: ActiveWork;
  readonly damaged: ReadonlySet<string>;
}

const MAX_CHANGE_RECORD_BYTES = 1024 * 1024;

/** Undefined if the ledger is missing or empty. Faults if it cannot be read. */
export async function loadWorkInProgress(
  place: HookWorkspace,
  house: HookServices,
): Promise<WorkInProgress | undefined> {
  const found = place.hasLedger ? await house.kept(place.ledger) : undefined;
  if (!found) return undefined;
  const workflows = readLedgerSpace<WorkflowRecord>(found, "workflow", isStoredWorkflow);
  const before: ActiveWork = {
    workflows: workflows.sound,
    sessions: readLedgerSpace<WorkSession>(found, "session", isStoredSession).sound,
    locks: readLedgerSpace<FileLock>(found, "lock", isStoredLock).sound,
    isOpenChange: (id) => readOpenChange(place.root, id) !== undefined,
    lease: (workflow) => found.leases.get(formatLeaseName(workflow)),
  };
  const parts = await house.unread(place.root, place.checkout, listJournalPositions(found, place.checkout));
  const lines = parts.flatMap((part) => part.lines);
  const { after } = foldJournalLines(lines, before, place.checkout, house.now());
  return { atWork: after, damaged: workflows.damaged };
}

export const NO_WORK_IN_PROGRESS: ActiveWork = {
  workflows: new Map(),
  sessions: new Map(),
  locks: new Map(),
  isOpenChange: () => false,
  lease: () => undefined,
};

function listJournalPositions({ kept }: LedgerContent, checkout: string): Map<string, JournalPosition> {
  const own = [...(kept.get("journal") ?? [])].filter(([key]) => key.startsWith(`${checkout} `));
  return new Map(own.map(([key, place]) => [key.slice(checkout.length + 1), (place ?? {}) as JournalPosition]));
}

type StoredFields = Readonly<Record<string, unknown>>;

function readLedgerSpace<T>(
  { kept }: LedgerContent,
  name: string,
  isSound: (value: StoredFields, key: string) => boolean,
): { sound: Map<string, T>; damaged: Set<string> } {
  const sound = new Map<string, T>();
  const damaged = new Set<string>();
  for (const [key, value] of kept.get(name) ?? []) {
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
const isStoredLock = ({ workflow, path, at }: StoredFields) => areAllStrings(workflow, path, at);

/** Skips unreadable records; `tenon validate` reports them. */
export function readOpenChanges(root: string): GreetedChange[] {
  return readFolderNames(`${root}/sdd/changes`).flatMap((id) => readOpenChange(root, id) ?? []);
}

export function readOpenChange(root: string, id: string): GreetedChange | undefined {
  if (!isChangeId(id)) return undefined;
  try {
    const file = `${root}/sdd/changes/${id}/change.json`;
    const stat = fs.lstatSync(file);
    if (!stat.isFile() || stat.size > MAX_CHANGE_RECORD_BYTES) return undefined;
    const { description, current_stage, created_at, status } = JSON.parse(
      fs.readFileSync(file, "utf8"),
    ) as StoredFields;
    if (status !== "active" || !areAllStrings(description, current_stage, created_at)) return undefined;
    return { id, description, current_stage, created_at } as GreetedChange;
  } catch {
    return undefined;
  }
}

function readFolderNames(folder: string): string[] {
  try {
    return fs.readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}
