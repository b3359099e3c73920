import fs from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { MAX_CONTENT_BYTES } from "../model/observation.ts";
import type { MemoryStore } from "../operations/ports/memory.ts";
import { refusal } from "../../../test/kit/fault.ts";
import type { ObservationEntry } from "../model/memory-records.ts";
import { BANK, draft, finds, minute, saveOne, SHOP } from "./place.contract.ts";
import { exportOf, makePlace, take, tally } from "./sqlite-place.contract.ts";
import { SqliteMemory } from "./sqlite-memory.ts";

const WEB = { name: "web", owner: "acme", places: ["remote:github.com/acme/web", "folder:/home/web/.git"] };
const OTHER_WEB = { name: "web", owner: "other", places: ["remote:github.com/other/web"] };

/** All that a memory can hold: everything that was ever said, changed, put away, destroyed and related. */
async function fill(memory: MemoryStore): Promise<void> {
  await memory.startSession(WEB, { id: "s1", directory: "/home/web" }, minute(0));
  await saveOne(memory, { project: WEB, session: "s1", topic_key: "auth", content: "Apples.", source: "a.md" });
  await saveOne(memory, { project: BANK, title: "Between", namespace: "core" }, minute(1));
  await saveOne(memory, { project: { ...WEB, name: "website" }, session: "s1", topic_key: "auth", content: "Plums." });
  await saveOne(memory, { project: OTHER_WEB, title: "Other", content: 'línea\r\n\t"q" 日本語 😀 \u2028' }, minute(2));
  await saveOne(memory, { project: WEB, scope: "personal", title: "Own", session: "s2" }, minute(3));
  await saveOne(memory, { project: WEB, scope: "personal", title: "Own", session: "s2" }, minute(4));
  await saveOne(memory, { project: BANK, type: "prompt", title: "Why?" }, minute(5));
  await saveOne(memory, { project: BANK, title: "Put away", topic_key: "auth" }, minute(6));
  await saveOne(memory, { project: BANK, title: "Destroyed" }, minute(7));
  await saveOne(memory, { project: BANK, title: "Moved", session: "s3" }, minute(8));
  const ids = new Map((await memory.recent({}, 99)).map(({ id, title }) => [title, id]));
  const idOf = (title: string): number => ids.get(title) ?? 0;
  const relate = async (from: string, to: string, note?: string) =>
    memory.relate(
      { from_id: idOf(from), to_id: idOf(to), type: "part_of", ...(note ? { note } : {}) },
      true,
      minute(9),
    );
  const [removed] = await relate("Between", "Own");
  await relate("Between", "Put away", "because");
  await relate("Destroyed", "Own");
  await memory.unrelate(removed?.id ?? 0);
  await memory.remove(idOf("Put away"), false, minute(10));
  await memory.remove(idOf("Destroyed"), true, minute(11));
  await memory.update(idOf("Moved"), { project: WEB, title: "Moved there" }, minute(12));
  await memory.endSession(WEB, "s1", draft({ project: WEB, session: "s1", topic_key: "session/s1" }), minute(13));
}

/** All that can be asked for without knowing an id. */
async function look(memory: MemoryStore): Promise<unknown> {
  const { file: _, bytes: __, ...stats } = await memory.stats();
  const { problem, observations } = await memory.health();
  const found = await Promise.all(["plums", "apples", "日本語", "moved"].map((word) => finds(memory, word)));
  return { stats, problem, observations, found, sessions: await memory.sessions(undefined, 9) };
}

describe("an export", () => {
  test("holds everything, and restores an empty memory to the byte", async () => {
    using from = makePlace();
    using to = makePlace();
    const [memory, copy] = [from.open(), to.open()];
    await fill(memory);
    const { file, text } = await exportOf(memory, from);
    expect(await take(copy, file)).toEqual(tally(8, { added: 8 }));
    expect((await exportOf(copy, to)).text).toBe(text);
    expect(await look(copy)).toEqual(await look(memory));
    expect(await look(copy)).toMatchObject({
      stats: { observations: 6, deleted: 1, prompts: 1, sessions: 6, relations: 3, revisions: 2 },
      found: [["A title"], [], ["Other"], ["Moved there"]],
    });
    expect((await saveOne(copy, { title: "Next" })).action).toBe("created");
  });

  test("changes nothing when imported twice, on either side", async () => {
    using from = makePlace();
    using to = makePlace();
    const [memory, copy] = [from.open(), to.open()];
    await fill(memory);
    const { file, text } = await exportOf(memory, from);
    await take(copy, file);
    for (const [each, place] of [
      [memory, from],
      [copy, to],
    ] as const) {
      expect(await take(each, file)).toEqual(tally(8, { unchanged: 8 }));
      expect((await exportOf(each, place)).text).toBe(text);
    }
  });

  test("is complete for more rows than one read returns", async () => {
    using from = makePlace();
    using to = makePlace();
    const drafts = Array.from({ length: 1203 }, (_, i) =>
      draft({ title: `Number ${i}`, session: `s${i % 601}`, project: i % 2 === 0 ? BANK : SHOP }),
    );
    await from.open().save(drafts, minute(0));
    const { file, text } = await exportOf(from.open(), from);
    expect(await take(to.open(), file)).toEqual(tally(1203, { added: 1203 }));
    expect((await exportOf(to.open(), to)).text).toBe(text);
  });

  test("labels each line, is readable by its user alone, and is a header alone for an empty memory", async () => {
    using place = makePlace();
    const { file, lines } = await place.open().exportTo("nothing.jsonl");
    expect([file, lines, fs.readFileSync(file, "utf8")]).toEqual([
      join(place.folder, "nothing.jsonl"),
      1,
      '{"tenon":"memory","format":1}\n',
    ]);
    expect([(fs.statSync(file).mode & 0o777).toString(8), fs.existsSync(place.file)]).toEqual(["600", false]);
    await fill(place.open());
    const { text } = await exportOf(place.open(), place);
    const kinds = text.split("\n").flatMap((line) => /^\{"kind":"(\w+)"/.exec(line)?.[1] ?? []);
    expect([...new Set(kinds)]).toEqual(["project", "session", "observation", "relation", "gone"]);
  });

  test("leaves no file after a failure", async () => {
    using place = makePlace();
    const { code } = await refusal(place.open().exportTo("no/such/folder.jsonl"));
    expect([code, fs.readdirSync(place.folder)]).toEqual(["files.unwritable", []]);
  });
});

describe("an existing file", () => {
  test.each(["exportTo", "backupTo"] as const)("is not overwritten by %s", async (way) => {
    using place = makePlace();
    const memory = place.open();
    await saveOne(memory);
    const file = join(place.folder, "mine.txt");
    fs.writeFileSync(file, "mine");
    expect(await refusal(memory[way]("mine.txt"))).toEqual({
      code: "memory.file-exists",
      message: `${file} was not written. A file with that name exists, and Tenon does not overwrite it.`,
    });
    expect(fs.readFileSync(file, "utf8")).toBe("mine");
  });
});

const UID = "0123456789abcdef0123456789abcdef";
const OBSERVATION = {
  kind: "observation",
  uid: UID,
  id: 1,
  project: "shop",
  session: "s",
  scope: "project",
  namespace: "",
  type: "manual",
  revision: 1,
  duplicates: 1,
  created_at: minute(0),
  updated_at: minute(0),
  title: "Title",
  content: "Text.",
  revisions: [],
};
const GOOD = { kind: "project", name: "shop", aliases: [], places: [] };
const HEAD = { tenon: "memory", format: 1 };
const NO_KIND = "It is not a project, session, observation, relation or gone record.";
const wrong = (field: string): string => `${field} is missing, unknown or wrong.`;

describe("an import", () => {
  const lines = (...values: unknown[]): string =>
    values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join("\n");
  const many = Array.from({ length: 450 }, (_, i) => ({
    ...OBSERVATION,
    id: i + 1,
    uid: i.toString(16).padStart(32, "0"),
  }));

  test.each<[string, readonly unknown[], number, string]>([
    ["is empty", [""], 1, "It is not JSON."],
    ["has no head", [GOOD], 1, "It is not an export of Tenon's memory."],
    ["has another format", [{ ...HEAD, format: 2 }], 1, "It has format 2, and this Tenon reads 1."],
    ["is cut short", [HEAD, GOOD, '{"kind":"proj'], 3, "It is not JSON."],
    ["has an empty line", [HEAD, "", GOOD], 2, "It is not JSON."],
    ["has a line of another kind", [HEAD, { kind: "toString" }], 2, NO_KIND],
    ["has a line that is a list", [HEAD, []], 2, NO_KIND],
    ["lacks a field", [HEAD, { ...OBSERVATION, title: undefined }], 2, wrong("title")],
    ["has an unknown field", [HEAD, { ...GOOD, rank: 1 }], 2, wrong("rank")],
    ["has a wrong name", [HEAD, { ...OBSERVATION, uid: UID.toUpperCase() }], 2, wrong("uid")],
    ["has a wrong time", [HEAD, { ...OBSERVATION, created_at: "yesterday" }], 2, wrong("created_at")],
    ["has a wrong number", [HEAD, { ...OBSERVATION, id: 0 }], 2, wrong("id")],
    ["has half a character", [HEAD, { ...OBSERVATION, content: "\ud800" }], 2, wrong("content")],
    ["has a wrong revision", [HEAD, { ...OBSERVATION, revisions: [{ revision: 1 }] }], 2, wrong("revisions")],
    ["is damaged far from its start", [HEAD, ...many, "{}"], 452, NO_KIND],
  ])("names the line of a file that %s, and writes nothing", async (_, values, number, why) => {
    using place = makePlace();
    const file = join(place.folder, "damaged.jsonl");
    fs.writeFileSync(file, lines(...values));
    expect(await refusal(take(place.open(), "damaged.jsonl"))).toEqual({
      code: "memory.bad-import",
      message: `${file} was not imported. Line ${number}: ${why}`,
    });
    expect(fs.existsSync(place.file)).toBe(false);
  });

  test("names the line of bytes that are not text", async () => {
    using place = makePlace();
    const file = join(place.folder, "damaged.jsonl");
    fs.writeFileSync(file, Buffer.concat([Buffer.from(lines(HEAD, '{"kind":"pro')), Buffer.from([0xc3, 0x28])]));
    expect((await refusal(take(place.open(), file))).message).toBe(
      `${file} was not imported. Line 2: It is not UTF-8 text.`,
    );
  });

  test.each<[string, Partial<ObservationEntry>, number]>([
    [
      "of a text that is one byte too long",
      { content: `${"ä".repeat(MAX_CONTENT_BYTES / 2)}.` },
      MAX_CONTENT_BYTES + 1,
    ],
    [
      "of an earlier text that is too long",
      { revision: 2, revisions: [{ revision: 1, type: "t", title: "t", content: "x".repeat(70_000), at: minute(0) }] },
      70_000,
    ],
  ])("rejects %s, and writes nothing", async (_, said, length) => {
    using place = makePlace();
    const file = join(place.folder, "long.jsonl");
    fs.writeFileSync(file, lines(HEAD, ...many, { ...OBSERVATION, id: 999, ...said }));
    expect(await refusal(take(place.open(), file))).toEqual({
      code: "memory.too-long",
      message: `${file} was not imported. The text of 999 has ${length} bytes; the limit is ${MAX_CONTENT_BYTES}.`,
    });
    expect(fs.existsSync(place.file)).toBe(false);
  });

  test("keeps all of a text of the maximum length", async () => {
    using place = makePlace();
    const file = join(place.folder, "long.jsonl");
    const content = "ä".repeat(MAX_CONTENT_BYTES / 2);
    fs.writeFileSync(file, lines(HEAD, { ...OBSERVATION, content }));
    await take(place.open(), file);
    expect((await place.open().get(1))?.content).toBe(content);
  });

  test("masks secrets in every text", async () => {
    using from = makePlace();
    using to = makePlace();
    await fill(from.open());
    const { file } = await exportOf(from.open(), from);
    const memory = to.open();
    const masked = (text: string): Promise<string> =>
      Promise.resolve(text.replaceAll(/Plums|Apples|because|A text/g, "…"));
    await memory.importFrom(file, masked, minute(0));
    const { text } = await exportOf(memory, to);
    expect(/Plums|Apples|because|A text/.exec(text)).toBeNull();
    expect(await memory.importFrom(file, masked, minute(0))).toEqual(tally(8, { unchanged: 8 }));
  });

  test("completes an import that was interrupted", async () => {
    using from = makePlace();
    using to = makePlace();
    const drafts = Array.from({ length: 500 }, (_, i) => draft({ title: `Number ${i}`, content: `Text ${i}.` }));
    await from.open().save(drafts, minute(0));
    const { file, text } = await exportOf(from.open(), from);
    const memory = to.open();
    const stopped = memory.importFrom(
      file,
      (said) => (said === "Text 450." ? Promise.reject(new Error("stopped")) : Promise.resolve(said)),
      minute(0),
    );
    await expect(stopped).rejects.toThrow(new Error("stopped"));
    const { observations, problem } = await memory.health();
    expect([observations > 0, observations < 450, problem]).toEqual([true, true, undefined]);
    expect(await take(memory, file)).toEqual(tally(500, { added: 500 - observations, unchanged: observations }));
    expect((await exportOf(memory, to)).text).toBe(text);
  });

  test("rejects a file that does not exist, or is this memory itself", async () => {
    using place = makePlace();
    await saveOne(place.open());
    expect((await refusal(take(place.open(), "nowhere"))).code).toBe("files.unwritable");
    expect(await refusal(take(place.open(), place.file))).toEqual({
      code: "memory.bad-import",
      message: `${place.file} was not imported. Line 1: It is a memory of Tenon itself: export it there first.`,
    });
  });
});

describe("a backup", () => {
  test("is a valid database with every acknowledged save, and no partial one", async () => {
    using place = makePlace();
    const memory = place.open();
    await fill(memory);
    const before = (await exportOf(memory, place)).text;
    using writer = new DatabaseSync(place.file);
    writer.exec("BEGIN IMMEDIATE; DELETE FROM revisions; UPDATE observations SET title = 'half'");
    const { file, bytes } = await memory.backupTo("backups.db");
    writer.exec("ROLLBACK");
    expect([file, bytes]).toEqual([join(place.folder, "backups.db"), fs.statSync(file).size]);
    expect([(fs.statSync(file).mode & 0o777).toString(8), fs.readdirSync(place.folder)]).toEqual([
      "600",
      expect.not.arrayContaining(["backups.db-wal", "backups.db-shm"]) as unknown,
    ]);
    using copy = new SqliteMemory(file, place.folder);
    expect((await exportOf(copy, place)).text).toBe(before);
    expect(await look(copy)).toEqual(await look(memory));
  });

  test("shows one moment while others write", async () => {
    using place = makePlace();
    const [memory, writer] = [place.open(), place.open()];
    const numbers = Array.from({ length: 60 }, (_, i) => i);
    const text = "A longer text, so that there are many pages. ".repeat(400);
    const save = async (i: number) => saveOne(writer, { title: `Number ${i}`, content: `${i} ${text}` });
    for (const i of numbers.slice(0, 30)) await save(i);
    const backup = memory.backupTo("backup.db");
    for (const i of numbers.slice(30)) await save(i);
    using copy = new SqliteMemory((await backup).file, place.folder);
    const { observations, problem } = await copy.health();
    const kept = (await copy.recent({}, 99)).map(({ title }) => title).toReversed();
    expect([problem, kept]).toEqual([undefined, numbers.slice(0, observations).map((i) => `Number ${i}`)]);
    expect(observations).toBeGreaterThanOrEqual(30);
  });
});
