import { createHash } from "node:crypto";
import { Fault } from "#domain/fault.ts";
import { type PlainYamlNode, formatPlainYaml } from "#domain/plain-yaml.ts";
import { parsePlainYaml } from "#domain/read-plain-yaml.ts";
import { IMPORT_ADVICE, UNSEALED_RECORD_REASON } from "#domain/unsealed.ts";
import type { WorkspacePath } from "#domain/workspace/path.ts";
import type { StoredRecordShape, RevisedRecord } from "#operations/ports/store.ts";

const LIMIT = 1024 * 1024;

export type Form = "json" | "yaml";

export const formOf = (path: string): Form => (path.endsWith(".yaml") ? "yaml" : "json");

/** A record as text. The checksum covers the content, not the bytes, so line endings may change. */
export function sealRecord(record: RevisedRecord, form: Form = "json"): string {
  const { checksum: _, ...bare } = record as RevisedRecord & { checksum?: unknown };
  const json = JSON.stringify({ ...bare, checksum: checksumOf(bare) }, null, 2);
  const text = form === "json" ? `${json}\n` : asYaml(json);
  if (text.length > LIMIT) throw new RangeError(`A record of ${text.length} characters could not be read again.`);
  return text;
}

/** The YAML reader has a lower depth limit than JSON, so the text is checked. */
function asYaml(json: string): string {
  const text = formatPlainYaml(JSON.parse(json) as { [key: string]: PlainYamlNode });
  const found = parsePlainYaml(text);
  if ("problem" in found) throw new RangeError(`A record could not be read again: ${found.problem}`);
  return text;
}

/** A cache of opened records: a server reads the same texts repeatedly, and records are immutable. */
const opened = new Map<
  WorkspacePath,
  { readonly text: string; readonly trust: unknown; readonly record: RevisedRecord }
>();
const MOST_OPENED = 10_000;

export function openSealed<T extends RevisedRecord>(path: WorkspacePath, text: string, shape: StoredRecordShape<T>): T {
  const known = opened.get(path);
  if (known?.text === text && known.trust === shape.trust) return known.record as T;
  const record = openRecord(path, text, shape);
  if (opened.size >= MOST_OPENED) opened.clear();
  opened.set(path, { text, trust: shape.trust, record });
  return record;
}

/** Parses a record and checks its seal and shape. Keeps unknown fields. */
export function openRecord<T extends RevisedRecord>(
  path: WorkspacePath,
  text: string,
  shape: StoredRecordShape<T>,
  isSealed = true,
): T {
  const value = parse(path, text);
  const checksum = checksumIfFlat(value);
  if (checksum === undefined) throw corrupt(path, "It is nested more deeply than it could be written again.");
  if (isSealed && isForeign(value)) throw unsealed(path);
  if (isSealed && value["checksum"] !== checksum) {
    throw corrupt(path, "Its checksum does not fit: it was edited by hand, or a merge joined two versions.");
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
  if (problem !== undefined) throw corrupt(path, `In it, ${problem}.`);
  return shape.trust(value);
}

export const revisionIn = (path: WorkspacePath, text: string): number => Number(parse(path, text)["rev"]);

function parse(path: WorkspacePath, text: string): Record<string, unknown> {
  if (text.length > LIMIT) throw corrupt(path, `It has ${text.length} characters, and a record at most ${LIMIT}.`);
  return formOf(path) === "json" ? parseJson(path, text) : parseYaml(path, text);
}

function parseJson(path: WorkspacePath, text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw corrupt(path, "It is not valid JSON: it is torn, or has merge marks.");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw corrupt(path, "It is not an object.");
  return value as Record<string, unknown>;
}

function parseYaml(path: WorkspacePath, text: string): Record<string, unknown> {
  const found = parsePlainYaml(text);
  if ("value" in found) return found.value;
  throw corrupt(path, `Its line ${found.line} is not as Tenon writes YAML: it is torn, or has merge marks.`);
}

function checksumOf(record: object): string {
  const { checksum: _, ...bare } = record as { checksum?: unknown };
  return `sha256:${createHash("sha256").update(JSON.stringify(bare)).digest("hex")}`;
}

function checksumIfFlat(record: object): string | undefined {
  try {
    return checksumOf(record);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const isForeign = (value: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(value).length > 0 && ["checksum", "schema", "rev"].every((name) => value[name] === undefined);

function unsealed(path: WorkspacePath): Fault {
  return new Fault("record.corrupt", {
    what: `${path} cannot be trusted.`,
    why: UNSEALED_RECORD_REASON,
    fix: IMPORT_ADVICE,
  });
}

export function corrupt(path: WorkspacePath, why: string): Fault {
  return new Fault("record.corrupt", {
    what: `${path} cannot be trusted.`,
    why,
    fix: [
      `If it is committed, go back to that revision: git checkout -- ${path}`,
      `If a person meant the edit: tenon doctor --reseal ${path}`,
    ],
  });
}
