import { openGitSession } from "./git-repository.ts";
import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git, temporaryFolder, temporaryRepository } from "../../../test/kit/folder.ts";
import { commitAll, put } from "../../../test/kit/repository.ts";
import { createGitSnapshots } from "./git-snapshots.ts";

function begin(root: string): void {
  put(root, ".gitignore", "*.log\n.sdd/\nbuilt/\n");
  put(root, "src/a.ts", "a\n");
  put(root, "src/deep/b.ts", "b\n");
  put(root, "notes.txt", "nobody committed this\n");
  put(root, "built/out.js", "out\n");
  put(root, "logs/run.log", "l\n");
  put(root, "sdd/features/x/spec.yaml", "x\n");
  fs.mkdirSync(join(root, "empty/inner"), { recursive: true });
  git(root, "add", ".gitignore", "src");
  git(root, "commit", "--quiet", "-m", "begin");
}

const EDITS: readonly [what: string, edit: (root: string) => void, isKnown: boolean][] = [
  ["nothing", () => undefined, true],
  ["a record", (root) => put(root, "sdd/features/x/spec.yaml", "y\n"), true],
  ["in an ignored folder", (root) => put(root, "built/more.js", "m\n"), true],
  ["an edit of the same length", (root) => put(root, "src/a.ts", "A\n"), false],
  ["an edit whose time was set back", (root) => putWithTime(root, "src/a.ts", "B\n"), false],
  ["an edit of what nobody committed", (root) => put(root, "notes.txt", "n\n"), false],
  ["a mode", (root) => fs.chmodSync(join(root, "src/a.ts"), 0o755), false],
  ["a new file", (root) => put(root, "src/deep/c.ts", "c\n"), false],
  ["a new file where a folder was empty", (root) => put(root, "empty/inner/c.ts", "c\n"), false],
  ["a new file beside ignored ones", (root) => put(root, "logs/c.ts", "c\n"), false],
  ["a new folder", (root) => put(root, "src/new/c.ts", "c\n"), false],
  ["a folder that is swapped", swap, false],
  ["a file that is gone", (root) => fs.rmSync(join(root, "src/deep/b.ts")), false],
  ["what is ignored here alone", (root) => put(root, ".git/info/exclude", "notes.txt\n"), false],
  ["an ignored file that is staged", (root) => void git(root, "add", "--force", "logs/run.log"), false],
  ["how files are read", (root) => void git(root, "config", "core.autocrlf", "input"), false],
  ["what is ignored", (root) => put(root, ".gitignore", ".sdd/\n"), false],
];

test("the files are known as long as nothing of them is changed", async () => {
  using repository = temporaryRepository();
  const { path: root } = repository;
  begin(root);
  const snapshots = createGitSnapshots(openGitSession(root, process.env));
  await snapshots.keepKnown();
  expect(await snapshots.knownSourceTree()).toBeUndefined();
  const seen: [string, boolean][] = [];
  for (const [what, edit] of EDITS) {
    const before = await snapshots.rememberSourceTree();
    edit(root);
    const known = await createGitSnapshots(openGitSession(root, process.env)).knownSourceTree();
    expect([before, undefined]).toContain(known);
    seen.push([what, known !== undefined]);
  }
  expect(seen).toEqual(EDITS.map(([what, , isKnown]) => [what, isKnown]));
  await snapshots.keepKnown();
  expect(await snapshots.knownSourceTree()).toBe(await snapshots.sourceTree());
});

function putWithTime(root: string, path: string, text: string): void {
  const { atime, mtime } = fs.statSync(join(root, path));
  put(root, path, text);
  fs.utimesSync(join(root, path), atime, mtime);
}

function swap(root: string): void {
  put(root, "built/deep/b.ts", "B\n");
  fs.renameSync(join(root, "src/deep"), join(root, "built/old"));
  fs.renameSync(join(root, "built/deep"), join(root, "src/deep"));
}

/** The time of a file says nothing where the file is as young as the look at it. */
test("files that are written while it looks are not taken for known", async () => {
  using repository = temporaryRepository();
  const { path: root } = repository;
  begin(root);
  const snapshots = createGitSnapshots(openGitSession(root, process.env));
  let isOver = false;
  const looking = snapshots.rememberSourceTree().finally(() => (isOver = true));
  for (let n = 0; !isOver; n++) {
    put(root, "src/a.ts", `${n % 10}\n`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await looking;
  expect(await snapshots.knownSourceTree()).toBeUndefined();
});

test("a workspace below the top minds what is ignored above it, and a submodule is never known", async () => {
  using repository = temporaryRepository();
  using other = temporaryRepository();
  const root = join(repository.path, "packages/shop");
  put(root, "a.ts", "a\n");
  commitAll(repository.path);
  const below = createGitSnapshots(openGitSession(root, process.env));
  expect(await below.rememberSourceTree()).toBe(await below.knownSourceTree());
  put(repository.path, ".gitignore", "*.log\n");
  expect(await below.knownSourceTree()).toBeUndefined();
  put(other.path, "b.ts", "b\n");
  commitAll(other.path);
  git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.path, "part");
  await below.rememberSourceTree();
  expect(await below.knownSourceTree()).toBeUndefined();
});

test("outside git nothing is remembered", async () => {
  using folder = temporaryFolder();
  const snapshots = createGitSnapshots(openGitSession(folder.path, process.env));
  expect([
    await snapshots.rememberSourceTree(),
    await snapshots.knownSourceTree(),
    await snapshots.keepKnown(),
  ]).toEqual([undefined, undefined, undefined]);
});
