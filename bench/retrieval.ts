/**
 * Measures retrieval by plain-language questions: `npm run bench:retrieval`, or with folders of other sets after `--`.
 * A set has two JSON-lines files, as in bench/retrieval/: observations.jsonl (id, project, session, type, title,
 * content, at) and questions.jsonl (id, project, question, relevant).
 */
import fs from "node:fs";
import os from "node:os";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { PostgresMemory } from "#memory/adapters/postgres-memory.ts";
import { SqliteMemory } from "#memory/adapters/sqlite-memory.ts";
import { parseSearchQuestion } from "#kernel/model/search/search-question.ts";
import type { MemoryRecords } from "#memory/operations/ports/memory.ts";
import { recallObservations } from "#memory/operations/search-memory.ts";
import { postgresProblem, startPostgres } from "../test/kit/postgres-server.ts";
import { createTeamDatabase, openTeamDatabase } from "../test/kit/team-database.ts";

interface RetrievalObservation {
  readonly id: string;
  readonly project: string;
  readonly session: string;
  readonly type: string;
  readonly title: string;
  readonly content: string;
  readonly at: string;
}

interface RetrievalQuestion {
  readonly id: string;
  readonly project: string;
  readonly question: string;
  readonly relevant: readonly string[];
}

type RetrievalMethod = (asked: RetrievalQuestion) => Promise<string[]> | string[];

interface RetrievalScore {
  readonly recall5: number;
  readonly recall10: number;
  readonly mrr: number;
}

const RETRIEVAL_DEPTH = 10;

function readJsonLines<T>(file: string): T[] {
  const text = fs.readFileSync(file, "utf8").trim();
  return text.split("\n").map((line) => JSON.parse(line) as T);
}

async function createTenonMethod(
  memory: MemoryRecords,
  all: readonly RetrievalObservation[],
): Promise<RetrievalMethod> {
  const names = new Map<number, string>();
  for (const each of all) {
    const [saved] = await memory.save(
      [
        {
          ...each,
          project: { name: each.project, places: [] },
          scope: "project",
          namespace: "",
        },
      ],
      each.at,
    );
    if (saved) names.set(saved.observation.id, each.id);
  }
  return async ({ project, question }) => {
    const { observations } = await recallObservations(memory, parseSearchQuestion(question, "2026-12-31T00:00:00Z"), {
      project: { name: project, places: [] },
    });
    return observations.slice(0, RETRIEVAL_DEPTH).map(({ id }) => names.get(id) ?? "");
  };
}

/** A plain FTS5 table ranked by bm25, as in comparable tools. `joint` requires all words or any of them. */
function createPeerMethod(all: readonly RetrievalObservation[], joint: " " | " OR "): RetrievalMethod {
  const db = new DatabaseSync(":memory:");
  db.exec("CREATE VIRTUAL TABLE peer USING fts5 (title, content, project UNINDEXED, id UNINDEXED)");
  const insert = db.prepare("INSERT INTO peer VALUES (?, ?, ?, ?)");
  for (const { title, content, project, id } of all) insert.run(title, content, project, id);
  const find = db.prepare("SELECT id FROM peer WHERE peer MATCH ? AND project = ? ORDER BY rank LIMIT ?");
  return ({ project, question }) => {
    const words = question.split(/\s+/).map((word) => `"${word.replaceAll('"', "")}"`);
    const match = words.filter((word) => /[\p{L}\p{N}]/u.test(word)).join(joint);
    return find.all(match, project, RETRIEVAL_DEPTH).map((row) => String(row["id"]));
  };
}

async function scoreRetrievalMethod(
  method: RetrievalMethod,
  questions: readonly RetrievalQuestion[],
): Promise<RetrievalScore> {
  let [recall5, recall10, mrr] = [0, 0, 0];
  for (const asked of questions) {
    const found = await method(asked);
    const share = (depth: number): number =>
      asked.relevant.filter((id) => found.slice(0, depth).includes(id)).length / asked.relevant.length;
    recall5 += share(5);
    recall10 += share(10);
    const first = found.findIndex((id) => asked.relevant.includes(id));
    mrr += first < 0 ? 0 : 1 / (first + 1);
  }
  const n = questions.length;
  return { recall5: recall5 / n, recall10: recall10 / n, mrr: mrr / n };
}

/** Nothing where PostgreSQL is not installed. */
async function scoreOnPostgres(
  all: readonly RetrievalObservation[],
  questions: readonly RetrievalQuestion[],
): Promise<RetrievalScore | undefined> {
  if (postgresProblem !== undefined) return undefined;
  await using server = await startPostgres();
  const database = openTeamDatabase(createTeamDatabase(server, "bench"));
  try {
    return await scoreRetrievalMethod(await createTenonMethod(new PostgresMemory(database, "bench"), all), questions);
  } finally {
    await database.close();
  }
}

const formatPoints = (one: number, other: number): string => `${(Math.abs(one - other) * 100).toFixed(1)} points`;

function compareStores(sqlite: RetrievalScore, postgres: RetrievalScore | undefined): string {
  if (postgres === undefined) return `Not measured on PostgreSQL: ${postgresProblem}`;
  const recall5 = formatPoints(sqlite.recall5, postgres.recall5);
  const recall10 = formatPoints(sqlite.recall10, postgres.recall10);
  const mrr = Math.abs(sqlite.mrr - postgres.mrr).toFixed(3);
  return `SQLite and PostgreSQL differ by ${recall5} (recall@5), ${recall10} (recall@10) and ${mrr} (MRR). At most 2 points are allowed.`;
}

async function measureRetrievalSet(set: string): Promise<string> {
  const all = readJsonLines<RetrievalObservation>(join(set, "observations.jsonl"));
  const questions = readJsonLines<RetrievalQuestion>(join(set, "questions.jsonl"));
  const folder = fs.mkdtempSync(join(os.tmpdir(), "tenon-bench-"));
  try {
    const methods: [string, RetrievalMethod][] = [
      ["all words required", createPeerMethod(all, " ")],
      ["any word, bm25", createPeerMethod(all, " OR ")],
    ];
    const scores = new Map<string, RetrievalScore>();
    for (const [name, method] of methods) scores.set(name, await scoreRetrievalMethod(method, questions));
    using memory = new SqliteMemory(join(folder, "memory.db"), folder);
    const sqlite = await scoreRetrievalMethod(await createTenonMethod(memory, all), questions);
    scores.set("Tenon", sqlite);
    const postgres = await scoreOnPostgres(all, questions);
    if (postgres) scores.set("Tenon on PostgreSQL", postgres);
    const rows = [...scores].map(
      ([name, { recall5, recall10, mrr }]) =>
        `| ${name} | ${(recall5 * 100).toFixed(1)} | ${(recall10 * 100).toFixed(1)} | ${mrr.toFixed(3)} |`,
    );
    const projects = new Set(all.map(({ project }) => project)).size;
    return [
      `## ${basename(set)}: ${all.length} observations in ${projects} projects, ${questions.length} questions`,
      "",
      "| method | recall@5 % | recall@10 % | MRR |",
      "|---|---|---|---|",
      ...rows,
      "",
      compareStores(sqlite, postgres),
      "",
    ].join("\n");
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

const OWN_RETRIEVAL_SET = "bench/retrieval";
const otherRetrievalSets = process.argv.slice(2);
const retrievalPages: string[] = [];
for (const set of otherRetrievalSets.length > 0 ? otherRetrievalSets : [OWN_RETRIEVAL_SET])
  retrievalPages.push(await measureRetrievalSet(set));
console.log(retrievalPages.join("\n"));
const day = new Date().toISOString().slice(0, 10);
const isOwn = otherRetrievalSets.length === 0;
const note = isOwn
  ? "The weight of related words was chosen with this set in view (docs/adr/0007)."
  : "These sets are not in this repository: conversations with questions and their evidence, converted as the head of bench/retrieval.ts says.";
const head = `# Retrieval, measured on ${day}\n\nEach search covers the project of its question. ${note}\n\n`;
fs.mkdirSync("bench/results", { recursive: true });
fs.writeFileSync(`bench/results/${day}-retrieval${isOwn ? "" : "-others"}.md`, `${head}${retrievalPages.join("\n")}`);
