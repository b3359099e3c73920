import { overridePort } from "../kit/override-port.ts";
import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { appendJournalLines } from "#planning/adapters/journal-files.ts";
import { refreshCodeIndex } from "#code/operations/index/refresh-index.ts";
import { canMount, smallDisk } from "../crash/small-disk.ts";
import { isFull } from "../kit/chance.ts";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { takePicture } from "../kit/index-picture.ts";
import { commitAll, put } from "../kit/repository.ts";
import { fresh } from "./ground.ts";

const CODE = "export const one = 1;\n";
const TAGGED = "// @spec AUTH-001\nexport const one = 1;\n";

/** What is known of each file, in a word. */
async function listIndexedFiles(root: string): Promise<Record<string, string>> {
  using tenon = testHouse(root);
  const { index } = await refreshCodeIndex(await tenon.house.open({ argument: root }));
  const rows = await index.files();
  return Object.fromEntries(rows.map(({ path, language, problem }) => [path, problem ?? (language || "there")]));
}

test("lists code files that git could commit, without ignored, linked or outside files", async () => {
  using repository = temporaryRepository();
  using other = temporaryRepository();
  const root = repository.path;
  put(other.path, "inner.ts", CODE);
  commitAll(other.path);
  put(root, ".gitignore", "out/\n*.gen.ts\n");
  put(root, "src/tracked.ts", CODE);
  put(root, "src/removed.ts", CODE);
  git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", other.path, "modules/inner");
  commitAll(root);
  fs.rmSync(join(root, "src/removed.ts"));
  put(root, "src/untracked.ts", CODE);
  put(root, "out/ignored.ts", CODE);
  put(root, "src/api.gen.ts", CODE);
  fs.symlinkSync("tracked.ts", join(root, "src/link.ts"));
  fs.symlinkSync("/etc", join(root, "src/etc"));
  put(root, "node_modules/left/pad.js", CODE);
  put(root, "sdd/specs/AUTH-001.yaml", "id: AUTH-001\n");
  put(root, "package-lock.json", "{}");
  put(root, "data.json", "{}");
  put(root, "logo.png", Buffer.from([137, 80, 78, 71]));
  expect(await listIndexedFiles(root)).toEqual({
    "node_modules/left/pad.js": "there",
    "src/tracked.ts": "typescript",
    "src/untracked.ts": "typescript",
  });
});

test("reads built, generated and test data only for tags", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  const long = `const a="${"x".repeat(5000)}";`;
  for (const folder of ["dist", "vendor/lib", "test/fixtures"]) {
    put(root, `${folder}/plain.ts`, CODE);
    put(root, `${folder}/tagged.ts`, TAGGED);
  }
  put(root, "src/schema.min.js", CODE);
  put(root, "src/one-line.js", long);
  put(root, "src/one-tagged-line.js", `// @spec AUTH-001\n${long}`);
  put(root, "package.json", "{}");
  expect(await listIndexedFiles(root)).toEqual({
    "dist/plain.ts": "there",
    "dist/tagged.ts": "typescript",
    "package.json": "there",
    "src/one-line.js": "Its lines are too long for source code, so Tenon reads only its tags.",
    "src/one-tagged-line.js": "javascript",
    "src/schema.min.js": "there",
    "test/fixtures/plain.ts": "there",
    "test/fixtures/tagged.ts": "typescript",
    "vendor/lib/plain.ts": "there",
    "vendor/lib/tagged.ts": "typescript",
  });
});

test("accepts odd names and reports unreadable files", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  const odd = [
    "a b.ts",
    "ein Schlüssel 鍵.ts",
    "new\nline.ts",
    '"quoted".ts',
    "-dash.ts",
    "[glob]*.ts",
    "tab\there.ts",
  ];
  for (const name of odd) put(root, `src/${name}`, CODE);
  put(root, "src/large.ts", `// ${"x".repeat(1024 * 1024)}\n`);
  put(root, "src/latin.ts", Buffer.from("// caf\u00e9\n", "latin1"));
  put(root, "src/wide.ts", Buffer.from("\ufeffexport const one = 1;\n", "utf16le"));
  put(root, "src/broken.ts", "export function ( {{{ ]] class = \n");
  put(root, "src/mark.ts", "\ufeffexport const one = 1;\n");
  put(root, "src/empty.ts", "");
  expect(await listIndexedFiles(root)).toEqual({
    ...Object.fromEntries(odd.map((name) => [`src/${name}`, "typescript"])),
    "src/broken.ts": "typescript",
    "src/empty.ts": "typescript",
    "src/large.ts": "It is larger than 1 MB.",
    "src/latin.ts": "It is not UTF-8 text.",
    "src/mark.ts": "typescript",
    "src/wide.ts": "It is not UTF-8 text.",
  });
  using tenon = testHouse(root);
  expect(await tenon.run("index")).toMatchInlineSnapshot(`
    {
      "code": 0,
      "err": "",
      "out": "The index is up to date: 10 files, 8 components.

    tags: 0
    tests: 0
    texts: 0
    this time: 0 read, 13 unchanged, 0 gone

    - src/broken.ts: Parts of it could not be parsed.
    - src/large.ts: It is larger than 1 MB.
    - src/latin.ts: It is not UTF-8 text.
    - src/wide.ts: It is not UTF-8 text.
    ",
    }
  `);
});

test("walks a folder without git", async () => {
  using folder = temporaryFolder();
  put(folder.path, "sdd/specs/AUTH-001.yaml", "id: AUTH-001\n");
  put(folder.path, "src/one.ts", CODE);
  put(folder.path, "node_modules/left/pad.js", CODE);
  expect(await listIndexedFiles(folder.path)).toEqual({ "src/one.ts": "typescript" });
});

test("reads files that hooks noted again, whatever their stamp", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  put(root, "src/one.ts", CODE);
  put(root, "src/two.ts", CODE);
  put(root, "docs/guide.md", "# Guide\n\nOld.\n");
  using tenon = testHouse(root);
  const engine = await tenon.house.open({ argument: root });
  const read: string[] = [];
  // A disk whose stamps never change.
  const still = {
    ...engine,
    source: overridePort(engine.source, {
      files: async () => (await engine.source.files()).map((file) => ({ ...file, stamp: "same" })),
      stamped: async (path: string) => {
        read.push(path);
        return { ...(await engine.source.stamped(path)), stamp: "same" };
      },
    }),
  };
  const looked = async (): Promise<string[]> => {
    read.length = 0;
    await refreshCodeIndex(still);
    return read.toSorted();
  };
  expect(await looked()).toEqual(["docs/guide.md", "src/one.ts", "src/two.ts"]);
  expect(await looked()).toEqual([]);
  const note = {
    session: "s1",
    at: "2026-01-31T12:00:00Z",
    steady: 1,
    boot: "test boot",
    ms: 1,
    event: "PostToolUse",
  } as const;
  appendJournalLines(root, { ...note, id: "n1", paths: ["src/two.ts", "docs/guide.md", "src/never.ts"] });
  // Who is cancelled has not read it.
  const cancelled = { tell: () => undefined, cancelled: AbortSignal.abort() };
  await expect(refreshCodeIndex({ ...still, progress: cancelled })).rejects.toMatchObject({ code: "call.cancelled" });
  expect(await looked()).toEqual(["docs/guide.md", "src/two.ts"]);
  expect(await looked()).toEqual([]);
  appendJournalLines(root, { ...note, id: "n2", paths: ["src/one.ts"] });
  expect(await looked()).toEqual(["src/one.ts"]);
});

test("reads a file again whose outline was not finished", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  put(root, "src/one.ts", CODE);
  using tenon = testHouse(root);
  const engine = await tenon.house.open({ argument: root });
  const breaksOff: typeof engine.syntax.outlines = async function* (files) {
    for await (const { path } of files) yield { path, outline: undefined, isUnfinished: true };
  };
  const { index } = await refreshCodeIndex({ ...engine, syntax: overridePort(engine.syntax, { outlines: breaksOff }) });
  expect(await index.components()).toEqual([]);
  expect(await refreshCodeIndex(engine)).toMatchObject({ read: 1 });
  expect(await index.components()).toMatchObject([{ name: "one" }]);
  expect(await refreshCodeIndex(engine)).toMatchObject({ read: 0, unchanged: 1 });
});

test("notes a new or rebuilt index once", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  put(root, "src/one.ts", CODE);
  let told: string[] = [];
  const call = async (tenon: ReturnType<typeof testHouse>): Promise<string[]> => {
    told = [];
    const engine = await tenon.house.open({ argument: root });
    await refreshCodeIndex({ ...engine, notice: (text) => void told.push(text) });
    return told;
  };
  {
    using first = testHouse(root);
    expect(await call(first)).toEqual(["Built the index of the code."]);
    expect(await call(first)).toEqual([]);
  }
  fs.writeFileSync(join(root, ".sdd/index.db"), "x".repeat(10_000));
  using second = testHouse(root);
  expect(await call(second)).toEqual(["Rebuilt the index of the code: it was damaged."]);
  expect(await call(second)).toEqual([]);
});

describe.skipIf(!canMount())("D on a separate disk", () => {
  test.each(["full", "read-only"])("makes the index in memory with a notice on a disk that is %s", async (what) => {
    using disk = smallDisk();
    const root = disk.path;
    git(root, "init", "-q");
    for (let n = 0; n < 20; n++) put(root, `src/part-${n}.ts`, CODE.repeat(20));
    if (what === "full") disk.fill(100_000);
    else disk.remount("ro");
    using tenon = testHouse(root, { dataFolder: "/nowhere" });
    const { code, out, err } = await tenon.run("index", "--json");
    expect({ code, err, out: JSON.parse(out) as unknown }).toEqual({
      code: 0,
      err: "note: The index of the code cannot be written, so Tenon built it in memory for this call.\n",
      out: expect.objectContaining({ files: 20, read: 20, kept: false }) as unknown,
    });
    disk.remount("rw");
    disk.free();
    using later = testHouse(root);
    expect(JSON.parse((await later.run("index", "--json")).out)).toMatchObject({ files: 20, read: 20, kept: true });
  });
});

const MANY = isFull ? 10_000 : 1_000;

test(`reads ${MANY} files once, and afterwards only changed ones`, { timeout: 600_000 }, async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  const text = (n: number): string =>
    `import { part${n + 1} } from "./${n + 1}.ts";\n\n/** Part ${n}. */\n// @spec AUTH-${String(n % 1000).padStart(3, "0")}\nexport function part${n}(x: number) {\n  return part${n + 1}(x);\n}\n\nexport class Holder${n} {\n  hold() {}\n}\n`;
  for (let n = 0; n < MANY; n++) put(root, `src/${n}.ts`, text(n));
  using tenon = testHouse(root);
  const answer = async (): Promise<unknown> => JSON.parse((await tenon.run("index", "--json")).out);
  const counts = {
    files: MANY,
    components: MANY * 3,
    tags: MANY,
    tests: 0,
    texts: 0,
    problems: [],
    omitted: 0,
    kept: true,
  };
  expect(await answer()).toEqual({ ...counts, read: MANY, unchanged: 0, gone: 0 });
  for (let n = 0; n < 10; n++) put(root, `src/${n * 7}.ts`, `${text(n * 7)}\n// changed\n`);
  fs.rmSync(join(root, "src/500.ts"));
  expect(await answer()).toEqual({
    ...counts,
    files: MANY - 1,
    components: (MANY - 1) * 3,
    tags: MANY - 1,
    read: 10,
    unchanged: MANY - 11,
    gone: 1,
  });
});
test("resolves imports again of a file that vanished while it was read", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  put(root, "src/a.ts", 'import { b } from "./b.ts";\nexport const a = b;\n');
  put(root, "src/b.ts", "export const b = 1;\n");
  using tenon = testHouse(root);
  const engine = await tenon.house.open({ argument: root });
  const stamped = async (path: string) => {
    if (path === "src/b.ts") fs.rmSync(join(root, path), { force: true });
    return engine.source.stamped(path);
  };
  await refreshCodeIndex({ ...engine, source: overridePort(engine.source, { stamped }) });
  await refreshCodeIndex(await tenon.house.open({ argument: root }));
  expect(takePicture(root)).toEqual(await fresh(root));
});
