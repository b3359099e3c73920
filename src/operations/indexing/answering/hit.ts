import type { QueryHit } from "#domain/indexing/query/answer.ts";
import { formatComponentKey } from "#domain/indexing/outline.ts";
import { type SummaryRecord, deriveSummary, chooseSummary } from "#domain/indexing/summary.ts";
import { stripSpecTags } from "#domain/indexing/summary/doc-words.ts";
import { truncateSummary } from "#domain/indexing/summary/one-line.ts";
import type { Engine } from "../../engine.ts";
import type { CodeIndex, IndexedComponentRow, CodeIndexEntry } from "../../ports/code-index.ts";
import { loadStoredSummaries } from "../known-summaries.ts";

const EXACT_SUMMARY_LENGTH = 400;
const BEST_SUMMARY_LENGTH = 200;
const OTHER_SUMMARY_LENGTH = 90;
const BEST_SIGNATURE_LENGTH = 240;
const OTHER_SIGNATURE_LENGTH = 110;

export async function createQueryHits(
  engine: Pick<Engine, "store" | "yaml" | "notice">,
  index: CodeIndex,
  entries: readonly CodeIndexEntry[],
  isExact: boolean,
): Promise<QueryHit[]> {
  const known = await loadStoredSummaries(
    engine,
    index,
    entries.map(({ key }) => key),
  );
  return entries.map((entry, i): QueryHit => {
    const most = i > 0 ? OTHER_SUMMARY_LENGTH : isExact ? EXACT_SUMMARY_LENGTH : BEST_SUMMARY_LENGTH;
    const kept = known.get(entry.key);
    if (entry.component)
      return createComponentHit(entry.component, most, i === 0 ? BEST_SIGNATURE_LENGTH : OTHER_SIGNATURE_LENGTH, kept);
    const says = chooseEntryText(entry, kept);
    return {
      key: entry.key,
      at: entry.kind === "spec" ? `${entry.path}:${entry.line}` : String(entry.line),
      is: entry.kind,
      ...(says === "" ? {} : { says: truncateSummary(says, most) }),
    };
  });
}

/** A valid stored summary of a file, spec or section, else its own first words. */
function chooseEntryText({ kind, title, text, hash }: CodeIndexEntry, kept: SummaryRecord | undefined): string {
  if (kept && (kept.source === "manual" || kept.hash === hash)) return kept.text;
  if (kind === "file") return stripSpecTags(text);
  return `${title}. ${kind === "spec" ? extractSpecSummary(text) : text}`;
}

const extractSpecSummary = (yaml: string): string =>
  /^\s*summary:\s*(?:[>|][-+]?\s*\n\s*)?["']?(.+?)["']?\s*$/m.exec(yaml)?.[1] ?? "";

function createComponentHit(
  row: IndexedComponentRow,
  most: number,
  ofTakes: number,
  kept: SummaryRecord | undefined,
): QueryHit {
  const takes = extractSignatureTail(row);
  const says = chooseComponentText(row, most, kept);
  return {
    key: formatComponentKey(row.path, row.ref),
    at: formatLineRange(row),
    is: row.kind,
    ...(takes === "" ? {} : { takes: truncateSummary(takes, ofTakes) }),
    ...(says === "" ? {} : { says: truncateSummary(says, most) }),
  };
}

/** Leaves out derived text that only repeats the signature. */
function chooseComponentText(row: IndexedComponentRow, most: number, kept: SummaryRecord | undefined): string {
  const { text, source } = chooseSummary(row, kept);
  if (source !== "itself") return text;
  if (text === deriveSummary({ ...row, doc: "" })) return "";
  const doc = stripSpecTags(row.doc);
  return most > BEST_SUMMARY_LENGTH && doc.length > text.length ? doc : text;
}

const formatLineRange = ({ line, lastLine }: Pick<IndexedComponentRow, "line" | "lastLine">): string =>
  lastLine > line ? `${line}-${lastLine}` : String(line);

/** `src/auth.ts:10-42 Session.login`. */
export const formatComponentLocation = (row: IndexedComponentRow): string =>
  `${row.path}:${formatLineRange(row)} ${row.ref}`;

/** The signature after the name, `(name: string): Token`, without the assignment. */
function extractSignatureTail({ name, signature }: Pick<IndexedComponentRow, "name" | "signature">): string {
  const escaped = name.replaceAll(/[^\p{L}\p{N}]/gu, "\\$&");
  const at = signature.search(new RegExp(`(?<![\\w$])${escaped}(?![\\w$])`));
  const behind = at === -1 ? "" : signature.slice(at + name.length).trimEnd();
  const put = behind.replace(/^\s*[=:]\s*(?:async\s+)?(?:function\b\s*\*?\s*[\w$]*\s*)?(?=[(<])/, "");
  return put.replace(/^\s+(?=[(<])/, "").replace(/\s*=>$/, "");
}
