import { openGitSession } from "./git-repository.ts";
import fs from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { git, temporaryFolder, temporaryRepository } from "../../../test/kit/folder.ts";
import { createTemporaryCheckout } from "./git-worktrees.ts";

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
      await using lent = await createTemporaryCheckout(openGitSession(root, process.env), {
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
    await expect(createTemporaryCheckout(openGitSession(root, process.env), lending)).rejects.toMatchObject({
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
    await expect(createTemporaryCheckout(openGitSession(root, process.env), lending)).rejects.toMatchObject({
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
  await using lent = await createTemporaryCheckout(openGitSession(root, process.env), {
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
  await using lent = await createTemporaryCheckout(openGitSession(root, process.env), { commit, over: [], linked: [] });
  const ages = new Set<number>();
  for (const text of ["a + b\n", "a - b\n", "a + b\n", "a - b\n"]) {
    await lent.put("src/a.txt", text);
    ages.add(Math.floor(fs.statSync(join(lent.root, "src/a.txt")).mtimeMs / 1000));
  }
  expect(ages.size).toBe(4);
});
