import { DatabaseSync } from "node:sqlite";
import fs from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../kit/folder.ts";
import { FILE_KINDS, type FileKind, NAMES } from "./corpus.ts";
import { type Doors, fingerprint, openDoors, type Outcome } from "./doors.ts";
import { SECRET, standIn } from "./stand-in.ts";
import { chirps, isOneOf, openDatabases, prepare, SOUND, TEXTS, tryAll } from "./trial.ts";

/** What the index, SQL or our own marks would take for more than words. */
const QUESTIONS = [
  "'",
  '"',
  '""',
  '"a',
  "'; DROP TABLE observations; --",
  "%",
  "_",
  "\\",
  "a\tb",
  "\u2028",
  "\ufeff",
  "*",
  "a*",
  "^a",
  "a:b",
  "text:a",
  "-a",
  "+a",
  "a AND",
  "OR",
  "NOT a",
  "a NEAR b",
  "NEAR(a b, 2)",
  "{a b} : c",
  "(",
  ")",
  "((((((((((",
  "a) OR (b",
  "a AND (b OR",
  '"a" "b',
  "rowid:1",
  "terms MATCH 'a'",
  "type:",
  'type:""',
  'type:"',
  "type:' OR 1=1",
  "project:",
  "project:*",
  'project:"\u0000"',
  "project:../../etc",
  "since:",
  "since:0d",
  "since:9999y",
  "since:99999d",
  "since:2026-13-45",
  "since:0000-00-00",
  "since:-1d",
  "since:now",
  " type:a type:b type:c",
  "a ".repeat(20_000),
  '"a '.repeat(5_000),
  "type:a ".repeat(3_000),
  "\ud800",
  "\udc00\ud800",
];

test("memory.search: query accepts any text", async () => {
  const values = [...TEXTS, ...QUESTIONS];
  expect(await tryAll(["memory.search", "query"], values, isOneOf("ok"))).toEqual(SOUND);
});

test("memory.search: query finds a phrase between any special characters", async () => {
  using folder = temporaryFolder();
  await prepare(folder.path);
  using doors = openDoors(folder.path);
  const around = ["'", '"', "*", "(", ") OR (", ";--", "\u0000", "\u202e", "NOT ", "^"];
  const found = await Promise.all(
    around.map((mark) => doors.json("memory.search", { query: `${mark}passkeys work${mark}` })),
  );
  expect(found.map((each) => (each as { observations: { id: number }[] }).observations[0]?.id)).toEqual(
    around.map(() => 2),
  );
});

const WRITERS = ["memory.export", "memory.backup"] as const;
const FILE_OPERATIONS = [...WRITERS, "memory.import"] as const;

/** A workspace deep in a folder of its own, so that whatever is written beside it is seen. */
async function nested(scratch: string): Promise<string> {
  const root = join(scratch, "one", "two", "repo");
  fs.mkdirSync(root, { recursive: true });
  await prepare(root);
  return root;
}

/** What the system lets a path be; what a blank one is depends on the door. */
function getExpected(root: string, text: string, door: "mcp" | "cli"): Outcome {
  if (text.trim() === "" && door === "cli") return "usage.bad-flag";
  if (text.trim() === "" || text.includes("\0") || !text.isWellFormed() || text.length > 2_000) return "input.invalid";
  const path = resolve(root, text);
  if (fs.existsSync(path)) return "memory.file-exists";
  const isName = path.split("/").every((part) => Buffer.byteLength(part) <= 255);
  const folder = fs.statSync(dirname(path), { throwIfNoEntry: false });
  return isName && folder?.isDirectory() ? "ok" : "files.unwritable";
}

/**
 * Paths of the corpus, and some of our own, that lead nowhere but into the scratch folder: were an existing file written
 * over after all, it must not be one of the machine's.
 */
function listPaths(scratch: string, root: string): string[] {
  const outside = join(scratch, "outside.txt");
  const special = [
    "export.jsonl",
    "sdd/config.yaml",
    ".sdd/data/memory.db",
    ".git",
    "sdd",
    "nowhere/a",
    "export.jsonl/a",
  ];
  const paths = [...TEXTS.map((text) => chirps.in(text)), ...special, outside, "../../../outside.txt", "../outside/a"];
  return paths.filter((path) => !path.includes("\0") && resolve(root, path).startsWith(`${scratch}/`));
}

test.each(WRITERS)("%s: file writes the named file and nothing else", async (operation) => {
  using scratch = temporaryFolder();
  const root = await nested(scratch.path);
  fs.writeFileSync(join(scratch.path, "outside.txt"), SECRET);
  using doors = openDoors(root);
  await openDatabases(doors);
  const before = fingerprint(scratch.path);
  const strange: unknown[] = [];
  for (const text of listPaths(scratch.path, root)) {
    for (const door of ["mcp", "cli"] as const) {
      const expected = getExpected(root, text, door);
      const outcome = await doors[door](operation, { file: text });
      if (outcome === "ok" && expected === "ok") {
        const path = resolve(root, text);
        if ((fs.statSync(path).mode & 0o777) !== 0o600) strange.push([door, text, "its mode"]);
        fs.rmSync(path);
      }
      const isSame = JSON.stringify(fingerprint(scratch.path)) === JSON.stringify(before);
      if (outcome !== expected || !isSame) strange.push([door, text, outcome, expected, isSame]);
    }
  }
  expect(strange).toEqual([]);
});

test.each(WRITERS)("%s: file rejects text that cannot be a path", async (operation) => {
  const refused = NAMES.filter(({ asText }) => asText === "invalid").map(({ text }) => text);
  const isExpected = isOneOf("input.invalid", "usage.bad-flag");
  expect(await tryAll([operation, "file"], refused, isExpected)).toEqual(SOUND);
});

test("memory.import: file rejects paths of files that do not exist", async () => {
  const isExpected = isOneOf(
    "input.invalid",
    "usage.bad-flag",
    "files.unwritable",
    "files.not-a-file",
    "memory.bad-import",
  );
  const special = ["/dev/zero", "/dev/null", "/dev/full", "/dev/urandom", "/proc/self/environ", "/proc/self/mem"];
  const others = [
    ...special,
    "nowhere/a",
    "export.jsonl/a",
    "sdd",
    "file:///etc/passwd",
    "http://127.0.0.1/a",
    ".sdd/data/memory.db",
  ];
  expect(await tryAll(["memory.import", "file"], [...TEXTS, ...others], isExpected)).toEqual(SOUND);
});

const KINDS = FILE_KINDS.flatMap((kind) => FILE_OPERATIONS.map((operation) => [operation, kind] as const));

/** What an import says of what is there and is no export. */
const IMPORTED: Readonly<Partial<Record<FileKind, Outcome>>> = {
  "B23 a link to nothing": "files.unwritable",
  "B24 a link to itself": "files.unwritable",
  "B28 a link to /dev/zero": "files.not-a-file",
  "B29 a pipe": "files.not-a-file",
  "B30 a folder": "files.not-a-file",
  "B31 a socket": "files.unwritable",
  "B32 a file that nobody may read": "files.unwritable",
};

test.each(KINDS)("%s: file rejects %s", async (operation, kind) => {
  using scratch = temporaryFolder();
  const root = await nested(scratch.path);
  const outside = join(scratch.path, "outside");
  for (const folder of [outside, `${outside}-evil`]) {
    fs.mkdirSync(folder);
    fs.writeFileSync(join(folder, "secret.txt"), SECRET);
  }
  const place = join(root, "in.jsonl");
  await using made = await standIn(kind, place, outside);
  if (!made) return;
  using doors = openDoors(root);
  await openDatabases(doors);
  const before = fingerprint(scratch.path);
  const [outcome, text] = await doors.heard(operation, { file: "in.jsonl" });
  const refused = operation === "memory.import" ? (IMPORTED[kind] ?? "memory.bad-import") : "memory.file-exists";
  expect([outcome, await doors.cli(operation, { file: place })]).toEqual([refused, refused]);
  expect(text.includes(SECRET)).toBe(false);
  expect(fingerprint(scratch.path)).toEqual(before);
});

const HEAD = '{"tenon":"memory","format":1}';
const UID = "0123456789abcdef0123456789abcdef";
const AT = "2026-01-31T12:00:00Z";
const OBSERVATION = {
  kind: "observation",
  uid: UID,
  id: 7,
  project: "shop",
  session: "monday",
  scope: "project",
  namespace: "",
  type: "bugfix",
  revision: 1,
  duplicates: 1,
  created_at: AT,
  updated_at: AT,
  title: "A",
  content: "B",
  revisions: [],
};
const line = (change: object): string => `${HEAD}\n${JSON.stringify({ ...OBSERVATION, ...change })}\n`;
const REVISION = { revision: 1, type: "bugfix", title: "A", content: "B", at: AT };

/** Lines of an import (D), and the fault that each is. All but the last line before it is good. */
const IMPORTS: readonly (readonly [name: string, text: string | Uint8Array, code?: Outcome])[] = [
  ["no head", `${JSON.stringify(OBSERVATION)}\n`],
  ["a head of another format", '{"tenon":"memory","format":2}\n'],
  ["a head that is a text of a number", '{"tenon":"memory","format":"1"}\n'],
  ["D61 a trailing comma", `${HEAD},\n`],
  ["D62 two heads in one line", `${HEAD}${HEAD}\n`],
  ["D63 half a line", line({}).slice(0, -30)],
  ["D64 100,000 brackets", `${HEAD}\n${"[".repeat(100_000)}${"]".repeat(100_000)}\n`],
  ["D64 100,000 objects", `${HEAD}\n${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}\n`],
  ["D65 __proto__", `${HEAD}\n${JSON.stringify(OBSERVATION).replace("{", '{"__proto__":{"a":1},')}\n`],
  ["D65 constructor for a kind", `${HEAD}\n{"kind":"constructor"}\n`],
  ["D67 a number beyond all", `${HEAD}\n${JSON.stringify(OBSERVATION).replace('"id":7', '"id":1e309')}\n`],
  ["D67 the last number there is", line({ id: Number.MAX_SAFE_INTEGER })],
  ["D67 the last revision there is", line({ revision: Number.MAX_SAFE_INTEGER })],
  ["D67 the highest repetition count", line({ duplicates: Number.MAX_SAFE_INTEGER })],
  ["D67 an earlier revision that is the last", line({ revisions: [{ ...REVISION, revision: 2 ** 53 - 1 }] })],
  ["D67 nothing for a number", line({ id: 0 })],
  ["D67 less than nothing", line({ id: -1 })],
  ["D68 a lone surrogate", `${HEAD}\n${JSON.stringify(OBSERVATION).replace('"A"', '"\\ud800"')}\n`],
  ["D68 NUL", line({ title: "a\0b" })],
  ["D69 bytes that are no text", new Uint8Array([...Buffer.from(`${HEAD}\n`), 0xff, 0xfe, 0x0a])],
  ["D74 a stranger", line({ trusted: true })],
  ["D75 a text for a number", line({ id: "7" })],
  ["D75 a list for a text", line({ title: ["A"] })],
  ["D75 null for a source", line({ source: null })],
  ["D75 a scope that is none", line({ scope: "everybody" })],
  ["D75 a name of another row", line({ uid: "../../etc/passwd" })],
  ["D75 an empty title", line({ title: "" })],
  ["D75 revisions that are none", line({ revisions: [{ ...REVISION, at: "yesterday" }] })],
  ["D131 a time that is none", line({ created_at: "1969" })],
  ["H128 a text of 65,537 bytes", line({ content: "x".repeat(65_537) }), "memory.too-long"],
  [
    "H128 an earlier text of 65,537 bytes",
    line({ revisions: [{ ...REVISION, content: "x".repeat(65_537) }] }),
    "memory.too-long",
  ],
  ["C48 UTF-16", new Uint8Array(Buffer.from(`\ufeff${HEAD}\n`, "utf16le"))],
  ["C45 marks of a merge", `${HEAD}\n<<<<<<< HEAD\n${JSON.stringify(OBSERVATION)}\n`],
  ["a blank line", `${HEAD}\n\n${JSON.stringify(OBSERVATION)}\n`],
  ["the head of a database and nothing else", "SQLite format 3\0"],
  ["the head of a database and noise", `SQLite format 3\0${"\u0007".repeat(8_192)}`],
];

/** Nothing of a file is taken in where a part of it is bad, and memory goes on as before. */
async function refuses(doors: Doors, root: string, file: string): Promise<Outcome[]> {
  await openDatabases(doors);
  const before = fingerprint(root);
  const outcomes = [await doors.mcp("memory.import", { file }), (await doors.cli("memory.import", { file })) ?? ""];
  expect(fingerprint(root)).toEqual(before);
  expect(await doors.mcp("memory.save", { title: "After", content: "It goes on" })).toBe("ok");
  return outcomes;
}

test.each(IMPORTS)("memory.import rejects %s", async (_, text = "", code = "memory.bad-import") => {
  using folder = temporaryFolder();
  await prepare(folder.path);
  fs.writeFileSync(join(folder.path, "bad.jsonl"), text);
  using doors = openDoors(folder.path);
  expect(await refuses(doors, folder.path, "bad.jsonl")).toEqual([code, code]);
});

test("memory.import: accepts the line that the bad lines derive from", async () => {
  using folder = temporaryFolder();
  await prepare(folder.path);
  fs.writeFileSync(join(folder.path, "good.jsonl"), line({ revision: 2, revisions: [REVISION] }));
  using doors = openDoors(folder.path);
  expect(await doors.json("memory.import", { file: "good.jsonl" })).toMatchObject({ read: 1, added: 1 });
});

const HOOFY = `
  CREATE TABLE sessions (id, project, directory, started_at, ended_at, summary);
  CREATE TABLE observations (id, session_id, type, title, content, project, scope, topic_key, created_at, updated_at);`;

const DATABASES: readonly (readonly [name: string, sql: string, code?: Outcome])[] = [
  ["no tables", "CREATE TABLE a (b)"],
  ["a text for a number", `${HOOFY} INSERT INTO observations (id, content) VALUES ('seven', 'x')`],
  ["a number beyond all", `${HOOFY} INSERT INTO observations (id, content) VALUES (9223372036854775807, 'x')`],
  [
    "a view that does not end",
    `${HOOFY} DROP TABLE observations; CREATE VIEW observations AS
    WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id FROM n`,
  ],
  [
    "a text that is too long",
    `${HOOFY} INSERT INTO observations (id, content) VALUES (1, printf('%.*c', 65537, 'x'))`,
    "memory.too-long",
  ],
];

test.each(DATABASES)("memory.import rejects a database with %s", async (_, sql = "", code = "memory.bad-import") => {
  using folder = temporaryFolder();
  await prepare(folder.path);
  const file = join(folder.path, "hoofy.db");
  const db = new DatabaseSync(file);
  db.exec(sql);
  db.close();
  using doors = openDoors(folder.path);
  expect(await refuses(doors, folder.path, "hoofy.db")).toEqual([code, code]);
});

test("memory.import rejects a database that is cut anywhere", async () => {
  using folder = temporaryFolder();
  await prepare(folder.path);
  const file = join(folder.path, "hoofy.db");
  const db = new DatabaseSync(file);
  db.exec(`${HOOFY} WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 300)
    INSERT INTO observations (id, title, content) SELECT id, 'T', printf('%.*c', 200, 'x') FROM n`);
  db.close();
  const whole = fs.readFileSync(file);
  using doors = openDoors(folder.path);
  for (const size of [100, 4_096, 5_000, 8_192, 12_288, 20_000, whole.length - 4_096]) {
    fs.writeFileSync(file, whole.subarray(0, size));
    const outcomes = await refuses(doors, folder.path, "hoofy.db");
    expect([size, ...outcomes]).toEqual([size, "memory.bad-import", "memory.bad-import"]);
  }
});

test("keeps and finds every valid text of the corpus in every text argument", async () => {
  using folder = temporaryFolder();
  await prepare(folder.path);
  using doors = openDoors(folder.path);
  const texts = NAMES.filter(({ asText }) => asText === "fine").map(({ text }) => chirps.in(text));
  for (const text of texts) {
    const name = text.slice(0, 100).toWellFormed();
    const names = { type: name, source: text, namespace: name, session_id: name, project: name };
    const saved = (await doors.json("memory.save", { title: name, content: text, ...names })) as {
      saved: { id: number }[];
    };
    const id = saved.saved[0]?.id ?? 0;
    expect(await doors.json("memory.get", { id })).toMatchObject({ observation: { title: name, text, type: name } });
    expect(await doors.mcp("memory.relate", { from_id: id, to_id: 1, relation_type: name, note: text })).toBe("ok");
    expect(await doors.mcp("memory.session", { action: "start", id: name, directory: text })).toBe("ok");
    expect(await doors.mcp("memory.session", { action: "end", id: name, summary: text })).toBe("ok");
  }
  expect(await doors.mcp("memory.export", { file: "all.jsonl" })).toBe("ok");
  expect(await doors.json("memory.import", { file: "all.jsonl" })).toMatchObject({ added: 0, updated: 0 });
});

test("runs no command from the bad input", () => {
  expect(chirps.isAlive()).toBe(true);
});
