import {
  selectCoveringRows,
  MAX_WEIGHED_ROWS,
  type TermPosting,
  type SessionNeighbours,
  SearchRanking,
  computeTermWeight,
  listTypoVariants,
} from "#kernel/model/search/search-ranking.ts";
import type { MemoryStatistics, Observation } from "../model/memory-records.ts";
import { PROMPT_TYPE } from "../model/observation.ts";
import type { SearchQuestion } from "#kernel/model/search/search-question.ts";
import { isStopWord, normalizeSearchTerm } from "#kernel/model/search/search-terms.ts";
import type { MemoryCandidates, MemoryFilter } from "../operations/ports/memory.ts";
import type { DatabaseReader, DatabaseValue } from "#kernel/adapters/sqlite-database.ts";
import { findProjectNumber } from "./memory-projects.ts";
import {
  ALL_PLACES,
  chooseTermIndex,
  SELECT_OBSERVATIONS,
  toObservation,
  type PlaceRange,
  getProjectRange,
} from "./memory-tables.ts";
import fs from "node:fs";

const MOST_PHRASE_ROWS = 2_000;
const MOST_FILTERED_ROWS = 100_000;
const MOST_HINT_ROWS = 60_000;
/** The share of rows assumed for a term with more rows than are read. */
const COMMON_TERM_SHARE = 0.1;
const SHORTEST_REPAIRED_TERM = 4;

function findFilterRange(db: DatabaseReader, filter: MemoryFilter): PlaceRange | undefined {
  if (filter.project === undefined) return ALL_PLACES;
  const project = findProjectNumber(db, filter.project);
  return project === undefined ? undefined : getProjectRange(project);
}

export function findSearchCandidates(
  db: DatabaseReader,
  question: SearchQuestion,
  filter: MemoryFilter,
  most: number,
): MemoryCandidates {
  const range = findFilterRange(db, filter);
  if (!range) return { observations: [], weights: new Map(), repaired: [] };
  const total = estimateRowCount(db, range);
  const isFiltered = formatFilterConditions(filter).values.length > 0;
  const unfiltered = filter.type === PROMPT_TYPE ? { type: PROMPT_TYPE } : {};
  const repaired: { from: string; to: string }[] = [];
  const postings: TermPosting[] = [];
  const weights = new Map<string, number>();
  for (const asked of question.terms) {
    let posting = readPosting(db, asked, range, filter);
    // If only a filter excludes the word, it is spelled correctly.
    const isHidden = posting.holders === 0 && isFiltered && readPosting(db, asked, range, unfiltered).holders > 0;
    if (posting.holders === 0 && !isHidden) {
      const instead = repairTypo(db, asked, question, range, filter);
      if (!instead) continue;
      repaired.push({ from: question.spelled.get(asked) ?? asked, to: instead });
      posting = readPosting(db, instead, range, filter);
    }
    postings.push(posting);
    weights.set(posting.term, computeTermWeight(posting.holders, total));
  }
  const each = Math.floor(MOST_HINT_ROWS / Math.max(1, question.hints.size));
  for (const [hint, share] of question.hints) {
    const posting = readPosting(db, hint, range, filter, { share, most: each });
    if (posting.holders === 0 || weights.has(hint)) continue;
    postings.push(posting);
    weights.set(hint, share * computeTermWeight(posting.holders, total));
  }
  const places = question.phrases.length > 0 ? undefined : selectCoveringRows(postings, total, most);
  return {
    observations: places
      ? places.flatMap((place) => readObservationByPlace(db, place))
      : findPhraseMatches(db, question, range, filter, weights),
    weights,
    repaired,
  };
}

const readObservationByPlace = (db: DatabaseReader, place: number): Observation[] =>
  db.all(`${SELECT_OBSERVATIONS} WHERE o.place = ?`, BigInt(place)).map(toObservation);

/** An estimate: it includes deleted rows. */
function estimateRowCount(db: DatabaseReader, { from, to }: PlaceRange): number {
  const [row] = db.all("SELECT sum(last_row) AS n FROM projects WHERE no BETWEEN ? AND ?", from >> 32n, to >> 32n);
  return Number(row?.["n"] ?? 0);
}

function readPosting(
  db: DatabaseReader,
  term: string,
  range: PlaceRange,
  filter: MemoryFilter,
  { share, most } = { share: 1, most: MAX_WEIGHED_ROWS },
): TermPosting {
  const rows = listMatchingPlaces(db, `"${term}"`, range, filter, most);
  const holders =
    rows.length < most ? rows.length : Math.max(most, Math.floor(estimateRowCount(db, range) * COMMON_TERM_SHARE));
  return { term, rows, holders, share };
}

/** The newest matching rows. Only terms of letters and digits reach the index query. */
function listMatchingPlaces(
  db: DatabaseReader,
  match: string,
  { from, to }: PlaceRange,
  filter: MemoryFilter,
  limit: number,
): number[] {
  const index = chooseTermIndex(filter.type);
  const { where, values } = formatFilterConditions(filter);
  const inner = `SELECT rowid FROM ${index} WHERE ${index} MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ?`;
  const chosen =
    values.length === 0
      ? inner
      : `SELECT t.rowid FROM (${inner}) t CROSS JOIN observations o ON o.place = t.rowid WHERE ${where} LIMIT ?`;
  const limits = values.length === 0 ? [limit] : [MOST_FILTERED_ROWS, ...values, limit];
  // As one JSON value: twenty thousand row objects take longer than the rest of a search.
  const [row] = db.all(`SELECT json_group_array(rowid) AS places FROM (${chosen})`, match, from, to, ...limits);
  return JSON.parse(String(row?.["places"])) as number[];
}

function formatFilterConditions({ type, scope, namespace, since }: MemoryFilter): {
  where: string;
  values: DatabaseValue[];
} {
  const conditions: Record<string, string | undefined> = {
    "o.type = ?": type === PROMPT_TYPE ? undefined : type,
    "o.scope = ?": scope,
    "o.namespace = ?": namespace,
    "o.updated_at >= ?": since,
  };
  const parts = Object.entries(conditions).flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]));
  return { where: parts.map(({ sql }) => sql).join(" AND ") || "1", values: parts.map(({ value }) => value) };
}

function repairTypo(
  db: DatabaseReader,
  asked: string,
  { spelled }: SearchQuestion,
  range: PlaceRange,
  filter: MemoryFilter,
): string | undefined {
  const near = new Set(listTypoVariants(spelled.get(asked) ?? asked).map(normalizeSearchTerm));
  return [...near]
    .filter((term) => term.length >= SHORTEST_REPAIRED_TERM && !isStopWord(term))
    .filter((term) => db.all("SELECT 1 FROM vocabulary WHERE term = ?", term).length > 0)
    .map((term) => readPosting(db, term, range, filter))
    .toSorted((one, other) => other.holders - one.holders)
    .find((posting) => posting.holders > 0)?.term;
}

function findPhraseMatches(
  db: DatabaseReader,
  question: SearchQuestion,
  range: PlaceRange,
  filter: MemoryFilter,
  weights: ReadonlyMap<string, number>,
): Observation[] {
  const terms = [...new Set(question.phrases.flat())].map((term) => `"${term}"`).join(" ");
  const ranking = new SearchRanking<Observation>(question, weights);
  return listMatchingPlaces(db, terms, range, filter, MOST_PHRASE_ROWS)
    .flatMap((place) => readObservationByPlace(db, place))
    .filter((observation) => ranking.hasPhrases(observation));
}

export function listSessionNeighbours(
  db: DatabaseReader,
  id: number,
  before: number,
  after: number,
): SessionNeighbours<Observation> {
  const [own] = db.all("SELECT session, place FROM observations WHERE id = ?", id);
  if (!own) return { before: [], after: [] };
  const session = Number(own["session"]);
  const place = BigInt(Number(own["place"]));
  const side = (sign: "<" | ">", order: "DESC" | "ASC", limit: number): Observation[] => {
    const where = `o.session = ? AND o.place ${sign} ? AND o.deleted_at IS NULL AND o.type <> '${PROMPT_TYPE}'`;
    const sql = `${SELECT_OBSERVATIONS} WHERE ${where} ORDER BY o.place ${order} LIMIT ?`;
    return db.all(sql, session, place, limit).map(toObservation);
  };
  return { before: side("<", "DESC", before), after: side(">", "ASC", after) };
}

export function isStaleObservation(db: DatabaseReader, id: number, filter: MemoryFilter, before: string): boolean {
  const range = findFilterRange(db, filter);
  if (!range) return false;
  const { where, values } = formatFilterConditions(filter);
  const sql = `SELECT 1 FROM observations o WHERE o.id = ? AND o.place BETWEEN ? AND ? AND o.updated_at < ?
     AND o.deleted_at IS NULL AND ${formatPromptCondition(filter)} AND ${where}`;
  return db.all(sql, id, range.from, range.to, before, ...values).length === 1;
}

export function countStaleObservations(db: DatabaseReader, filter: MemoryFilter, before: string): number {
  const { where, values } = formatFilterConditions(filter);
  const sql = `SELECT count(*) AS n FROM observations o WHERE o.project = ? AND o.updated_at < ?
     AND o.deleted_at IS NULL AND ${formatPromptCondition(filter)} AND ${where}`;
  const counts = listFilterProjects(db, filter).map((project) => db.all(sql, project, before, ...values)[0]?.["n"]);
  return counts.reduce<number>((sum, n) => sum + Number(n), 0);
}

/** Each project has its own order in the index, so all are merged before any row is read. */
export function listObservationsByChange(
  db: DatabaseReader,
  filter: MemoryFilter,
  limit: number,
  order: "ASC" | "DESC" = "DESC",
  before = "9999",
): Observation[] {
  const { where, values } = formatFilterConditions(filter);
  const sign = order === "ASC" ? 1 : -1;
  const sql = `SELECT o.place, o.updated_at FROM observations o WHERE o.project = ? AND o.updated_at < ?
     AND o.deleted_at IS NULL AND ${formatPromptCondition(filter)} AND ${where}
     ORDER BY o.updated_at ${order}, o.place ${order} LIMIT ?`;
  return listFilterProjects(db, filter)
    .flatMap((project) => db.all(sql, project, before, ...values, limit))
    .map((row) => ({ place: Number(row["place"]), time: String(row["updated_at"]) }))
    .toSorted((one, other) => sign * (compareTimes(one.time, other.time) || one.place - other.place))
    .slice(0, limit)
    .flatMap(({ place }) => readObservationByPlace(db, place));
}

/** Prompts are found only when requested. */
const formatPromptCondition = ({ type }: MemoryFilter): string =>
  type === PROMPT_TYPE ? `o.type = '${PROMPT_TYPE}'` : `o.type <> '${PROMPT_TYPE}'`;

function listFilterProjects(db: DatabaseReader, { project }: MemoryFilter): number[] {
  if (project === undefined) return db.all("SELECT no FROM projects").map((row) => Number(row["no"]));
  return [findProjectNumber(db, project)].flatMap((number) => number ?? []);
}

const compareTimes = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

export function readMemoryStats(db: DatabaseReader | undefined, file: string): MemoryStatistics {
  const count = (sql: string): number => Number(db?.all(sql)[0]?.["n"] ?? 0);
  const live = "FROM observations WHERE deleted_at IS NULL";
  return {
    observations: count(`SELECT count(*) AS n ${live} AND type <> '${PROMPT_TYPE}'`),
    deleted: count("SELECT count(*) AS n FROM observations WHERE deleted_at IS NOT NULL"),
    prompts: count(`SELECT count(*) AS n ${live} AND type = '${PROMPT_TYPE}'`),
    sessions: count("SELECT count(*) AS n FROM sessions"),
    relations: count("SELECT count(*) AS n FROM relations"),
    revisions: count("SELECT count(*) AS n FROM revisions"),
    projects: db ? listProjectStats(db) : [],
    file,
    bytes: ["", "-wal"].reduce(
      (sum, end) => sum + (fs.statSync(`${file}${end}`, { throwIfNoEntry: false })?.size ?? 0),
      0,
    ),
  };
}

function listProjectStats(db: DatabaseReader): MemoryStatistics["projects"] {
  const live = `SELECT project, count(*) AS n FROM observations WHERE deleted_at IS NULL AND type <> '${PROMPT_TYPE}'`;
  const counts = new Map(db.all(`${live} GROUP BY 1`).map((row) => [row["project"], Number(row["n"])]));
  const otherNames = "SELECT name FROM project_names WHERE project = ? AND name <> ? ORDER BY name";
  return db
    .all("SELECT no, name FROM projects ORDER BY name")
    .map(({ no, name }) => ({
      name: String(name),
      observations: counts.get(no) ?? 0,
      aliases: db.all(otherNames, Number(no), String(name)).map((alias) => String(alias["name"])),
    }))
    .toSorted((one, other) => other.observations - one.observations);
}
