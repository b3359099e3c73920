import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import { nameCommitBranch } from "#roadmap/model/lead/commit-branch.ts";
import { cutsOf, doWork, type Given } from "./agents.ts";
import { drive } from "./roadmap-driver.ts";
import { roadmapStand } from "./stand.ts";

const commit = (wave: number | null, ...names: string[]) => {
  const features = names as FeatureName[];
  return { id: "wave-1/commit", kind: "commit", message: "Done", wave, features } as const;
};

test.each([
  ["current", commit(1, "cart"), undefined],
  ["develop", commit(1, "cart"), "develop"],
  ["roadmap/{wave}", commit(2, "cart", "price"), "roadmap/wave-2"],
  ["roadmap/{wave}", commit(null, "cart"), "roadmap/cart"],
  ["feature/{feature}", commit(2, "cart"), "feature/cart"],
  ["feature/{feature}", commit(2, "cart", "price"), "feature/wave-2"],
])("the setting %s names the branch of a commit", (policy, action, branch) => {
  expect(nameCommitBranch(policy, action)).toBe(branch);
});

test("offered commits go to the branch of their wave, and a commit on another branch is rejected", async () => {
  using stand = await roadmapStand();
  const git = (...words: string[]) => execFileSync("git", words, { cwd: stand.root, encoding: "utf8" }).trim();
  stand.write("sdd/config.yaml", `${stand.read("sdd/config.yaml")}roadmap:\n  branch: roadmap/{wave}\n`);
  stand.commit("Choose a branch");
  const trunk = git("branch", "--show-current");
  const start = git("rev-parse", "HEAD");
  // An older roadmap left a branch of this name.
  git("branch", "roadmap/wave-2", "HEAD");
  await stand.roadmap([{ name: "alpha" }, { name: "beta", dependencies: ["alpha"] }]);
  const offered: (string | undefined)[] = [];
  const cuts = cutsOf({ alpha: ["A"], beta: ["A"] });
  await drive(stand, cuts, (given) => {
    if (given.kind !== "commit") return undefined;
    const { branch } = given as Given & { readonly branch?: string };
    offered.push(branch);
    git("switch", "--quiet", "-c", branch ?? "");
    return doWork(stand, cuts, given);
  });
  expect(offered).toEqual(["roadmap/wave-1", "roadmap/wave-2-2"]);
  expect(git("rev-parse", trunk)).toBe(start);
  const list = (branch: string) => git("ls-tree", "-r", "--name-only", branch).split("\n");
  expect(list("roadmap/wave-1")).toContain("src/alpha-A.mjs");
  expect(list("roadmap/wave-1")).not.toContain("src/beta-A.mjs");
  expect(list("roadmap/wave-2-2")).toContain("src/beta-A.mjs");
  expect(git("status", "--porcelain")).toBe("");

  using other = await roadmapStand();
  other.write("sdd/config.yaml", `${other.read("sdd/config.yaml")}roadmap:\n  branch: feature/{feature}\n`);
  await other.roadmap([{ name: "alpha" }]);
  await drive(other, cuts, ({ kind }) => (kind === "commit" ? { stop: true } : undefined));
  const given = await other.given("wave-1/commit");
  other.commit("On the wrong branch");
  const { outcome, problems } = await other.report(given.id, {});
  expect([outcome, problems[0]?.problem]).toEqual([
    "refused",
    expect.stringMatching(
      /^The setting roadmap\.branch names feature\/alpha for this commit, and \S+ is checked out\./,
    ),
  ]);
  execFileSync("git", ["switch", "--quiet", "-c", "feature/alpha"], { cwd: other.root });
  expect((await other.report(given.id, {})).outcome).toBe("applied");
}, 120_000);
