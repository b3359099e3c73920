import { openGitSession } from "./git-repository.ts";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { refusal } from "../../../test/kit/fault.ts";
import { git, temporaryFolder, temporaryRepository } from "../../../test/kit/folder.ts";
import { commitAll, put } from "../../../test/kit/repository.ts";
import { createGitSnapshots } from "./git-snapshots.ts";

/** A tree as git tells it, by name; names stand with one character a byte. */
function treeOf(root: string, commit: string): Record<string, string> {
  const out = execFileSync("git", ["ls-tree", "-r", "-z", "--full-tree", commit], { cwd: root, encoding: "latin1" });
  const lines = out
    .split("\0")
    .slice(0, -1)
    .map((line) => line.split("\t"));
  return Object.fromEntries(
    lines.map(([head = "", path = ""]) => [path, `${head.slice(0, 6)} ${contentOf(root, head)}`]),
  );
}

function contentOf(root: string, head: string): string {
  const [mode = "", , blob = ""] = head.split(" ");
  return mode === "160000" ? blob.slice(0, 7) : git(root, "cat-file", "blob", blob);
}

test("snapshots every file on the disk and changes nothing", async () => {
  using repository = temporaryRepository();
  const { path: root } = repository;
  put(root, ".gitignore", "*.log\n");
  put(root, "committed.txt", "c\n");
  put(root, "deleted.txt", "d\n");
  put(root, "becomes/folder", "x\n");
  commitAll(root);
  put(root, "run.log", "ignored\n");
  put(root, ".sdd/state.yaml", "machine's\n");
  put(root, "own/.tenon-0123", "left by a crash\n");
  put(root, "empty", "");
  put(root, "-dash", "1\n");
  put(root, 'new\nline "quoted" \\back', "2\n");
  put(root, "ümlaut/修复", "3\n");
  fs.writeFileSync(Buffer.concat([Buffer.from(`${root}/not-utf8-`), Buffer.from([0xff])]), "4\n");
  put(root, "run.sh", "5\n");
  fs.chmodSync(join(root, "run.sh"), 0o755);
  fs.symlinkSync("/nowhere", join(root, "link"));
  put(root, "intended", "6\n");
  git(root, "add", "-N", "intended");
  put(root, "staged", "7\n");
  git(root, "add", "staged");
  put(root, "staged", "8\n");
  fs.rmSync(join(root, "deleted.txt"));
  fs.rmSync(join(root, "becomes/folder"));
  put(root, "becomes/folder/file", "9\n");
  put(root, "nested/file", "of a repository of its own\n");
  git(join(root, "nested"), "init", "--quiet");
  const picture = () =>
    ["index", "HEAD", "logs/HEAD", "config"].map((name) => fs.readFileSync(join(root, ".git", name)));
  const before = picture();
  const snapshots = createGitSnapshots(openGitSession(root, process.env));
  const taken = await snapshots.take("AUTH-001", 1, "before the stage\n\nwith a body");
  expect(picture()).toEqual(before);
  expect(treeOf(root, taken.commit)).toEqual({
    ".gitignore": "100644 *.log\n",
    "-dash": "100644 1\n",
    "becomes/folder/file": "100644 9\n",
    "committed.txt": "100644 c\n",
    empty: "100644 ",
    intended: "100644 6\n",
    link: "120000 /nowhere",
    'new\nline "quoted" \\back': "100644 2\n",
    "not-utf8-\xff": "100644 4\n",
    "run.sh": "100755 5\n",
    staged: "100644 8\n",
    "\xc3\xbcmlaut/\xe4\xbf\xae\xe5\xa4\x8d": "100644 3\n",
  });
  expect(treeOf(root, `${taken.commit}^2:index`)).toEqual({
    ".gitignore": "100644 *.log\n",
    "becomes/folder": "100644 x\n",
    "committed.txt": "100644 c\n",
    "deleted.txt": "100644 d\n",
    staged: "100644 7\n",
  });
  const head = git(root, "rev-parse", "HEAD").trim();
  expect([
    taken.head,
    git(root, "rev-parse", `${taken.commit}^1`, "refs/tenon/AUTH-001/1", `${taken.commit}^{tree}`),
  ]).toEqual([head, `${head}\n${taken.commit}\n${taken.tree}\n`]);
  expect(git(root, "log", "-1", "--format=%an %ae %cn %ce %s", taken.commit)).toBe(
    "Tenon tenon@localhost Tenon tenon@localhost before the stage\n",
  );
  expect(await snapshots.tree()).toBe(taken.tree);
});

test("keeps submodules by their checked-out commit, and sparse files as staged", async () => {
  using folder = temporaryFolder();
  const [inner, root] = [join(folder.path, "inner"), join(folder.path, "outer")];
  for (const place of [inner, root]) {
    put(place, "a.txt", "a\n");
    put(place, "far/away.txt", "far\n");
    git(place, "init", "--quiet");
    commitAll(place);
  }
  git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "sub");
  git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "unchecked");
  commitAll(root);
  git(root, "submodule", "--quiet", "deinit", "--force", "unchecked");
  const [old] = git(inner, "rev-parse", "HEAD").split("\n");
  put(root, "sub/a.txt", "committed inside\n");
  commitAll(join(root, "sub"));
  put(root, "sub/a.txt", "changed inside\n");
  git(root, "sparse-checkout", "set", "--no-cone", "/*", "!/far/");
  const snapshots = createGitSnapshots(openGitSession(root, process.env));
  const { commit } = await snapshots.take("AUTH-001", 1, "m");
  const { ".gitmodules": _, ...rest } = treeOf(root, commit);
  expect(rest).toEqual({
    "a.txt": "100644 a\n",
    "far/away.txt": "100644 far\n",
    sub: `160000 ${git(join(root, "sub"), "rev-parse", "HEAD").slice(0, 7)}`,
    unchecked: `160000 ${old?.slice(0, 7)}`,
  });
  expect(await snapshots.uncommitted()).toEqual(["sub"]);
});

test("works with any user name and any log setting", async () => {
  using repository = temporaryRepository();
  const { path: root } = repository;
  git(root, "config", "--unset", "user.name");
  git(root, "config", "--unset", "user.email");
  git(root, "config", "user.useConfigOnly", "true");
  git(root, "config", "core.logAllRefUpdates", "always");
  git(root, "config", "commit.gpgSign", "true");
  put(root, "a", "a\n");
  const taken = await createGitSnapshots(openGitSession(root, { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" })).take(
    "add-dark-mode",
    0,
    "m",
  );
  expect([taken.head, fs.existsSync(join(root, ".git/logs/refs/tenon"))]).toEqual([undefined, false]);
});

test("keeps all bytes despite conversions of the user or the repository", async () => {
  using folder = temporaryFolder();
  const root = join(folder.path, "work");
  const settings = '[core]\n\tautocrlf = true\n[filter "f"]\n\tclean = tr a-z A-Z\n\tsmudge = cat\n\trequired = true\n';
  put(folder.path, "settings", settings);
  put(root, ".gitattributes", "*.txt text eol=crlf filter=f ident working-tree-encoding=UTF-16\n");
  put(root, "a.txt", "$Id: x$ text\r\nand\n");
  git(root, "init", "--quiet");
  const environment = { ...process.env, GIT_CONFIG_GLOBAL: join(folder.path, "settings") };
  const { commit } = await createGitSnapshots(openGitSession(root, environment)).take("AUTH-001", 1, "m");
  expect(treeOf(root, commit)["a.txt"]).toBe("100644 $Id: x$ text\r\nand\n");
});

test("detects an edit that keeps the size", async () => {
  using repository = temporaryRepository();
  const { path: root } = repository;
  const snapshots = createGitSnapshots(openGitSession(root, process.env));
  const trees = new Set<string>();
  for (let i = 0; i < 10; i++) {
    put(root, "a", `${i}`);
    trees.add(await snapshots.tree());
  }
  expect(trees.size).toBe(10);
});

test("takes equal snapshots concurrently, and continues after git cleans up", async () => {
  using repository = temporaryRepository();
  const { path: root } = repository;
  for (let i = 0; i < 50; i++) put(root, `folder-${i % 7}/file-${i}`, `${i}\n`);
  const snapshots = createGitSnapshots(openGitSession(root, process.env));
  const taken = await Promise.all(Array.from({ length: 6 }, (_, i) => snapshots.take("AUTH-001", i, "m")));
  expect(new Set(taken.map(({ tree }) => tree)).size).toBe(1);
  for (const i of taken.keys()) await snapshots.drop("AUTH-001", i);
  await snapshots.drop("AUTH-001", 77);
  expect(git(root, "for-each-ref", "refs/tenon")).toBe("");
  git(root, "gc", "--quiet", "--prune=now");
  expect(await Promise.all(taken.map(({ commit }) => snapshots.has(commit)))).toEqual(taken.map(() => false));
  const again = await snapshots.take("AUTH-001", 9, "m");
  expect([again.tree, await snapshots.has(again.commit)]).toEqual([taken[0]?.tree, true]);
  git(root, "gc", "--quiet", "--prune=now");
  expect(Object.keys(treeOf(root, again.commit))).toHaveLength(50);
  expect(fs.readdirSync(join(root, ".git/tenon/files"))).toEqual([]);
});

test("lists differences of two snapshots with modes and blobs", async () => {
  using repository = temporaryRepository();
  const { path: root } = repository;
  put(root, "b", "b\n");
  put(root, "gone", "g\n");
  put(root, "becomes-link", "x\n");
  const snapshots = createGitSnapshots(openGitSession(root, process.env));
  const one = await snapshots.take("AUTH-001", 1, "m");
  fs.chmodSync(join(root, "b"), 0o755);
  fs.renameSync(join(root, "gone"), join(root, "a\nnew"));
  fs.rmSync(join(root, "becomes-link"));
  fs.symlinkSync("b", join(root, "becomes-link"));
  const two = await snapshots.take("AUTH-001", 2, "m");
  const blob = (text: string): string =>
    execFileSync("git", ["hash-object", "--stdin"], { input: text, encoding: "utf8" }).trim();
  expect(await snapshots.between(one.commit, two.tree)).toEqual(
    [
      { path: "a\nnew", to: { mode: "100644", blob: blob("g\n") } },
      {
        path: "becomes-link",
        from: { mode: "100644", blob: blob("x\n") },
        to: { mode: "120000", blob: blob("b") },
      },
      { path: "b", from: { mode: "100644", blob: blob("b\n") }, to: { mode: "100755", blob: blob("b\n") } },
      { path: "gone", from: { mode: "100644", blob: blob("g\n") } },
    ].toSorted((x, y) => (x.path < y.path ? -1 : 1)),
  );
  expect(await snapshots.between(one.commit, one.tree)).toEqual([]);
});

test("lists commits since another, oldest first, with their files", async () => {
  using repository = temporaryRepository();
  const { path: root } = repository;
  const snapshots = createGitSnapshots(openGitSession(root, process.env));
  expect(await snapshots.commitsSince(undefined)).toEqual([]);
  put(root, "package/a", "a\n");
  put(root, "b", "b\n");
  commitAll(root, "one\n\nBody of one.\n\nTenon: AUTH-001");
  const [first] = git(root, "rev-parse", "HEAD").split("\n");
  git(root, "checkout", "--quiet", "-b", "side");
  put(root, "package/x\ny", "x\n");
  commitAll(root, "on the side");
  git(root, "checkout", "--quiet", "main");
  git(root, "rm", "-q", "b");
  commitAll(root, "without b");
  git(root, "merge", "--quiet", "--no-edit", "-m", "merged", "side");
  git(root, "commit", "--quiet", "--allow-empty", "--allow-empty-message", "-m", "");
  const told = async (where: string, since: string | undefined) =>
    (await createGitSnapshots(openGitSession(where, process.env)).commitsSince(since)).map(
      ({ subject, body, paths }) => [subject, body, ...paths],
    );
  const all = [
    ["one", "Body of one.\n\nTenon: AUTH-001", "b", "package/a"],
    ["on the side", "", "package/x\ny"],
    ["without b", "", "b"],
    ["merged", ""],
    ["", ""],
  ];
  const order = (list: string[][]) => list.toSorted((x, y) => (x.join() < y.join() ? -1 : 1));
  expect(order(await told(root, undefined))).toEqual(order(all));
  expect((await told(root, undefined))[0]).toEqual(all[0]);
  expect(order(await told(root, first))).toEqual(order(all.slice(1)));
  expect(await told(join(root, "package"), undefined)).toEqual(
    (await told(root, undefined)).map(([subject = "", body = "", ...paths]) => [
      subject,
      body,
      ...paths.filter((path) => path.startsWith("package/")).map((path) => path.slice(8)),
    ]),
  );
});

test("lists as uncommitted the paths that git status names", async () => {
  using repository = temporaryRepository();
  const { path: root } = repository;
  git(root, "config", "core.autocrlf", "true");
  put(root, "package/same", "a\r\n");
  put(root, "package/changed", "a\n");
  put(root, "package/staged", "a\n");
  put(root, "outside", "a\n");
  commitAll(root);
  put(root, "package/changed", "b\n");
  put(root, "package/staged", "b\n");
  git(root, "add", "package/staged");
  put(root, "package/staged", "a\n");
  put(root, "package/new/file", "n\n");
  put(root, "outside", "b\n");
  put(root, "package/.sdd/state.yaml", "s\n");
  expect(await createGitSnapshots(openGitSession(join(root, "package"), process.env)).uncommitted()).toEqual([
    "changed",
    "new/file",
    "staged",
  ]);
});

describe("without working files", () => {
  test.each([
    ["outside git", () => undefined, {}],
    ["in a bare repository", (root: string) => git(root, "init", "--quiet", "--bare"), {}],
    ["without git", (root: string) => git(root, "init", "--quiet"), { PATH: "/nowhere" }],
  ])("%s is not possible", async (_, prepare, environment) => {
    using folder = temporaryFolder();
    prepare(folder.path);
    const ceiling = { GIT_CEILING_DIRECTORIES: join(folder.path, "..") };
    const snapshots = createGitSnapshots(openGitSession(folder.path, { ...process.env, ...ceiling, ...environment }));
    expect(await snapshots.isPossible()).toBe(false);
    expect((await refusal(snapshots.take("AUTH-001", 1, "m"))).code).toBe("git.missing");
  });
});

test.each(["../../heads/main", "a/b", "", "-x", "x.lock", "A\n", "@{1}", "a..b"])(
  "finds no snapshot under %j",
  async (id) => {
    using repository = temporaryRepository();
    const snapshots = createGitSnapshots(openGitSession(repository.path, process.env));
    expect((await refusal(snapshots.take(id, 1, "m"))).code).toBe("snapshot.bad-id");
    expect((await refusal(snapshots.drop(id, 1))).code).toBe("snapshot.bad-id");
    expect((await refusal(snapshots.take("AUTH-001", 1.5, "m"))).code).toBe("snapshot.bad-id");
  },
);

test.each(["0".repeat(40), "HEAD", "--output=x", ""])("rejects %j as a snapshot", async (hash) => {
  using repository = temporaryRepository();
  const snapshots = createGitSnapshots(openGitSession(repository.path, process.env));
  const { commit } = await snapshots.take("AUTH-001", 1, "m");
  expect(await snapshots.has(hash)).toBe(false);
  for (const call of [
    () => snapshots.between(commit, hash),
    () => snapshots.commitsSince(hash),
    () => snapshots.restore({ from: commit, to: hash, paths: [] }),
  ])
    expect((await refusal(call())).code).toBe("snapshot.unknown");
});

describe("reports an operation in progress as an obstacle", () => {
  const conflict = (root: string): void => {
    put(root, "a", "1\n");
    commitAll(root);
    git(root, "checkout", "--quiet", "-b", "side");
    put(root, "a", "2\n");
    commitAll(root, "side");
    git(root, "checkout", "--quiet", "main");
    put(root, "a", "3\n");
    commitAll(root, "main");
  };
  const failing = (root: string, ...words: string[]): void =>
    expect(() => git(root, ...words)).toThrow("Command failed");
  test.each([
    ["nothing", () => undefined, undefined],
    ["a merge", (root: string) => failing(root, "merge", "side"), "a merge is in progress"],
    ["a rebase", (root: string) => failing(root, "rebase", "side"), "a rebase is in progress"],
    ["an older rebase", (root: string) => failing(root, "rebase", "--apply", "side"), "a rebase is in progress"],
    ["a cherry-pick", (root: string) => failing(root, "cherry-pick", "side"), "a cherry-pick is in progress"],
    ["a revert", (root: string) => failing(root, "revert", "--no-edit", "side"), "a revert is in progress"],
    [
      "patches",
      (root: string) => {
        put(root, "../patch", git(root, "format-patch", "--stdout", "side", "-1"));
        failing(root, "am", join(root, "../patch"));
      },
      "patches are being applied (git am)",
    ],
    ["a bisection", (root: string) => git(root, "bisect", "start", "HEAD", "HEAD~1"), undefined],
    [
      "a lock",
      (root: string) => put(root, ".git/index.lock", ""),
      "another git command is changing the index, or one that died left its lock (rm <root>/.git/index.lock)",
    ],
    [
      "a merge that was forgotten",
      (root: string) => {
        failing(root, "merge", "side");
        fs.rmSync(join(root, ".git/MERGE_HEAD"));
      },
      "a merge has unresolved conflicts (git status)",
    ],
  ])("%s", async (_, begin, expected) => {
    using folder = temporaryFolder();
    const root = join(folder.path, "work");
    fs.mkdirSync(root);
    git(root, "init", "--quiet", "--initial-branch=main");
    git(root, "config", "user.name", "Tester");
    git(root, "config", "user.email", "tester@example.com");
    conflict(root);
    begin(root);
    const snapshots = createGitSnapshots(openGitSession(root, process.env));
    expect((await snapshots.obstacle())?.replace(root, "<root>")).toBe(expected);
    expect((await snapshots.take("AUTH-001", 1, "m")).commit).toMatch(/^[0-9a-f]{40}$/);
  });
});

/** To go on without snapshots because git was killed once would be to lose them unseen. */
test.each([
  ["is missing", undefined, false],
  ["says no", "exit 128", false],
  ["is stopped", "kill -9 $$", "git.refused"],
])("reports a git that %s", async (_, script, expected) => {
  using folder = temporaryFolder();
  const root = join(folder.path, "work");
  fs.mkdirSync(root);
  git(root, "init", "--quiet");
  if (script !== undefined) {
    put(folder.path, "git", `#!/bin/sh\n${script}\n`);
    fs.chmodSync(join(folder.path, "git"), 0o755);
  }
  const found = createGitSnapshots(openGitSession(root, { PATH: folder.path })).isPossible();
  expect(typeof expected === "string" ? (await refusal(found)).code : await found).toBe(expected);
});
