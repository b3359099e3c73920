import * as ranking from "#kernel/model/search/search-ranking.ts";
import type { SearchQuestion } from "#kernel/model/search/search-question.ts";
import { normalizeSearchTerm } from "#kernel/model/search/search-terms.ts";
import { isStopWord } from "#kernel/model/search/stop-words.ts";
import type { DatabaseValue } from "#kernel/adapters/sqlite-database.ts";
import type { MemoryStatistics, Observation } from "../model/memory-records.ts";
import { DECISION_RECORD_TYPE, DECISION_TYPE, PROMPT_TYPE } from "../model/observation.ts";
import type { MemoryCandidates, MemoryFilter } from "../operations/ports/memory.ts";
import { findProjectNumber } from "./memory-projects.ts";
import { formatRowPlace, selectObservationRows, toObservation } from "./memory-tables.ts";
import { mapProgram, queryRows, type SqlProgram } from "./sql-program.ts";
import type { TermArea, TermIndex } from "./term-index.ts";

const MOST_PHRASE_ROWS = 2_000;
const MOST_HINT_ROWS = 60_000;
/** The share of rows assumed for a term with more rows than are read. */
const COMMON_TERM_SHARE = 0.1;
const SHORTEST_REPAIRED_TERM = 4;

function* findFilterRange(filter: MemoryFilter): SqlProgram<Pick<TermArea, "from" | "to"> | undefined> {
  if (filter.project === undefined) return { from: 0n, to: 2n ** 62n };
  const project = yield* findProjectNumber(filter.project);
  if (project === undefined) return undefined;
  return { from: formatRowPlace(project, 0), to: formatRowPlace(project + 1, 0) - 1n };
}

/** The rows of a filter that a search looks in, with an estimate of their number that includes deleted rows. */
interface SearchArea extends TermArea {
  readonly index: TermIndex;
  readonly total: number;
}

interface WantedTerm {
  readonly term: string;
  readonly share: number;
  readonly most: number;
}

const asQuestionTerm = (term: string): WantedTerm => ({ term, share: 1, most: ranking.MAX_WEIGHED_ROWS });

export function* findSearchCandidates(
  index: TermIndex,
  question: SearchQuestion,
  filter: MemoryFilter,
  most: number,
): SqlProgram<MemoryCandidates> {
  const range = yield* findFilterRange(filter);
  if (!range) return { observations: [], total: 0, terms: [], repaired: [] };
  const projects = [range.from >> 32n, range.to >> 32n];
  const [sum] = yield* queryRows("SELECT sum(last_row) AS n FROM projects WHERE no BETWEEN ? AND ?", ...projects);
  const total = Number(sum?.["n"] ?? 0);
  const isPrompts = filter.type === PROMPT_TYPE;
  const area: SearchArea = { index, ...range, isPrompts, ...formatFilterConditions(filter), total };
  const { postings, repaired } = yield* readQuestionPostings(area, question);
  const each = Math.floor(MOST_HINT_ROWS / Math.max(1, question.hints.size));
  const known = new Set(postings.map(({ term }) => term));
  const hints = [...question.hints].map(([term, share]) => ({ term, share, most: each }));
  for (const posting of yield* readPostings(area, hints))
    if (posting.holders > 0 && !known.has(posting.term)) postings.push(posting);
  const terms = postings.map(({ term, holders, share }) => ({ term, holders, share }));
  const phrase = { terms: [...new Set(question.phrases.flat())], most: MOST_PHRASE_ROWS };
  const places =
    question.phrases.length > 0
      ? ((yield* index.find(area, [phrase]))[0] ?? [])
      : ranking.selectCoveringRows(postings, total, most);
  const found = yield* listObservationsByPlace(places);
  if (question.phrases.length === 0) return { observations: found, total, terms, repaired };
  const phrases = new ranking.SearchRanking<Observation>(question, new Map());
  return { observations: found.filter((observation) => phrases.hasPhrases(observation)), total, terms, repaired };
}

/** The postings of the question's words. A word that no text contains is searched as a similar one. */
function* readQuestionPostings(
  area: SearchArea,
  { terms, spelled }: SearchQuestion,
): SqlProgram<{ postings: ranking.TermPosting[]; repaired: { from: string; to: string }[] }> {
  const read = yield* readPostings(area, terms.map(asQuestionTerm));
  const missing = read.filter(({ holders }) => holders === 0).map(({ term }) => asQuestionTerm(term));
  const everywhere = { ...area, where: "1 = 1", values: [] };
  const unfiltered = area.values.length > 0 ? yield* readPostings(everywhere, missing) : [];
  // If only a filter excludes the word, it is spelled correctly.
  const hidden = new Set(unfiltered.filter(({ holders }) => holders > 0).map(({ term }) => term));
  const postings: ranking.TermPosting[] = [];
  const repaired: { from: string; to: string }[] = [];
  for (const posting of read) {
    const { term, holders } = posting;
    const from = spelled.get(term) ?? term;
    const used = holders > 0 || hidden.has(term) ? posting : yield* repairTypo(area, from);
    if (used === undefined) continue;
    if (used !== posting) repaired.push({ from, to: used.term });
    postings.push(used);
  }
  return { postings, repaired };
}

function* readPostings(area: SearchArea, wanted: readonly WantedTerm[]): SqlProgram<ranking.TermPosting[]> {
  const matches = wanted.map(({ term, most }) => ({ terms: [term], most }));
  const found = matches.length === 0 ? [] : yield* area.index.find(area, matches);
  return wanted.map(({ term, share, most }, i) => {
    const rows = found[i] ?? [];
    const holders = rows.length < most ? rows.length : Math.max(most, Math.floor(area.total * COMMON_TERM_SHARE));
    return { term, rows, holders, share };
  });
}

function* readObservationsByPlace(places: readonly number[]): SqlProgram<ReadonlyMap<number, Observation>> {
  if (places.length === 0) return new Map();
  const rows = yield* selectObservationRows(`o.place IN (${formatMarks(places)})`, ...places.map(BigInt));
  return new Map(rows.map((row) => [row.place, toObservation(row)]));
}

function* listObservationsByPlace(places: readonly number[]): SqlProgram<Observation[]> {
  const found = yield* readObservationsByPlace(places);
  return places.flatMap((place) => found.get(place) ?? []);
}

const formatMarks = (values: readonly unknown[]): string => values.map(() => "?").join(", ");

function formatFilterConditions({ type, scope, namespace, since }: MemoryFilter): {
  where: string;
  values: DatabaseValue[];
} {
  const conditions: Record<string, string | undefined> = {
    [type === DECISION_TYPE ? `(o.type = ? OR o.type = '${DECISION_RECORD_TYPE}')` : "o.type = ?"]:
      type === PROMPT_TYPE ? undefined : type,
    "o.scope = ?": scope,
    "o.namespace = ?": namespace,
    "o.updated_at >= ?": since,
  };
  const parts = Object.entries(conditions).flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]));
  return { where: parts.map(({ sql }) => sql).join(" AND ") || "1 = 1", values: parts.map(({ value }) => value) };
}

function* repairTypo(area: SearchArea, spelled: string): SqlProgram<ranking.TermPosting | undefined> {
  const variants = [...new Set(ranking.listTypoVariants(spelled).map(normalizeSearchTerm))].filter(
    (term) => term.length >= SHORTEST_REPAIRED_TERM && !isStopWord(term),
  );
  const known = variants.length === 0 ? [] : yield* area.index.known(variants);
  return (yield* readPostings(area, known.map(asQuestionTerm)))
    .toSorted((one, other) => other.holders - one.holders)
    .find((posting) => posting.holders > 0);
}

/** Few statements for all of them, because each one may travel through a network. */
export function* listSessionNeighbours(
  ids: readonly number[],
  before: number,
  after: number,
): SqlProgram<Map<number, ranking.SessionNeighbours<Observation>>> {
  const select = `SELECT id, session, place FROM observations WHERE id IN (${formatMarks(ids)})`;
  const own = ids.length === 0 ? [] : yield* queryRows(select, ...ids);
  const places = new Map(own.map(({ id, place }) => [Number(id), Number(place)]));
  const side = (sign: "<" | ">", order: "DESC" | "ASC"): string =>
    `SELECT * FROM (SELECT CAST(? AS BIGINT) AS id, o.place FROM observations o WHERE o.session = ? AND o.place ${sign} ?
       AND o.deleted_at IS NULL AND o.type <> '${PROMPT_TYPE}' ORDER BY o.place ${order} LIMIT ?) x`;
  const sql = own.flatMap(() => [side("<", "DESC"), side(">", "ASC")]).join(" UNION ALL ");
  const values = own.flatMap(({ id, session, place }) =>
    [before, after].flatMap((limit) => [Number(id), Number(session), BigInt(Number(place)), limit]),
  );
  const rows = own.length === 0 ? [] : yield* queryRows(sql, ...values);
  const pairs = rows.map((row) => ({ id: Number(row["id"]), place: Number(row["place"]) }));
  const found = yield* readObservationsByPlace([...new Set(pairs.map(({ place }) => place))]);
  const pick = (id: number, sign: 1 | -1): Observation[] =>
    pairs
      .filter((pair) => pair.id === id && sign * (pair.place - (places.get(id) ?? 0)) > 0)
      .toSorted((one, other) => sign * (one.place - other.place))
      .flatMap(({ place }) => found.get(place) ?? []);
  const known = ids.filter((id) => places.has(id));
  return new Map(known.map((id) => [id, { before: pick(id, -1), after: pick(id, 1) }]));
}

/** A condition for live rows that were last changed before a time. Prompts are found only when requested. */
function formatStaleConditions(filter: MemoryFilter, before: string): { where: string; values: DatabaseValue[] } {
  const { where, values } = formatFilterConditions(filter);
  const prompts = `o.type ${filter.type === PROMPT_TYPE ? "=" : "<>"} '${PROMPT_TYPE}'`;
  return {
    where: `o.updated_at < ? AND o.deleted_at IS NULL AND ${prompts} AND ${where}`,
    values: [before, ...values],
  };
}

export function* isStaleObservation(id: number, filter: MemoryFilter, before: string): SqlProgram<boolean> {
  const range = yield* findFilterRange(filter);
  if (!range) return false;
  const { where, values } = formatStaleConditions(filter, before);
  const sql = `SELECT 1 FROM observations o WHERE o.id = ? AND o.place BETWEEN ? AND ? AND ${where}`;
  return (yield* queryRows(sql, id, range.from, range.to, ...values)).length === 1;
}

export function* countStaleObservations(filter: MemoryFilter, before: string): SqlProgram<number> {
  const { where, values } = formatStaleConditions(filter, before);
  const sql = `SELECT count(*) AS n FROM observations o WHERE o.project = ? AND ${where}`;
  let count = 0;
  for (const project of yield* listFilterProjects(filter))
    count += Number((yield* queryRows(sql, project, ...values))[0]?.["n"]);
  return count;
}

/** Each project has its own order in the index, so all are merged before any row is read. */
export function* listObservationsByChange(
  filter: MemoryFilter,
  limit: number,
  order: "ASC" | "DESC" = "DESC",
  before = "9999",
): SqlProgram<Observation[]> {
  const { where, values } = formatStaleConditions(filter, before);
  const sign = order === "ASC" ? 1 : -1;
  const sql = `SELECT o.place, o.updated_at FROM observations o WHERE o.project = ? AND ${where}
     ORDER BY o.updated_at ${order}, o.place ${order} LIMIT ?`;
  const compareTimes = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
  const projects = yield* listFilterProjects(filter);
  const places = (yield* mapProgram(projects, (project) => queryRows(sql, project, ...values, limit)))
    .flat()
    .map((row) => ({ place: Number(row["place"]), time: String(row["updated_at"]) }))
    .toSorted((one, other) => sign * (compareTimes(one.time, other.time) || one.place - other.place))
    .slice(0, limit);
  return yield* listObservationsByPlace(places.map(({ place }) => place));
}

function* listFilterProjects({ project }: MemoryFilter): SqlProgram<number[]> {
  if (project === undefined) return (yield* queryRows("SELECT no FROM projects")).map((row) => Number(row["no"]));
  const number = yield* findProjectNumber(project);
  return number === undefined ? [] : [number];
}

export const NO_STATISTICS: Omit<MemoryStatistics, "file" | "bytes"> = {
  observations: 0,
  deleted: 0,
  prompts: 0,
  sessions: 0,
  relations: 0,
  revisions: 0,
  projects: [],
};

export function* readMemoryStatistics(): SqlProgram<typeof NO_STATISTICS> {
  const live = "observations WHERE deleted_at IS NULL AND type";
  const otherNames = "SELECT name FROM project_names WHERE project = ? AND name <> ? ORDER BY name";
  const named = yield* queryRows("SELECT no, name FROM projects ORDER BY name");
  const projects = yield* mapProgram(named, function* ({ no, name }) {
    const aliases = yield* queryRows(otherNames, Number(no), String(name));
    return {
      name: String(name),
      observations: yield* countRows(`${live} <> '${PROMPT_TYPE}' AND project = ${Number(no)}`),
      aliases: aliases.map((alias) => String(alias["name"])),
    };
  });
  return {
    observations: yield* countRows(`${live} <> '${PROMPT_TYPE}'`),
    deleted: yield* countRows("observations WHERE deleted_at IS NOT NULL"),
    prompts: yield* countRows(`${live} = '${PROMPT_TYPE}'`),
    sessions: yield* countRows("sessions"),
    relations: yield* countRows("relations"),
    revisions: yield* countRows("revisions"),
    projects: projects.toSorted((one, other) => other.observations - one.observations),
  };
}

export function* countRows(from: string): SqlProgram<number> {
  const [row] = yield* queryRows(`SELECT count(*) AS n FROM ${from}`);
  return Number(row?.["n"]);
}
