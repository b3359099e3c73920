import fs from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { refusal } from "../../../../../test/kit/fault.ts";
import { memoryContract } from "../memory.contract.ts";
import { finds, minute, saveOne } from "../place.contract.ts";
import { MIGRATIONS } from "./migrations.ts";
import { makePlace, meddle } from "./place.contract.ts";

memoryContract("SQLite", makePlace);

const modeOf = (path: string): string => (fs.statSync(path).mode & 0o777).toString(8);

describe("the file", () => {
  test("is its user's alone, with its folder and its companions", async () => {
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

  test("is not made by looking, and neither is its folder", async () => {
    using place = makePlace();
    const memory = place.open();
    await memory.recent({}, 9);
    await memory.stats();
    await memory.health();
    expect([await finds(memory, "anything"), fs.existsSync(dirname(dirname(place.file)))]).toEqual([[], false]);
  });

  test("that was moved away is not written to any more", async () => {
    using place = makePlace();
    const memory = place.open();
    await saveOne(memory, { title: "Old", content: "Orchard." });
    fs.renameSync(dirname(place.file), `${dirname(place.file)}-moved`);
    await saveOne(memory, { title: "New", content: "Orchard." });
    expect([await finds(memory, "old new"), await finds(memory, "orcahrd")]).toEqual([["New"], ["New"]]);
  });

  test("that a newer Tenon wrote is neither read nor written", async () => {
    using place = makePlace();
    await saveOne(place.open());
    place.close();
    meddle(place.file, "PRAGMA user_version = 99");
    const before = fs.readFileSync(place.file);
    const refused = {
      code: "database.newer",
      message: `The memory ${place.file} cannot be written. It has schema 99, and this version of Tenon knows ${MIGRATIONS.length}.`,
    };
    const memory = place.open();
    expect([await refusal(memory.recent({}, 9)), await refusal(saveOne(memory))]).toEqual([refused, refused]);
    expect((await memory.health()).problem).toBe(refused.message);
    expect(fs.readFileSync(place.file).equals(before)).toBe(true);
  });

  test.each<[string, (file: string) => void, string]>([
    ["text", (file) => fs.writeFileSync(file, "# not a database\n".repeat(100)), "file is not a database"],
    ["a torn first page", (file) => fs.truncateSync(file, 700), "database disk image is malformed"],
  ])("that holds %s is named as damaged, and left as it is", async (_, damage, why) => {
    using place = makePlace();
    await saveOne(place.open());
    place.close();
    damage(place.file);
    const before = fs.readFileSync(place.file);
    const refused = {
      code: "database.corrupt",
      message: `The memory ${place.file} could not be used. SQLite says: ${why}.`,
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

describe("a close look", () => {
  test("counts what can be found", async () => {
    using place = makePlace();
    const memory = place.open();
    await saveOne(memory, { title: "One" });
    await saveOne(memory, { title: "Two" });
    await saveOne(memory, { title: "Asked", type: "prompt" });
    await memory.remove(1, false, minute(1));
    expect(await memory.health()).toEqual({ file: place.file, exists: true, observations: 1 });
  });

  test.each([
    ["a text that cannot be found", "DELETE FROM terms WHERE rowid = (1 << 32) + 1", "1 are kept and 0 can be found."],
    ["a prompt that cannot be found", "DELETE FROM prompt_terms", "1 are kept and 0 can be found."],
    [
      "a text that is gone and can be found",
      "DELETE FROM observations WHERE type <> 'prompt'",
      "0 are kept and 1 can be found.",
    ],
  ])("sees %s", async (_, sql, problem) => {
    using place = makePlace();
    const memory = place.open();
    await saveOne(memory, { title: "One" });
    await saveOne(memory, { title: "Asked", type: "prompt" });
    place.close();
    meddle(place.file, sql);
    expect((await place.open().health()).problem).toBe(problem);
  });
});
