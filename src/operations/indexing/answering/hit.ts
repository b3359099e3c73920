import type { Hit } from "#domain/indexing/query/answer.ts";
import { keyOf } from "#domain/indexing/outline.ts";
import { type KeptSummary, summaryFrom, summaryOf } from "#domain/indexing/summary.ts";
import { untagged } from "#domain/indexing/summary/doc-words.ts";
import { summaryText } from "#domain/indexing/summary/one-line.ts";
import type { Engine } from "../../engine.ts";
import type { CodeIndex, IndexedComponentRow, CodeIndexEntry } from "../../ports/code-index.ts";
import { knownSummaries } from "../known-summaries.ts";

const EXACT = 400;
const BEST = 200;
const OTHERS = 90;
const BEST_TAKES = 240;
const TAKES = 110;

export async function hitsOf(
  engine: Pick<Engine, "store" | "yaml" | "notice">,
  index: CodeIndex,
  entries: readonly CodeIndexEntry[],
  isExact: boolean,
): Promise<Hit[]> {
  const known = await knownSummaries(
    engine,
    index,
    entries.map(({ key }) => key),
  );
  return entries.map((entry, i): Hit => {
    const most = i > 0 ? OTHERS : isExact ? EXACT : BEST;
    const kept = known.get(entry.key);
    if (entry.component) return componentHit(entry.component, most, i === 0 ? BEST_TAKES : TAKES, kept);
    const says = saidOf(entry, kept);
    return {
      key: entry.key,
      at: entry.kind === "spec" ? `${entry.path}:${entry.line}` : String(entry.line),
      is: entry.kind,
      ...(says === "" ? {} : { says: summaryText(says, most) }),
    };
  });
}

/** A valid stored summary of a file, spec or section, else its own first words. */
function saidOf({ kind, title, text, hash }: CodeIndexEntry, kept: KeptSummary | undefined): string {
  if (kept && (kept.source === "manual" || kept.hash === hash)) return kept.text;
  if (kind === "file") return untagged(text);
  return `${title}. ${kind === "spec" ? meantIn(text) : text}`;
}

const meantIn = (yaml: string): string =>
  /^\s*summary:\s*(?:[>|][-+]?\s*\n\s*)?["']?(.+?)["']?\s*$/m.exec(yaml)?.[1] ?? "";

function componentHit(row: IndexedComponentRow, most: number, ofTakes: number, kept: KeptSummary | undefined): Hit {
  const takes = takenBy(row);
  const says = saysOf(row, most, kept);
  return {
    key: keyOf(row.path, row.ref),
    at: linesOf(row),
    is: row.kind,
    ...(takes === "" ? {} : { takes: summaryText(takes, ofTakes) }),
    ...(says === "" ? {} : { says: summaryText(says, most) }),
  };
}

/** Leaves out derived text that only repeats the signature. */
function saysOf(row: IndexedComponentRow, most: number, kept: KeptSummary | undefined): string {
  const { text, source } = summaryOf(row, kept);
  if (source !== "itself") return text;
  if (text === summaryFrom({ ...row, doc: "" })) return "";
  const doc = untagged(row.doc);
  return most > BEST && doc.length > text.length ? doc : text;
}

const linesOf = ({ line, lastLine }: Pick<IndexedComponentRow, "line" | "lastLine">): string =>
  lastLine > line ? `${line}-${lastLine}` : String(line);

/** `src/auth.ts:10-42 Session.login`. */
export const placeOf = (row: IndexedComponentRow): string => `${row.path}:${linesOf(row)} ${row.ref}`;

/** The signature after the name, `(name: string): Token`, without the assignment. */
function takenBy({ name, signature }: Pick<IndexedComponentRow, "name" | "signature">): string {
  const escaped = name.replaceAll(/[^\p{L}\p{N}]/gu, "\\$&");
  const at = signature.search(new RegExp(`(?<![\\w$])${escaped}(?![\\w$])`));
  const behind = at === -1 ? "" : signature.slice(at + name.length).trimEnd();
  const put = behind.replace(/^\s*[=:]\s*(?:async\s+)?(?:function\b\s*\*?\s*[\w$]*\s*)?(?=[(<])/, "");
  return put.replace(/^\s+(?=[(<])/, "").replace(/\s*=>$/, "");
}
