import type * as z from "zod";
import type { ChangeRecord } from "../../model/change/change-record.ts";
import { type PlanningDocument, isRemovedPiece, type DocumentPiece } from "#kernel/model/document/document-pieces.ts";
import { extractRelevantExcerpt, matchesQuestion } from "../../model/context/document-relevance.ts";
import type { SearchQuestion } from "#kernel/model/search/search-question.ts";
import { cutTextStart } from "#kernel/model/search/text-snippet.ts";
import { sanitizeText, formatCount } from "#kernel/model/text-format.ts";
import type { KnownDecision } from "../../model/context/decision-conflicts.ts";
import { createObservationView, quoteObservation } from "#memory/operations/observation-view.ts";
import type { DetailLevel } from "#kernel/operations/text-fields.ts";
import type { ContextSnapshot } from "./context-snapshot.ts";
import type { ContextFindingView } from "./schema.ts";
import { Fault } from "#kernel/model/fault.ts";
import { formatComponentKey } from "#code/model/index/code-outline.ts";
import { chooseReadMode } from "#code/model/index/indexed-content.ts";
import { rankIndexEntries } from "#code/model/query/entry-ranking.ts";
import { chooseSummary } from "#code/model/summary/code-summary.ts";
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

export function createPieceFinding(piece: DocumentPiece, question: SearchQuestion, detail: DetailLevel) {
  const { id, path, line, title } = piece;
  const whole = piece.text.length <= MAX_PIECE_LENGTH ? piece.text : cutTextStart(piece.text, MAX_PIECE_LENGTH);
  const text = detail === "full" ? whole : extractRelevantExcerpt(piece.text, question);
  const item = id?.startsWith("BR-") ? "rule" : "requirement";
  const live = id === undefined ? "section" : item;
  const kind = isRemovedPiece(piece) ? "removed" : live;
  const shown = detail === "summary" ? {} : { text, ...(text === piece.text ? {} : { is_part: true }) };
  return { kind, ref: `${path}:${line}`, title, ...shown };
}

export function createChangeFinding({ id, description, updated_at }: ChangeRecord): ContextFinding {
  return { kind: "change", ref: id, title: description, at: updated_at.slice(0, 10) };
}

/** A decision can be compared with a change by its title and by what it decides. */
export const createDecisionCandidate = (known: KnownDecision) => ({
  title: known.title,
  text: known.decision,
  known,
});

export function createDecisionFinding(known: KnownDecision, question: SearchQuestion, detail: DetailLevel) {
  const { path, ref, title, status, superseded_by, decision } = known;
  const state = superseded_by === undefined ? status : `${status} by ${superseded_by}`;
  const text = detail === "full" ? decision : extractRelevantExcerpt(decision, question);
  const shown = detail === "summary" || text === "" ? {} : { text, ...(text === decision ? {} : { is_part: true }) };
  return { kind: "decision", ref: path, title: `${ref} (${state}) ${title}`, ...shown };
}

export function createMemoryFinding(kind: string, seen: Observation, question: SearchQuestion, detail: DetailLevel) {
  const shown = createObservationView(seen, detail, new Set(question.terms));
  const ref = `#${shown.id}`;
  const { label, text } = quoteObservation(shown);
  const title = label.slice(ref.length + 1);
  return { kind, ref, title, ...(text === "" ? {} : { text }), ...(shown.is_part ? { is_part: true } : {}) };
}

/** A whole file, of which only the size is shown. */
export function createFileFinding(kind: string, { path, text }: PlanningDocument): ContextFinding {
  return { kind, ref: path, bytes: new TextEncoder().encode(text).length };
}

export const listConventionFindings = ({ conventions }: ContextSnapshot, detail: DetailLevel): ContextFinding[] =>
  conventions.map((document) => ({
    ...createFileFinding("convention", document),
    ...(detail === "summary" ? {} : { text: document.text }),
  }));

const createSkippedFinding = (ref: string, text: string): ContextFinding => ({ kind: "skipped", ref, text });

export function listSkippedSources({ documents, unread }: ContextSnapshot): ContextFinding[] {
  const own = createSkippedFinding("convention files", "The project has documents of its own.");
  return [...(documents.length > 0 ? [own] : []), ...unread.map(({ path, why }) => createSkippedFinding(path, why))];
}

export function shortenContextFinding(found: ContextFinding, length: number): ContextFinding | undefined {
  if (found.kind === "skipped" || found.text === undefined || found.text.length <= length) return undefined;
  return { ...found, text: cutTextStart(found.text, length), is_part: true };
}

const SINGLE_LINE_KINDS = new Set(["artifact", "looked", "skipped"]);

export function formatContextFindings(findings: readonly ContextFinding[], omitted: number) {
  const quoted = findings.filter(({ kind }) => !SINGLE_LINE_KINDS.has(kind));
  return {
    quotes: quoted.map(({ kind, ref, title, text = "", at, bytes }) => {
      const about = [...(at ? [at] : []), ...(bytes === undefined ? [] : [`${bytes} bytes`])].join(", ");
      const name = title === undefined ? "" : ` ${sanitizeText(title, 400)}`;
      return { label: `${kind} ${ref}${about ? ` (${about})` : ""}${name}`, text };
    }),
    points: [
      ...findings.filter((finding) => !quoted.includes(finding)).map(formatFindingLine),
      ...(omitted > 0 ? [`${omitted} more left out for max_tokens.`] : []),
    ],
  };
}

function formatFindingLine({ kind, ref, text = "", bytes }: ContextFinding): string {
  if (kind === "looked") return `Looked at ${sanitizeText(text, 300)}.`;
  if (kind === "skipped") return `Skipped ${sanitizeText(ref, 200)}: ${sanitizeText(text, 300)}`;
  return `Found ${sanitizeText(ref, 200)}, ${bytes} bytes.`;
}

/** Files. A context check has to be fast; `tenon index` reads more. */
const MAX_UNINDEXED_FILES = 500;
const MAX_TRACED_IDS = 10;
const MAX_RANKED_ENTRIES = 100;
const MIN_SCORE_SHARE = 0.5;
const MAX_CODE_FINDINGS = 8;

/** Code tagged with a named id first, then code with similar words. `skipped` explains why the code was not searched. */
export async function findRelevantCode(
  engine: PlanningEngine,
  question: SearchQuestion,
  said: string,
  detail: DetailLevel,
): Promise<{ found: ContextFinding[]; skipped: ContextFinding[] }> {
  const skipCode = (text: string) => ({ found: [], skipped: [createSkippedFinding("the index of code", text)] });
  const files = (await engine.source.files()).filter(({ path }) => chooseReadMode(path) === "code");
  if (files.length === 0) return { found: [], skipped: [] };
  try {
    const stamps = await (await engine.codeIndex()).stamps();
    const unread = files.filter(({ path, stamp }) => stamps.get(path)?.stamp !== stamp).length;
    const why = `${formatCount(unread, "file")} of code are not indexed yet. The user can run: tenon index`;
    if (unread > MAX_UNINDEXED_FILES) return skipCode(why);
    const { index } = await refreshCodeIndex({ ...engine, notice: () => undefined });
    const spots = [...(await findTaggedCode(index, said)), ...(await findSimilarCode(index, question))];
    return { found: await describeCodeEntries(engine, index, spots, detail), skipped: [] };
  } catch (error) {
    if (!(error instanceof Fault) || error.code === "call.cancelled") throw error;
    return skipCode(error.why);
  }
}

/** A component, or a place in a file that belongs to none. */
type CodeEntryPoint = Pick<IndexedComponentRow, "path" | "line"> & { readonly row?: IndexedComponentRow };

async function describeCodeEntries(
  engine: PlanningEngine,
  index: CodeIndex,
  spots: readonly CodeEntryPoint[],
  detail: DetailLevel,
): Promise<ContextFinding[]> {
  const chosen = new Map<string, CodeEntryPoint>();
  for (const spot of spots) {
    const key = spot.row ? formatComponentKey(spot.path, spot.row.ref) : spot.path;
    // A class is skipped if one of its methods is already listed.
    const isEnclosing = spot.row !== undefined && [...chosen.keys()].some((other) => other.startsWith(`${key}.`));
    if (chosen.size < MAX_CODE_FINDINGS && !isEnclosing) chosen.set(key, spot);
  }
  const summaries = await loadStoredSummaries(engine, index, [...chosen.keys()]);
  const described = [...chosen].map(async ([key, { path, line, row }]) => {
    const tags = await index.tags({ path });
    const ids = [...new Set(tags.filter((tag) => tag.ref === row?.ref).map(formatTagName))];
    const name = row?.ref ?? "the file";
    const title = ids.length === 0 ? name : `${name} (${ids.join(", ")})`;
    const finding = { kind: "code", ref: `${path}:${line}`, title };
    if (detail === "summary" || row === undefined) return finding;
    const { text, source } = chooseSummary(row, summaries.get(key));
    // Without a doc comment the summary only repeats the signature.
    const isRepeated = source === "itself" && row.doc === "";
    return { ...finding, text: isRepeated ? row.signature : `${row.signature}\n${text}` };
  });
  return Promise.all(described);
}

async function findTaggedCode(index: CodeIndex, said: string): Promise<CodeEntryPoint[]> {
  const spots: CodeEntryPoint[] = [];
  for (const { id } of findSpecIdMentions(said, () => true).slice(0, MAX_TRACED_IDS)) {
    for (const { path, ref, line } of await index.tags({ spec: id })) {
      const [row] = ref === undefined ? [] : await index.components({ path, ref, most: 1 });
      spots.push(row ? { path: row.path, line: row.line, row } : { path, line });
    }
  }
  return spots;
}

async function findSimilarCode(index: CodeIndex, question: SearchQuestion): Promise<CodeEntryPoint[]> {
  const { entries, weights } = await index.candidates(question, MAX_RANKED_ENTRIES);
  // Specs and documents are reported separately.
  const code = entries.filter(({ component }) => component !== undefined);
  const ranked = rankIndexEntries(question, weights, code);
  const least = (ranked[0]?.score ?? 0) * MIN_SCORE_SHARE;
  return ranked
    .filter(({ score }) => score >= least)
    .flatMap(({ item: { component: row } }) => (row ? [{ path: row.path, line: row.line, row }] : []));
}

/** `skipped` explains why the memory was not searched. */
export async function recallRelevantObservations(
  engine: PlanningEngine,
  question: SearchQuestion,
  { project, type, limit }: { project: string | undefined; type?: string; limit: number },
): Promise<{ observations: readonly Observation[]; skipped: ContextFinding[] }> {
  try {
    const memory = await openEnabledMemory(engine);
    const filter = { project: await resolveMemoryProject(engine, project), type };
    const { observations } = await recallObservations(memory, question, filter);
    // Recall also returns neighbours of a match. Here each observation has to match by itself.
    const own = observations.filter(({ title, content }) => matchesQuestion(question, `${title}\n${content}`));
    return { observations: own.slice(0, limit), skipped: [] };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { observations: [], skipped: [createSkippedFinding("memory", error.why)] };
  }
}
