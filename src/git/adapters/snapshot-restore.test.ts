import { openGitSession } from "./git-repository.ts";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { chance, isFull, seed } from "../../../test/kit/chance.ts";
import { refusal } from "../../../test/kit/fault.ts";
import { git, temporaryFolder, temporaryRepository } from "../../../test/kit/folder.ts";
import { commitAll, takeLikeness, selectPart, put } from "../../../test/kit/repository.ts";
import { OWN, SITUATIONS, work } from "../../../test/kit/situations.ts";
import { createGitSnapshots } from "./git-snapshots.ts";

describe.for(SITUATIONS)("with $name", ({ prepare }) => {
  test("restores own paths, changes nothing else, and can go back", async () => {
    using folder = temporaryFolder();
    const root = prepare(folder.path);
    const snapshots = createGitSnapshots(openGitSession(root, process.env));
    const first = takeLikeness(root);
    const to = await snapshots.take("AUTH-001", 1, "before");
    expect(takeLikeness(root)).toEqual(first);
    work(root);
    const second = takeLikeness(root);
    const from = await snapshots.take("AUTH-001", 2, "safety");
    expect(takeLikeness(root)).toEqual(second);
    const request = { from: from.commit, to: to.commit, paths: OWN };
    const restored = await snapshots.restore(request);
    expect(restored.foreign).toEqual([]);
    const third = takeLikeness(root);
    expect(selectPart(third, OWN)).toEqual(selectPart(first, OWN));
    expect(selectPart(third, OWN, false)).toEqual(selectPart(second, OWN, false));
    expect(await snapshots.restore(request)).toEqual(restored);
    expect(takeLikeness(root)).toEqual(third);
    await snapshots.restore({ from: to.commit, to: from.commit, paths: OWN });
    expect(takeLikeness(root)).toEqual(second);
    expect((await snapshots.take("AUTH-001", 3, "again")).tree).toBe(from.tree);
  });
});

test("keeps later commits and restores only the files", async () => {
  using repository = temporaryRepository();
  const { path: root } = repository;
  put(root, "own", "1\n");
  put(root, "theirs", "1\n");
  commitAll(root);
  const snapshots = createGitSnapshots(openGitSession(root, process.env));
  const to = await snapshots.take("AUTH-001", 1, "m");
  put(root, "own", "2\n");
  commitAll(root, "own work");
  put(root, "theirs", "2\n");
  commitAll(root, "somebody's work");
  const from = await snapshots.take("AUTH-001", 2, "m");
  const before = takeLikeness(root);
  await snapshots.restore({ from: from.commit, to: to.commit, paths: ["own"] });
  expect(selectPart(takeLikeness(root), ["own"], false)).toEqual(selectPart(before, ["own"], false));
  expect(git(root, "status", "--porcelain")).toBe("M  own\n");
});

/** What somebody did to the path meanwhile, so that it is left as it is. */
const FOREIGN: readonly (readonly [name: string, path: string, meddle: (root: string, outside: string) => void])[] = [
  ["a changed text", "own/file", (root) => put(root, "own/file", "somebody's\n")],
  ["a changed mode", "own/file", (root) => fs.chmodSync(join(root, "own/file"), 0o755)],
  ["a new file", "own/file", (root) => fs.rmSync(join(root, "own/file"))],
  [
    "a folder in place of the file",
    "own/file",
    (root) => {
      fs.rmSync(join(root, "own/file"));
      fs.mkdirSync(join(root, "own/file"));
    },
  ],
  [
    "a pipe in place of the file",
    "own/file",
    (root) => {
      fs.rmSync(join(root, "own/file"));
      execFileSync("mkfifo", [join(root, "own/file")]);
    },
  ],
  [
    "a link to the same text",
    "own/file",
    (root, outside) => {
      fs.renameSync(join(root, "own/file"), join(outside, "file"));
      fs.symlinkSync(join(outside, "file"), join(root, "own/file"));
    },
  ],
  [
    "a parent folder that is a link out of the workspace",
    "own/file",
    (root, outside) => {
      fs.renameSync(join(root, "own"), join(outside, "own"));
      fs.symlinkSync(join(outside, "own"), join(root, "own"));
    },
  ],
  [
    "a parent folder that is a file",
    "own/file",
    (root) => {
      fs.rmSync(join(root, "own"), { recursive: true });
      put(root, "own", "a file\n");
    },
  ],
  ["a parent folder that is a repository", "own/file", (root) => void git(join(root, "own"), "init", "--quiet")],
  ["nothing, but it is new to both", "own/unknown", (root) => put(root, "own/unknown", "u\n")],
  ["a path out of the workspace", "../outside/file", (_, outside) => put(outside, "file", "changed\n")],
  ["git's own folder", ".git/info/exclude", () => undefined],
  ["git's own folder by another name", ".GIT/config", () => undefined],
  ["a path in Tenon's own folder", ".sdd/state.yaml", (root) => put(root, ".sdd/state.yaml", "s\n")],
];

test.each(FOREIGN)("leaves alone: %s", async (_, path, meddle) => {
  using folder = temporaryFolder();
  const [root, outside] = [join(folder.path, "work"), join(folder.path, "outside")];
  for (const place of [root, outside]) fs.mkdirSync(place);
  git(root, "init", "--quiet");
  put(root, "own/file", "1\n");
  put(root, "own/other", "1\n");
  const snapshots = createGitSnapshots(openGitSession(root, process.env));
  const to = await snapshots.take("AUTH-001", 1, "m");
  put(root, "own/file", "2\n");
  const from = await snapshots.take("AUTH-001", 2, "m");
  meddle(root, outside);
  const before = [takeLikeness(root), fs.readdirSync(outside, { recursive: true })];
  expect(await snapshots.restore({ from: from.commit, to: to.commit, paths: [path] })).toEqual({
    restored: [],
    deleted: [],
    foreign: [path],
  });
  expect([takeLikeness(root), fs.readdirSync(outside, { recursive: true })]).toEqual(before);
});

test("leaves a moved submodule alone, and a path in it", async () => {
  using folder = temporaryFolder();
  const { prepare } = SITUATIONS.find(({ name }) => name === "a submodule") ?? {};
  const root = prepare?.(folder.path) ?? "";
  const snapshots = createGitSnapshots(openGitSession(root, process.env));
  const to = await snapshots.take("AUTH-001", 1, "m");
  commitAll(join(root, "own/sub"), "inside");
  const from = await snapshots.take("AUTH-001", 2, "m");
  const before = takeLikeness(root);
  const paths = ["own/sub", "own/sub/lib.txt"];
  expect((await snapshots.restore({ from: from.commit, to: to.commit, paths })).foreign).toEqual(paths);
  expect(takeLikeness(root)).toEqual(before);
});

test("keeps a file private that only its owner can read", async () => {
  using repository = temporaryRepository();
  const { path: root } = repository;
  put(root, "secret", "1\n");
  fs.chmodSync(join(root, "secret"), 0o600);
  const snapshots = createGitSnapshots(openGitSession(root, process.env));
  const to = await snapshots.take("AUTH-001", 1, "m");
  put(root, "secret", "2\n");
  fs.chmodSync(join(root, "secret"), 0o700);
  const from = await snapshots.take("AUTH-001", 2, "m");
  await snapshots.restore({ from: from.commit, to: to.commit, paths: ["secret"] });
  expect(fs.statSync(join(root, "secret")).mode & 0o777).toBe(0o600);
  await snapshots.restore({ from: to.commit, to: from.commit, paths: ["secret"] });
  expect(fs.statSync(join(root, "secret")).mode & 0o777).toBe(0o700);
});

test("reports a locked index, and the next call finishes", async () => {
  using repository = temporaryRepository();
  const { path: root } = repository;
  put(root, "own", "1\n");
  commitAll(root);
  const snapshots = createGitSnapshots(openGitSession(root, process.env));
  const to = await snapshots.take("AUTH-001", 1, "m");
  const first = takeLikeness(root);
  put(root, "own", "2\n");
  git(root, "add", "own");
  const from = await snapshots.take("AUTH-001", 2, "m");
  const request = { from: from.commit, to: to.commit, paths: ["own"] };
  put(root, ".git/index.lock", "");
  const { code, message } = await refusal(snapshots.restore(request));
  expect([code, message]).toEqual([
    "git.refused",
    "The files are restored, but not what was staged. Another git command is running, or a crashed one left its lock.",
  ]);
  fs.rmSync(join(root, ".git/index.lock"));
  expect(await snapshots.restore(request)).toEqual({ restored: ["own"], deleted: [], foreign: [] });
  expect(takeLikeness(root)).toEqual(first);
});

test("restores index marks that the workflow removed, and removes those that it set", async () => {
  using folder = temporaryFolder();
  const { prepare } = SITUATIONS.find(({ name }) => name === "marked entries") ?? {};
  const root = prepare?.(folder.path) ?? "";
  const paths = ["own/changed.txt", "own/run.sh", "own/new/deep/file.txt", "own/staged.txt"];
  const snapshots = createGitSnapshots(openGitSession(root, process.env));
  const first = takeLikeness(root);
  const to = await snapshots.take("AUTH-001", 1, "m");
  git(root, "update-index", "--no-assume-unchanged", "own/changed.txt");
  git(root, "update-index", "--no-skip-worktree", "own/run.sh");
  put(root, "own/run.sh", "changed\n");
  git(root, "add", "own/run.sh", "own/new/deep/file.txt");
  git(root, "update-index", "--skip-worktree", "own/staged.txt");
  const second = takeLikeness(root);
  const from = await snapshots.take("AUTH-001", 2, "m");
  await snapshots.restore({ from: from.commit, to: to.commit, paths });
  expect(takeLikeness(root)).toEqual(first);
  await snapshots.restore({ from: to.commit, to: from.commit, paths });
  expect(takeLikeness(root)).toEqual(second);
});

test("removes a file that the workflow added outside a sparse checkout", async () => {
  using folder = temporaryFolder();
  const { prepare } = SITUATIONS.find(({ name }) => name === "sparse") ?? {};
  const root = prepare?.(folder.path) ?? "";
  const snapshots = createGitSnapshots(openGitSession(root, process.env));
  const first = takeLikeness(root);
  const to = await snapshots.take("AUTH-001", 1, "m");
  put(root, "far/away.txt", "made by the workflow\n");
  const from = await snapshots.take("AUTH-001", 2, "m");
  const request = { from: from.commit, to: to.commit, paths: ["far/away.txt"] };
  expect(await snapshots.restore(request)).toEqual({ restored: [], deleted: ["far/away.txt"], foreign: [] });
  expect(takeLikeness(root)).toEqual(first);
});

test("removes leftovers of a crash, even beside another's file", async () => {
  using repository = temporaryRepository();
  const { path: root } = repository;
  put(root, "own/file", "1\n");
  const snapshots = createGitSnapshots(openGitSession(root, process.env));
  const to = await snapshots.take("AUTH-001", 1, "m");
  put(root, "own/file", "2\n");
  const from = await snapshots.take("AUTH-001", 2, "m");
  put(root, "own/file", "somebody's\n");
  const before = takeLikeness(root);
  put(root, `own/.tenon-${createHash("sha256").update("own/file").digest("hex").slice(0, 24)}`, "half\n");
  await snapshots.restore({ from: from.commit, to: to.commit, paths: ["own/file"] });
  expect(takeLikeness(root)).toEqual(before);
});

describe(`for random files (TENON_SEED=${seed})`, () => {
  test.each(Array.from({ length: isFull ? 60 : 6 }, (_, i) => i))("round %i", async (round) => {
    using repository = temporaryRepository();
    const { path: root } = repository;
    const next = chance(seed + round);
    const snapshots = createGitSnapshots(openGitSession(root, process.env));
    scramble(root, next);
    if (next(2) === 0) commitAll(root);
    const first = takeLikeness(root);
    const to = await snapshots.take("AUTH-001", 1, "m");
    scramble(root, next);
    const second = takeLikeness(root);
    const from = await snapshots.take("AUTH-001", 2, "m");
    const changed = (await snapshots.between(from.commit, to.commit)).map(({ path }) => path);
    const { foreign } = await snapshots.restore({ from: from.commit, to: to.commit, paths: PLACES });
    expect([foreign, (await snapshots.take("AUTH-001", 3, "m")).tree]).toEqual([[], to.tree]);
    expect(selectPart(takeLikeness(root), PLACES)).toEqual(selectPart(first, PLACES));
    expect(changed.filter((path) => !PLACES.includes(path))).toEqual([]);
    await snapshots.restore({ from: to.commit, to: from.commit, paths: PLACES });
    expect(takeLikeness(root)).toEqual(second);
  });
});

/** Some of them stand in each other's way. */
const PLACES = ["a", "a/b", "a/b/c", "a/d", "e", "f/g", "f/g/h", "i j", "k\nl", "ü"];

function scramble(root: string, next: (below: number) => number): void {
  for (const path of PLACES) {
    const place = join(root, path);
    const isBlocked = path
      .split("/")
      .slice(0, -1)
      .some((_, i, parts) => fs.lstatSync(join(root, ...parts.slice(0, i + 1)), { throwIfNoEntry: false })?.isFile());
    const choice = next(6);
    if (choice === 0 || isBlocked) continue;
    fs.rmSync(place, { recursive: true, force: true });
    if (choice === 1) continue;
    if (choice === 2 && !PLACES.some((other) => other.startsWith(`${path}/`))) {
      fs.mkdirSync(join(place, ".."), { recursive: true });
      fs.symlinkSync(`to-${next(3)}`, place);
    } else put(root, path, `${next(3)}${"x\r\n".repeat(next(3))}`);
    if (choice === 3) fs.chmodSync(place, 0o755);
    if (choice === 4) git(root, "add", "--", path);
  }
  removeEmptyFolders(root);
}

/** No snapshot knows of folders with nothing in them. */
function removeEmptyFolders(folder: string): void {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const place = join(folder, entry.name);
    if (!entry.isDirectory() || entry.name === ".git") continue;
    removeEmptyFolders(place);
    if (fs.readdirSync(place).length === 0) fs.rmdirSync(place);
  }
}
