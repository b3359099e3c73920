import { createHash } from "node:crypto";
import { Fault, IMPORT_ADVICE, UNSEALED_RECORD_REASON } from "#kernel/model/fault.ts";
import { type PlainYamlNode, formatPlainYaml, parsePlainYaml } from "#kernel/model/plain-yaml.ts";
import type { WorkspacePath } from "#kernel/model/workspace-paths.ts";
import type { StoredRecordShape, RevisedRecord } from "../operations/ports/store.ts";

const MOST_RECORD_CHARACTERS = 1024 * 1024;

export type RecordFormat = "json" | "yaml";

export const getRecordFormat = (path: string): RecordFormat => (path.endsWith(".yaml") ? "yaml" : "json");

/** A record as text. The checksum covers the content, not the bytes, so line endings may change. */
export function sealRecord(record: RevisedRecord, form: RecordFormat = "json"): string {
  const { checksum: _, ...bare } = record as RevisedRecord & { checksum?: unknown };
  const json = JSON.stringify({ ...bare, checksum: computeRecordChecksum(bare) }, null, 2);
  const text = form === "json" ? `${json}\n` : formatRecordYaml(json);
  if (text.length > MOST_RECORD_CHARACTERS)
    throw new RangeError(`A record of ${text.length} characters could not be read again.`);
  return text;
}

/** The YAML reader has a lower depth limit than JSON, so the text is checked. */
function formatRecordYaml(json: string): string {
  const text = formatPlainYaml(JSON.parse(json) as { [key: string]: PlainYamlNode });
  const found = parsePlainYaml(text);
  if ("problem" in found) throw new RangeError(`A record could not be read again: ${found.problem}`);
  return text;
}

/** A cache of opened records: a server reads the same texts repeatedly, and records are immutable. */
const openedRecords = new Map<
  WorkspacePath,
  { readonly text: string; readonly trust: unknown; readonly record: RevisedRecord }
>();
const MOST_OPENED_RECORDS = 10_000;

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
  if (checksum === undefined)
    throw createCorruptRecordFault(path, "It is nested more deeply than it could be written again.");
  if (isSealed && isForeignRecord(value)) throw createUnsealedFault(path);
  if (isSealed && value["checksum"] !== checksum) {
    throw createCorruptRecordFault(
      path,
      "Its checksum does not fit: it was edited by hand, or a merge joined two versions.",
    );
  }
  const { schema, rev } = value;
  if (typeof schema === "number" && schema > shape.schema) {
    throw new Fault("record.newer", {
      what: `${path} cannot be used.`,
      why: `It has schema ${schema}, and this version of Tenon knows ${shape.schema}.`,
      fix: "Install a newer Tenon.",
    });
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
  if (text.length > MOST_RECORD_CHARACTERS)
    throw createCorruptRecordFault(
      path,
      `It has ${text.length} characters, and a record at most ${MOST_RECORD_CHARACTERS}.`,
    );
  return getRecordFormat(path) === "json" ? parseRecordJson(path, text) : parseRecordYaml(path, text);
}

function parseRecordJson(path: WorkspacePath, text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw createCorruptRecordFault(path, "It is not valid JSON: it is torn, or has merge marks.");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw createCorruptRecordFault(path, "It is not an object.");
  return value as Record<string, unknown>;
}

function parseRecordYaml(path: WorkspacePath, text: string): Record<string, unknown> {
  const found = parsePlainYaml(text);
  if ("value" in found) return found.value;
  throw createCorruptRecordFault(
    path,
    `Its line ${found.line} is not as Tenon writes YAML: it is torn, or has merge marks.`,
  );
}

function computeRecordChecksum(record: object): string {
  const { checksum: _, ...bare } = record as { checksum?: unknown };
  return `sha256:${createHash("sha256").update(JSON.stringify(bare)).digest("hex")}`;
}

function tryRecordChecksum(record: object): string | undefined {
  try {
    return computeRecordChecksum(record);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const isForeignRecord = (value: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(value).length > 0 && ["checksum", "schema", "rev"].every((name) => value[name] === undefined);

function createUnsealedFault(path: WorkspacePath): Fault {
  return new Fault("record.corrupt", {
    what: `${path} cannot be trusted.`,
    why: UNSEALED_RECORD_REASON,
    fix: IMPORT_ADVICE,
  });
}

export function createCorruptRecordFault(path: WorkspacePath, why: string): Fault {
  return new Fault("record.corrupt", {
    what: `${path} cannot be trusted.`,
    why,
    fix: [
      `If it is committed, go back to that revision: git checkout -- ${path}`,
      `If a person meant the edit: tenon doctor --reseal ${path}`,
    ],
  });
}
