import fs from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../test/kit/folder.ts";
import type { WorkspacePath } from "../model/workspace-paths.ts";
import { recallFile, rememberFile } from "./file-memory.ts";
import { WorkspaceFiles } from "./workspace-files.ts";

const STAMP = { ino: 7, size: 3, mtimeMs: 1_000, ctimeMs: 2_000.25 };
const LATER = 2_101;

test("recalls the bytes of a file that has not changed", () => {
  rememberFile("/same", STAMP, Buffer.from("one"), LATER);
  expect(recallFile("/same", { ...STAMP })?.toString()).toBe("one");
});

test.each([
  ["another inode", { ino: 8 }],
  ["another size", { size: 4 }],
  ["a later change of the contents", { mtimeMs: 1_001 }],
  ["a later change with the old time put back", { ctimeMs: 2_000.5 }],
])("forgets a file with %s", (_, changed) => {
  rememberFile("/changed", STAMP, Buffer.from("one"), LATER);
  expect(recallFile("/changed", { ...STAMP, ...changed })).toBeUndefined();
});

test("does not remember a file that changed a moment ago, since the next change may show the same time", () => {
  rememberFile("/fresh", STAMP, Buffer.from("one"), 2_099);
  expect(recallFile("/fresh", STAMP)).toBeUndefined();
});

test("does not remember a file that grew while it was read", () => {
  rememberFile("/growing", STAMP, Buffer.from("four"), LATER);
  expect(recallFile("/growing", STAMP)).toBeUndefined();
});

test("drops what it remembers before it takes more than a few megabytes", () => {
  const bytes = Buffer.alloc(64 * 1024);
  const stamp = { ...STAMP, size: bytes.length };
  for (let i = 0; i < 257; i++) rememberFile(`/many/${i}`, stamp, bytes, LATER);
  expect([recallFile("/many/0", stamp), recallFile("/many/256", stamp)]).toEqual([undefined, bytes]);
});

test("reads a file once while it stays the same, and again after an edit", () => {
  using folder = temporaryFolder();
  const path = "notes.md" as WorkspacePath;
  const place = join(folder.path, path);
  const read = (): string | undefined => new WorkspaceFiles(folder.path).bytes(path)?.toString();
  using now = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 60_000);
  using opened = vi.spyOn(fs, "openSync");
  fs.writeFileSync(place, "first");
  expect([read(), read(), opened.mock.calls.length]).toEqual(["first", "first", 1]);
  fs.writeFileSync(place, "the second");
  expect([read(), read(), opened.mock.calls.length]).toEqual(["the second", "the second", 2]);
  fs.rmSync(place);
  expect([read(), now.mock.calls.length > 0]).toEqual([undefined, true]);
});
