import { expect, test } from "vitest";
import { temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";

interface Found {
  readonly observations: readonly { readonly source: string }[];
}

test("names the files of an archived change at their new location", async () => {
  using repository = temporaryRepository();
  using tenon = testHouse(repository.path);
  await tenon.run("change", "start", "Stop refunds", "--type", "fix", "--size", "small");
  await tenon.run("adr", "record", "Key", "--context", "Two", "--decision", "A refund has a key", "--rationale", "One");
  await tenon.run("change", "advance", "--content", "Two clicks refund twice.");
  await tenon.run("change", "abandon", "--reason", "Solved upstream");
  await tenon.run("change", "archive", "stop-refunds");
  const { out } = await tenon.run("memory", "search", "refund", "--detail-level", "full", "--json");
  const found = (JSON.parse(out) as Found).observations;
  expect(found.map(({ source }) => source).toSorted()).toEqual([
    "sdd/history/stop-refunds/adrs/ADR-001.md",
    "sdd/history/stop-refunds/describe.md",
  ]);
  const decided = await tenon.run("memory", "search", "refund", "--type", "decision");
  expect(decided.out).toContain("(adr) Key");
});

test("saves a text without a title, or with a title before its content", async () => {
  using repository = temporaryRepository();
  using tenon = testHouse(repository.path);
  const plain = await tenon.run("memory", "save", "The clock of the cache host is slow", "--json");
  expect(JSON.parse(plain.out)).toMatchObject({ saved: [{ title: "The clock of the cache host is slow" }] });
  const titled = await tenon.run("memory", "save", "Slow clock", "--content", "It lost 3 s a day", "--json");
  expect(JSON.parse(titled.out)).toMatchObject({ saved: [{ title: "Slow clock" }] });
});
