import { Fault } from "#domain/fault.ts";
import { sanitizeText } from "#domain/quote.ts";
import { type Observation, OBSERVATION_SCOPES } from "#domain/memory/observation.ts";
import type { ObservationRevision } from "#operations/ports/memory.ts";

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
