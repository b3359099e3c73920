import fs from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import type { CodeComponent, CodeOutline } from "../../model/index/code-outline.ts";
import { parseSearchQuestion } from "#kernel/model/search/search-question.ts";
import type { CodeIndex, IndexedFile } from "../../operations/ports/code-index.ts";
import { temporaryFolder } from "../../../../test/kit/folder.ts";
import { SqliteCodeIndex } from "./sqlite-code-index.ts";
import type { CodeIndexOptions } from "./index-files.ts";

let ids = 0;
const placeIn = (root: string, more: Partial<CodeIndexOptions> = {}): CodeIndexOptions => ({
  root,
  version: "1.0.0",
  newId: () => `id-${++ids}`,
  ...more,
});
const WAITING = { cancelled: new AbortController().signal };

function component(name: string, line: number, more: Partial<CodeComponent> = {}): CodeComponent {
  const given = { kind: "function", within: "", signature: `${name}()`, doc: "", lastLine: line + 4, isExported: true };
  return {
    ...given,
    name,
    line,
    start: line * 10,
    end: line * 10 + 9,
    hash: `h-${name}`,
    calls: [],
    ...more,
  } as CodeComponent;
}

function file(path: string, more: Partial<CodeOutline> = {}, targets: Record<string, string[]> = {}): IndexedFile {
  const outline: CodeOutline = {
    language: "typescript",
    by: "grammar",
    isWhole: true,
    lines: 20,
    doc: "",
    components: [],
    imports: [],
    tags: [],
    tests: [],
    ...more,
  };
  return { path, hash: `h ${path}`, stamp: "1", isTest: false, outline, targets: new Map(Object.entries(targets)) };
}

const AUTH = file(
  "src/auth.ts",
  {
    doc: "Who may enter.",
    components: [
      component("Session", 1, { kind: "class", lastLine: 9 }),
      component("login", 2, { within: "Session", kind: "method", calls: ["validate", "this.store.read"], lastLine: 4 }),
      component("login", 6, { within: "Session", kind: "method", doc: "Lets a member in.", calls: [] }),
    ],
    imports: [{ specifier: "./tokens.ts", names: ["validate"], line: 1 }],
    tags: [
      { spec: "AUTH-001", criterion: "AC-1", by: "tag", line: 3 },
      { spec: "AUTH-002", by: "tag", line: 15 },
    ],
    tests: [{ name: "logs in", line: 12, lastLine: 14 }],
  },
  { "./tokens.ts": ["src/tokens.ts"] },
);
const TOKENS = file("src/tokens.ts", { components: [component("validate", 1), component("read", 7)] });
const ALONE = file("src/alone.ts", { components: [component("validate", 1)] });

async function filled(root: string, ...files: IndexedFile[]): Promise<CodeIndex & Disposable> {
  const index = new SqliteCodeIndex(placeIn(root));
  await index.alone(() => index.put(files), WAITING);
  return index;
}

test("finds a saved file again by path, name and ref", async () => {
  using folder = temporaryFolder();
  using index = await filled(folder.path, AUTH, TOKENS);
  const refs = async (where: object) => (await index.components(where)).map(({ path, ref }) => `${path}#${ref}`);
  expect(await refs({})).toEqual([
    "src/auth.ts#Session",
    "src/auth.ts#Session.login",
    "src/auth.ts#Session.login~2",
    "src/tokens.ts#validate",
    "src/tokens.ts#read",
  ]);
  expect(await refs({ name: "login" })).toEqual(["src/auth.ts#Session.login", "src/auth.ts#Session.login~2"]);
  expect(await refs({ path: "src/auth.ts", ref: "Session.login~2" })).toEqual(["src/auth.ts#Session.login~2"]);
  expect(await refs({ most: 1 })).toEqual(["src/auth.ts#Session"]);
  expect((await index.components({ ref: "Session.login~2" }))[0]).toEqual({
    ...component("login", 6, { within: "Session", kind: "method", doc: "Lets a member in." }),
    calls: undefined,
    path: "src/auth.ts",
    ref: "Session.login~2",
    isTest: false,
  });
  expect(await index.tags({ spec: "AUTH-001" })).toEqual([
    {
      path: "src/auth.ts",
      ref: "Session.login",
      spec: "AUTH-001",
      criterion: "AC-1",
      by: "tag",
      line: 3,
      isTest: false,
    },
  ]);
  expect((await index.tags({ path: "src/auth.ts" })).map(({ spec, ref }) => [spec, ref])).toEqual([
    ["AUTH-001", "Session.login"],
    ["AUTH-002", undefined],
  ]);
  expect(await index.tests()).toEqual([{ path: "src/auth.ts", name: "logs in", line: 12, lastLine: 14 }]);
  expect(await index.counts()).toEqual({ files: 2, components: 5, tags: 2, tests: 1, texts: 0, problems: 0 });
});

test("resolves a call to the definition in the same file or in an imported one", async () => {
  using folder = temporaryFolder();
  using index = await filled(folder.path, AUTH, TOKENS, ALONE);
  const of = { path: "src/auth.ts", ref: "Session.login" };
  expect((await index.uses(of)).map(({ to, by }) => [by, to.path, to.ref])).toEqual([
    ["call", "src/tokens.ts", "read"],
    ["call", "src/tokens.ts", "validate"],
  ]);
  expect((await index.usedBy({ path: "src/tokens.ts", ref: "validate" })).map(({ from }) => from)).toEqual([of]);
  expect(await index.usedBy({ path: "src/alone.ts", ref: "validate" })).toEqual([]);
  expect(await index.uses({ path: "src/auth.ts" })).toEqual([
    { by: "import", from: { path: "src/auth.ts" }, to: { path: "src/tokens.ts" } },
  ]);
  expect(await index.usedBy({ path: "src/tokens.ts" })).toEqual([
    { by: "import", from: { path: "src/auth.ts" }, to: { path: "src/tokens.ts" } },
  ]);
});

test.each([
  ["go", "cmd/a.go", "cmd/b.go", true],
  ["go", "cmd/a.go", "cmd/b_test.go", false],
  ["go", "cmd/a_test.go", "cmd/b.go", true],
  ["go", "cmd/a.go", "lib/b.go", false],
  ["java", "a/A.java", "a/B.java", true],
  ["typescript", "a/a.ts", "a/b.ts", false],
])("%s: %s resolves %s without an import: %s", async (language, from, to, isSeen) => {
  using folder = temporaryFolder();
  using index = await filled(
    folder.path,
    file(from, { language, components: [component("begin", 1, { calls: ["help"] })] }),
    file(to, { language, components: [component("help", 1)] }),
  );
  expect((await index.uses({ path: from, ref: "begin" })).length === 1).toBe(isSeen);
  expect((await index.usedBy({ path: to, ref: "help" })).length === 1).toBe(isSeen);
});

test("replaces a file that is saved again, and removes everything of a deleted file", async () => {
  using folder = temporaryFolder();
  using index = await filled(folder.path, AUTH, TOKENS);
  await index.put([file("src/auth.ts", { components: [component("logout", 1)] })]);
  expect((await index.components({ path: "src/auth.ts" })).map(({ ref }) => ref)).toEqual(["logout"]);
  await index.put([], ["src/auth.ts", "src/tokens.ts", "src/never.ts"]);
  expect(await index.counts()).toEqual({ files: 0, components: 0, tags: 0, tests: 0, texts: 0, problems: 0 });
  expect(await index.candidates(parseSearchQuestion("logout session", "2026-01-31T12:00:00Z"), 9)).toEqual({
    entries: [],
    weights: new Map(),
    repaired: [],
  });
});

test("finds components by parts of their names, files by their first lines, texts by their content", async () => {
  using folder = temporaryFolder();
  using index = await filled(folder.path, AUTH, file("src/http.ts", { components: [component("parseHttpHeader", 1)] }));
  const text = {
    kind: "doc",
    key: "README.md#install",
    path: "README.md",
    line: 3,
    title: "Install",
    text: "Run npm.",
    hash: "t",
  } as const;
  await index.putTexts([{ path: "README.md", hash: "r", stamp: "1", texts: [text] }]);
  const found = async (words: string) =>
    (await index.candidates(parseSearchQuestion(words, "2026-01-31T12:00:00Z"), 9)).entries.map(({ key }) => key);
  expect(await found("headers")).toEqual(["src/http.ts#parseHttpHeader"]);
  expect(await found("enter")).toEqual(["src/auth.ts"]);
  expect(await found("install")).toEqual(["README.md#install"]);
  expect(await index.texts({ key: text.key.toUpperCase() })).toEqual([text]);
  await index.putTexts([], ["README.md"]);
  expect([await found("install"), await index.textStamps()]).toEqual([[], new Map()]);
});

test("keeps and removes notes, and reports unreadable files", async () => {
  using folder = temporaryFolder();
  using index = await filled(
    folder.path,
    { ...file("b.ts"), problem: "It is larger than 1 MB." },
    file("a.ts", { isWhole: false }),
    file("c.ts"),
  );
  await index.keepNote("commit", "abc");
  expect(await index.note("commit")).toBe("abc");
  await index.keepNote("commit", undefined);
  expect(await index.note("commit")).toBeUndefined();
  expect((await index.problems(9)).map(({ path, problem }) => [path, problem])).toEqual([
    ["a.ts", undefined],
    ["b.ts", "It is larger than 1 MB."],
  ]);
});

const SUMMARY = {
  key: "src/auth.ts",
  text: "Lets members in.",
  hash: "h",
  source: "manual",
  at: "2026-01-31",
} as const;

test.each([
  ["missing", undefined, undefined],
  ["of another version", { version: "2.0.0" }, "old"],
  ["from elsewhere", {}, "foreign"],
  ["rebuilt on request", {}, undefined],
] as const)("an index that is %s is empty, and keeps the summaries", async (what, more, news) => {
  using folder = temporaryFolder();
  {
    using index = await filled(folder.path, AUTH);
    expect(index.takeNews()).toBe("missing");
    await index.keepSummary(SUMMARY);
  }
  if (what === "missing") fs.rmSync(join(folder.path, ".sdd"), { recursive: true });
  if (what === "from elsewhere") copied(join(folder.path, FILE));
  using index = new SqliteCodeIndex(placeIn(folder.path, more));
  const isAfresh = what === "rebuilt on request";
  expect(await index.alone(async () => (await index.stamps()).size, { ...WAITING, isAfresh })).toBe(0);
  expect(index.takeNews()).toBe(what === "missing" ? "missing" : news);
  expect(index.takeNews()).toBeUndefined();
  expect((await index.summaries()).get(SUMMARY.key)).toEqual(what === "missing" ? undefined : SUMMARY);
});

const FILE = ".sdd/index.db";
const DAMAGES: readonly (readonly [string, (root: string) => void])[] = [
  [
    "no database",
    (root) => fs.writeFileSync(join(root, FILE), "not a database, and long enough to be read as one".repeat(99)),
  ],
  ["truncated", (root) => fs.truncateSync(join(root, FILE), 5000)],
  [
    "a link",
    (root) => (fs.renameSync(join(root, FILE), join(root, "away.db")), fs.symlinkSync("../away.db", join(root, FILE))),
  ],
  ["a folder", (root) => (fs.rmSync(join(root, FILE)), fs.mkdirSync(join(root, FILE)))],
  ["without a table", (root) => inside(root, "DROP TABLE components")],
  [
    "with a table of another schema",
    (root) => inside(root, "DROP TABLE files; CREATE TABLE files (path TEXT, hash TEXT, stamp TEXT)"),
  ],
  ["with a trigger", (root) => inside(root, "CREATE TRIGGER sly AFTER INSERT ON files BEGIN DELETE FROM tags; END")],
  ["damaged in a later page", (root) => overwritten(root)],
];

/** As a checkout or an archive would put it there. */
function copied(place: string): void {
  fs.copyFileSync(place, `${place}.copy`);
  fs.renameSync(`${place}.copy`, place);
}

function inside(root: string, sql: string): void {
  using db = new DatabaseSync(join(root, FILE));
  db.exec(sql);
}

function overwritten(root: string): void {
  const place = join(root, FILE);
  const bytes = fs.readFileSync(place);
  for (let at = 2 * 4096; at < bytes.length; at += 4096) bytes.fill(0xa5, at, at + 2000);
  fs.writeFileSync(place, bytes);
}

test.each(DAMAGES)("rebuilds a damaged index once (%s)", async (_, damage) => {
  using folder = temporaryFolder();
  (await filled(folder.path, AUTH, TOKENS))[Symbol.dispose]();
  damage(folder.path);
  using index = new SqliteCodeIndex(placeIn(folder.path));
  let runs = 0;
  await index.alone(async () => {
    runs++;
    await index.stamps();
    await index.put([AUTH]);
    await index.counts();
  }, WAITING);
  expect([index.takeNews(), index.isKept, runs <= 2]).toEqual(["damaged", true, true]);
  expect(await index.counts()).toEqual({ files: 1, components: 3, tags: 2, tests: 1, texts: 0, problems: 0 });
  using again = new SqliteCodeIndex(placeIn(folder.path));
  await again.alone(async () => undefined, WAITING);
  expect([again.takeNews(), (await again.stamps()).size]).toEqual([undefined, 1]);
});

test("creates a file again that was deleted during a write", async () => {
  using folder = temporaryFolder();
  using index = new SqliteCodeIndex(placeIn(folder.path));
  let isFirst = true;
  await index.alone(async () => {
    await index.put([AUTH]);
    if (isFirst) fs.rmSync(join(folder.path, FILE));
    isFirst = false;
    await index.put([TOKENS]);
  }, WAITING);
  expect((await index.files()).map(({ path }) => path)).toEqual(["src/auth.ts", "src/tokens.ts"]);
});

test("keeps the index in this process where nothing can be written", async () => {
  using folder = temporaryFolder();
  using elsewhere = temporaryFolder();
  fs.symlinkSync(elsewhere.path, join(folder.path, ".sdd"));
  using index = await filled(folder.path, AUTH);
  expect([index.takeNews(), index.isKept, index.isThere]).toEqual(["unkept", false, true]);
  expect((await index.stamps()).size).toBe(1);
  await index.alone(() => index.put([TOKENS]), WAITING);
  expect([(await index.stamps()).size, index.takeNews()]).toEqual([2, undefined]);
  await index.alone(async () => undefined, { ...WAITING, isAfresh: true });
  expect([(await index.stamps()).size, fs.readdirSync(elsewhere.path)]).toEqual([0, []]);
});

test("queues calls of one process", async () => {
  using folder = temporaryFolder();
  using index = new SqliteCodeIndex(placeIn(folder.path));
  const said: string[] = [];
  const speak = (name: string) =>
    index.alone(async () => {
      said.push(`${name} begins`);
      await index.put([]);
      said.push(`${name} ends`);
    }, WAITING);
  await Promise.all([speak("one"), speak("two")]);
  expect(said).toEqual(["one begins", "one ends", "two begins", "two ends"]);
});

test("stops waiting for a process that holds the index and does nothing", async () => {
  using folder = temporaryFolder();
  using holder = new SqliteCodeIndex(placeIn(folder.path));
  const { promise: held, resolve: free } = Promise.withResolvers<void>();
  const holding = holder.alone(() => held, WAITING);
  using index = new SqliteCodeIndex(placeIn(folder.path, { patienceMs: 50 }));
  await index.alone(() => index.put([AUTH]), WAITING);
  expect([index.takeNews(), index.isKept, (await index.stamps()).size]).toEqual(["unkept", false, 1]);
  free();
  await holding;
  expect((await holder.stamps()).size).toBe(0);
});

test("lets a waiting call give up", async () => {
  using folder = temporaryFolder();
  using holder = new SqliteCodeIndex(placeIn(folder.path));
  const { promise: held, resolve: free } = Promise.withResolvers<void>();
  const holding = holder.alone(() => held, WAITING);
  using index = new SqliteCodeIndex(placeIn(folder.path));
  const giving = new AbortController();
  const waiting = index.alone(async () => undefined, { cancelled: giving.signal });
  giving.abort();
  await expect(waiting).rejects.toMatchObject({ code: "call.cancelled" });
  free();
  await holding;
});

test("keeps what was saved before a failure, and reports the original failure", async () => {
  using folder = temporaryFolder();
  using index = new SqliteCodeIndex(placeIn(folder.path));
  const failing = index.alone(async () => {
    await index.put([AUTH]);
    throw new Error("no");
  }, WAITING);
  await expect(failing).rejects.toThrow("no");
  expect((await index.stamps()).size).toBe(1);
});
