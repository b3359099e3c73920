import { openGitSession } from "./git-repository.ts";
import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git, temporaryRepository } from "../../../test/kit/folder.ts";
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

const EDITS: readonly [what: string, edit: (root: string) => void, isSame: boolean][] = [
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
  ["how files are read", (root) => void git(root, "config", "core.autocrlf", "input"), true],
  ["what is ignored", (root) => put(root, ".gitignore", ".sdd/\n"), false],
];

test("detects every edit of source files that it read before, and no other edit", async () => {
  using repository = temporaryRepository();
  const { path: root } = repository;
  begin(root);
  // A session is one call; files that it read are remembered by the process.
  const readTree = (): Promise<string> => createGitSnapshots(openGitSession(root, process.env)).sourceTree();
  const seen: [string, boolean][] = [];
  for (const [what, edit] of EDITS) {
    const before = await readTree();
    edit(root);
    seen.push([what, (await readTree()) === before]);
  }
  expect(seen).toEqual(EDITS.map(([what, , isSame]) => [what, isSame]));
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

test("reads a file again that was written during the read", async () => {
  using repository = temporaryRepository();
  const { path: root } = repository;
  begin(root);
  const snapshots = createGitSnapshots(openGitSession(root, process.env));
  let isOver = false;
  const reading = snapshots.sourceTree().finally(() => (isOver = true));
  for (let n = 0; !isOver; n++) {
    put(root, "src/a.ts", `${n % 10}\n`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await reading;
  put(root, "src/a.ts", "last\n");
  const last = await snapshots.sourceTree();
  git(root, "add", "--all", ".");
  git(root, "commit", "--quiet", "-m", "last");
  expect(await snapshots.sourceTreeOf(git(root, "rev-parse", "HEAD").trim())).toBe(last);
});

test("follows ignore rules above the workspace, and detects the commit of a submodule", async () => {
  using repository = temporaryRepository();
  using other = temporaryRepository();
  const root = join(repository.path, "packages/shop");
  put(root, "a.ts", "a\n");
  put(root, "run.log", "l\n");
  const below = createGitSnapshots(openGitSession(root, process.env));
  const all = await below.sourceTree();
  put(repository.path, ".gitignore", "*.log\n");
  const ignored = await below.sourceTree();
  put(other.path, "b.ts", "b\n");
  commitAll(other.path);
  commitAll(repository.path);
  git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.path, "part");
  const added = await below.sourceTree();
  put(join(root, "part"), "b.ts", "changed\n");
  commitAll(join(root, "part"));
  expect(new Set([all, ignored, added, await below.sourceTree()]).size).toBe(4);
});
