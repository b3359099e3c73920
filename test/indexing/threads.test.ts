import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { afterEach, expect, test } from "vitest";
import { streamOutlines, type OutlineMeans } from "#code/adapters/outline/outline-worker-pool.ts";
import type { OutlinedFile } from "#code/operations/ports/code-index.ts";
import { syntax } from "../scan/code-scans.ts";

interface File {
  readonly path: string;
  readonly text: string;
}

const GRAMMARS = pathToFileURL(`${process.cwd()}/dist/grammars/`).href;
const SOURCE = ["--conditions=tenon-source"];
const started: Worker[] = [];

afterEach(async () => {
  await Promise.all(started.splice(0).map((worker) => worker.terminate()));
});

/** Real threads of an entry, by a means that remembers them. */
function by(entry: string, others: Partial<OutlineMeans> = {}): OutlineMeans {
  const start = (): Worker => {
    const worker = new Worker(pathToFileURL(`${process.cwd()}/${entry}`), {
      workerData: { grammars: GRAMMARS, maxSteps: 150_000, isFirst: started.length === 0 },
      execArgv: entry.endsWith(".ts") ? SOURCE : [],
      // Without a limit for the young generation, V8 sometimes aborts the whole process instead of the thread.
      resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 },
      stdout: true,
      stderr: true,
    });
    started.push(worker);
    return worker;
  };
  return { read: (path, text) => syntax.outline(path, text), start, patienceMs: 60_000, little: 0, ...others };
}

const CLUMSY = "test/indexing/clumsy-worker.ts";

const files = (count: number): File[] =>
  Array.from({ length: count }, (_, at) => ({
    path: `src/f${at}.${["ts", "py", "go", "kt"][at % 4]}`,
    text:
      ["function f() { g(); }", "def f(): g()", "package a\nfunc f() { g() }", "fun f() {} // @spec A-001"][at % 4] ??
      "",
  }));

async function* given(all: readonly File[]): AsyncGenerator<File> {
  yield* all;
}

async function gathered(outlines: AsyncIterable<OutlinedFile>): Promise<OutlinedFile[]> {
  const found: OutlinedFile[] = [];
  for await (const each of outlines) found.push(each);
  return found;
}

/** All that is told, when the threads are gone. */
async function outlineAll(all: readonly File[], means: OutlineMeans): Promise<OutlinedFile[]> {
  const found = await gathered(streamOutlines(given(all), means));
  expect(started.map(({ threadId }) => threadId)).toEqual(started.map(() => -1));
  return found.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

async function oneByOne(all: readonly File[]): Promise<OutlinedFile[]> {
  const found = await Promise.all(
    all.map(async ({ path, text }) => ({ path, outline: await syntax.outline(path, text) })),
  );
  return found.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

test.each([["src/code/adapters/outline/worker.ts"], ["dist/outline-worker.js"]])(
  "gives the same outlines from threads of %s as from one thread",
  async (entry) => {
    const all = [...files(120), { path: "a.json", text: "{}" }, { path: "large.ts", text: "a;".repeat(600_000) }];
    expect(await outlineAll(all, by(entry))).toEqual(await oneByOne(all));
    expect(started.length).toBeGreaterThanOrEqual(1);
  },
);

test("finds the source's own thread program", async () => {
  const all = [{ path: "long.ts", text: "a();\n".repeat(120_000) }, ...files(100)];
  const found = await gathered(syntax.outlines(given(all)));
  expect(new Set(found.map(({ path }) => path)).size).toBe(101);
  expect(found.filter(({ outline }) => outline?.isWhole !== true)).toEqual([]);
});

test("starts no threads for a few files", async () => {
  const all = files(29);
  expect(await outlineAll(all, by("nowhere.ts"))).toEqual(await oneByOne(all));
  expect(await outlineAll([], by("nowhere.ts"))).toEqual([]);
  const short = files(120);
  expect(await outlineAll(short, by("nowhere.ts", { little: 100_000 }))).toEqual(await oneByOne(short));
  expect(started.length).toBe(0);
});

test.each(["throws", "exits", "swells"])("outlines a file by its comments when a thread %s on it", async (accident) => {
  const bad = { path: `${accident}.ts`, text: "function f() {}\n// @spec A-001\n" };
  const all = files(60).toSpliced(40, 0, bad, { ...bad, path: "other.ts" });
  const [expected, found] = [await oneByOne(all), await outlineAll(all, by(CLUMSY))];
  const isBad = ({ path }: OutlinedFile): boolean => path === bad.path;
  expect(found.filter((each) => !isBad(each))).toEqual(expected.filter((each) => !isBad(each)));
  expect(found.filter(isBad)).toMatchObject([
    {
      isUnfinished: true,
      outline: { by: "comments", isWhole: false, components: [], tags: [{ spec: "A-001", line: 2 }] },
    },
  ]);
});

test("outlines a file in the next thread when one thread dies on it", async () => {
  const all = files(60).toSpliced(0, 0, { path: "falters.ts", text: "function f() { g(); }" });
  expect(await outlineAll(all, by(CLUMSY))).toEqual(await oneByOne(all));
});

test("ends a thread that hangs, and outlines its files", async () => {
  const all = files(60).toSpliced(40, 0, { path: "hangs.ts", text: "// @spec A-001" });
  const found = await outlineAll(all, by(CLUMSY, { patienceMs: 1500 }));
  expect(found.map(({ path }) => path)).toEqual(all.map(({ path }) => path).toSorted());
  expect(found.find(({ path }) => path === "hangs.ts")?.outline?.by).toBe("comments");
});

test("replaces a thread whose parser is used up, without losing a file", async () => {
  const all = files(60).toSpliced(40, 0, { path: "spends.ts", text: "" });
  const found = await outlineAll(all, by(CLUMSY));
  const expected = (await oneByOne(all)).map((each) =>
    each.path === "spends.ts" ? { path: each.path, outline: undefined } : each,
  );
  expect(found).toEqual(expected);
});

test("outlines in its own thread when it can start no other", async () => {
  const all = files(60);
  expect(await outlineAll(all, by("nowhere.ts"))).toEqual(await oneByOne(all));
  const none = (): Worker => {
    throw new Error("There are no more threads.");
  };
  expect(await outlineAll(all, by(CLUMSY, { start: none }))).toEqual(await oneByOne(all));
});

test("ends the threads and the source when the caller stops early", async () => {
  let isClosed = false;
  async function* endless(): AsyncGenerator<File> {
    try {
      for (let at = 0; ; at++) yield { path: `f${at}.ts`, text: "function f() {}" };
    } finally {
      isClosed = true;
    }
  }
  let count = 0;
  for await (const { outline } of streamOutlines(endless(), by(CLUMSY))) {
    expect(outline?.isWhole).toBe(true);
    if (++count === 50) break;
  }
  expect([isClosed, started.map(({ threadId }) => threadId)]).toEqual([true, started.map(() => -1)]);
});

test("reports a failing source and ends the threads", async () => {
  async function* failing(): AsyncGenerator<File> {
    yield* files(50);
    throw new Error("The disk is gone.");
  }
  await expect(gathered(streamOutlines(failing(), by(CLUMSY)))).rejects.toThrow("The disk is gone.");
  expect(started.map(({ threadId }) => threadId)).toEqual(started.map(() => -1));
});

test("holds only a few files at a time", async () => {
  let [taken, most, heard] = [0, 0, 0];
  async function* counted(): AsyncGenerator<File> {
    for (const file of files(400)) {
      most = Math.max(most, ++taken - heard);
      yield file;
    }
  }
  for await (const _ of streamOutlines(counted(), by(CLUMSY))) heard++;
  expect([heard, most <= 64]).toEqual([400, true]);
});
