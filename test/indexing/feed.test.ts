import { expect, test } from "vitest";
import { loadCatalogueOperation } from "#doors/catalogue.ts";
import type { CommitFeedEntry } from "#code/operations/index/commit-feed.ts";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { commitAll, put } from "../kit/repository.ts";

interface Fed {
  readonly is_git: boolean;
  readonly commits: readonly CommitFeedEntry[];
  readonly omitted: number;
}

async function fed(root: string, ...words: string[]): Promise<Fed> {
  using tenon = testHouse(root);
  const { code, out } = await tenon.run("feed", ...words, "--json");
  expect(code).toBe(0);
  return JSON.parse(out) as Fed;
}

async function runFeed(root: string): Promise<string> {
  using tenon = testHouse(root);
  return (await tenon.run("feed")).out;
}

test("reports that there are no commits", async () => {
  using folder = temporaryFolder();
  put(folder.path, "sdd/config.yaml", "");
  expect(await fed(folder.path)).toEqual({ is_git: false, commits: [], omitted: 0 });
  using repository = temporaryRepository();
  expect(await fed(repository.path)).toEqual({ is_git: true, commits: [], omitted: 0 });
  expect(await runFeed(repository.path)).toBe("Nothing is committed yet.\n");
});

test("lists the last twenty commits, newest first, with their specs (TC-031)", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  for (let i = 1; i <= 22; i++) {
    put(root, "src/login.ts", `export const n = ${i};\n`.repeat(i));
    commitAll(root, `feat(AUTH-${String(i).padStart(3, "0")}): step ${i}`);
  }
  git(root, "mv", "src/login.ts", "src/logon.ts");
  put(root, "logo.bin", "\0\0");
  commitAll(root, "Rename it\n\nRefs: AUTH-001, BUG-042");
  const { commits, omitted } = await fed(root);
  expect([commits.length, omitted]).toEqual([20, 0]);
  expect(commits[0]).toEqual({
    timestamp: expect.stringMatching(/Z$/) as unknown,
    hash: git(root, "rev-parse", "HEAD").trim(),
    message: "Rename it",
    files: [
      { path: "logo.bin", is_binary: true },
      { path: "src/logon.ts", from: "src/login.ts" },
    ],
    files_changed: 2,
    insertions: 0,
    deletions: 0,
    specs: ["AUTH-001", "BUG-042"],
  });
  expect(commits[1]).toMatchObject({ message: "feat(AUTH-022): step 22", specs: ["AUTH-022"], insertions: 22 });
  expect((await fed(root, "--limit", "2")).commits.map(({ message }) => message)).toEqual([
    "Rename it",
    "feat(AUTH-022): step 22",
  ]);
});

test("escapes control characters in a message and keeps the ceiling", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  for (let i = 0; i < 100; i++) put(root, `${"deep/".repeat(20)}${i}.ts`, "x\n");
  commitAll(root, `\u001b[2J\u202e${"x".repeat(10_000)}`);
  const page = await runFeed(root);
  expect(page).toContain("\\u001b[2J\\u202exxx");
  expect(page).toContain("100\t+100 -0");
  const [commit] = (await fed(root)).commits;
  expect([commit?.message.length, commit?.files.length, commit?.files_changed]).toEqual([500, 30, 100]);
  const { commits, omitted } = await fed(root, "--max-tokens", "200");
  expect([commits.length, omitted, commits[0]?.files.length]).toEqual([1, 0, 1]);
});

test("reports that a shallow clone ends early", async () => {
  using repository = temporaryRepository();
  using folder = temporaryFolder();
  for (const text of ["one", "two"]) {
    put(repository.path, "a", text);
    commitAll(repository.path, text);
  }
  git(folder.path, "clone", "--quiet", "--depth=1", `file://${repository.path}`, "clone");
  const { commits } = await fed(`${folder.path}/clone`);
  expect(commits).toMatchObject([{ message: "two", is_cut: true, files_changed: 0 }]);
  expect(await runFeed(`${folder.path}/clone`)).toContain("To get the rest: git fetch --unshallow");
});

test("declares that it only reads", async () => {
  expect((await loadCatalogueOperation("indexing.feed")).effect).toBe("read");
});
