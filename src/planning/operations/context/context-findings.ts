import type * as z from "zod";
import type { ChangeRecord } from "../../model/change/change-record.ts";
import { type PlanningDocument, isRemovedPiece, type DocumentPiece } from "#kernel/model/document/document-pieces.ts";
import { extractRelevantExcerpt, matchesQuestion } from "../../model/context/document-relevance.ts";
import type { SearchQuestion } from "#kernel/model/search/search-question.ts";
import { cutTextStart } from "#kernel/model/search/text-snippet.ts";
import type { Page, PageQuotation } from "#kernel/model/page.ts";
import { sanitizeText, formatCount } from "#kernel/model/text-format.ts";
import type { DecisionFile } from "../adr/decision-files.ts";
import { quoteObservation, type ObservationView } from "#memory/operations/observation-view.ts";
import type { DetailLevel } from "#kernel/operations/text-fields.ts";
import type { ContextSnapshot } from "./context-snapshot.ts";
import type { ContextFindingView } from "./schema.ts";
import { Fault } from "#kernel/model/fault.ts";
import { formatComponentKey } from "#code/model/index/code-outline.ts";
import { chooseReadMode } from "#code/model/index/indexed-content.ts";
import { rankIndexEntries } from "#code/model/query/entry-ranking.ts";
import { type SummaryRecord, chooseSummary } from "#code/model/summary/code-summary.ts";
import { formatTagName } from "#code/model/scan/spec-tags.ts";
import { findSpecIdMentions } from "#code/model/trace/id-mentions.ts";
import type { PlanningEngine } from "../engine.ts";
import { loadStoredSummaries } from "#code/operations/index/stored-summaries.ts";
import { refreshCodeIndex } from "#code/operations/index/refresh-index.ts";
import type { CodeIndex, IndexedComponentRow } from "#code/operations/ports/code-index.ts";
import type { Observation } from "#memory/model/memory-records.ts";
import { openEnabledMemory, resolveMemoryProject } from "#memory/operations/ports/memory.ts";
import { recallObservations } from "#memory/operations/search-memory.ts";

export type ContextFinding = z.infer<typeof ContextFindingView>;

/** Characters. A longer section does not fit into any answer. */
const MAX_PIECE_LENGTH = 65_536;

export function createPieceFinding(
  piece: DocumentPiece,
  question: SearchQuestion,
  detail: DetailLevel,
): ContextFinding {
  const { id, path, line, title } = piece;
  const whole = piece.text.length <= MAX_PIECE_LENGTH ? piece.text : cutTextStart(piece.text, MAX_PIECE_LENGTH);
  const text = detail === "full" ? whole : extractRelevantExcerpt(piece.text, question);
  const kind = isRemovedPiece(piece)
    ? "removed"
    : id === undefined
      ? "section"
      : id.startsWith("BR-")
        ? "rule"
        : "requirement";
  const shown = detail === "summary" ? {} : { text, ...(text === piece.text ? {} : { is_part: true }) };
  return { kind, ref: `${path}:${line}`, title, ...shown };
}

export const createChangeFinding = ({ id, description, updated_at }: ChangeRecord): ContextFinding => ({
  kind: "change",
  ref: id,
  title: description,
  at: updated_at.slice(0, 10),
});

/** Reads the title from the file name, so that no file is opened. */
export const formatDecisionTitle = ({ path, id }: DecisionFile): string =>
  path
    .slice(path.lastIndexOf("/") + 1)
    .replace(/\.md$/, "")
    .replace(`${id}-`, "")
    .replaceAll("-", " ");

export const createDecisionFinding = (place: DecisionFile): ContextFinding => ({
  kind: "decision",
  ref: place.path,
  title: `${place.id} ${formatDecisionTitle(place)}`,
});

export function createObservationFinding(shown: ObservationView, kind: string): ContextFinding {
  const ref = `#${shown.id}`;
  const { label, text } = quoteObservation(shown);
  const title = label.slice(ref.length + 1);
  return { kind, ref, title, ...(text === "" ? {} : { text }), ...(shown.is_part ? { is_part: true } : {}) };
}

export const createConventionFinding = ({ path, text }: PlanningDocument, detail: DetailLevel): ContextFinding => ({
  kind: "convention",
  ref: path,
  bytes: countTextBytes(text),
  ...(detail === "summary" ? {} : { text }),
});

export const createArtifactFinding = ({ path, text }: PlanningDocument): ContextFinding => ({
  kind: "artifact",
  ref: path,
  bytes: countTextBytes(text),
});

export const createSkippedFinding = (ref: string, text: string): ContextFinding => ({ kind: "skipped", ref, text });

export function listSkippedSources({ documents, unread }: ContextSnapshot): ContextFinding[] {
  const own = createSkippedFinding("convention files", "The project has documents of its own.");
  return [...(documents.length > 0 ? [own] : []), ...unread.map(({ path, why }) => createSkippedFinding(path, why))];
}

export function shortenContextFinding(found: ContextFinding, length: number): ContextFinding | undefined {
  if (found.kind === "skipped" || found.text === undefined || found.text.length <= length) return undefined;
  return { ...found, text: cutTextStart(found.text, length), is_part: true };
}

const SINGLE_LINE_KINDS = new Set(["artifact", "looked", "skipped"]);

export function formatContextFindings(
  findings: readonly ContextFinding[],
  omitted: number,
): Pick<Page, "quotes" | "points"> {
  return {
    quotes: findings.filter(({ kind }) => !SINGLE_LINE_KINDS.has(kind)).map(formatFindingQuotation),
    points: [
      ...findings.filter(({ kind }) => SINGLE_LINE_KINDS.has(kind)).map(formatFindingLine),
      ...(omitted > 0 ? [`${omitted} more left out for max_tokens.`] : []),
    ],
  };
}

function formatFindingQuotation({ kind, ref, title, text, at, bytes }: ContextFinding): PageQuotation {
  const about = [...(at ? [at] : []), ...(bytes === undefined ? [] : [`${bytes} bytes`])].join(", ");
  const name = title === undefined ? "" : ` ${sanitizeText(title, 400)}`;
  return { label: `${kind} ${ref}${about ? ` (${about})` : ""}${name}`, text: text ?? "" };
}

function formatFindingLine({ kind, ref, text = "", bytes }: ContextFinding): string {
  if (kind === "looked") return `Looked at ${sanitizeText(text, 300)}.`;
  if (kind === "skipped") return `Skipped ${sanitizeText(ref, 200)}: ${sanitizeText(text, 300)}`;
  return `Found ${sanitizeText(ref, 200)}, ${bytes} bytes.`;
}

const countTextBytes = (text: string): number => new TextEncoder().encode(text).length;

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
export async function findRelevantCode(
  engine: PlanningEngine,
  asked: CodeSearchRequest,
): Promise<{ found: readonly ContextFinding[]; silent?: string }> {
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

/** A component, or a place in a file that belongs to none. */
type CodeEntryPoint = Pick<IndexedComponentRow, "path" | "line"> & { readonly row?: IndexedComponentRow };

async function buildCodeFindings(
  engine: PlanningEngine,
  index: CodeIndex,
  asked: CodeSearchRequest,
): Promise<ContextFinding[]> {
  const spots = new Map<string, CodeEntryPoint>();
  for (const spot of [...(await findTaggedCode(index, asked.said)), ...(await findSimilarCode(index, asked.question))])
    if (spots.size < asked.most && !isEnclosingEntryPoint(spot, spots)) spots.set(getEntryPointKey(spot), spot);
  const summaries = await loadStoredSummaries(engine, index, [...spots.keys()]);
  const found: ContextFinding[] = [];
  for (const [key, { path, line, row }] of spots) {
    const tags = await index.tags({ path });
    const ids = [...new Set(tags.filter((tag) => tag.ref === row?.ref).map(formatTagName))];
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
  for (const { id } of findSpecIdMentions(said, () => true).slice(0, MAX_TRACED_IDS)) {
    for (const { path, ref, line } of await index.tags({ spec: id })) {
      const [row] = ref === undefined ? [] : await index.components({ path, ref, most: 1 });
      spots.push(row ? createEntryPoint(row) : { path, line });
    }
  }
  return spots;
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

export async function recallRelevantObservations(
  engine: PlanningEngine,
  question: SearchQuestion,
  { project, type, limit }: { project: string | undefined; type?: string; limit: number },
): Promise<{ observations: readonly Observation[]; silent?: string }> {
  try {
    const memory = await openEnabledMemory(engine);
    const filter = { project: await resolveMemoryProject(engine, project), type };
    const { observations } = await recallObservations(memory, question, filter);
    // Recall also returns neighbours of a match. Here each observation has to match by itself.
    const own = observations.filter(({ title, content }) => matchesQuestion(question, `${title}\n${content}`));
    return { observations: own.slice(0, limit) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { observations: [], silent: error.why };
  }
}
