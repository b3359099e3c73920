import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/kit/folder.ts";
import { removeAbandonedFolders } from "./scratch-folder.ts";

test("removes the leftovers of a killed engine after a day, and nothing else", async () => {
  using folder = temporaryFolder();
  const gone = spawnSync("true").pid;
  const ours = [`tenon-run-${gone}-a`, `tenon-lent-${gone}-a`];
  const others = [`tenon-run-${process.pid}-b`, `tenon-lent-${process.pid}-b`, "tenon-run-x-c", `other-${gone}-d`];
  for (const name of [...ours, ...others]) fs.mkdirSync(join(folder.path, name, "inside"), { recursive: true });
  fs.symlinkSync(join(folder.path, `other-${gone}-d`), join(folder.path, `tenon-run-${gone}-link`));
  const left = (): string[] => fs.readdirSync(folder.path).toSorted();
  const all = left();
  await removeAbandonedFolders(folder.path);
  expect(left()).toEqual(all);
  await removeAbandonedFolders(folder.path, Date.now() + 25 * 60 * 60 * 1000);
  expect(left()).toEqual(all.filter((name) => !ours.includes(name)));
});
