import * as z from "zod/mini";
import { type TraceId, isTraceId } from "#kernel/model/ids/trace-id.ts";
import { boundedText, Timestamp } from "#kernel/model/record-schema.ts";
import { compareTexts } from "#kernel/model/text-format.ts";
import { formatTagName, type TagTarget } from "../scan/spec-tags.ts";
import { formatSortedJson } from "./requirement-text.ts";

export const SYMBOL_ROLES = ["code", "test"] as const;
export type SymbolRole = (typeof SYMBOL_ROLES)[number];

const SymbolHash = z.string().check(z.regex(/^[0-9a-f]{8,64}$/));
/** `ref` is the name within the file; empty for the file itself. */
const TracedSymbol = z.object({
  ref: boundedText(1_000),
  path: boundedText(4_096),
  hash: SymbolHash,
  role: z.enum(SYMBOL_ROLES),
});
export type TracedSymbol = Readonly<z.infer<typeof TracedSymbol>>;

/** Far above any real requirement. A crafted record must not flood an answer. */
const MAX_ACCEPTED_SYMBOLS = 5_000;

/** Records that code was accepted for a requirement. Content of `sdd/trace/<id>.json`. */
export const createAcceptanceSchema = (id: string) =>
  z.object({
    id: z.custom<TraceId>((value) => value === id && isTraceId(id)),
    /** Hash of the requirement's text; missing if no document defines it. */
    spec_hash: z.optional(SymbolHash),
    /** Sorted, so that equal acceptances have equal text. */
    symbols: z.readonly(z.array(TracedSymbol).check(z.maxLength(MAX_ACCEPTED_SYMBOLS))),
    /** The commit that was checked out. The symbols may have been uncommitted. */
    commit: z.optional(z.string().check(z.regex(/^[0-9a-f]{40,64}$/))),
    at: Timestamp,
    by: boundedText(400),
    reason: boundedText(4_000),
    schema: z.literal(1),
    rev: z.int(),
  });
export type TraceAcceptance = Readonly<z.infer<ReturnType<typeof createAcceptanceSchema>>>;

export function parseTagTraceId(tag: TagTarget): TraceId | undefined {
  const id = formatTagName(tag);
  return isTraceId(id) ? id : undefined;
}

export function sortUniqueSymbols(symbols: readonly TracedSymbol[]): TracedSymbol[] {
  const byKey = new Map(
    symbols.map(({ ref, path, hash, role }) => [[role, path, ref, hash].join("\0"), { ref, path, hash, role }]),
  );
  return [...byKey].toSorted(([a], [b]) => compareTexts(a, b)).map(([, symbol]) => symbol);
}

/** The later of equal acceptances wins, else the only changed side. Nothing if they differ: a reader must decide. */
export function mergeAcceptances(base: TraceAcceptance | undefined, ours: TraceAcceptance, theirs: TraceAcceptance) {
  const formatContent = ({ spec_hash, symbols }: TraceAcceptance): string => formatSortedJson([spec_hash, symbols]);
  const [was, mine, other] = [base && formatContent(base), formatContent(ours), formatContent(theirs)];
  const [earlier, later] = ours.at <= theirs.at ? [ours, theirs] : [theirs, ours];
  const chosen = mine === other ? later : other === was ? ours : mine === was ? theirs : undefined;
  return chosen && { ...chosen, rev: Math.max(earlier.rev, later.rev) + 1 };
}
