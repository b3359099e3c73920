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
import { formatTagName, type TagTarget } from "../scan/tags.ts";

export const SYMBOL_ROLES = ["code", "test"] as const;
export type SymbolRole = (typeof SYMBOL_ROLES)[number];

export interface TracedSymbol {
  /** Its name within the file; empty for the file itself. */
  readonly ref: string;
  readonly path: string;
  readonly hash: string;
  readonly role: SymbolRole;
}

/** Records that code was accepted for a requirement. Content of `sdd/trace/<id>.json`. */
export interface TraceAcceptance {
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

declare const traceIdBrand: unique symbol;
/** Id of a requirement, rule, spec or criterion: `AUTH-001`, `AUTH-001.AC-2`, `FR-003`, `user-login.S1.AC2`. */
export type TraceId = string & { readonly [traceIdBrand]: "TraceId" };

const TRACED_SPEC_PATTERN = "[A-Z][A-Z0-9]{0,31}-[0-9]{3,6}";
const TRACED_FEATURE_PATTERN = "[a-z0-9]{1,60}(?:-[a-z0-9]{1,60}){0,29}";
const TRACE_ID_PATTERN = new RegExp(
  String.raw`^(?:(${TRACED_SPEC_PATTERN})(?:\.(AC-[0-9]{1,4}))?|(${TRACED_FEATURE_PATTERN})\.(S[0-9]{1,4}\.AC[0-9]{1,4}))$`,
);
const MAX_TRACE_ID = 100;

export const isTraceId = (text: string): text is TraceId => text.length <= MAX_TRACE_ID && TRACE_ID_PATTERN.test(text);

export function requireTraceId(text: string): TraceId {
  if (isTraceId(text)) return text;
  throw new Fault("trace.bad-id", {
    what: `${quote(text, 60)} names no requirement.`,
    why: "That is a spec, a requirement or a criterion: AUTH-001, FR-003, AUTH-001.AC-2, user-login.S1.AC2.",
    fix: { operation: "trace.drift" },
  });
}

/** `AUTH-001.AC-2` is a criterion of `AUTH-001`. */
export function splitTraceId(id: TraceId): { readonly spec: string; readonly criterion?: string } {
  const [, spec, criterion, feature, story] = TRACE_ID_PATTERN.exec(id) ?? [];
  const part = criterion ?? story;
  return { spec: spec ?? feature ?? "", ...(part === undefined ? {} : { criterion: part }) };
}

export function parseTagTraceId(tag: TagTarget): TraceId | undefined {
  const id = formatTagName(tag);
  return isTraceId(id) ? id : undefined;
}

const formatSymbolKey = ({ role, path, ref, hash }: TracedSymbol): string => [role, path, ref, hash].join("\0");

export const sortUniqueSymbols = (symbols: readonly TracedSymbol[]): TracedSymbol[] =>
  [...new Map(symbols.map((each) => [formatSymbolKey(each), each])).entries()]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { ref, path, hash, role }]) => ({ ref, path, hash, role }));

/** Far above any real requirement. A crafted record must not flood an answer. */
const MAX_ACCEPTED_SYMBOLS = 5_000;

export function findAcceptanceProblem(value: unknown, id: string): string | undefined {
  if (!isPlainObject(value)) return "it is not an object";
  const fields: RecordField[] = [
    ["id", () => value["id"] === id && isTraceId(id)],
    ["spec_hash", () => value["spec_hash"] === undefined || isSymbolHash(value["spec_hash"])],
    [
      "symbols",
      () =>
        isArrayMatching(value["symbols"], isTracedSymbol) &&
        (value["symbols"] as unknown[]).length <= MAX_ACCEPTED_SYMBOLS,
    ],
    ["commit", () => value["commit"] === undefined || isAcceptedCommit(value["commit"])],
    ["at", () => isTimestamp(value["at"])],
    ["by", () => isBoundedText(value["by"], 400)],
    ["reason", () => isBoundedText(value["reason"], 4_000)],
  ];
  return findInvalidField(fields);
}

/** Call only after `findAcceptanceProblem` found nothing. */
export const castAcceptance = (value: unknown): TraceAcceptance => value as TraceAcceptance;

const isSymbolHash = (value: unknown): boolean => typeof value === "string" && /^[0-9a-f]{8,64}$/.test(value);
const isAcceptedCommit = (value: unknown): boolean => typeof value === "string" && /^[0-9a-f]{40,64}$/.test(value);

const isTracedSymbol = (value: unknown): boolean =>
  isPlainObject(value) &&
  isBoundedText(value["ref"], 1_000) &&
  isBoundedText(value["path"], 4_096) &&
  isSymbolHash(value["hash"]) &&
  isAllowedValue(SYMBOL_ROLES, value["role"]);
