import { openGitSession } from "./git-repository.ts";
import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { refusal } from "../../../test/kit/fault.ts";
import { git, temporaryFolder, temporaryRepository } from "../../../test/kit/folder.ts";
import { commitAll, put } from "../../../test/kit/repository.ts";
import { createGitSnapshots } from "./git-snapshots.ts";

const EMPTY = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const hashIn = (root: string): Promise<string> => createGitSnapshots(openGitSession(root, process.env)).sourceTree();
const hashAt = (root: string): Promise<string> =>
  createGitSnapshots(openGitSession(root, process.env)).sourceTreeOf(git(root, "rev-parse", "HEAD").trim());

function cloneOf(root: string, path: string, ...words: string[]): string {
  git(root, "clone", "--quiet", ...words, root, path);
  return path;
}

test("ignores files that Tenon writes, and detects every other edit", async () => {
  using repository = temporaryRepository();
  const { path: root } = repository;
  put(root, ".gitignore", "*.log\n.sdd/\n");
  put(root, "src/a.ts", "a\n");
  put(root, "docs/sdd/kept.md", "k\n");
  commitAll(root);
  const before = await hashIn(root);
  expect(await hashAt(root)).toBe(before);
  const seen: [string, boolean][] = [];
  const after = async (what: string, edit: () => void): Promise<void> => {
    edit();
    seen.push([what, (await hashIn(root)) !== before]);
  };
  await after("a receipt", () => put(root, "sdd/receipts/AUTH-001.jsonl", "{}\n"));
  await after("a spec", () => put(root, "sdd/specs/AUTH-001.yaml", "status: done\n"));
  await after("the machine's", () => put(root, ".sdd/state.yaml", "s\n"));
  await after("what is ignored", () => put(root, "run.log", "l\n"));
  await after("what Tenon wrote, committed", () => commitAll(root));
  await after("an untracked file", () => put(root, "src/b.ts", "b\n"));
  await after("it is gone again", () => fs.rmSync(join(root, "src/b.ts")));
  await after("an edit", () => put(root, "src/a.ts", "A\n"));
  await after("it is taken back", () => put(root, "src/a.ts", "a\n"));
  await after("a mode", () => fs.chmodSync(join(root, "src/a.ts"), 0o755));
  await after("it is taken back", () => fs.chmodSync(join(root, "src/a.ts"), 0o644));
  await after("a folder sdd further down", () => put(root, "docs/sdd/kept.md", "K\n"));
  await after("it is taken back", () => put(root, "docs/sdd/kept.md", "k\n"));
  await after("a file that is removed", () => fs.rmSync(join(root, "src/a.ts")));
  expect(seen).toEqual([
    ["a receipt", false],
    ["a spec", false],
    ["the machine's", false],
    ["what is ignored", false],
    ["what Tenon wrote, committed", false],
    ["an untracked file", true],
    ["it is gone again", false],
    ["an edit", true],
    ["it is taken back", false],
    ["a mode", true],
    ["it is taken back", false],
    ["a folder sdd further down", true],
    ["it is taken back", false],
    ["a file that is removed", true],
  ]);
});

/** Whoever hides an edit from git hides it from a commit too, but not from whoever asks what was tested. */
test.each(["--assume-unchanged", "--skip-worktree"])("detects an edit hidden with %s", async (flag) => {
  using repository = temporaryRepository();
  const { path: root } = repository;
  put(root, "a.ts", "a\n");
  commitAll(root);
  const before = await hashIn(root);
  git(root, "update-index", flag, "a.ts");
  put(root, "a.ts", "b\n");
  expect(await hashIn(root)).not.toBe(before);
});

test("gives uncommitted files the tree of their commit and of a clone", async () => {
  using folder = temporaryFolder();
  using repository = temporaryRepository();
  const { path: root } = repository;
  put(root, "committed.ts", "c\n");
  commitAll(root);
  put(root, "committed.ts", "changed\n");
  put(root, "new/ümlaut 修复.ts", "n\n");
  put(root, "run.sh", "#!/bin/sh\n");
  fs.chmodSync(join(root, "run.sh"), 0o755);
  fs.symlinkSync("run.sh", join(root, "link"));
  fs.writeFileSync(Buffer.concat([Buffer.from(`${root}/not-utf8-`), Buffer.from([0xff])]), "4\n");
  put(root, "staged.ts", "s\n");
  git(root, "add", "staged.ts");
  const before = await hashIn(root);
  commitAll(root);
  put(root, "sdd/receipts/AUTH-001.jsonl", "{}\n");
  commitAll(root);
  const clone = cloneOf(root, join(folder.path, "clone"));
  expect([await hashIn(root), await hashAt(root), await hashIn(clone), await hashAt(clone)]).toEqual(
    Array.from({ length: 4 }, () => before),
  );
});

test.each([
  ["whoever checks out with the line ends of Windows", "", "core.autocrlf=true"],
  ["whoever commits them as they are", "", "core.autocrlf=input"],
  ["files whose attributes say so", "* text=auto eol=crlf\n", "core.autocrlf=false"],
])("gives %s the same hash", async (_, attributes, setting) => {
  using folder = temporaryFolder();
  using repository = temporaryRepository();
  const { path: root } = repository;
  git(root, "config", "core.autocrlf", "false");
  if (attributes !== "") put(root, ".gitattributes", attributes);
  put(root, "plain.txt", "one\ntwo\n");
  put(root, "image.bin", Buffer.from([0, 13, 10, 0, 10]));
  commitAll(root);
  const before = await hashAt(root);
  const clone = cloneOf(root, join(folder.path, "clone"), "--config", setting);
  const isWindows = fs.readFileSync(join(clone, "plain.txt"), "utf8").includes("\r\n");
  expect([isWindows, await hashIn(clone), await hashAt(clone)]).toEqual([!setting.endsWith("input"), before, before]);
  put(clone, "plain.txt", "one\r\nthree\r\n");
  expect(await hashIn(clone)).not.toBe(before);
});

test("keeps the Windows line ends of a committed file", async () => {
  using folder = temporaryFolder();
  using repository = temporaryRepository();
  const { path: root } = repository;
  git(root, "config", "core.autocrlf", "false");
  put(root, "windows.txt", "one\r\ntwo\r\n");
  commitAll(root);
  const clone = cloneOf(root, join(folder.path, "clone"), "--config", "core.autocrlf=true");
  expect(await hashIn(clone)).toBe(await hashAt(root));
  put(clone, "windows.txt", "one\r\nthree\r\n");
  const changed = await hashIn(clone);
  git(clone, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "--quiet", "-am", "three");
  expect(await hashAt(clone)).toBe(changed);
});

test("uses git's modes and links on a file system without them", async () => {
  using folder = temporaryFolder();
  using repository = temporaryRepository();
  const { path: root } = repository;
  put(root, "run.sh", "#!/bin/sh\n");
  fs.chmodSync(join(root, "run.sh"), 0o755);
  fs.symlinkSync("run.sh", join(root, "link"));
  commitAll(root);
  const poor = ["--config", "core.fileMode=false", "--config", "core.symlinks=false"];
  const clone = cloneOf(root, join(folder.path, "clone"), ...poor);
  fs.chmodSync(join(clone, "run.sh"), 0o644);
  expect(fs.lstatSync(join(clone, "link")).isFile()).toBe(true);
  expect(await hashIn(clone)).toBe(await hashIn(root));
});

test("counts only files below the workspace", async () => {
  using repository = temporaryRepository();
  const { path: root } = repository;
  const shop = join(root, "packages/shop");
  put(root, "packages/shop/src/a.ts", "a\n");
  put(root, "packages/shop/sdd/config.yaml", "");
  put(root, "outside.ts", "o\n");
  commitAll(root);
  const before = await hashIn(shop);
  expect(await hashAt(shop)).toBe(before);
  put(root, "outside.ts", "O\n");
  put(root, "sdd/config.yaml", "");
  put(root, "packages/shop/sdd/config.yaml", "project: {}\n");
  commitAll(root);
  expect([await hashIn(shop), await hashAt(shop)]).toEqual([before, before]);
  put(root, "packages/shop/src/a.ts", "A\n");
  expect(await hashIn(shop)).not.toBe(before);
  using moved = temporaryRepository();
  put(moved.path, "src/a.ts", "a\n");
  expect(await hashIn(moved.path)).toBe(before);
});

test("gives an empty tree for Tenon's own files alone, and for a folder that a commit lacks", async () => {
  using repository = temporaryRepository();
  const { path: root } = repository;
  put(root, "sdd/config.yaml", "");
  commitAll(root);
  fs.mkdirSync(join(root, "later"));
  expect([await hashIn(root), await hashAt(root), await hashAt(join(root, "later"))]).toEqual([EMPTY, EMPTY, EMPTY]);
});

test.each(["0".repeat(40), "HEAD", "--help", ""])("rejects %j as a commit", async (commit) => {
  using repository = temporaryRepository();
  put(repository.path, "a", "a\n");
  commitAll(repository.path);
  const asked = createGitSnapshots(openGitSession(repository.path, process.env)).sourceTreeOf(commit);
  expect((await refusal(asked)).code).toBe("snapshot.unknown");
});
