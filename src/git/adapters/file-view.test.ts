import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/kit/folder.ts";
import { describeSourceFile, readStampedFile } from "./file-view.ts";

const MOST = 20;

test("gives a file that has rested the stamp of a listing", () => {
  const [file] = describeSourceFile(process.cwd(), "package.json");
  const { stamp, kind } = readStampedFile("package.json", 1_000_000);
  expect({ kind, stamp }).toEqual({ kind: "text", stamp: file?.stamp });
});

test("gives a file that has just changed no stamp, because it may change again and look the same", () => {
  using folder = temporaryFolder();
  const file = join(folder.path, "a.ts");
  fs.writeFileSync(file, "one");
  expect(readStampedFile(file, MOST)).toEqual({ kind: "text", text: "one", stamp: "" });
});

test("a changed modification time does not make a file look unchanged", () => {
  using folder = temporaryFolder();
  const file = join(folder.path, "a.ts");
  fs.writeFileSync(file, "one");
  fs.utimesSync(file, 1000, 1000);
  expect(readStampedFile(file, MOST).stamp).toBe("");
});

test.each([
  ["chmod", (file: string) => fs.chmodSync(file, 0o600)],
  ["another text with the same length and time", rewritten],
  ["another file in its place", replaced],
])("%s changes the stamp", (_, change) => {
  using folder = temporaryFolder();
  const file = join(folder.path, "a.ts");
  fs.writeFileSync(file, "one");
  const before = describeSourceFile(folder.path, "a.ts");
  // The clock of the disk ticks before anything else happens.
  while (fs.statSync(touched(folder.path)).ctimeMs === fs.statSync(file).ctimeMs);
  change(file);
  expect(describeSourceFile(folder.path, "a.ts")).not.toEqual(before);
});

function touched(folder: string): string {
  const file = join(folder, "clock");
  fs.writeFileSync(file, "");
  return file;
}

function rewritten(file: string): void {
  const { atime, mtime } = fs.statSync(file);
  fs.writeFileSync(file, "two");
  fs.utimesSync(file, atime, mtime);
}

function replaced(file: string): void {
  const { atime, mtime } = fs.statSync(file);
  fs.writeFileSync(`${file}.new`, "two");
  fs.utimesSync(`${file}.new`, atime, mtime);
  fs.renameSync(`${file}.new`, file);
}

test("a file that is not text is reported with its kind", () => {
  using folder = temporaryFolder();
  const at = (name: string): string => join(folder.path, name);
  fs.writeFileSync(at("large"), "x".repeat(MOST + 1));
  fs.writeFileSync(at("binary"), Buffer.from([0xff, 0xfe, 0x00]));
  fs.symlinkSync("large", at("link"));
  fs.mkdirSync(at("folder"));
  const kinds = ["large", "binary", "link", "folder", "missing"].map((name) => readStampedFile(at(name), MOST).kind);
  expect(kinds).toEqual(["large", "binary", "link", "link", "missing"]);
});
