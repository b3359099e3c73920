/**
 * Measures memory with a million generated observations, or with the number in the first argument. The data is the same
 * every time. Each number is compared with bare SQLite on the same file.
 */
import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { SqliteMemory } from "#memory/adapters/sqlite-memory.ts";
import { normalizeSearchTerm } from "#kernel/model/search/search-terms.ts";
import type { Engine } from "#doors/engine.ts";
import { readMemoryContext } from "#memory/operations/memory-context.ts";
import { saveObservation } from "#memory/operations/save-observation.ts";
import { searchMemory } from "#memory/operations/search-memory.ts";
import type { ObservationDraft } from "#memory/operations/ports/memory.ts";
import { createBenchHouse } from "./house.ts";

const OBSERVATION_TOTAL = Number(process.argv[2] ?? 1_000_000);
const PROJECT_TOTAL = 200;
const WORD_TOTAL = 60_000;
const INSERT_BATCH = 1_000;
const MEMORY_ROUNDS = 200;

function createRandomSource(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 12), 0x297a2d39);
    mixed ^= mixed >>> 15;
    return (mixed >>> 0) / 2 ** 32;
  };
}

const nextRandom = createRandomSource(7);
const SYLLABLES = "ba co du fe gi lo mu na pe qui ra so ti vu wa xe yo za bri clo dra fle gru plo sta tre".split(" ");
/** The most common words are real, so that questions have related words. */
const REAL_WORDS =
  "error user test data server change build cache token deploy config request limit queue retry delete create update session lock index search login payment timeout message schema version release log".split(
    " ",
  );
/** Words by frequency. Rare ones are built from syllables. */
const createWord = (n: number): string => {
  const real = REAL_WORDS[n];
  if (real !== undefined) return real;
  let [word, rest] = ["", n + SYLLABLES.length];
  for (; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) word += SYLLABLES[rest % SYLLABLES.length];
  return word;
};
/** Zipf's law: the n-th word occurs about 1/n as often as the first. */
const pickRandomWord = (): string => createWord(Math.min(WORD_TOTAL - 1, Math.floor(WORD_TOTAL ** nextRandom()) - 1));
/** A few projects have most of the rows. */
const pickRandomProject = (): number => Math.min(PROJECT_TOTAL - 1, Math.floor(PROJECT_TOTAL ** nextRandom()) - 1);
const createSentence = (length: number): string => Array.from({ length }, pickRandomWord).join(" ");

function createMemoryDraft(n: number, project: number): ObservationDraft {
  return {
    project: { name: `project-${project}`, places: [] },
    session: `s${Math.floor(n / 8)}`,
    type: "discovery",
    title: createSentence(6),
    content: createSentence(30 + Math.floor(nextRandom() * 50)),
    scope: "project",
    namespace: "",
  };
}

const createObservationTime = (n: number): string =>
  new Date(Date.UTC(2020, 0, 1) + n * 60_000).toISOString().replace(".000Z", "Z");

async function fillMemory(memory: SqliteMemory): Promise<number> {
  const sizes = Array.from({ length: PROJECT_TOTAL }, () => 0);
  for (let i = 0; i < OBSERVATION_TOTAL; i++) {
    const project = pickRandomProject();
    sizes[project] = (sizes[project] ?? 0) + 1;
  }
  const started = performance.now();
  let done = 0;
  for (const [project, size] of sizes.entries()) {
    for (let first = 0; first < size; first += INSERT_BATCH) {
      const count = Math.min(INSERT_BATCH, size - first);
      await memory.save(
        Array.from({ length: count }, (_, i) => createMemoryDraft(first + i, project)),
        createObservationTime(done),
      );
      done += count;
      if (done % 100_000 < INSERT_BATCH) process.stderr.write(`${done} of ${OBSERVATION_TOTAL}\n`);
    }
  }
  return OBSERVATION_TOTAL / ((performance.now() - started) / 1000);
}

interface MemoryTiming {
  readonly what: string;
  readonly p50: number;
  readonly p95: number;
  readonly bare?: MemoryTiming;
  readonly budget?: number;
}

async function timeMemoryRounds(what: string, round: (i: number) => unknown, budget?: number): Promise<MemoryTiming> {
  for (let i = 0; i < 5; i++) await round(MEMORY_ROUNDS + i);
  const taken: number[] = [];
  for (let i = 0; i < MEMORY_ROUNDS; i++) {
    const started = performance.now();
    await round(i);
    taken.push(performance.now() - started);
  }
  taken.sort((one, other) => one - other);
  const share = (part: number): number => taken[Math.floor((taken.length - 1) * part)] ?? 0;
  return { what, p50: share(0.5), p95: share(0.95), ...(budget === undefined ? {} : { budget }) };
}

const memoryFolder = fs.mkdtempSync(join(os.tmpdir(), "tenon-bench-"));
try {
  fs.mkdirSync(join(memoryFolder, "sdd"));
  const house = createBenchHouse(memoryFolder);
  const engine: Engine = await house.open({ argument: memoryFolder });
  const memory = new SqliteMemory(join(memoryFolder, "memory.db"), memoryFolder);
  const perSecond = await fillMemory(memory);
  const bytes = fs.statSync(join(memoryFolder, "memory.db")).size;
  const raw = new DatabaseSync(join(memoryFolder, "memory.db"), { readOnly: true });
  const newest = raw.prepare("SELECT rowid FROM terms WHERE terms MATCH ? ORDER BY rowid DESC LIMIT 10");

  const asked = createRandomSource(11);
  const pick = (from: number, to: number, count: number): string[] =>
    Array.from({ length: count }, () => createWord(Math.floor(from + asked() * (to - from))));
  const questions = {
    rare: Array.from({ length: MEMORY_ROUNDS + 5 }, () => pick(5_000, WORD_TOTAL, 4)),
    common: Array.from({ length: MEMORY_ROUNDS + 5 }, () => pick(0, 20, 4)),
    mixed: Array.from({ length: MEMORY_ROUNDS + 5 }, () => [
      ...pick(0, 50, 2),
      ...pick(200, 5_000, 2),
      ...pick(5_000, WORD_TOTAL, 1),
    ]),
  };
  const find = (words: readonly string[], project: string) =>
    searchMemory.run(engine, { query: words.join(" "), project });
  const bare = (words: readonly string[]) =>
    newest.all(words.map((word) => `"${normalizeSearchTerm(word)}"`).join(" OR "));

  const rows: MemoryTiming[] = [];
  for (const [name, budget] of [
    ["rare", 60],
    ["mixed", 60],
    ["common", 200],
  ] as const) {
    const list = questions[name];
    const raws = await timeMemoryRounds("bare", (i) => bare(list[i] ?? []));
    rows.push({
      ...(await timeMemoryRounds(`search, ${name} words, all projects`, (i) => find(list[i] ?? [], "*"), budget)),
      bare: raws,
    });
    rows.push(
      await timeMemoryRounds(`search, ${name} words, largest project`, (i) => find(list[i] ?? [], "project-0"), budget),
    );
  }
  rows.push(
    await timeMemoryRounds(
      "search, common words, all projects, by type",
      (i) =>
        searchMemory.run(engine, { query: (questions.common[i] ?? []).join(" "), project: "*", type: "discovery" }),
      200,
    ),
  );
  const plain = new DatabaseSync(join(memoryFolder, "bare.db"));
  plain.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (title TEXT, content TEXT)");
  const insert = plain.prepare("INSERT INTO t VALUES (?, ?)");
  const texts = Array.from({ length: MEMORY_ROUNDS + 5 }, (_, i) => createMemoryDraft(i, 0));
  const bareInsert = await timeMemoryRounds("bare", (i) =>
    insert.run(texts[i]?.title ?? "", String(texts[i]?.content)),
  );
  const saved = await timeMemoryRounds(
    "save, durable",
    (i) =>
      saveObservation.run(engine, {
        title: texts[i]?.title ?? "",
        content: String(texts[i]?.content),
        project: "project-0",
      }),
    15,
  );
  rows.push({ ...saved, bare: bareInsert });
  rows.push(
    await timeMemoryRounds(
      "context, largest project",
      () => readMemoryContext.run(engine, { project: "project-0" }),
      30,
    ),
  );
  rows.push(await timeMemoryRounds("context, all projects", () => readMemoryContext.run(engine, { project: "*" }), 30));

  const day = new Date().toISOString().slice(0, 10);
  const ms = (value: number | undefined): string => (value === undefined ? "" : value.toFixed(1));
  const page = [
    `# Memory, measured on ${day}`,
    "",
    `${OBSERVATION_TOTAL} observations in ${PROJECT_TOTAL} projects, ${(bytes / 1e6).toFixed(0)} MB, ${Math.round(perSecond)} inserts per second in batches of ${INSERT_BATCH}.`,
    `Node ${process.versions.node}, SQLite ${process.versions["sqlite"]}, ${os.cpus().length} × ${os.cpus()[0]?.model ?? "unknown"}. Times in milliseconds. The baseline is SQLite alone: any of the words, the newest ten rows, not ranked; or one synced insert.`,
    "",
    "| case | p50 | p95 | baseline p50 | baseline p95 | budget for p95 | |",
    "|---|---|---|---|---|---|---|",
    ...rows.map(
      (row) =>
        `| ${row.what} | ${ms(row.p50)} | ${ms(row.p95)} | ${ms(row.bare?.p50)} | ${ms(row.bare?.p95)} | ${row.budget ?? ""} | ${row.budget === undefined ? "" : row.p95 <= row.budget ? "kept" : "MISSED"} |`,
    ),
    "",
  ].join("\n");
  console.log(page);
  if (OBSERVATION_TOTAL >= 1_000_000) fs.writeFileSync(`bench/results/${day}-memory.md`, page);
} finally {
  fs.rmSync(memoryFolder, { recursive: true, force: true });
}
