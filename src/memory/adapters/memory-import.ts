import type { SqliteDatabase } from "#kernel/adapters/sqlite-database.ts";
import { toFileFault } from "#kernel/model/system-error.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { ProjectIdentity } from "#kernel/model/project-identity.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import type {
  MemoryEntry,
  MemoryImportResult,
  ObservationEntry,
  ObservationRevision,
} from "../model/memory-records.ts";
import { MAX_CONTENT_BYTES } from "../model/observation.ts";
import type { TextCleanFunction } from "../operations/ports/memory.ts";
import * as entries from "./import-entries.ts";
import { addProjectName, addProjectPlace, claimProjectNumber, claimSessionNumber } from "./memory-projects.ts";
import { type ObservationRow, SELECT_REVISIONS, selectObservationRows } from "./memory-tables.ts";
import * as store from "./observation-store.ts";
import { queryRows, runSqlProgram, selectRecords, type SqlProgram } from "./sql-program.ts";
import type { SqliteTerms } from "./sqlite-terms.ts";

const IMPORT_BATCH_SIZE = 200;
const MOST_CACHED_NAMES = 10_000;
/** Counters that continue from an imported number stay far below the largest safe integer. */
const LARGEST_IMPORT_NUMBER = 2 ** 48;

interface ImportState {
  readonly tally: Omit<MemoryImportResult, "kind">;
  readonly projects: Map<string, ProjectIdentity>;
  readonly index: SqliteTerms;
}

/** Validates the complete file first, then imports in batches so that others can write. It can be repeated. */
export async function importMemoryFile(
  db: SqliteDatabase,
  index: SqliteTerms,
  file: string,
  clean: TextCleanFunction,
  at: string,
): Promise<MemoryImportResult> {
  const isForeign = entries.readFileMagic(file) === entries.SQLITE_MAGIC;
  const readEntries = (): Iterable<MemoryEntry> =>
    isForeign ? entries.readForeignEntries(file, at) : entries.readImportLines(file);
  try {
    for (const entry of readEntries()) assertEntryLimits(file, entry);
  } catch (error) {
    if (!isForeign || error instanceof Fault) throw toFileFault(error, file, "read");
    const why = sanitizeText(error instanceof Error ? error.message : String(error), 200);
    throw entries.createBadLineFault(file, 1, `SQLite says: ${why}.`);
  }
  const tally = { read: 0, added: 0, updated: 0, unchanged: 0, buried: 0 };
  const state: ImportState = { tally, projects: new Map(), index };
  const known = new Map<string, Promise<string>>();
  const cleanName: TextCleanFunction = (name) => {
    const cleaned = known.get(name) ?? clean(name);
    if (known.size < MOST_CACHED_NAMES) known.set(name, cleaned);
    return cleaned;
  };
  let batch: MemoryEntry[] = [];
  const flush = async (): Promise<void> => {
    const cleaned = await Promise.all(batch.map((entry) => cleanMemoryEntry(entry, clean, cleanName)));
    batch = [];
    await db.alone(() => {
      index.forgetWritten();
      for (const entry of cleaned) runSqlProgram(db, importEntry(entry, state, at));
    });
  };
  for (const entry of readEntries()) {
    batch.push(entry);
    if (batch.length === IMPORT_BATCH_SIZE) await flush();
  }
  await flush();
  return { kind: isForeign ? "a memory of Hoofy or engram" : "an export of Tenon", ...tally };
}

function assertEntryLimits(file: string, entry: MemoryEntry): void {
  if (entry.kind !== "observation") return;
  const what = `${sanitizeText(file, 200)} was not imported.`;
  const sizes = [entry, ...entry.revisions].map(({ content }) => Buffer.byteLength(content));
  const long = sizes.find((size) => size > MAX_CONTENT_BYTES);
  if (long !== undefined) {
    const why = `The text of ${entry.id} has ${long} bytes; the limit is ${MAX_CONTENT_BYTES}.`;
    throw new Fault("memory.too-long", { what, why, fix: "Shorten it at its source, and export it again." });
  }
  const numbers = [entry.id, entry.revision, entry.duplicates, ...entry.revisions.map(({ revision }) => revision)];
  const wrong = numbers.find((each) => !Number.isSafeInteger(each) || each > LARGEST_IMPORT_NUMBER);
  if (wrong === undefined) return;
  const why = `An observation has the number ${wrong}, and ${LARGEST_IMPORT_NUMBER} is the largest.`;
  throw new Fault("memory.bad-import", { what, why, fix: "Correct it at its source, and export it again." });
}

const NAME_FIELDS = /^(?:name|aliases|places|project|id|directory|type|session|namespace|topic_key|source)$/;
const TEXT_FIELDS = /^(?:summary|note|title|content)$/;

/** Cleans every text of an entry. Names recur, so their results are cached. */
async function cleanMemoryEntry<T extends object>(
  entry: T,
  clean: TextCleanFunction,
  names: TextCleanFunction,
): Promise<T> {
  const cleanField = async (field: string, value: unknown): Promise<unknown> => {
    if (Array.isArray(value)) return Promise.all(value.map((each) => cleanField(field, each)));
    if (typeof value === "object" && value !== null) return cleanMemoryEntry(value, clean, names);
    if (typeof value !== "string") return value;
    return NAME_FIELDS.test(field) ? names(value) : TEXT_FIELDS.test(field) ? clean(value) : value;
  };
  const fields = Object.entries(entry).map(async ([field, value]) => [field, await cleanField(field, value)]);
  return Object.fromEntries(await Promise.all(fields)) as T;
}

const findImportedProject = ({ projects }: ImportState, name: string): ProjectIdentity =>
  projects.get(name) ?? { name, places: [] };

/** Imports one entry. A known state changes nothing; a newer one becomes the current text. */
function* importEntry(entry: MemoryEntry, into: ImportState, at: string): SqlProgram<void> {
  switch (entry.kind) {
    case "project": {
      // Folders differ between machines, so they are stored but do not identify the project.
      const places = entry.places.filter((place) => place.startsWith("remote:"));
      into.projects.set(entry.name, { name: entry.name, places });
      const project = yield* claimProjectNumber(findImportedProject(into, entry.name), at);
      for (const place of entry.places) yield* addProjectPlace(place, project);
      for (const name of entry.aliases) yield* addProjectName(name, project);
      return;
    }
    case "session": {
      const { id, directory = null, started_at, active_at, ended_at = null, summary = null } = entry;
      const project = yield* claimProjectNumber(findImportedProject(into, entry.project), at);
      yield* queryRows(IMPORT_SESSION, project, id, directory, started_at, active_at, ended_at, summary);
      return;
    }
    case "observation":
      return yield* importObservation(entry, into, at);
    case "relation": {
      const [from, to] = [yield* findObservationId(entry.from), yield* findObservationId(entry.to)];
      if (from === undefined || to === undefined || from === to) return;
      const isFree = (yield* queryRows("SELECT 1 FROM relations WHERE id = ?", entry.id)).length === 0;
      const relation = { from, to, type: entry.type, note: entry.note };
      yield* store.insertRelation(isFree ? { ...relation, id: entry.id } : relation, entry.created_at);
      return;
    }
    case "gone": {
      // Only for an unknown uid: an import never deletes.
      if ((yield* findObservationId(entry.uid)) !== undefined) return;
      const heir = entry.heir === undefined ? undefined : yield* findObservationId(entry.heir);
      yield* queryRows("INSERT OR IGNORE INTO gone VALUES (?, ?, ?)", decodeUid(entry.uid), entry.at, heir ?? null);
    }
  }
}

const IMPORT_SESSION = `
  INSERT INTO sessions (project, id, directory, started_at, active_at, ended_at, summary) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (project, id) DO UPDATE SET
    started_at = min(started_at, excluded.started_at), active_at = max(active_at, excluded.active_at),
    directory = coalesce(directory, excluded.directory), ended_at = coalesce(ended_at, excluded.ended_at),
    summary = coalesce(summary, excluded.summary)`;

function* importObservation(entry: ObservationEntry, into: ImportState, at: string): SqlProgram<void> {
  const { tally, index } = into;
  const { topic_key } = entry;
  const owner = findImportedProject(into, entry.project);
  const uid = decodeUid(entry.uid);
  tally.read++;
  const [gone] = yield* queryRows("SELECT heir FROM gone WHERE uid = ?", uid);
  if (gone?.["heir"] === null) {
    tally.buried++;
    return;
  }
  const [ours] = gone ? [] : yield* selectObservationRows("o.uid = ?", uid);
  if (gone || ours) {
    const isNews = ours
      ? yield* mergeNewerState(index, ours, entry)
      : yield* mergeHistories(index, yield* store.readObservationRow(Number(gone?.["heir"])), entry, false);
    tally[isNews ? "updated" : "unchanged"]++;
    return;
  }
  const isLiveTopic = topic_key !== undefined && entry.deleted_at === undefined;
  const holder = isLiveTopic ? yield* store.findTopicRow({ ...entry, project: owner, topic_key }) : undefined;
  if (holder) {
    yield* mergeHistories(index, holder, entry, false);
    yield* queryRows("INSERT INTO gone VALUES (?, ?, ?)", uid, at, holder.id);
    tally.updated++;
    return;
  }
  const project_no = yield* claimProjectNumber(owner, at);
  const session_no = yield* claimSessionNumber(project_no, entry.session, entry.created_at);
  const id = yield* store.reserveObservationId(entry.id);
  yield* store.addObservationRow(index, { ...entry, id, uid, project_no, session_no });
  for (const revision of entry.revisions) yield* addImportedRevision(id, revision, revision.revision);
  tally.added++;
}

/** Merges another state of the same observation: the later one wins. Returns whether anything changed. */
function* mergeNewerState(index: SqliteTerms, ours: ObservationRow, entry: ObservationEntry): SqlProgram<boolean> {
  const { id } = ours;
  const { scope, topic_key, deleted_at: deleted } = entry;
  const readRow = (): SqlProgram<ObservationRow> => store.readObservationRow(id);
  const isLater = entry.updated_at > ours.updated_at;
  const isSaid = ours.type === entry.type && ours.title === entry.title && ours.content === entry.content;
  if (isLater && isSaid) yield* queryRows("UPDATE observations SET updated_at = ? WHERE id = ?", entry.updated_at, id);
  const hasMore = yield* mergeHistories(index, isLater && isSaid ? yield* readRow() : ours, entry, true);
  const isDeleted = deleted !== undefined && ours.deleted_at === undefined && deleted > ours.updated_at;
  if (isDeleted) yield* store.softDeleteObservation(index, yield* readRow(), deleted);
  const now = yield* readRow();
  const isMoved =
    isLater &&
    (now.topic_key !== topic_key || now.scope !== scope) &&
    (yield* store.findTopicHolder({ ...now, topic_key, scope })) === undefined;
  if (isMoved) {
    const move = "UPDATE observations SET topic_key = ?, scope = ? WHERE id = ?";
    yield* queryRows(move, topic_key ?? null, scope, id);
  }
  const isBack =
    deleted === undefined && isLater && ours.deleted_at !== undefined && ours.deleted_at < entry.updated_at;
  if (isBack && (yield* store.findTopicHolder(yield* readRow())) === undefined)
    yield* store.restoreObservation(index, id, entry.updated_at);
  return hasMore || isDeleted || isBack || isMoved;
}

type RevisionText = Omit<ObservationRevision, "revision">;

/**
 * Merges two histories: the later text becomes current, all others become revisions. Returns whether there were new
 * ones. For the same observation a recurring text is a new revision; for two different ones the same text is not new.
 */
function* mergeHistories(
  index: SqliteTerms,
  row: ObservationRow,
  entry: ObservationEntry,
  isSame: boolean,
): SqlProgram<boolean> {
  const { id } = row;
  const keyOf = (text: RevisionText): string =>
    JSON.stringify([text.type, text.title, text.content, ...(isSame ? [text.at] : [])]);
  const ours = { ...row, at: row.updated_at };
  const theirs = { ...entry, at: entry.updated_at };
  const isLater = theirs.at > ours.at || (isSame && theirs.at === ours.at && entry.revision > row.revision);
  const isReplaced = isLater && keyOf(theirs) !== keyOf(ours);
  if (isReplaced)
    yield* store.replaceObservationText(index, row, { ...entry, source: entry.source ?? null }, theirs.at);
  const revisions = yield* selectRecords<RevisionText>(`${SELECT_REVISIONS} WHERE observation = ?`, id);
  const known = new Set([ours, ...revisions].map(keyOf));
  const more = [...entry.revisions, ...(isReplaced ? [] : [theirs])].filter((text) => !known.has(keyOf(text)));
  for (const text of more) yield* addImportedRevision(id, text, isSame ? text.revision : undefined);
  if (isSame) yield* queryRows("UPDATE observations SET revision = max(revision, ?) WHERE id = ?", entry.revision, id);
  return isReplaced || more.length > 0;
}

function* addImportedRevision(id: number, text: RevisionText, wanted?: number): SqlProgram<void> {
  const taken = "SELECT 1 FROM revisions WHERE observation = ? AND revision = ?";
  const isFree = wanted !== undefined && (yield* queryRows(taken, id, wanted)).length === 0;
  const [row] = yield* queryRows("SELECT revision FROM observations WHERE id = ?", id);
  const number = isFree ? wanted : Number(row?.["revision"]);
  const { type, title, content, at, source = null } = text;
  yield* queryRows("INSERT INTO revisions VALUES (?, ?, ?, ?, ?, ?, ?)", id, number, type, title, content, at, source);
  yield* queryRows("UPDATE observations SET revision = max(revision, ?) WHERE id = ?", number + 1, id);
}

function* findObservationId(uid: string): SqlProgram<number | undefined> {
  const blob = decodeUid(uid);
  const sql =
    "SELECT id FROM observations WHERE uid = ? UNION ALL SELECT heir FROM gone WHERE uid = ? AND heir IS NOT NULL";
  const [row] = yield* queryRows(sql, blob, blob);
  return row && Number(row["id"]);
}

const decodeUid = (uid: string): Uint8Array => Buffer.from(uid, "hex");
