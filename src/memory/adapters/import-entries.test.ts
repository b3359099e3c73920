import fs from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { refusal } from "../../../test/kit/fault.ts";
import { finds, textsOf } from "./place.contract.ts";
import { exportOf, makePlace, meddle, take, tally } from "./sqlite-place.contract.ts";

const TABLES = `
  CREATE TABLE sessions (
    id TEXT PRIMARY KEY, project TEXT NOT NULL, directory TEXT NOT NULL, started_at TEXT NOT NULL, ended_at TEXT,
    summary TEXT
  );
  CREATE TABLE observations (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, type TEXT NOT NULL, title TEXT NOT NULL,
    content TEXT NOT NULL, tool_name TEXT, project TEXT, scope TEXT NOT NULL DEFAULT 'project', topic_key TEXT,
    normalized_hash TEXT, revision_count INTEGER NOT NULL DEFAULT 1, duplicate_count INTEGER NOT NULL DEFAULT 1,
    last_seen_at TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, deleted_at TEXT
  );
  CREATE TABLE user_prompts (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, content TEXT NOT NULL, project TEXT,
    created_at TEXT NOT NULL
  );
  CREATE VIRTUAL TABLE observations_fts USING fts5 (title, content, content = 'observations', content_rowid = 'id');`;

/** What only Hoofy has, and what only engram has. */
const HOOFY = `
  ALTER TABLE observations ADD COLUMN namespace TEXT;
  ALTER TABLE user_prompts ADD COLUMN namespace TEXT;
  CREATE TABLE relations (
    id INTEGER PRIMARY KEY AUTOINCREMENT, from_id INTEGER NOT NULL, to_id INTEGER NOT NULL,
    type TEXT NOT NULL DEFAULT 'relates_to', note TEXT, created_at TEXT NOT NULL, UNIQUE (from_id, to_id, type)
  );`;
const ENGRAM = "ALTER TABLE observations ADD COLUMN sync_id TEXT";

/** The text `Gl�` as Hoofy leaves it: cut to so many bytes, in the middle of a character. */
const CUT = Buffer.from("Glü").subarray(0, 3);
const at = (minutes: number): string => `2026-01-31 12:0${minutes}:00`;
const AT = "2026-01-31T12:0";

function build(file: string, more: string): void {
  using db = new DatabaseSync(file);
  db.exec(`PRAGMA journal_mode = WAL; ${TABLES} ${more}`);
  const session = db.prepare("INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?)");
  session.run("s1", "MyApp", "/home/me/app", at(0), at(5), "Fixed the login.");
  session.run("manual-save", "other", "", at(0), null, null);
  const observation = db.prepare(
    `INSERT INTO observations (session_id, type, title, content, tool_name, project, scope, topic_key, revision_count,
     duplicate_count, created_at, updated_at, deleted_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const add = (
    title: string,
    content: string | Uint8Array,
    said: Partial<Record<string, string | number>> = {},
  ): void =>
    void observation.run(
      said["session"] ?? "s1",
      "bugfix",
      title,
      content,
      said["tool"] ?? null,
      said["project"] ?? null,
      said["scope"] ?? "project",
      said["topic"] ?? null,
      said["revision"] ?? 1,
      said["duplicates"] ?? 1,
      at(1),
      said["updated"] ?? at(1),
      said["deleted"] ?? null,
    );
  add("First", "Apples.", { project: "MyApp", topic: "Auth Login", updated: at(2), revision: 3 });
  add("Second", "Plums.", { project: "MyApp", topic: "Auth Login", updated: at(3), tool: "notes.md" });
  add("Put away", "Old.", { project: "MyApp", topic: "Auth Login", deleted: at(4), duplicates: 2 });
  add("No project", "Personal.", { scope: "personal" });
  add("Of nobody", "Orphaned.", { session: "missing" });
  add("Cut", CUT, { session: "manual-save" });
  db.exec(
    "INSERT INTO observations SELECT 7, session_id, type, 'Cut text', CAST(content AS TEXT), tool_name, project, " +
      "scope, topic_key, normalized_hash, 1, 1, last_seen_at, created_at, updated_at, deleted_at, NULL FROM observations WHERE id = 6",
  );
  const prompt = db.prepare("INSERT INTO user_prompts (session_id, content, project, created_at) VALUES (?, ?, ?, ?)");
  prompt.run("s1", "Why does it loop?", "MyApp", at(1));
  prompt.run("missing", "Who am I?", null, at(2));
}

function buildHoofy(file: string): void {
  build(file, HOOFY);
  meddle(
    file,
    `UPDATE observations SET namespace = 'agents' WHERE id = 4;
     UPDATE user_prompts SET namespace = 'agents' WHERE id = 2;
     INSERT INTO relations (from_id, to_id, type, note, created_at) VALUES
       (4, 2, 'depends_on', 'because', '${at(4)}'), (1, 2, 'relates_to', NULL, '${at(4)}'), (5, 3, 'part_of', NULL, '${at(4)}'),
       (5, 99, 'part_of', NULL, '${at(4)}')`,
  );
}

function buildEngram(file: string): void {
  build(file, ENGRAM);
  meddle(file, "UPDATE observations SET sync_id = 'obs-' || id");
}

const KIND = "a memory of Hoofy or engram";

/** Of each: number, title, text, project, session, type and whether it is there. */
const ROWS = [
  [1, "Second", "Plums.", "my-app", "s1", "bugfix", undefined],
  [3, "Put away", "Old.", "my-app", "s1", "bugfix", `${AT}4:00Z`],
  [4, "No project", "Personal.", "my-app", "s1", "bugfix", undefined],
  [5, "Of nobody", "Orphaned.", "general", "missing", "bugfix", undefined],
  [6, "Cut", "Gl\ufffd", "other", "manual-save", "bugfix", undefined],
  [7, "Cut text", "Gl\ufffd", "other", "manual-save", "bugfix", undefined],
  [8, "Why does it loop?", "Why does it loop?", "my-app", "s1", "prompt", undefined],
  [2, "Who am I?", "Who am I?", "general", "missing", "prompt", undefined],
];

describe.each([
  ["Hoofy", buildHoofy],
  ["engram", buildEngram],
])("imports of a %s memory", (name, make) => {
  test("imports everything: joins two entries of one topic and loses no text", async () => {
    using place = makePlace();
    const memory = place.open();
    make(join(place.folder, "theirs.db"));
    expect(await take(memory, "theirs.db")).toEqual(tally(9, { kind: KIND, added: 8, updated: 1 }));
    const all = await Promise.all(ROWS.map(([id]) => memory.get(Number(id))));
    expect(
      all.map(
        (each) => each && [each.id, each.title, each.content, each.project, each.session, each.type, each.deleted_at],
      ),
    ).toEqual(ROWS);
    expect([await textsOf(memory, 1), await finds(memory, "plums"), await finds(memory, "apples old")]).toEqual([
      ["Apples.", "Plums."],
      ["Second"],
      [],
    ]);
    expect(all[0]).toMatchObject({ topic_key: "auth-login", revision: 4, updated_at: `${AT}3:00Z` });
    expect(all[1]).toMatchObject({ topic_key: "auth-login", duplicates: 2 });
    expect(all[2]).toMatchObject({ scope: "personal", namespace: name === "Hoofy" ? "agents" : "" });
    expect(all[7]).toMatchObject({ namespace: name === "Hoofy" ? "agents" : "" });
    expect(await memory.sessions({ name: "MyApp", places: [] }, 9)).toEqual([
      {
        id: "s1",
        project: "my-app",
        directory: "/home/me/app",
        started_at: `${AT}0:00Z`,
        ended_at: `${AT}5:00Z`,
        summary: "Fixed the login.",
        observations: 4,
      },
    ]);
    expect((await memory.health()).problem).toBeUndefined();
  });

  test("changes neither side when it imports twice", async () => {
    using place = makePlace();
    const memory = place.open();
    const theirs = join(place.folder, "theirs.db");
    make(theirs);
    const bytes = fs.readFileSync(theirs);
    await take(memory, theirs);
    const { text } = await exportOf(memory, place);
    expect(await take(memory, theirs)).toEqual(tally(9, { kind: KIND, unchanged: 9 }));
    expect((await exportOf(memory, place)).text).toBe(text);
    expect(fs.readFileSync(theirs).equals(bytes)).toBe(true);
  });

  test("imports later texts, also into a row that was joined", async () => {
    using place = makePlace();
    const memory = place.open();
    const theirs = join(place.folder, "theirs.db");
    make(theirs);
    await take(memory, theirs);
    meddle(
      theirs,
      `UPDATE observations SET content = 'Cherries.', revision_count = 2, updated_at = '${at(8)}' WHERE id = 2;
       UPDATE observations SET content = 'Changed.', revision_count = 2, updated_at = '${at(8)}' WHERE id = 4`,
    );
    expect(await take(memory, theirs)).toEqual(tally(9, { kind: KIND, updated: 2, unchanged: 7 }));
    expect([await textsOf(memory, 1), await textsOf(memory, 4)]).toEqual([
      ["Apples.", "Plums.", "Cherries."],
      ["Personal.", "Changed."],
    ]);
  });

  test("exports and imports an entry unchanged", async () => {
    using place = makePlace();
    using other = makePlace();
    make(join(place.folder, "theirs.db"));
    await take(place.open(), "theirs.db");
    const { file, text } = await exportOf(place.open(), place);
    await take(other.open(), file);
    expect((await exportOf(other.open(), other)).text).toBe(text);
  });
});

test("imports Hoofy's relations, except dangling ones and self-references", async () => {
  using place = makePlace();
  const memory = place.open();
  buildHoofy(join(place.folder, "theirs.db"));
  await take(memory, "theirs.db");
  expect(await memory.relations([1, 2, 3, 4, 5])).toEqual([
    { id: 1, from_id: 4, to_id: 1, type: "depends_on", note: "because" },
    { id: 3, from_id: 5, to_id: 3, type: "part_of" },
  ]);
});

test("rejects a text that is too long, and writes nothing", async () => {
  using place = makePlace();
  const theirs = join(place.folder, "theirs.db");
  buildHoofy(theirs);
  meddle(theirs, "UPDATE observations SET content = hex(zeroblob(40000)) WHERE id = 5");
  expect(await refusal(take(place.open(), theirs))).toEqual({
    code: "memory.too-long",
    message: `${theirs} was not imported. The text of 5 has 80000 bytes; the limit is 65536.`,
  });
  expect(fs.existsSync(place.file)).toBe(false);
});

test("rejects any other database", async () => {
  using place = makePlace();
  const theirs = join(place.folder, "theirs.db");
  meddle(theirs, "CREATE TABLE recipes (id INTEGER)");
  expect(await refusal(take(place.open(), theirs))).toEqual({
    code: "memory.bad-import",
    message: `${theirs} was not imported. Line 1: It has no observations.`,
  });
});
