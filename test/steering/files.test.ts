import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";

test("shows files with other names, and deletes them with the rest", async () => {
  using repository = temporaryRepository();
  using tenon = testHouse(repository.path);
  const folder = join(repository.path, "sdd/steering");
  fs.mkdirSync(join(folder, "more.md"), { recursive: true });
  for (const name of ["API Standards.md", "api-standards.md", "notes.txt", ".hidden.md"])
    fs.writeFileSync(join(folder, name), "Mine.\n");
  const call = async (...words: string[]) =>
    JSON.parse((await tenon.run("steering", ...words, "--json")).out) as Record<"files" | "notes" | "aside", never[]>;
  const shown = await call("show");
  expect(shown.files.map(({ name }) => name)).toEqual(["API Standards", "api-standards", "more"]);
  expect(shown.notes).toEqual([expect.stringContaining("sdd/steering/more.md cannot be read: ")]);
  fs.rmdirSync(join(folder, "more.md"));
  const aside = ["sdd/superseded/steering-api-standards-1.md", "sdd/superseded/steering-api-standards-2.md"];
  expect((await call("delete", "--confirm", "RESET")).aside.map(({ to }) => to)).toEqual(aside);
  const left = fs.readdirSync(join(repository.path, "sdd"), { recursive: true, withFileTypes: true });
  const paths = left
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(repository.path.length + 1));
  expect(paths.toSorted()).toEqual([
    "sdd/handover/decisions.md",
    "sdd/handover/session.md",
    "sdd/steering/.hidden.md",
    "sdd/steering/notes.txt",
    ...aside,
  ]);
});
