import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/kit/folder.ts";
import { WriteQueue } from "./write-queue.ts";

/** As old as can be, so that everybody lets it go first. */
const OLDEST = "0".repeat(20);
/** Linux gives no process so high a number. */
const NOBODY = 2 ** 30;

test("serves the first caller first, and never two at once", async () => {
  using folder = temporaryFolder();
  const happened: string[] = [];
  const takes = ["a", "b", "c", "d"].map((name) =>
    // Each as a process of its own would: with nothing in common but the folder.
    new WriteQueue(join(folder.path, "turns")).take(async () => {
      happened.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      happened.push(`${name} ends`);
      return name;
    }),
  );
  expect(await Promise.all(takes)).toEqual(["a", "b", "c", "d"]);
  expect(happened).toEqual(["a", "b", "c", "d"].flatMap((name) => [`${name} begins`, `${name} ends`]));
  expect(fs.readdirSync(join(folder.path, "turns"))).toEqual([]);
});

test("gives the turn to the next caller after a failure", async () => {
  using folder = temporaryFolder();
  const turns = new WriteQueue(folder.path);
  const failing = turns.take(() => Promise.reject(new Error("no")));
  const next = turns.take(async () => "mine");
  await expect(failing).rejects.toThrow(new Error("no"));
  expect([await next, fs.readdirSync(folder.path)]).toEqual(["mine", []]);
});

test.each([
  ["a dead process", NOBODY],
  ["a live process that does not finish", process.pid],
])("does not wait forever for a ticket of %s", async (_, pid) => {
  using folder = temporaryFolder();
  for (const n of [1, 2]) fs.writeFileSync(join(folder.path, `${OLDEST}-${pid}-${n}`), "");
  expect([await new WriteQueue(folder.path).take(async () => "mine"), fs.readdirSync(folder.path)]).toEqual([
    "mine",
    [],
  ]);
});

test("works without tickets if none can be created", async () => {
  using folder = temporaryFolder();
  fs.writeFileSync(join(folder.path, "file"), "");
  expect(await new WriteQueue(join(folder.path, "file")).take(async () => "mine")).toBe("mine");
});
