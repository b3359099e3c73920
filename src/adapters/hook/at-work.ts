import fs from "node:fs";
import { isChangeId } from "#domain/change/id.ts";
import type { OpenChange } from "#domain/hook/greeting.ts";
import { type AtWork, foldLines } from "#domain/workflow/fold.ts";
import type { Lock, Session, WorkflowRecord } from "#domain/workflow/record.ts";
import { leaseName } from "#domain/workflow/sessions.ts";
import type { JournalPlace } from "#operations/ports/journal.ts";
import type { HookHouse, Kept } from "./house.ts";
import type { Place } from "./place.ts";

/** Ledger state including journal lines that are not folded in yet. */
export interface Picture {
  readonly atWork: AtWork;
  readonly damaged: ReadonlySet<string>;
}

const LARGEST_RECORD = 1024 * 1024;

/** Undefined if the ledger is missing or empty. Faults if it cannot be read. */
export async function pictureOf(place: Place, house: HookHouse): Promise<Picture | undefined> {
  const found = place.hasLedger ? await house.kept(place.ledger) : undefined;
  if (!found) return undefined;
  const workflows = spaceOf<WorkflowRecord>(found, "workflow", isWorkflow);
  const before: AtWork = {
    workflows: workflows.sound,
    sessions: spaceOf<Session>(found, "session", isSession).sound,
    locks: spaceOf<Lock>(found, "lock", isLock).sound,
    isOpenChange: (id) => changeIn(place.root, id) !== undefined,
    lease: (workflow) => found.leases.get(leaseName(workflow)),
  };
  const parts = await house.unread(place.root, place.checkout, placesOf(found, place.checkout));
  const lines = parts.flatMap((part) => part.lines);
  const { after } = foldLines(lines, before, place.checkout, house.now());
  return { atWork: after, damaged: workflows.damaged };
}

export const NOTHING_AT_WORK: AtWork = {
  workflows: new Map(),
  sessions: new Map(),
  locks: new Map(),
  isOpenChange: () => false,
  lease: () => undefined,
};

function placesOf({ kept }: Kept, checkout: string): Map<string, JournalPlace> {
  const own = [...(kept.get("journal") ?? [])].filter(([key]) => key.startsWith(`${checkout} `));
  return new Map(own.map(([key, place]) => [key.slice(checkout.length + 1), (place ?? {}) as JournalPlace]));
}

type Fields = Readonly<Record<string, unknown>>;

function spaceOf<T>(
  { kept }: Kept,
  name: string,
  isSound: (value: Fields, key: string) => boolean,
): { sound: Map<string, T>; damaged: Set<string> } {
  const sound = new Map<string, T>();
  const damaged = new Set<string>();
  for (const [key, value] of kept.get(name) ?? []) {
    if (typeof value === "object" && value !== null && isSound(value as Fields, key)) sound.set(key, value as T);
    else damaged.add(key);
  }
  return { sound, damaged };
}

const areTexts = (...values: unknown[]): boolean => values.every((value) => typeof value === "string");

const isWorkflow = ({ id, kind, title, current_stage, status, started_at, priority, gates }: Fields, key: string) =>
  id === key &&
  areTexts(kind, title, current_stage, status, started_at) &&
  typeof priority === "number" &&
  Array.isArray(gates);
const isSession = ({ id, seen_at, started_at }: Fields, key: string) => id === key && areTexts(seen_at, started_at);
const isLock = ({ workflow, path, at }: Fields) => areTexts(workflow, path, at);

/** Skips unreadable records; `tenon validate` reports them. */
export function openChangesIn(root: string): OpenChange[] {
  return namesIn(`${root}/sdd/changes`).flatMap((id) => changeIn(root, id) ?? []);
}

export function changeIn(root: string, id: string): OpenChange | undefined {
  if (!isChangeId(id)) return undefined;
  try {
    const file = `${root}/sdd/changes/${id}/change.json`;
    const stat = fs.lstatSync(file);
    if (!stat.isFile() || stat.size > LARGEST_RECORD) return undefined;
    const { description, current_stage, created_at, status } = JSON.parse(fs.readFileSync(file, "utf8")) as Fields;
    if (status !== "active" || !areTexts(description, current_stage, created_at)) return undefined;
    return { id, description, current_stage, created_at } as OpenChange;
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}
