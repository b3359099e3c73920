import { openGitSession } from "./git-repository.ts";
import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git, temporaryFolder, temporaryRepository } from "../../../test/kit/folder.ts";
import { commitAll, put } from "../../../test/kit/repository.ts";
import type { PastCommit } from "../operations/ports/git-files.ts";
import { createGitSource } from "./git-source.ts";

const commitsIn = async (root: string, most = 20, naming?: string): Promise<readonly PastCommit[] | undefined> =>
  createGitSource(openGitSession(root, process.env)).commits({ most, ...(naming === undefined ? {} : { naming }) });

const told = async (root: string, most?: number, naming?: string): Promise<unknown[] | undefined> =>
  (await commitsIn(root, most, naming))?.map(({ subject, files }) => [
    subject,
    ...files.map(({ path, from, insertions, deletions }) => {
      const name = from === undefined ? path : `${from} → ${path}`;
      return `${name} ${insertions === undefined ? "binary" : `+${insertions} -${deletions ?? 0}`}`;
    }),
  ]);

test("lists no commits outside git, and none before the first", async () => {
  using folder = temporaryFolder();
  expect(await commitsIn(folder.path)).toBeUndefined();
  using repository = temporaryRepository();
  expect(await commitsIn(repository.path)).toEqual([]);
});

test("lists commits with their changes, the newest first", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  put(root, "src/a.ts", "one\ntwo\nthree\nfour\n");
  put(root, "logo.bin", "\0\0\0");
  commitAll(root, "feat(AUTH-001): begin\n\nA body.\n\nSpec: AUTH-002\nSigned-off-by: A <a@b>");
  git(root, "mv", "src/a.ts", "src/b\nc.ts");
  put(root, "src/b\nc.ts", "one\ntwo\nthree\n4\n5\n");
  commitAll(root, "Rename it");
  git(root, "rm", "-q", "logo.bin");
  git(root, "commit", "--quiet", "--allow-empty-message", "-m", "");
  const [newest, , oldest] = (await commitsIn(root)) ?? [];
  expect(await told(root)).toEqual([
    ["", "logo.bin binary"],
    ["Rename it", "src/a.ts → src/b\nc.ts +2 -1"],
    ["feat(AUTH-001): begin", "logo.bin binary", "src/a.ts +4 -0"],
  ]);
  expect(await told(root, 1)).toEqual([["", "logo.bin binary"]]);
  expect(oldest).toMatchObject({
    trailers: "Spec: AUTH-002\nSigned-off-by: A <a@b>",
    isCut: false,
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as unknown,
  });
  expect(newest?.hash).toBe(git(root, "rev-parse", "HEAD").trim());
});

test("lists the commits of a merge and not the merge, unless it names the id", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  put(root, "a", "a\n");
  commitAll(root, "one");
  git(root, "checkout", "--quiet", "-b", "side");
  put(root, "b", "b\n");
  commitAll(root, "on the side");
  git(root, "checkout", "--quiet", "main");
  put(root, "c", "c\n");
  commitAll(root, "on main");
  git(root, "merge", "--quiet", "--no-edit", "-m", "joined for AUTH-001", "side");
  const listSubjects = async (naming?: string) =>
    ((await commitsIn(root, 20, naming)) ?? []).map(({ subject }) => subject);
  expect((await listSubjects()).toSorted()).toEqual(["on main", "on the side", "one"]);
  expect(await listSubjects("AUTH-001")).toEqual(["joined for AUTH-001"]);
});

test("lists the commits of a workspace in a larger repository that touch it", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  put(root, "shop/a", "a\n");
  put(root, "b", "b\n");
  commitAll(root, "both");
  put(root, "b", "c\n");
  commitAll(root, "outside");
  expect(await told(join(root, "shop"))).toEqual([["both", "a +1 -0"]]);
});

test("claims no older changes for the last commit of a shallow clone", async () => {
  using repository = temporaryRepository();
  using folder = temporaryFolder();
  put(repository.path, "a", "a\n");
  commitAll(repository.path, "one");
  put(repository.path, "b", "b\n");
  commitAll(repository.path, "two");
  put(repository.path, "c", "c\n");
  commitAll(repository.path, "three");
  git(folder.path, "clone", "--quiet", "--depth=2", `file://${repository.path}`, "clone");
  const commits = await commitsIn(join(folder.path, "clone"));
  expect(commits?.map(({ subject, isCut, files }) => [subject, isCut, files.length])).toEqual([
    ["three", false, 1],
    ["two", true, 0],
  ]);
});

test("finds only messages that name an id, anywhere in them", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  const messages = [
    "feat(AUTH-001): begin",
    "feat(AUTH-0010): another",
    "AUTH-001.AC-2: refuse",
    "Mend\n\nSpec: AUTH-001",
    "Something else",
  ];
  for (const message of messages) git(root, "commit", "--quiet", "--allow-empty", "-m", message);
  expect(await told(root, 200, "AUTH-001")).toEqual([["Mend"], ["AUTH-001.AC-2: refuse"], ["feat(AUTH-001): begin"]]);
});

test("accepts any message", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  const hostile = join(root, "message");
  fs.writeFileSync(hostile, `\u001b[2Jfeat: \u202e ${"x".repeat(1024 * 1024)}`);
  git(root, "commit", "--quiet", "--allow-empty", "--cleanup=verbatim", `--file=${hostile}`);
  const tree = git(root, "write-tree").trim();
  const raw = `tree ${tree}\nauthor A <a> 0 +0000\ncommitter A <a> 99999999999999999999 +0000\n\nfrom nowhere\n`;
  fs.writeFileSync(hostile, raw);
  const odd = git(root, "hash-object", "-t", "commit", "-w", "--literally", hostile).trim();
  fs.rmSync(hostile);
  const [commit] = (await commitsIn(root)) ?? [];
  expect([commit?.subject.length, commit?.subject.startsWith("\u001b[2Jfeat: \u202e x")]).toEqual([500, true]);
  git(root, "update-ref", "HEAD", odd);
  expect(await commitsIn(root)).toMatchObject([
    { subject: "from nowhere", at: expect.stringMatching(/Z$/) as unknown },
  ]);
});
