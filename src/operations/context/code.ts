import { formatCount } from "#domain/count.ts";
import { Fault } from "#domain/fault.ts";
import { formatComponentKey } from "#domain/indexing/outline.ts";
import { chooseReadMode } from "#domain/indexing/reading.ts";
import { rankIndexEntries } from "#domain/indexing/query/rank.ts";
import { type SummaryRecord, chooseSummary } from "#domain/indexing/summary.ts";
import type { SearchQuestion } from "#domain/memory/question.ts";
import { formatTagName } from "#domain/scan/tags.ts";
import { findSpecIdMentions } from "#domain/trace/mention.ts";
import type { Engine } from "../engine.ts";
import { loadStoredSummaries } from "../indexing/known-summaries.ts";
import { refreshCodeIndex } from "../indexing/up-to-date.ts";
import type { CodeIndex, IndexedComponentRow, IndexedTagRow } from "../ports/code-index.ts";
import type { DetailLevel } from "../text.ts";
import type { ContextFinding } from "./finding.ts";

export interface CodeSearchResult {
  readonly found: readonly ContextFinding[];
  readonly silent?: string;
}

interface CodeSearchRequest {
  readonly question: SearchQuestion;
  readonly said: string;
  readonly detail: DetailLevel;
  readonly most: number;
}

/** Files. A context check has to be fast; `tenon index` reads more. */
const MAX_UNINDEXED_FILES = 500;
const MAX_TRACED_IDS = 10;
const MAX_RANKED_ENTRIES = 100;
const MIN_SCORE_SHARE = 0.5;

/** Code tagged with a named id first, then code with similar words. */
export async function findRelevantCode(engine: Engine, asked: CodeSearchRequest): Promise<CodeSearchResult> {
  const files = (await engine.source.files()).filter(({ path }) => chooseReadMode(path) === "code");
  if (files.length === 0) return { found: [] };
  try {
    const stamps = await (await engine.codeIndex()).stamps();
    const unread = files.filter(({ path, stamp }) => stamps.get(path)?.stamp !== stamp).length;
    if (unread > MAX_UNINDEXED_FILES) {
      const silent = `${formatCount(unread, "file")} of code were not read yet. The user can have it done: tenon index`;
      return { found: [], silent };
    }
    const { index } = await refreshCodeIndex({ ...engine, notice: () => undefined });
    return { found: await buildCodeFindings(engine, index, asked) };
  } catch (error) {
    if (!(error instanceof Fault) || error.code === "call.cancelled") throw error;
    return { found: [], silent: error.why };
  }
}

interface CodeEntryPoint {
  readonly path: string;
  readonly line: number;
  readonly row?: IndexedComponentRow;
}

async function buildCodeFindings(
  engine: Engine,
  index: CodeIndex,
  asked: CodeSearchRequest,
): Promise<ContextFinding[]> {
  const spots = new Map<string, CodeEntryPoint>();
  for (const spot of [...(await findTaggedCode(index, asked.said)), ...(await findSimilarCode(index, asked.question))])
    if (spots.size < asked.most && !isEnclosingEntryPoint(spot, spots)) spots.set(getEntryPointKey(spot), spot);
  const summaries = await loadStoredSummaries(engine, index, [...spots.keys()]);
  const found: ContextFinding[] = [];
  for (const [key, { path, line, row }] of spots) {
    const ids = await listTaggedIds(index, path, row?.ref);
    const name = row?.ref ?? "the file";
    const text = row && describeComponentRow(row, summaries.get(key));
    found.push({
      kind: "code",
      ref: `${path}:${line}`,
      title: ids.length === 0 ? name : `${name} (${ids.join(", ")})`,
      ...(asked.detail === "summary" || text === undefined ? {} : { text }),
    });
  }
  return found;
}

const getEntryPointKey = ({ path, row }: CodeEntryPoint): string => (row ? formatComponentKey(path, row.ref) : path);

/** A class is skipped if one of its methods is already listed. */
const isEnclosingEntryPoint = (spot: CodeEntryPoint, found: ReadonlyMap<string, CodeEntryPoint>): boolean =>
  spot.row !== undefined && [...found.keys()].some((key) => key.startsWith(`${getEntryPointKey(spot)}.`));

/** Without a doc comment the summary only repeats the signature. */
function describeComponentRow(row: IndexedComponentRow, kept: SummaryRecord | undefined): string {
  const { text, source } = chooseSummary(row, kept);
  return source === "itself" && row.doc === "" ? row.signature : `${row.signature}\n${text}`;
}

async function findTaggedCode(index: CodeIndex, said: string): Promise<CodeEntryPoint[]> {
  const spots: CodeEntryPoint[] = [];
  for (const { id } of findSpecIdMentions(said, () => true).slice(0, MAX_TRACED_IDS))
    for (const tag of await index.tags({ spec: id })) spots.push(await resolveTagEntryPoint(index, tag));
  return spots;
}

async function resolveTagEntryPoint(index: CodeIndex, { path, ref, line }: IndexedTagRow): Promise<CodeEntryPoint> {
  const [row] = ref === undefined ? [] : await index.components({ path, ref, most: 1 });
  return row ? createEntryPoint(row) : { path, line };
}

const createEntryPoint = (row: IndexedComponentRow): CodeEntryPoint => ({ path: row.path, line: row.line, row });

async function findSimilarCode(index: CodeIndex, question: SearchQuestion): Promise<CodeEntryPoint[]> {
  const { entries, weights } = await index.candidates(question, MAX_RANKED_ENTRIES);
  // Specs and documents are reported separately.
  const code = entries.filter(({ component }) => component !== undefined);
  const ranked = rankIndexEntries(question, weights, code);
  const least = (ranked[0]?.score ?? 0) * MIN_SCORE_SHARE;
  return ranked
    .filter(({ score }) => score >= least)
    .flatMap(({ item }) => (item.component ? [createEntryPoint(item.component)] : []));
}

async function listTaggedIds(index: CodeIndex, path: string, ref: string | undefined): Promise<string[]> {
  const tags = await index.tags({ path });
  return [...new Set(tags.filter((tag) => tag.ref === ref).map(formatTagName))];
}
