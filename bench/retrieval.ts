/**
 * Measures retrieval by plain-language questions: `npm run bench:retrieval`, or with folders of other sets after `--`.
 * A set has two JSON-lines files, as in bench/retrieval/: observations.jsonl (id, project, session, type, title,
 * content, at) and questions.jsonl (id, project, question, relevant).
 */
import fs from "node:fs";
import os from "node:os";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { SqliteMemory } from "../src/adapters/store/memory/sqlite/memory.ts";
import { readQuestion } from "../src/domain/memory/question.ts";
import { recall } from "../src/operations/memory/recall.ts";

interface Remembered {
  readonly id: string;
  readonly project: string;
  readonly session: string;
  readonly type: string;
  readonly title: string;
  readonly content: string;
  readonly at: string;
}

interface Asked {
  readonly id: string;
  readonly project: string;
  readonly question: string;
  readonly relevant: readonly string[];
}

type Method = (asked: Asked) => Promise<string[]> | string[];

interface Score {
  readonly recall5: number;
  readonly recall10: number;
  readonly mrr: number;
}

const DEPTH = 10;

function lines<T>(file: string): T[] {
  const text = fs.readFileSync(file, "utf8").trim();
  return text.split("\n").map((line) => JSON.parse(line) as T);
}

async function tenonOn(folder: string, all: readonly Remembered[]): Promise<Method> {
  const memory = new SqliteMemory(join(folder, "memory.db"), folder);
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
    const { observations } = await recall(memory, readQuestion(question, "2026-12-31T00:00:00Z"), {
      project: { name: project, places: [] },
    });
    return observations.slice(0, DEPTH).map(({ id }) => names.get(id) ?? "");
  };
}

/** A plain FTS5 table ranked by bm25, as in comparable tools. `joint` requires all words or any of them. */
function peerOn(all: readonly Remembered[], joint: " " | " OR "): Method {
  const db = new DatabaseSync(":memory:");
  db.exec("CREATE VIRTUAL TABLE peer USING fts5 (title, content, project UNINDEXED, id UNINDEXED)");
  const insert = db.prepare("INSERT INTO peer VALUES (?, ?, ?, ?)");
  for (const { title, content, project, id } of all) insert.run(title, content, project, id);
  const find = db.prepare("SELECT id FROM peer WHERE peer MATCH ? AND project = ? ORDER BY rank LIMIT ?");
  return ({ project, question }) => {
    const words = question.split(/\s+/).map((word) => `"${word.replaceAll('"', "")}"`);
    const match = words.filter((word) => /[\p{L}\p{N}]/u.test(word)).join(joint);
    return find.all(match, project, DEPTH).map((row) => String(row["id"]));
  };
}

async function score(method: Method, questions: readonly Asked[]): Promise<Score> {
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

async function measure(set: string): Promise<string> {
  const all = lines<Remembered>(join(set, "observations.jsonl"));
  const questions = lines<Asked>(join(set, "questions.jsonl"));
  const folder = fs.mkdtempSync(join(os.tmpdir(), "tenon-bench-"));
  try {
    const methods: [string, Method][] = [
      ["all words required", peerOn(all, " ")],
      ["any word, bm25", peerOn(all, " OR ")],
      ["Tenon", await tenonOn(folder, all)],
    ];
    const rows = [];
    for (const [name, method] of methods) {
      const { recall5, recall10, mrr } = await score(method, questions);
      rows.push(`| ${name} | ${(recall5 * 100).toFixed(1)} | ${(recall10 * 100).toFixed(1)} | ${mrr.toFixed(3)} |`);
    }
    const projects = new Set(all.map(({ project }) => project)).size;
    return [
      `## ${basename(set)}: ${all.length} observations in ${projects} projects, ${questions.length} questions`,
      "",
      "| method | recall@5 % | recall@10 % | MRR |",
      "|---|---|---|---|",
      ...rows,
      "",
    ].join("\n");
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

const OWN = "bench/retrieval";
const others = process.argv.slice(2);
const pages: string[] = [];
for (const set of others.length > 0 ? others : [OWN]) pages.push(await measure(set));
console.log(pages.join("\n"));
if (others.length === 0) {
  const day = new Date().toISOString().slice(0, 10);
  const head = `# Retrieval, measured on ${day}\n\nThe search is limited to the project of the question. The weight of related words was chosen while looking at this set (docs/adr/0007).\n\n`;
  fs.mkdirSync("bench/results", { recursive: true });
  fs.writeFileSync(`bench/results/${day}-retrieval.md`, `${head}${pages.join("\n")}`);
}
