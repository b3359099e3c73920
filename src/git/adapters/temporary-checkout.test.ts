import { openGitSession } from "./git-repository.ts";
import fs from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { git, temporaryFolder, temporaryRepository } from "../../../test/kit/folder.ts";
import { createCheckoutPool } from "./temporary-checkout.ts";

const write = (root: string, path: string, text: string): void => {
  fs.mkdirSync(join(root, path, ".."), { recursive: true });
  fs.writeFileSync(join(root, path), text);
};

function repository(inside: string) {
  const folder = temporaryRepository();
  const root = join(folder.path, inside);
  write(folder.path, "outside.txt", "outside\n");
  write(root, "src/a.txt", "old\n");
  write(root, "src/gone.txt", "there\n");
  write(folder.path, ".gitignore", "node_modules/\n");
  git(folder.path, "add", "-A");
  git(folder.path, "commit", "-qm", "Begin");
  const commit = git(folder.path, "rev-parse", "HEAD").trim();
  write(root, "src/a.txt", "new\n");
  write(root, "tests/a.test.txt", "test\n");
  write(root, "node_modules/left/pad.txt", "pad\n");
  fs.rmSync(join(root, "src/gone.txt"));
  return { folder, root, commit };
}

test.each(["", "packages/shop"])(
  "checks out the files of a commit from %j, with some files added on top",
  async (inside) => {
    const { folder, root, commit } = repository(inside);
    using _ = folder;
    let place = "";
    {
      await using lent = await createCheckoutPool(openGitSession(root, process.env)).lend({
        commit,
        over: ["tests/a.test.txt", "src/gone.txt"],
        linked: ["node_modules", ".venv"],
      });
      place = lent.root;
      const read = (path: string): string => fs.readFileSync(join(place, path), "utf8");
      expect([read("src/a.txt"), read("tests/a.test.txt"), read("node_modules/left/pad.txt")]).toEqual([
        "old\n",
        "test\n",
        "pad\n",
      ]);
      expect(["src/gone.txt", ".venv", ".git"].filter((path) => fs.existsSync(join(place, path)))).toEqual([]);
      fs.writeFileSync(join(place, "src/a.txt"), "spoilt\n");
    }
    expect([fs.existsSync(place), fs.readFileSync(join(root, "src/a.txt"), "utf8")]).toEqual([false, "new\n"]);
    expect(fs.existsSync(join(root, "node_modules/left/pad.txt"))).toBe(true);
    expect(git(folder.path, "status", "--porcelain", "-uall").split("\n").filter(Boolean)).toEqual(
      [` M ${inside}/src/a.txt`, ` D ${inside}/src/gone.txt`, `?? ${inside}/tests/a.test.txt`].map((line) =>
        inside === "" ? line.replace("/", "") : line,
      ),
    );
  },
);

test.each(["../escape.txt", "src/../../escape.txt", "link/escape.txt"])(
  "writes nothing outside the checkout: %s",
  async (path) => {
    const { folder, root } = repository("");
    using _ = folder;
    fs.symlinkSync("..", join(root, "link"));
    git(root, "add", "link");
    git(root, "commit", "-qm", "Link");
    const commit = git(root, "rev-parse", "HEAD").trim();
    const lending = { commit, over: [path], linked: [] };
    await expect(createCheckoutPool(openGitSession(root, process.env)).lend(lending)).rejects.toMatchObject({
      code: "files.escape",
    });
  },
);

test("rejects an unknown commit and leaves nothing behind", async () => {
  const { folder, root } = repository("");
  using _ = folder;
  using temporary = temporaryFolder();
  vi.stubEnv("TMPDIR", temporary.path);
  try {
    const lending = { commit: "1".repeat(40), over: [], linked: [] };
    await expect(createCheckoutPool(openGitSession(root, process.env)).lend(lending)).rejects.toMatchObject({
      code: "git.refused",
    });
  } finally {
    vi.unstubAllEnvs();
  }
  expect(fs.readdirSync(temporary.path)).toEqual([]);
});

test("does not share a file that it adds with the repository", async () => {
  const { folder, root, commit } = repository("");
  using _ = folder;
  fs.symlinkSync(join(root, "src/a.txt"), join(root, "linked.txt"));
  const over = ["linked.txt"];
  await using lent = await createCheckoutPool(openGitSession(root, process.env)).lend({
    commit,
    over,
    linked: ["node_modules"],
  });
  await lent.put("src/a.txt", "put\n");
  await lent.put("linked.txt", "put too\n");
  await lent.put("deep/er.txt", "deep\n");
  await expect(lent.put("../out.txt", "out\n")).rejects.toMatchObject({ code: "files.escape" });
  await expect(lent.put("node_modules/left/pad.txt", "out\n")).rejects.toMatchObject({ code: "files.escape" });
  const files = ["src/a.txt", "linked.txt", "deep/er.txt"].map((path) =>
    fs.readFileSync(join(lent.root, path), "utf8"),
  );
  expect(files).toEqual(["put\n", "put too\n", "deep\n"]);
  expect(fs.readFileSync(join(root, "src/a.txt"), "utf8")).toBe("new\n");
  expect(fs.readFileSync(join(root, "node_modules/left/pad.txt"), "utf8")).toBe("pad\n");
});

test("gives two versions of a file different times in seconds", async () => {
  const { folder, root, commit } = repository("");
  using _ = folder;
  await using lent = await createCheckoutPool(openGitSession(root, process.env)).lend({ commit, over: [], linked: [] });
  const ages = new Set<number>();
  for (const text of ["a + b\n", "a - b\n", "a + b\n", "a - b\n"]) {
    await lent.put("src/a.txt", text);
    ages.add(Math.floor(fs.statSync(join(lent.root, "src/a.txt")).mtimeMs / 1000));
  }
  expect(ages.size).toBe(4);
});

test("uses a folder again for another commit, with its files and only the outputs that git ignores", async () => {
  const { folder, root, commit } = repository("");
  using _ = folder;
  git(root, "add", "-A");
  fs.appendFileSync(join(root, ".gitignore"), "out/\n");
  git(root, "commit", "-qam", "Work");
  const later = git(root, "rev-parse", "HEAD").trim();
  const pool = createCheckoutPool(openGitSession(root, process.env));
  const list = (at: string): string[] =>
    fs
      .readdirSync(at, { recursive: true, encoding: "utf8" })
      .filter((path) => !path.includes("node_modules/") && fs.statSync(join(at, path)).isFile())
      .toSorted();
  const places: string[] = [];
  await pool.reuse(async () => {
    const times = new Set<number>();
    const readTime = (at: string): void =>
      void times.add(Math.floor(fs.statSync(join(at, "src/a.txt")).mtimeMs / 1000));
    {
      await using lent = await pool.lend({ commit: later, over: [], linked: ["node_modules"] });
      places.push(lent.root);
      await lent.put("src/a.txt", "bad\n");
      readTime(lent.root);
      await lent.put("src/left.txt", "left\n");
      await lent.put("out/built.txt", "built\n");
      await lent.remove(["tests/a.test.txt"]);
    }
    {
      await using lent = await pool.lend({ commit: later, over: [], linked: ["node_modules"] });
      places.push(lent.root);
      readTime(lent.root);
      expect(fs.readFileSync(join(lent.root, "src/a.txt"), "utf8")).toBe("new\n");
      expect(list(lent.root)).toEqual([".gitignore", "out/built.txt", "outside.txt", "src/a.txt", "tests/a.test.txt"]);
      expect(times.size).toBe(2);
    }
    {
      await using lent = await pool.lend({ commit, over: ["tests/a.test.txt"], linked: [] });
      await using other = await pool.lend({ commit, over: [], linked: [] });
      places.push(lent.root, other.root);
      expect(fs.readFileSync(join(lent.root, "src/a.txt"), "utf8")).toBe("old\n");
      expect(fs.existsSync(join(lent.root, "node_modules"))).toBe(false);
      expect(list(other.root)).toEqual([".gitignore", "outside.txt", "src/a.txt", "src/gone.txt"]);
    }
  });
  expect(new Set(places.slice(0, 3)).size).toBe(1);
  expect(places[3]).not.toBe(places[0]);
  expect(places.filter((place) => fs.existsSync(place))).toEqual([]);
  expect(git(root, "status", "--porcelain")).toBe("");
  expect(fs.readFileSync(join(root, "node_modules/left/pad.txt"), "utf8")).toBe("pad\n");
});

test("checks out a commit without files, also after one with files", async () => {
  const { folder, root, commit } = repository("");
  using _ = folder;
  const empty = git(root, "commit-tree", "-m", "Empty", git(root, "mktree").trim()).trim();
  const pool = createCheckoutPool(openGitSession(root, process.env));
  await pool.reuse(async () => {
    for (const each of [empty, commit, empty]) {
      await using lent = await pool.lend({ commit: each, over: [], linked: [] });
      expect(fs.existsSync(join(lent.root, "src/a.txt"))).toBe(each === commit);
    }
  });
});
