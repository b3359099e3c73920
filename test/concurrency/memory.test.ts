import { join } from "node:path";
import { expect, test } from "vitest";
import { parseSearchQuestion } from "#kernel/model/search/search-question.ts";
import { SqliteMemory } from "#memory/adapters/sqlite-memory.ts";
import { isFull } from "../kit/chance.ts";
import { temporaryFolder } from "../kit/folder.ts";
import type { Remembered } from "../kit/memory-worker.ts";
import { startWorker, type Worker } from "../kit/worker.ts";

const PROCESSES = 8;
const SAVES = isFull ? 250 : 25;
const SHOP = { name: "shop", places: [] };

type Writer = Worker<Remembered | "ready">;

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
const listSaved = (writer: Writer): Remembered[] => writer.said.filter((createTitles) => createTitles !== "ready");
const inOrder = (texts: Iterable<string>): string[] => [...texts].toSorted();

/** Lets eight processes save into these files at the same moments, and gives what they were told. */
async function crowd(way: "own" | "topic", saves: number, files: readonly string[]): Promise<Remembered[]> {
  const writers = upTo(PROCESSES).map((n): Writer => startWorker("memory", [way, `p${n}`, String(saves), ...files]));
  for (const round of files.keys()) {
    await Promise.all(writers.map((writer) => writer.hear(round * (saves + 1) + 1)));
    for (const writer of writers) writer.tell("go");
  }
  const endings = await Promise.all(writers.map((writer) => writer.ended));
  expect(endings).toEqual(writers.map(() => ({ code: 0, signal: null, err: "" })));
  return writers.flatMap(listSaved);
}

const createTitles = (saves: number): string[] =>
  inOrder(upTo(PROCESSES).flatMap((n) => upTo(saves).map((i) => `by p${n} number ${i}`)));

test(`keeps and finds all saves of ${PROCESSES} processes with ${SAVES} saves each, and numbers each once`, async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, "memory.db");
  const kept = await crowd("own", SAVES, [file]);
  using memory = new SqliteMemory(file, folder.path);
  const all = PROCESSES * SAVES;
  expect(kept.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(upTo(all).map((n) => n + 1));
  expect(inOrder(kept.map(({ content }) => content))).toEqual(createTitles(SAVES));
  const there = await Promise.all(kept.map(async ({ id }) => ({ id, content: (await memory.get(id))?.content })));
  expect(there).toEqual(kept);
  const { observations } = await memory.candidates(parseSearchQuestion("number", ""), { project: SHOP }, all + 1);
  expect(inOrder(observations.map(({ content }) => content))).toEqual(createTitles(SAVES));
  const sessions = await memory.sessions(SHOP, PROCESSES + 1);
  expect(sessions.map(({ id, observations: n }) => `${id} ${n}`).toSorted()).toEqual(
    upTo(PROCESSES).map((n) => `p${n} ${SAVES}`),
  );
  expect(await memory.health()).toEqual({ file, exists: true, observations: all });
});

test("keeps one observation and every text of a topic that eight processes write at once", async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, "memory.db");
  const kept = await crowd("topic", SAVES, [file]);
  using memory = new SqliteMemory(file, folder.path);
  const present = await memory.topic({ project: SHOP, scope: "project", namespace: "", topic_key: "shared" });
  const revisions = await memory.revisions(1);
  expect([...new Set(kept.map(({ id }) => id))]).toEqual([1]);
  expect(inOrder([...revisions, ...(present ? [present] : [])].map(({ content }) => content))).toEqual(
    createTitles(SAVES),
  );
  expect(revisions.map(({ revision }) => revision)).toEqual(upTo(PROCESSES * SAVES - 1).map((n) => n + 1));
  expect([present?.id, present?.revision, present?.duplicates]).toEqual([1, PROCESSES * SAVES, 1]);
  const { observations } = await memory.candidates(parseSearchQuestion("number", ""), {}, 9);
  expect(observations).toEqual([present]);
  expect(await memory.health()).toEqual({ file, exists: true, observations: 1 });
});

test("creates the memory once for eight processes that save at the same moment", async () => {
  using folder = temporaryFolder();
  const files = upTo(isFull ? 30 : 6).map((n) => join(folder.path, String(n), "deep", "memory.db"));
  await crowd("own", 1, files);
  const kept = files.map(async (file) => {
    using memory = new SqliteMemory(file, folder.path);
    return inOrder((await memory.recent({}, 99)).map(({ content }) => content));
  });
  expect(await Promise.all(kept)).toEqual(files.map(() => createTitles(1)));
});
