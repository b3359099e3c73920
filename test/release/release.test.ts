import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cutsOf } from "../roadmap/agents.ts";
import { before, drive } from "../roadmap/roadmap-driver.ts";
import { roadmapStand } from "../roadmap/stand.ts";

/** A finished feature, committed. */
async function finished(files: Readonly<Record<string, string>> = {}) {
  const stand = await roadmapStand(files);
  await stand.roadmap([{ name: "alpha" }]);
  await drive(stand, cutsOf({ alpha: ["A"] }));
  const git = (...words: string[]) => execFileSync("git", words, { cwd: stand.root, encoding: "utf8" }).trim();
  const release = (more = {}) => stand.run("release.create", more) as Promise<Record<string, unknown>>;
  return { stand, git, release };
}

test("plans a release first, and tags it after the user's approval, without a remote", async () => {
  const { stand, git, release } = await finished();
  using _ = stand;
  const head = git("rev-parse", "HEAD");
  const plan = await release({ approve: "Ann" });
  expect(plan).toMatchObject({ released: false, version: "0.1.0", tag: "v0.1.0", problems: [] });
  expect(plan["notes"]).toContain("- **alpha**: What alpha is for");
  expect(plan["user_question"]).toMatchObject({ id: "release/v0.1.0", choices: ["release", "stop"] });
  expect([git("rev-parse", "HEAD"), git("tag"), git("status", "--porcelain")]).toEqual([head, "", ""]);

  expect(await release({ approve: "Ann" })).toMatchObject({ released: true, problems: [] });
  expect(git("cat-file", "-t", "v0.1.0")).toBe("tag");
  expect(git("log", "-1", "--format=%s", "v0.1.0^{commit}")).toBe("Release 0.1.0");
  expect(git("show", "v0.1.0:sdd/releases/v0.1.0.md")).toContain("**alpha**");
  expect(git("status", "--porcelain")).toBe("");

  const folder = fs.mkdtempSync(join(os.tmpdir(), "tenon-release-"));
  try {
    execFileSync("git", ["clone", "--quiet", "--branch", "v0.1.0", stand.root, folder], { stdio: "ignore" });
    execFileSync("node", ["tools/test.mjs", join(folder, "report.json")], { cwd: folder, stdio: "ignore" });
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
  expect(await release({ version: "0.1.0" })).toMatchObject({
    released: false,
    problems: [{ problem: expect.stringContaining("The tag v0.1.0 exists") }],
  });
  expect(await release()).toMatchObject({ released: false, version: "0.1.1", since: "v0.1.0" });
});

test("rejects a release with uncommitted files or failing tests", async () => {
  const { stand, git, release } = await finished();
  using _ = stand;
  stand.write("src/alpha-A.mjs", 'export const answer = () => "broken";\n');
  expect(await release({ approve: "Ann" })).toMatchObject({
    released: false,
    problems: [{ problem: expect.stringContaining("not committed: src/alpha-A.mjs") }],
  });
  stand.commit("Break it");
  const red = await release({ approve: "Ann" });
  expect(red).toMatchObject({ released: false });
  expect(red["problems"]).toEqual(
    expect.arrayContaining([{ problem: "The tests fail in a clean checkout of this commit." }]),
  );
  expect(red["user_question"]).toBeUndefined();
  expect(await release({ version: "one" })).toMatchObject({
    problems: [{ problem: "one is not a version. Write it as 1.2.0." }],
  });
  expect(git("tag")).toBe("");
});

test("a release sets the version in every manifest that has one, and commits them", async () => {
  const { stand, git, release } = await finished({
    "package.json": '{\n  "name": "shop",\n  "private": true,\n  "version": "0.0.1"\n}\n',
    "pyproject.toml": '[project]\nname = "shop"\nversion = "0.0.1"\n',
    "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\n',
    "composer.json": '{ "name": "a/shop" }\n',
  });
  using _ = stand;
  const plan = await release();
  expect(plan).toMatchObject({
    released: false,
    problems: [],
    manifests: [
      { path: "package.json", from: "0.0.1" },
      { path: "pyproject.toml", from: "0.0.1" },
    ],
  });
  expect(plan["user_question"]).toMatchObject({
    question: expect.stringContaining("Tenon sets 0.1.0 in package.json (0.0.1), pyproject.toml (0.0.1)."),
  });
  expect(stand.read("package.json")).toContain('"version": "0.0.1"');
  expect(await release({ approve: "Ann" })).toMatchObject({ released: true, problems: [] });
  expect(git("show", "v0.1.0:package.json")).toBe('{\n  "name": "shop",\n  "private": true,\n  "version": "0.1.0"\n}');
  expect(git("show", "v0.1.0:pyproject.toml")).toContain('version = "0.1.0"');
  expect(git("status", "--porcelain")).toBe("");
});

test("no tag is set if the tests fail with the new version", async () => {
  const check = `import fs from "node:fs";\ntest("has its version", () => same(JSON.parse(fs.readFileSync("package.json", "utf8")).version, "0.0.1"));\n`;
  const { stand, git, release } = await finished({
    "package.json": '{ "version": "0.0.1" }\n',
    "tests/version.mjs": check,
  });
  using _ = stand;
  await release();
  const head = git("rev-parse", "HEAD");
  const { released, problems } = await release({ approve: "Ann" });
  expect([released, git("tag")]).toEqual([false, ""]);
  expect(problems).toContainEqual({
    problem: `No tag is set. Undo the commit: git reset --soft ${head.slice(0, 12)}`,
  });
});

test("a release is refused while a wave is open", async () => {
  using stand = await roadmapStand();
  await stand.roadmap([{ name: "alpha" }, { name: "beta", dependencies: ["alpha"] }]);
  const release = async () => (await stand.run("release.create")) as { problems: readonly { problem: string }[] };
  await drive(stand, cutsOf({ alpha: ["A"], beta: ["A"] }), before("alpha/gate"));
  stand.commit("Before the gate");
  expect((await release()).problems).toEqual([{ problem: "Wave 1 is open: alpha. Finish it first: tenon roadmap" }]);
  await drive(stand, cutsOf({ alpha: ["A"], beta: ["A"] }), before("beta/build"));
  stand.commit("The design of the next wave");
  expect((await release()).problems).toEqual([]);
});
