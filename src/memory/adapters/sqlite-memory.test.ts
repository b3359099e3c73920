import fs from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { refusal } from "../../../test/kit/fault.ts";
import { memoryContract } from "./memory.contract.ts";
import { finds, minute, saveOne } from "./place.contract.ts";
import { MEMORY_MIGRATIONS } from "./sqlite-memory.ts";
import { makePlace, meddle } from "./sqlite-place.contract.ts";

memoryContract("SQLite", makePlace);

const modeOf = (path: string): string => (fs.statSync(path).mode & 0o777).toString(8);

describe("the file", () => {
  test("is readable by its user alone, with its folder and its companions", async () => {
    using place = makePlace();
    await saveOne(place.open());
    const folder = dirname(place.file);
    const modes = fs.readdirSync(folder).map((name) => [name, modeOf(join(folder, name))]);
    expect([modeOf(folder), modes]).toEqual([
      "700",
      [
        ["memory.db", "600"],
        ["memory.db-shm", "600"],
        ["memory.db-wal", "600"],
      ],
    ]);
  });

  const traces = (folder: string, word: string): string[] =>
    fs.readdirSync(folder).filter((name) => fs.readFileSync(join(folder, name)).includes(word));

  test("holds no trace of a destroyed observation or its revisions", async () => {
    using place = makePlace();
    const memory = place.open();
    await saveOne(memory, { title: "Kept", content: "Apples." });
    await saveOne(memory, { title: "Gone", content: `quincequince ${"and more ".repeat(2000)}`, topic_key: "t" });
    await saveOne(memory, { title: "Gone", content: "medlarmedlar", topic_key: "t" }, minute(1));
    expect(traces(dirname(place.file), "quincequince")).not.toEqual([]);
    await memory.remove(2, true, minute(2));
    expect(["quincequince", "medlarmedlar"].flatMap((word) => traces(dirname(place.file), word))).toEqual([]);
    expect([await finds(memory, "apples"), (await memory.health()).problem]).toEqual([["Kept"], undefined]);
  });

  test("holds no trace of a purged source, not even in a history", async () => {
    using place = makePlace();
    const memory = place.open();
    await saveOne(memory, { title: "Topic", content: "quincequince", topic_key: "t", source: "https://bad.example" });
    await saveOne(memory, { title: "Topic", content: "Apples.", topic_key: "t" }, minute(1));
    expect(await memory.purge("https://bad.example", undefined, true, minute(2))).toBe(0);
    expect([await memory.revisions(1), traces(dirname(place.file), "quincequince")]).toEqual([[], []]);
    expect(await finds(memory, "apples")).toEqual(["Topic"]);
  });

  test("is unchanged by a purge in an unknown project", async () => {
    using place = makePlace();
    const memory = place.open();
    await saveOne(memory, { content: "One.", topic_key: "t", source: "web" });
    await saveOne(memory, { content: "Two.", topic_key: "t" }, minute(1));
    expect(await memory.purge("web", { name: "typo", places: [] }, true, minute(2))).toBe(0);
    expect((await memory.revisions(1)).map(({ content }) => content)).toEqual(["One."]);
  });

  test("is reported as damaged when a page behind the first ones is", async () => {
    using place = makePlace();
    for (let i = 0; i < 50; i++) await saveOne(place.open(), { content: `Number ${i} ${"and more ".repeat(500)}` });
    place.close();
    const bytes = fs.readFileSync(place.file);
    bytes.fill(0x5a, 40 * 4096);
    fs.writeFileSync(place.file, bytes);
    const memory = place.open();
    const codes = await Promise.all(
      Array.from({ length: 50 }, async (_, i) => (await refusal(memory.get(i + 1)).catch(() => undefined))?.code),
    );
    expect([...new Set(codes.filter((code) => code !== undefined))]).toEqual(["database.corrupt"]);
  });

  test("is not created by reading, and neither is its folder", async () => {
    using place = makePlace();
    const memory = place.open();
    await memory.recent({}, 9);
    await memory.stats();
    await memory.health();
    expect([await finds(memory, "anything"), fs.existsSync(dirname(dirname(place.file)))]).toEqual([[], false]);
  });

  test("is not written to after it was moved away", async () => {
    using place = makePlace();
    const memory = place.open();
    await saveOne(memory, { title: "Old", content: "Orchard." });
    fs.renameSync(dirname(place.file), `${dirname(place.file)}-moved`);
    await saveOne(memory, { title: "New", content: "Orchard." });
    expect([await finds(memory, "old new"), await finds(memory, "orcahrd")]).toEqual([["New"], ["New"]]);
  });

  test("is neither read nor written if a newer Tenon wrote it", async () => {
    using place = makePlace();
    await saveOne(place.open());
    place.close();
    meddle(place.file, "PRAGMA user_version = 99");
    const before = fs.readFileSync(place.file);
    const refused = {
      code: "database.newer",
      message: `The memory ${place.file} cannot be written. It has schema 99, and this version of Tenon knows ${MEMORY_MIGRATIONS.length}.`,
    };
    const memory = place.open();
    expect([await refusal(memory.recent({}, 9)), await refusal(saveOne(memory))]).toEqual([refused, refused]);
    expect((await memory.health()).problem).toBe(refused.message);
    expect(fs.readFileSync(place.file).equals(before)).toBe(true);
  });

  test.each<[string, (file: string) => void, string]>([
    ["text", (file) => fs.writeFileSync(file, "# not a database\n".repeat(100)), "file is not a database"],
    ["a torn first page", (file) => fs.truncateSync(file, 700), "database disk image is malformed"],
  ])("that holds %s is reported as damaged and left alone", async (_, damage, why) => {
    using place = makePlace();
    await saveOne(place.open());
    place.close();
    damage(place.file);
    const before = fs.readFileSync(place.file);
    const refused = {
      code: "database.corrupt",
      message: `The memory ${place.file} could not be used. It is damaged: ${why}.`,
    };
    const memory = place.open();
    expect([await refusal(memory.recent({}, 9)), await refusal(saveOne(memory))]).toEqual([refused, refused]);
    expect(await memory.health()).toEqual({
      file: place.file,
      exists: true,
      observations: 0,
      problem: refused.message,
    });
    expect(fs.readFileSync(place.file).equals(before)).toBe(true);
  });
});

describe("a full check", () => {
  test("counts the observations that can be found", async () => {
    using place = makePlace();
    const memory = place.open();
    await saveOne(memory, { title: "One" });
    await saveOne(memory, { title: "Two" });
    await saveOne(memory, { title: "Asked", type: "prompt" });
    await memory.remove(1, false, minute(1));
    expect(await memory.health()).toEqual({ file: place.file, exists: true, observations: 1 });
  });

  test.each([
    [
      "a text that cannot be found",
      "DELETE FROM terms WHERE rowid = (1 << 32) + 1",
      "1 are stored, but 0 are indexed.",
    ],
    ["a prompt that cannot be found", "DELETE FROM prompt_terms", "1 are stored, but 0 are indexed."],
    [
      "a deleted text that can still be found",
      "DELETE FROM observations WHERE type <> 'prompt'",
      "0 are stored, but 1 are indexed.",
    ],
  ])("detects %s", async (_, sql, problem) => {
    using place = makePlace();
    const memory = place.open();
    await saveOne(memory, { title: "One" });
    await saveOne(memory, { title: "Asked", type: "prompt" });
    place.close();
    meddle(place.file, sql);
    expect((await place.open().health()).problem).toBe(problem);
  });
});
