import { hashText } from "#kernel/adapters/content-hash.ts";
import { Fault, IMPORT_ADVICE, UNSEALED_RECORD_REASON } from "#kernel/model/fault.ts";
import { type PlainYamlNode, formatPlainYaml, parsePlainYaml } from "#kernel/model/plain-yaml.ts";
import { isPlainObject } from "#kernel/model/plain-object.ts";
import type { WorkspacePath } from "#kernel/model/workspace-paths.ts";
import type { StoredRecordShape, RevisedRecord } from "../operations/ports/store.ts";

const MOST_RECORD_CHARACTERS = 1024 * 1024;

export type RecordFormat = "json" | "yaml";

export const getRecordFormat = (path: string): RecordFormat => (path.endsWith(".yaml") ? "yaml" : "json");

/** A record as text. The checksum covers the content, not the bytes, so line endings may change. */
export function sealRecord(record: RevisedRecord, form: RecordFormat = "json"): string {
  const { checksum: _, ...bare } = record as RevisedRecord & { checksum?: unknown };
  const json = JSON.stringify({ ...bare, checksum: computeRecordChecksum(bare) }, null, 2);
  const text = form === "json" ? `${json}\n` : formatPlainYaml(JSON.parse(json) as { [key: string]: PlainYamlNode });
  // The YAML reader has a lower depth limit than JSON.
  const found = form === "yaml" ? parsePlainYaml(text) : undefined;
  if (found && "problem" in found) throw new RangeError(`A record could not be read again: ${found.problem}`);
  if (text.length > MOST_RECORD_CHARACTERS)
    throw new RangeError(`A record of ${text.length} characters could not be read again.`);
  return text;
}

type OpenedRecord = { readonly text: string; readonly trust: unknown; readonly record: RevisedRecord };
/** A cache of opened records: a server reads the same texts repeatedly, and records are immutable. */
const openedRecords = new Map<WorkspacePath, OpenedRecord>();
const MOST_OPENED_RECORDS = 20_000;

export function openSealedRecord<T extends RevisedRecord>(
  path: WorkspacePath,
  text: string,
  shape: StoredRecordShape<T>,
): T {
  const known = openedRecords.get(path);
  if (known?.text === text && known.trust === shape.trust) return known.record as T;
  const record = openRecord(path, text, shape);
  if (openedRecords.size >= MOST_OPENED_RECORDS) openedRecords.clear();
  openedRecords.set(path, { text, trust: shape.trust, record });
  return record;
}

/** Parses a record and checks its seal and shape. Keeps unknown fields. */
export function openRecord<T extends RevisedRecord>(
  path: WorkspacePath,
  text: string,
  shape: StoredRecordShape<T>,
  isSealed = true,
): T {
  const value = parseRecordText(path, text);
  const checksum = tryRecordChecksum(value);
  if (checksum === undefined) throw createCorruptRecordFault(path, "It is nested too deeply.");
  const isForeign = Object.keys(value).length > 0 && !("checksum" in value || "schema" in value || "rev" in value);
  if (isSealed && isForeign) throw createCorruptRecordFault(path, UNSEALED_RECORD_REASON, IMPORT_ADVICE);
  if (isSealed && value["checksum"] !== checksum) {
    const why = "Its checksum does not match: it was edited by hand, or a merge joined two versions.";
    throw createCorruptRecordFault(path, why);
  }
  const { schema, rev } = value;
  if (typeof schema === "number" && schema > shape.schema) {
    const why = `It has schema ${schema}, and this version of Tenon knows ${shape.schema}.`;
    throw new Fault("record.newer", { what: `${path} cannot be used.`, why, fix: "Install a newer Tenon." });
  }
  const problem =
    schema === shape.schema && Number.isSafeInteger(rev) && (rev as number) > 0
      ? shape.problem(value)
      : `its field "${schema === shape.schema ? "rev" : "schema"}" is missing or wrong`;
  if (problem !== undefined) throw createCorruptRecordFault(path, `In it, ${problem}.`);
  return shape.trust(value);
}

export const readRecordRevision = (path: WorkspacePath, text: string): number =>
  Number(parseRecordText(path, text)["rev"]);

function parseRecordText(path: WorkspacePath, text: string): Record<string, unknown> {
  const size = `It has ${text.length} characters, and a record at most ${MOST_RECORD_CHARACTERS}.`;
  if (text.length > MOST_RECORD_CHARACTERS) throw createCorruptRecordFault(path, size);
  if (getRecordFormat(path) === "yaml") {
    const found = parsePlainYaml(text);
    if ("value" in found) return found.value;
    const why = `Its line ${found.line} is not YAML as Tenon writes it: the file is cut off or has merge marks.`;
    throw createCorruptRecordFault(path, why);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw createCorruptRecordFault(path, "It is not valid JSON: the file is cut off or has merge marks.");
  }
  if (!isPlainObject(value)) throw createCorruptRecordFault(path, "It is not an object.");
  return value;
}

function computeRecordChecksum(record: object): string {
  const { checksum: _, ...bare } = record as { checksum?: unknown };
  return `sha256:${hashText(JSON.stringify(bare))}`;
}

function tryRecordChecksum(record: object): string | undefined {
  try {
    return computeRecordChecksum(record);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

export function createCorruptRecordFault(path: WorkspacePath, why: string, advice?: string): Fault {
  const fix = [
    `If it is committed, restore that version: git checkout -- ${path}`,
    `If a person edited it on purpose: tenon doctor --reseal ${path}`,
  ];
  return new Fault("record.corrupt", { what: `${path} cannot be trusted.`, why, fix: advice ?? fix });
}
