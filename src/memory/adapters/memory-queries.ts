import fs from "node:fs";
import * as ranking from "#kernel/model/search/search-ranking.ts";
import type { MemoryStatistics, Observation } from "../model/memory-records.ts";
import { DECISION_RECORD_TYPE, DECISION_TYPE, PROMPT_TYPE } from "../model/observation.ts";
import type { SearchQuestion } from "#kernel/model/search/search-question.ts";
import { normalizeSearchTerm } from "#kernel/model/search/search-terms.ts";
import { isStopWord } from "#kernel/model/search/stop-words.ts";
import type { MemoryCandidates, MemoryFilter } from "../operations/ports/memory.ts";
import type { DatabaseReader, DatabaseValue } from "#kernel/adapters/sqlite-database.ts";
import { findProjectNumber } from "./memory-projects.ts";
import { chooseTermIndex, formatRowPlace, selectObservations } from "./memory-tables.ts";

const MOST_PHRASE_ROWS = 2_000;
const MOST_FILTERED_ROWS = 100_000;
const MOST_HINT_ROWS = 60_000;
/** The share of rows assumed for a term with more rows than are read. */
const COMMON_TERM_SHARE = 0.1;
const SHORTEST_REPAIRED_TERM = 4;

function findFilterRange(db: DatabaseReader, filter: MemoryFilter): { from: bigint; to: bigint } | undefined {
  if (filter.project === undefined) return { from: 0n, to: 2n ** 62n };
  const project = findProjectNumber(db, filter.project);
  if (project === undefined) return undefined;
  return { from: formatRowPlace(project, 0), to: formatRowPlace(project + 1, 0) - 1n };
}

/** The rows of a filter that a search looks in, with an estimate of their number that includes deleted rows. */
interface SearchArea {
  readonly db: DatabaseReader;
  readonly range: { readonly from: bigint; readonly to: bigint };
  readonly filter: MemoryFilter;
  readonly total: number;
}

export function findSearchCandidates(
  db: DatabaseReader,
  question: SearchQuestion,
  filter: MemoryFilter,
  most: number,
): MemoryCandidates {
  const range = findFilterRange(db, filter);
  if (!range) return { observations: [], weights: new Map(), repaired: [] };
  const projects = [range.from >> 32n, range.to >> 32n];
  const [sum] = db.all("SELECT sum(last_row) AS n FROM projects WHERE no BETWEEN ? AND ?", ...projects);
  const total = Number(sum?.["n"] ?? 0);
  const area: SearchArea = { db, range, filter, total };
  const unfiltered = { ...area, filter: filter.type === PROMPT_TYPE ? { type: PROMPT_TYPE } : {} };
  const isFiltered = formatFilterConditions(filter).values.length > 0;
  const repaired: { from: string; to: string }[] = [];
  const postings: ranking.TermPosting[] = [];
  const weights = new Map<string, number>();
  for (const asked of question.terms) {
    let posting = readPosting(area, asked);
    // If only a filter excludes the word, it is spelled correctly.
    const isHidden = posting.holders === 0 && isFiltered && readPosting(unfiltered, asked).holders > 0;
    if (posting.holders === 0 && !isHidden) {
      const spelled = question.spelled.get(asked) ?? asked;
      const instead = repairTypo(area, spelled);
      if (!instead) continue;
      repaired.push({ from: spelled, to: instead.term });
      posting = instead;
    }
    postings.push(posting);
    weights.set(posting.term, ranking.computeTermWeight(posting.holders, total));
  }
  const each = Math.floor(MOST_HINT_ROWS / Math.max(1, question.hints.size));
  for (const [hint, share] of question.hints) {
    const posting = readPosting(area, hint, { share, most: each });
    if (posting.holders === 0 || weights.has(hint)) continue;
    postings.push(posting);
    weights.set(hint, share * ranking.computeTermWeight(posting.holders, total));
  }
  const places =
    question.phrases.length > 0
      ? listMatchingPlaces(area, formatPhraseTerms(question), MOST_PHRASE_ROWS)
      : ranking.selectCoveringRows(postings, total, most);
  const found = places.flatMap((place) => readObservationByPlace(db, place));
  if (question.phrases.length === 0) return { observations: found, weights, repaired };
  const phrases = new ranking.SearchRanking<Observation>(question, weights);
  return { observations: found.filter((observation) => phrases.hasPhrases(observation)), weights, repaired };
}

const formatPhraseTerms = ({ phrases }: SearchQuestion): string =>
  [...new Set(phrases.flat())].map((term) => `"${term}"`).join(" ");

const readObservationByPlace = (db: DatabaseReader, place: number): Observation[] =>
  selectObservations(db, "o.place = ?", BigInt(place));

function readPosting(
  area: SearchArea,
  term: string,
  { share, most } = { share: 1, most: ranking.MAX_WEIGHED_ROWS },
): ranking.TermPosting {
  const rows = listMatchingPlaces(area, `"${term}"`, most);
  const holders = rows.length < most ? rows.length : Math.max(most, Math.floor(area.total * COMMON_TERM_SHARE));
  return { term, rows, holders, share };
}

/** The newest matching rows. Only terms of letters and digits reach the index query. */
function listMatchingPlaces({ db, range, filter }: SearchArea, match: string, limit: number): number[] {
  const index = chooseTermIndex(filter.type);
  const { where, values } = formatFilterConditions(filter);
  const inner = `SELECT rowid FROM ${index} WHERE ${index} MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ?`;
  const chosen =
    values.length === 0
      ? inner
      : `SELECT t.rowid FROM (${inner}) t CROSS JOIN observations o ON o.place = t.rowid WHERE ${where} LIMIT ?`;
  const limits = values.length === 0 ? [limit] : [MOST_FILTERED_ROWS, ...values, limit];
  // As one JSON value: twenty thousand row objects take longer than the rest of a search.
  const sql = `SELECT json_group_array(rowid) AS places FROM (${chosen})`;
  return JSON.parse(String(db.all(sql, match, range.from, range.to, ...limits)[0]?.["places"])) as number[];
}

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
  return { where: parts.map(({ sql }) => sql).join(" AND ") || "1", values: parts.map(({ value }) => value) };
}

function repairTypo(area: SearchArea, spelled: string): ranking.TermPosting | undefined {
  return [...new Set(ranking.listTypoVariants(spelled).map(normalizeSearchTerm))]
    .filter((term) => term.length >= SHORTEST_REPAIRED_TERM && !isStopWord(term))
    .filter((term) => area.db.all("SELECT 1 FROM vocabulary WHERE term = ?", term).length > 0)
    .map((term) => readPosting(area, term))
    .toSorted((one, other) => other.holders - one.holders)
    .find((posting) => posting.holders > 0);
}

export function listSessionNeighbours(
  db: DatabaseReader,
  id: number,
  before: number,
  after: number,
): ranking.SessionNeighbours<Observation> {
  const [own] = db.all("SELECT session, place FROM observations WHERE id = ?", id);
  if (!own) return { before: [], after: [] };
  const [session, place] = [Number(own["session"]), BigInt(Number(own["place"]))];
  const side = (sign: "<" | ">", order: "DESC" | "ASC", limit: number): Observation[] => {
    const where = `o.session = ? AND o.place ${sign} ? AND o.deleted_at IS NULL AND o.type <> '${PROMPT_TYPE}'`;
    return selectObservations(db, `${where} ORDER BY o.place ${order} LIMIT ?`, session, place, limit);
  };
  return { before: side("<", "DESC", before), after: side(">", "ASC", after) };
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

export function isStaleObservation(db: DatabaseReader, id: number, filter: MemoryFilter, before: string): boolean {
  const range = findFilterRange(db, filter);
  if (!range) return false;
  const { where, values } = formatStaleConditions(filter, before);
  const sql = `SELECT 1 FROM observations o WHERE o.id = ? AND o.place BETWEEN ? AND ? AND ${where}`;
  return db.all(sql, id, range.from, range.to, ...values).length === 1;
}

export function countStaleObservations(db: DatabaseReader, filter: MemoryFilter, before: string): number {
  const { where, values } = formatStaleConditions(filter, before);
  const sql = `SELECT count(*) AS n FROM observations o WHERE o.project = ? AND ${where}`;
  const counts = listFilterProjects(db, filter).map((project) => Number(db.all(sql, project, ...values)[0]?.["n"]));
  return counts.reduce((sum, n) => sum + n, 0);
}

/** Each project has its own order in the index, so all are merged before any row is read. */
export function listObservationsByChange(
  db: DatabaseReader,
  filter: MemoryFilter,
  limit: number,
  order: "ASC" | "DESC" = "DESC",
  before = "9999",
): Observation[] {
  const { where, values } = formatStaleConditions(filter, before);
  const sign = order === "ASC" ? 1 : -1;
  const sql = `SELECT o.place, o.updated_at FROM observations o WHERE o.project = ? AND ${where}
     ORDER BY o.updated_at ${order}, o.place ${order} LIMIT ?`;
  const compareTimes = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
  return listFilterProjects(db, filter)
    .flatMap((project) => db.all(sql, project, ...values, limit))
    .map((row) => ({ place: Number(row["place"]), time: String(row["updated_at"]) }))
    .toSorted((one, other) => sign * (compareTimes(one.time, other.time) || one.place - other.place))
    .slice(0, limit)
    .flatMap(({ place }) => readObservationByPlace(db, place));
}

function listFilterProjects(db: DatabaseReader, { project }: MemoryFilter): number[] {
  if (project === undefined) return db.all("SELECT no FROM projects").map((row) => Number(row["no"]));
  return [findProjectNumber(db, project)].flatMap((number) => number ?? []);
}

export function readMemoryStats(db: DatabaseReader | undefined, file: string): MemoryStatistics {
  const count = (from: string): number => Number(db?.all(`SELECT count(*) AS n FROM ${from}`)[0]?.["n"] ?? 0);
  const live = "observations WHERE deleted_at IS NULL AND type";
  const sizes = ["", "-wal"].map((end) => fs.statSync(`${file}${end}`, { throwIfNoEntry: false })?.size ?? 0);
  const otherNames = "SELECT name FROM project_names WHERE project = ? AND name <> ? ORDER BY name";
  const projects = db?.all("SELECT no, name FROM projects ORDER BY name").map(({ no, name }) => ({
    name: String(name),
    observations: count(`${live} <> '${PROMPT_TYPE}' AND project = ${Number(no)}`),
    aliases: db.all(otherNames, Number(no), String(name)).map((alias) => String(alias["name"])),
  }));
  return {
    observations: count(`${live} <> '${PROMPT_TYPE}'`),
    deleted: count("observations WHERE deleted_at IS NOT NULL"),
    prompts: count(`${live} = '${PROMPT_TYPE}'`),
    sessions: count("sessions"),
    relations: count("relations"),
    revisions: count("revisions"),
    projects: (projects ?? []).toSorted((one, other) => other.observations - one.observations),
    file,
    bytes: sizes.reduce((sum, size) => sum + size, 0),
  };
}
