import { Fault } from "../fault.ts";
import {
  findInvalidField,
  type RecordField,
  isArrayMatching,
  isPlainObject,
  isAllowedValue,
  isBoundedText,
  isTimestamp,
} from "../flow/shape.ts";
import { quote } from "../quote.ts";
import { nameOfTag, type Said } from "../scan/tags.ts";

export const ROLES = ["code", "test"] as const;
export type Role = (typeof ROLES)[number];

export interface TracedSymbol {
  /** Its name within the file; empty for the file itself. */
  readonly ref: string;
  readonly path: string;
  readonly hash: string;
  readonly role: Role;
}

/** Records that code was accepted for a requirement. Content of `sdd/trace/<id>.json`. */
export interface Acceptance {
  readonly id: TraceId;
  /** Hash of the requirement's text; missing if no document defines it. */
  readonly spec_hash?: string;
  /** Sorted, so that equal acceptances have equal text. */
  readonly symbols: readonly TracedSymbol[];
  /** The commit that was checked out. The symbols may have been uncommitted. */
  readonly commit?: string;
  readonly at: string;
  readonly by: string;
  readonly reason: string;
  readonly schema: 1;
  readonly rev: number;
}

declare const brand: unique symbol;
/** Id of a requirement, rule, spec or criterion: `AUTH-001`, `AUTH-001.AC-2`, `FR-003`, `user-login.S1.AC2`. */
export type TraceId = string & { readonly [brand]: "TraceId" };

const SPEC = "[A-Z][A-Z0-9]{0,31}-[0-9]{3,6}";
const FEATURE = "[a-z0-9]{1,60}(?:-[a-z0-9]{1,60}){0,29}";
const PATTERN = new RegExp(String.raw`^(?:(${SPEC})(?:\.(AC-[0-9]{1,4}))?|(${FEATURE})\.(S[0-9]{1,4}\.AC[0-9]{1,4}))$`);
const LONGEST = 100;

export const isTraceId = (text: string): text is TraceId => text.length <= LONGEST && PATTERN.test(text);

export function readTraceId(text: string): TraceId {
  if (isTraceId(text)) return text;
  throw new Fault("trace.bad-id", {
    what: `${quote(text, 60)} names no requirement.`,
    why: "That is a spec, a requirement or a criterion: AUTH-001, FR-003, AUTH-001.AC-2, user-login.S1.AC2.",
    fix: { operation: "trace.drift" },
  });
}

/** `AUTH-001.AC-2` is a criterion of `AUTH-001`. */
export function partsOf(id: TraceId): { readonly spec: string; readonly criterion?: string } {
  const [, spec, criterion, feature, story] = PATTERN.exec(id) ?? [];
  const part = criterion ?? story;
  return { spec: spec ?? feature ?? "", ...(part === undefined ? {} : { criterion: part }) };
}

export function idOfTag(tag: Said): TraceId | undefined {
  const id = nameOfTag(tag);
  return isTraceId(id) ? id : undefined;
}

const key = ({ role, path, ref, hash }: TracedSymbol): string => [role, path, ref, hash].join("\0");

export const inOneOrder = (symbols: readonly TracedSymbol[]): TracedSymbol[] =>
  [...new Map(symbols.map((each) => [key(each), each])).entries()]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { ref, path, hash, role }]) => ({ ref, path, hash, role }));

/** Far above any real requirement. A crafted record must not flood an answer. */
const MOST_SYMBOLS = 5_000;

export function acceptanceProblem(value: unknown, id: string): string | undefined {
  if (!isPlainObject(value)) return "it is not an object";
  const fields: RecordField[] = [
    ["id", () => value["id"] === id && isTraceId(id)],
    ["spec_hash", () => value["spec_hash"] === undefined || isHash(value["spec_hash"])],
    [
      "symbols",
      () => isArrayMatching(value["symbols"], isSymbol) && (value["symbols"] as unknown[]).length <= MOST_SYMBOLS,
    ],
    ["commit", () => value["commit"] === undefined || isCommit(value["commit"])],
    ["at", () => isTimestamp(value["at"])],
    ["by", () => isBoundedText(value["by"], 400)],
    ["reason", () => isBoundedText(value["reason"], 4_000)],
  ];
  return findInvalidField(fields);
}

/** Call only after `findAcceptanceProblem` found nothing. */
export const asAcceptance = (value: unknown): Acceptance => value as Acceptance;

const isHash = (value: unknown): boolean => typeof value === "string" && /^[0-9a-f]{8,64}$/.test(value);
const isCommit = (value: unknown): boolean => typeof value === "string" && /^[0-9a-f]{40,64}$/.test(value);

const isSymbol = (value: unknown): boolean =>
  isPlainObject(value) &&
  isBoundedText(value["ref"], 1_000) &&
  isBoundedText(value["path"], 4_096) &&
  isHash(value["hash"]) &&
  isAllowedValue(ROLES, value["role"]);
