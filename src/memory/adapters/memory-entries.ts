import { Fault } from "#kernel/model/fault.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import {
  type Observation,
  OBSERVATION_SCOPES,
  DEFAULT_MEMORY_SESSION,
  PROMPT_TYPE,
  deriveTextTitle,
} from "../model/observation.ts";
import type { ObservationRevision } from "../operations/ports/memory.ts";
import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { GENERAL_PROJECT } from "#kernel/model/project-identity.ts";
import { normalizeTopicKey } from "../model/topic-key.ts";
import type { DatabaseRow } from "#kernel/adapters/sqlite-database.ts";

/** A line of an export. References use `uid`, because numbers are local to one database. */
export type MemoryEntry =
  | {
      readonly kind: "project";
      readonly name: string;
      readonly aliases: readonly string[];
      readonly places: readonly string[];
    }
  | {
      readonly kind: "session";
      readonly project: string;
      readonly id: string;
      readonly directory?: string;
      readonly started_at: string;
      readonly active_at: string;
      readonly ended_at?: string;
      readonly summary?: string;
    }
  | ObservationEntry
  | {
      readonly kind: "relation";
      readonly id: number;
      readonly from: string;
      readonly to: string;
      readonly type: string;
      readonly note?: string;
      readonly created_at: string;
    }
  | { readonly kind: "gone"; readonly uid: string; readonly at: string; readonly heir?: string };

export interface ObservationEntry extends Observation {
  readonly kind: "observation";
  readonly uid: string;
  readonly revisions: readonly ObservationRevision[];
}

const EXPORT_FORMAT = 1;
export const EXPORT_HEADER = { tenon: "memory", format: EXPORT_FORMAT } as const;

type FieldTest = (value: unknown) => boolean;
const isPlainText: FieldTest = (value) => typeof value === "string" && value.isWellFormed() && !value.includes("\0");
const isFilledText: FieldTest = (value) => isPlainText(value) && value !== "";
const isUtcTime: FieldTest = (value) => typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value);
const isHexUid: FieldTest = (value) => typeof value === "string" && /^[0-9a-f]{32}$/.test(value);
const isEntryCount: FieldTest = (value) => Number.isSafeInteger(value) && Number(value) >= 1;
const isMemoryScope: FieldTest = (value) => OBSERVATION_SCOPES.includes(value as (typeof OBSERVATION_SCOPES)[number]);
const isPlainTextList: FieldTest = (value) => Array.isArray(value) && value.every(isPlainText);
const allowMissing =
  (test: FieldTest): FieldTest =>
  (value) =>
    value === undefined || test(value);

const REVISION_FIELDS: Readonly<Record<string, FieldTest>> = {
  revision: isEntryCount,
  type: isFilledText,
  title: isFilledText,
  content: isPlainText,
  at: isUtcTime,
  source: allowMissing(isFilledText),
};

const ENTRY_FIELDS: Readonly<Record<MemoryEntry["kind"], Readonly<Record<string, FieldTest>>>> = {
  project: { name: isFilledText, aliases: isPlainTextList, places: isPlainTextList },
  session: {
    project: isFilledText,
    id: isFilledText,
    directory: allowMissing(isPlainText),
    started_at: isUtcTime,
    active_at: isUtcTime,
    ended_at: allowMissing(isUtcTime),
    summary: allowMissing(isPlainText),
  },
  observation: {
    uid: isHexUid,
    id: isEntryCount,
    project: isFilledText,
    session: isFilledText,
    scope: isMemoryScope,
    namespace: isPlainText,
    type: isFilledText,
    topic_key: allowMissing(isFilledText),
    source: allowMissing(isFilledText),
    revision: isEntryCount,
    duplicates: isEntryCount,
    created_at: isUtcTime,
    updated_at: isUtcTime,
    deleted_at: allowMissing(isUtcTime),
    title: isFilledText,
    content: isPlainText,
    revisions: (value) =>
      Array.isArray(value) && value.every((each) => findWrongField(each, REVISION_FIELDS) === undefined),
  },
  relation: {
    id: isEntryCount,
    from: isHexUid,
    to: isHexUid,
    type: isFilledText,
    note: allowMissing(isPlainText),
    created_at: isUtcTime,
  },
  gone: { uid: isHexUid, at: isUtcTime, heir: allowMissing(isHexUid) },
};

function findWrongField(value: unknown, shape: Readonly<Record<string, FieldTest>>): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "the line";
  const fields = new Map(Object.entries(value));
  const stranger = [...fields.keys()].find((name) => name !== "kind" && !Object.hasOwn(shape, name));
  return stranger ?? Object.entries(shape).find(([name, test]) => !test(fields.get(name)))?.[0];
}

export function parseMemoryEntry(file: string, line: string, number: number): MemoryEntry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw createBadLineFault(file, number, "It is not JSON.");
  }
  if (number === 1) return checkExportHeader(file, value);
  const kind: unknown = typeof value === "object" && value !== null && "kind" in value ? value.kind : undefined;
  const shape =
    typeof kind === "string" && Object.hasOwn(ENTRY_FIELDS, kind)
      ? ENTRY_FIELDS[kind as MemoryEntry["kind"]]
      : undefined;
  if (!shape)
    throw createBadLineFault(
      file,
      number,
      "It says none of the kinds project, session, observation, relation and gone.",
    );
  const wrong = findWrongField(value, shape);
  if (wrong !== undefined)
    throw createBadLineFault(file, number, `${sanitizeText(wrong, 40)} is missing, unknown or wrong.`);
  return value as MemoryEntry;
}

function checkExportHeader(file: string, value: unknown): undefined {
  const head = (typeof value === "object" && value !== null ? value : {}) as Partial<
    Record<keyof typeof EXPORT_HEADER, unknown>
  >;
  if (head.tenon !== EXPORT_HEADER.tenon)
    throw createBadLineFault(file, 1, "It is not the head of an export of Tenon's memory.");
  if (head.format !== EXPORT_FORMAT)
    throw createBadLineFault(
      file,
      1,
      `It has format ${sanitizeText(String(head.format), 20)}, and this Tenon reads ${EXPORT_FORMAT}.`,
    );
}

export function createBadLineFault(file: string, number: number, why: string): Fault {
  return new Fault("memory.bad-import", {
    what: `${sanitizeText(file, 200)} was not imported.`,
    why: `Line ${number}: ${why}`,
    fix: "Give a file that tenon memory export wrote, or the memory.db of Hoofy or engram.",
  });
}

/**
 * The `memory.db` of Hoofy or engram as entries. Both have the same tables; missing columns and tables count as empty.
 * The database is opened read-only and may be in use.
 */
export function* readForeignEntries(file: string, at: string): Generator<MemoryEntry> {
  using db = openForeignDatabase(file);
  const rowsOf = (table: string): Iterable<DatabaseRow> =>
    hasDatabaseTable(db, table)
      ? (db.prepare(`SELECT * FROM ${table} ORDER BY id`).iterate() as Iterable<DatabaseRow>)
      : [];
  const projects = new Map<string, string>();
  for (const row of rowsOf("sessions")) {
    const id = readForeignText(row["id"]);
    if (id === "") continue;
    projects.set(id, readForeignProject(row));
    const started = readForeignTime(row["started_at"]) ?? at;
    const ended = readForeignTime(row["ended_at"]);
    yield {
      kind: "session",
      project: readForeignProject(row),
      id,
      ...(readForeignText(row["directory"]) ? { directory: readForeignText(row["directory"]) } : {}),
      started_at: started,
      active_at: ended ?? started,
      ...(ended ? { ended_at: ended } : {}),
      ...(readForeignText(row["summary"]) ? { summary: readForeignText(row["summary"]) } : {}),
    };
  }
  const uids = new Map<number, string>();
  for (const row of rowsOf("observations")) {
    const entry = toForeignObservation(row, projects, at);
    uids.set(Number(row["id"]), entry.uid);
    yield entry;
  }
  for (const row of rowsOf("user_prompts")) yield toForeignPrompt(row, projects, at);
  for (const row of rowsOf("relations")) {
    const [from, to] = [uids.get(Number(row["from_id"])), uids.get(Number(row["to_id"]))];
    if (from === undefined || to === undefined) continue;
    yield {
      kind: "relation",
      id: Number(row["id"]),
      from,
      to,
      type: readForeignText(row["type"]) || "relates_to",
      ...(readForeignText(row["note"]) ? { note: readForeignText(row["note"]) } : {}),
      created_at: readForeignTime(row["created_at"]) ?? at,
    };
  }
}

function openForeignDatabase(file: string): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
    if (
      hasDatabaseTable(db, "observations") &&
      hasDatabaseTable(db, "sessions") &&
      !hasDatabaseTable(db, "project_places")
    )
      return db;
  } catch (error) {
    db?.close();
    throw createBadLineFault(file, 1, `SQLite says: ${error instanceof Error ? error.message : String(error)}.`);
  }
  const isOurs = hasDatabaseTable(db, "project_places");
  db.close();
  throw createBadLineFault(
    file,
    1,
    isOurs ? "It is a memory of Tenon itself: export it there first." : "It has no observations.",
  );
}

const hasDatabaseTable = (db: DatabaseSync, name: string): boolean =>
  db.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(name) !== undefined;

function toForeignObservation(
  row: DatabaseRow,
  projects: ReadonlyMap<string, string>,
  at: string,
): Extract<MemoryEntry, { kind: "observation" }> {
  const content = readForeignText(row["content"]);
  const session = readForeignText(row["session_id"]) || DEFAULT_MEMORY_SESSION;
  const created = readForeignTime(row["created_at"]) ?? at;
  const topic = normalizeTopicKey(readForeignText(row["topic_key"]));
  const deleted = readForeignTime(row["deleted_at"]);
  return {
    kind: "observation",
    uid: createForeignUid("observation", row, created, session),
    id: Math.max(1, Number(row["id"])),
    project: readForeignText(row["project"]) || projects.get(session) || GENERAL_PROJECT,
    session,
    scope: readForeignText(row["scope"]) === "personal" ? "personal" : "project",
    namespace: readForeignText(row["namespace"]),
    type: readForeignText(row["type"]) || "manual",
    ...(topic === "" ? {} : { topic_key: topic }),
    ...(readForeignText(row["tool_name"]) ? { source: readForeignText(row["tool_name"]) } : {}),
    revision: readForeignCount(row["revision_count"]),
    duplicates: readForeignCount(row["duplicate_count"]),
    created_at: created,
    updated_at: readForeignTime(row["updated_at"]) ?? created,
    ...(deleted ? { deleted_at: deleted } : {}),
    title: readForeignText(row["title"]).trim() || deriveTextTitle(content) || "Untitled",
    content,
    revisions: [],
  };
}

function toForeignPrompt(row: DatabaseRow, projects: ReadonlyMap<string, string>, at: string): MemoryEntry {
  const content = readForeignText(row["content"]);
  const session = readForeignText(row["session_id"]) || DEFAULT_MEMORY_SESSION;
  const created = readForeignTime(row["created_at"]) ?? at;
  return {
    kind: "observation",
    uid: createForeignUid(PROMPT_TYPE, row, created, session),
    id: Math.max(1, Number(row["id"])),
    project: readForeignText(row["project"]) || projects.get(session) || GENERAL_PROJECT,
    session,
    scope: "project",
    namespace: readForeignText(row["namespace"]),
    type: PROMPT_TYPE,
    revision: 1,
    duplicates: 1,
    created_at: created,
    updated_at: created,
    title: deriveTextTitle(content) || "Untitled",
    content,
    revisions: [],
  };
}

const readForeignProject = (row: DatabaseRow): string => readForeignText(row["project"]) || GENERAL_PROJECT;

/** A row keeps its uid across imports, even after an edit there. */
function createForeignUid(table: string, row: DatabaseRow, created: string, session: string): string {
  const known = readForeignText(row["sync_id"]);
  const parts = known === "" ? [table, Number(row["id"]), created, session] : [table, known];
  return createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, 32);
}

/** Foreign databases may hold split surrogate pairs and null characters; both are removed. */
function readForeignText(value: unknown): string {
  const said = value instanceof Uint8Array ? new TextDecoder().decode(value) : value;
  return typeof said === "string" ? said.toWellFormed().replaceAll("\0", "") : "";
}

const readForeignCount = (value: unknown): number => Math.max(1, Math.floor(Number(value ?? 1)) || 1);

/** `2026-01-31 12:00:00` is UTC there. */
function readForeignTime(value: unknown): string | undefined {
  const match = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)/.exec(readForeignText(value));
  return match ? `${match[1]}T${match[2]}Z` : undefined;
}
