import { Fault } from "#domain/fault.ts";
import { sanitizeText } from "#domain/quote.ts";
import { type Observation, SCOPES } from "#domain/memory/observation.ts";
import type { ObservationRevision } from "#operations/ports/memory.ts";

/** A line of an export. References use `uid`, because numbers are local to one database. */
export type Entry =
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

const FORMAT = 1;
export const HEAD = { tenon: "memory", format: FORMAT } as const;

type Test = (value: unknown) => boolean;
const isText: Test = (value) => typeof value === "string" && value.isWellFormed() && !value.includes("\0");
const isName: Test = (value) => isText(value) && value !== "";
const isTime: Test = (value) => typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value);
const isUid: Test = (value) => typeof value === "string" && /^[0-9a-f]{32}$/.test(value);
const isCount: Test = (value) => Number.isSafeInteger(value) && Number(value) >= 1;
const isScope: Test = (value) => SCOPES.includes(value as (typeof SCOPES)[number]);
const isTexts: Test = (value) => Array.isArray(value) && value.every(isText);
const maybe =
  (test: Test): Test =>
  (value) =>
    value === undefined || test(value);

const REVISION: Readonly<Record<string, Test>> = {
  revision: isCount,
  type: isName,
  title: isName,
  content: isText,
  at: isTime,
  source: maybe(isName),
};

const SHAPES: Readonly<Record<Entry["kind"], Readonly<Record<string, Test>>>> = {
  project: { name: isName, aliases: isTexts, places: isTexts },
  session: {
    project: isName,
    id: isName,
    directory: maybe(isText),
    started_at: isTime,
    active_at: isTime,
    ended_at: maybe(isTime),
    summary: maybe(isText),
  },
  observation: {
    uid: isUid,
    id: isCount,
    project: isName,
    session: isName,
    scope: isScope,
    namespace: isText,
    type: isName,
    topic_key: maybe(isName),
    source: maybe(isName),
    revision: isCount,
    duplicates: isCount,
    created_at: isTime,
    updated_at: isTime,
    deleted_at: maybe(isTime),
    title: isName,
    content: isText,
    revisions: (value) => Array.isArray(value) && value.every((each) => wrongField(each, REVISION) === undefined),
  },
  relation: { id: isCount, from: isUid, to: isUid, type: isName, note: maybe(isText), created_at: isTime },
  gone: { uid: isUid, at: isTime, heir: maybe(isUid) },
};

function wrongField(value: unknown, shape: Readonly<Record<string, Test>>): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "the line";
  const fields = new Map(Object.entries(value));
  const stranger = [...fields.keys()].find((name) => name !== "kind" && !Object.hasOwn(shape, name));
  return stranger ?? Object.entries(shape).find(([name, test]) => !test(fields.get(name)))?.[0];
}

export function readEntry(file: string, line: string, number: number): Entry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw badLine(file, number, "It is not JSON.");
  }
  if (number === 1) return readHead(file, value);
  const kind: unknown = typeof value === "object" && value !== null && "kind" in value ? value.kind : undefined;
  const shape = typeof kind === "string" && Object.hasOwn(SHAPES, kind) ? SHAPES[kind as Entry["kind"]] : undefined;
  if (!shape)
    throw badLine(file, number, "It says none of the kinds project, session, observation, relation and gone.");
  const wrong = wrongField(value, shape);
  if (wrong !== undefined) throw badLine(file, number, `${sanitizeText(wrong, 40)} is missing, unknown or wrong.`);
  return value as Entry;
}

function readHead(file: string, value: unknown): undefined {
  const head = (typeof value === "object" && value !== null ? value : {}) as Partial<
    Record<keyof typeof HEAD, unknown>
  >;
  if (head.tenon !== HEAD.tenon) throw badLine(file, 1, "It is not the head of an export of Tenon's memory.");
  if (head.format !== FORMAT)
    throw badLine(file, 1, `It has format ${sanitizeText(String(head.format), 20)}, and this Tenon reads ${FORMAT}.`);
}

export function badLine(file: string, number: number, why: string): Fault {
  return new Fault("memory.bad-import", {
    what: `${sanitizeText(file, 200)} was not imported.`,
    why: `Line ${number}: ${why}`,
    fix: "Give a file that tenon memory export wrote, or the memory.db of Hoofy or engram.",
  });
}
