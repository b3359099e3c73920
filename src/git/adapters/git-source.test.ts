import { openGitSession } from "./git-repository.ts";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder, temporaryRepository } from "../../../test/kit/folder.ts";
import { parsePatch, createGitSource } from "./git-source.ts";

const git = (folder: string, ...words: string[]): string =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.org", ...words], {
    cwd: folder,
    encoding: "utf8",
  });

function put(folder: string, path: string, text: string): void {
  fs.mkdirSync(join(folder, path, ".."), { recursive: true });
  fs.writeFileSync(join(folder, path), text);
}

const stamp: unknown = expect.stringMatching(/./);

test("leaves out ignored files, Tenon's own files, links and deleted files", async () => {
  using repository = temporaryRepository();
  for (const path of ["src/a.ts", "b name.txt", "gone.ts", "sdd/design.md", ".sdd/state.yaml", "out/x.js"])
    put(repository.path, path, "1\n");
  put(repository.path, ".gitignore", "out/\n");
  git(repository.path, "add", "src/a.ts", "gone.ts");
  git(repository.path, "commit", "-qm", "one");
  fs.rmSync(join(repository.path, "gone.ts"));
  fs.symlinkSync("src/a.ts", join(repository.path, "link.ts"));
  const source = createGitSource(openGitSession(repository.path, process.env));
  expect(await source.files()).toEqual([
    { path: ".gitignore", bytes: 5, stamp },
    { path: "b name.txt", bytes: 2, stamp },
    { path: "src/a.ts", bytes: 2, stamp },
  ]);
  expect(await source.text("link.ts")).toBe(undefined);
});

test("compares changes since a commit with the files on the disk", async () => {
  using repository = temporaryRepository();
  const { path } = repository;
  put(path, "kept.ts", "one\ntwo\nthree\n");
  put(path, "moved.ts", "alpha\nbeta\ngamma\ndelta\n");
  put(path, "gone.ts", "x\ny\n");
  put(path, "--- odd.ts", "1\n");
  git(path, "add", ".");
  git(path, "commit", "-qm", "one");
  const source = createGitSource(openGitSession(path, process.env));
  const base = (await source.head()) ?? "";
  put(path, "kept.ts", "one\n-- two\n++ three\nfour\n");
  git(path, "mv", "moved.ts", "there.ts");
  git(path, "rm", "-q", "gone.ts");
  put(path, "--- odd.ts", "2\n");
  git(path, "commit", "-qam", "two");
  put(path, "new ümläut.ts", "first\nsecond\n");
  put(path, "sdd/design.md", "not theirs\n");
  expect(await source.changes(base)).toEqual([
    { path: "--- odd.ts", status: "modified", added: [{ number: 1, text: "2" }], removed: 1 },
    { path: "gone.ts", status: "deleted", added: [], removed: 2 },
    {
      path: "kept.ts",
      status: "modified",
      added: [
        { number: 2, text: "-- two" },
        { number: 3, text: "++ three" },
        { number: 4, text: "four" },
      ],
      removed: 2,
    },
    {
      path: "new ümläut.ts",
      status: "added",
      added: [
        { number: 1, text: "first" },
        { number: 2, text: "second" },
      ],
      removed: 0,
    },
    { path: "there.ts", from: "moved.ts", status: "renamed", added: [], removed: 0 },
  ]);
});

test.each<[string, (folder: string) => void]>([
  ["an index that takes the file for unchanged", (at) => void git(at, "update-index", "--assume-unchanged", "a.ts")],
  ["an index that skips the file", (at) => void git(at, "update-index", "--skip-worktree", "a.ts")],
  ["attributes that call the file binary", (at) => put(at, ".git/info/attributes", "*.ts -diff\n")],
  ["settings that join what is apart", (at) => void git(at, "config", "diff.interHunkContext", "9")],
  ["the same size and time", (at) => void git(at, "config", "core.trustctime", "false")],
])("reports a changed file with its lines in spite of %s", async (_, hide) => {
  using repository = temporaryRepository();
  const { path } = repository;
  const file = join(path, "a.ts");
  const before = new Date(Date.now() - 100_000);
  put(path, "a.ts", "one\ntwo\nsix\n");
  fs.utimesSync(file, before, before);
  git(path, "add", ".");
  git(path, "commit", "-qm", "one");
  const source = createGitSource(openGitSession(path, process.env));
  const base = (await source.head()) ?? "";
  hide(path);
  git(path, "status");
  put(path, "a.ts", "ONE\ntwo\nSIX\n");
  fs.utimesSync(file, before, before);
  const change = (await source.changes(base))?.find((each) => each.path === "a.ts");
  expect(change).toMatchObject({ path: "a.ts", status: "modified" });
  expect(change?.added).toEqual(
    expect.arrayContaining([
      { number: 1, text: "ONE" },
      { number: 3, text: "SIX" },
    ]),
  );
});

test("reports a deleted file that the index skips, unless the checkout is sparse", async () => {
  using repository = temporaryRepository();
  const { path } = repository;
  put(path, "a.ts", "one\n");
  put(path, "sub/b.ts", "two\n");
  git(path, "add", ".");
  git(path, "commit", "-qm", "one");
  const source = createGitSource(openGitSession(path, process.env));
  const base = (await source.head()) ?? "";
  git(path, "sparse-checkout", "set", "--no-cone", "a.ts");
  expect([fs.existsSync(join(path, "sub")), await source.changes(base)]).toEqual([false, []]);
  git(path, "sparse-checkout", "disable");
  git(path, "update-index", "--skip-worktree", "a.ts");
  fs.rmSync(join(path, "a.ts"));
  expect(await source.changes(base)).toMatchObject([{ path: "a.ts", status: "deleted" }]);
});

test("lists no changes since an unknown commit", async () => {
  using repository = temporaryRepository();
  const source = createGitSource(openGitSession(repository.path, process.env));
  expect(await source.head()).toBe(undefined);
  expect(await source.changes("0".repeat(40))).toBe(undefined);
  expect(await source.changes("--output=x")).toBe(undefined);
  expect(fs.existsSync(join(repository.path, "x"))).toBe(false);
});

test("leaves out the usual folders outside git, and has no commit", async () => {
  using folder = temporaryFolder();
  put(folder.path, "src/a.py", "1\n");
  put(folder.path, "node_modules/x/index.js", "1\n");
  const source = createGitSource(
    openGitSession(folder.path, { ...process.env, GIT_CEILING_DIRECTORIES: join(folder.path, "..") }),
  );
  expect(await source.files()).toEqual([{ path: "src/a.py", bytes: 2, stamp }]);
  expect(await source.head()).toBe(undefined);
});

test("reads no text of a file that is binary, too large or outside", async () => {
  using folder = temporaryFolder();
  fs.writeFileSync(join(folder.path, "binary"), Buffer.from([0xff, 0xfe, 0x00]));
  put(folder.path, "long.txt", "x".repeat(2_000));
  const source = createGitSource(openGitSession(folder.path, process.env));
  expect(await source.text("binary")).toBe(undefined);
  expect(await source.text("long.txt", 1_000)).toBe(undefined);
  expect(await source.text("long.txt")).toHaveLength(2_000);
  const below = createGitSource(openGitSession(join(folder.path, "below"), process.env));
  expect(await below.text("../long.txt")).toBe(undefined);
  expect(await below.text(join(folder.path, "long.txt"))).toBe(undefined);
});

test("reads a quoted name unchanged", () => {
  const patch = [
    'diff --git "a\\tb" "a\\tb"',
    "deleted file mode 100644",
    '--- "a\\tb"',
    "+++ /dev/null",
    "@@ -1 +0,0 @@",
    "-x",
    "",
  ];
  expect(parsePatch(patch.join("\n"))).toEqual([{ path: "a\tb", status: "deleted", added: [], removed: 1 }]);
});

test("reads the files of a commit, and the working files", async () => {
  using repository = temporaryRepository();
  const { path } = repository;
  put(path, "a.ts", "then\n");
  put(path, "sub/name with\ttab ü.txt", "odd\n");
  put(path, "sdd/config.yaml", "version: 1\n");
  put(path, "large.txt", "x".repeat(2_000));
  fs.writeFileSync(join(path, "bytes.bin"), Buffer.from([0xff, 0xfe, 0x00]));
  fs.symlinkSync("a.ts", join(path, "link.ts"));
  git(path, "add", ".");
  git(path, "commit", "-qm", "one");
  const source = createGitSource(openGitSession(path, process.env));
  const base = (await source.head()) ?? "";
  put(path, "a.ts", "now\n");
  put(path, "new.ts", "new\n");
  const wanted = ["a.ts", "sub/name with\ttab ü.txt", "large.txt", "bytes.bin", "link.ts", "new.ts", "../x", "sub"];
  const seen = async (commit?: string) => {
    const sight = await source.at(commit);
    const read = await sight?.read(wanted, 1_000);
    return wanted.map((name) => {
      const found = read?.get(name);
      return found?.kind === "text" ? found.text : found?.kind;
    });
  };
  expect(await seen(base)).toEqual(["then\n", "odd\n", "large", "binary", "link", "missing", "missing", "missing"]);
  expect(await seen()).toEqual(["now\n", "odd\n", "large", "binary", "link", "new\n", "missing", "missing"]);
  expect((await source.at(base))?.paths).toEqual([
    "a.ts",
    "bytes.bin",
    "large.txt",
    "link.ts",
    "sdd/config.yaml",
    "sub/name with\ttab ü.txt",
  ]);
  expect((await source.at())?.paths).toContain("new.ts");
  expect(await source.at("f".repeat(40))).toBe(undefined);
});

test("does not read more than memory limits allow", async () => {
  using repository = temporaryRepository();
  const names = Array.from({ length: 40 }, (_, i) => `f${i}.txt`);
  for (const [i, name] of names.entries()) put(repository.path, name, `${i}${"x".repeat(1_000_000)}`);
  git(repository.path, "add", ".");
  git(repository.path, "commit", "-qm", "one");
  const source = createGitSource(openGitSession(repository.path, process.env));
  for (const commit of [undefined, await source.head()]) {
    const read = await (await source.at(commit))?.read(names);
    const kinds = [...(read?.values() ?? [])].map(({ kind }) => kind);
    expect([kinds.filter((kind) => kind === "text").length, kinds.at(-1)]).toEqual([33, "large"]);
  }
});
