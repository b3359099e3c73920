import { type TraceId, isTraceId } from "#kernel/model/ids/trace-id.ts";
import {
  findInvalidField,
  type RecordField,
  isArrayMatching,
  isPlainObject,
  isAllowedValue,
  isBoundedText,
  isTimestamp,
} from "#kernel/model/flow/record-shape.ts";
import { formatTagName, type TagTarget } from "../scan/spec-tags.ts";
import { formatSortedJson } from "./requirement-text.ts";

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

/**
 * If both sides accepted the same code, the later acceptance wins. If only one side changed it, that side wins. Returns
 * nothing if they accepted different code: a reader of the merged code must decide.
 */
export function mergeAcceptances(
  base: TraceAcceptance | undefined,
  ours: TraceAcceptance,
  theirs: TraceAcceptance,
): TraceAcceptance | undefined {
  const [was, mine, other] = [
    base && formatAcceptedContent(base),
    formatAcceptedContent(ours),
    formatAcceptedContent(theirs),
  ];
  const [earlier, later] = ours.at <= theirs.at ? [ours, theirs] : [theirs, ours];
  const chosen = mine === other ? later : other === was ? ours : mine === was ? theirs : undefined;
  return chosen && { ...chosen, rev: Math.max(earlier.rev, later.rev) + 1 };
}

const formatAcceptedContent = ({ spec_hash, symbols }: TraceAcceptance): string =>
  formatSortedJson([spec_hash, symbols]);
