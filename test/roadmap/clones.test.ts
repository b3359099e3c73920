import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../kit/folder.ts";
import { auditorSays, cutsOf, doWork } from "./agents.ts";
import { before, drive, type Otherwise } from "./roadmap-driver.ts";
import { codeOf } from "./feature-documents.ts";
import { type RoadmapStand, roadmapStand } from "./stand.ts";

const CUTS = cutsOf({ alpha: ["A"], beta: ["A"], gamma: ["A"] });
const ALPHA = { feature: "alpha", groups: ["A"] };

/** Runs the tests of a fresh clone. */
function testClone(stand: RoadmapStand): { code: number; uncommitted: string } {
  const folder = fs.mkdtempSync(join(os.tmpdir(), "tenon-clone-"));
  try {
    execFileSync("git", ["clone", "--quiet", stand.root, join(folder, "clone")]);
    const cwd = join(folder, "clone");
    const uncommitted = execFileSync("git", ["status", "--porcelain"], { cwd: stand.root, encoding: "utf8" });
    try {
      execFileSync("node", ["tools/test.mjs", join(folder, "report.json")], { cwd });
      return { code: 0, uncommitted };
    } catch {
      return { code: 1, uncommitted };
    }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

test("rejects a commit of code that broke after its gate", async () => {
  using stand = await roadmapStand();
  await stand.roadmap([{ name: "alpha" }, { name: "gamma", dependencies: ["alpha"] }]);
  await drive(stand, CUTS, before("wave-1/commit"));
  stand.write(codeOf(ALPHA, "A"), 'export const answer = () => "broken";\n');
  stand.commit("Wave 1: alpha");
  const taken = await stand.report("wave-1/commit", {});
  expect([taken.outcome, taken.problems[0]?.problem]).toEqual([
    "refused",
    expect.stringContaining("does not pass its tests from a clean checkout"),
  ]);
});

test("fails the gate of a wave whose tests a teammate's commit broke after the reviews", async () => {
  using stand = await roadmapStand();
  await stand.roadmap([{ name: "alpha" }, { name: "beta" }]);
  await drive(stand, CUTS, before("wave-1/gate"));
  const text = `import { answer } from "../${codeOf(ALPHA, "A")}";\n\ntest("mate", () => same(answer(), "mate"));\n`;
  stand.write("tests/mate.mjs", text);
  const git = (...words: string[]) => execFileSync("git", words, { cwd: stand.root });
  git("add", "tests/mate.mjs");
  git("commit", "--quiet", "--message", "Expect another answer", "--", "tests/mate.mjs");
  const gate = await stand.report("wave-1/gate/1", {});
  expect([gate.outcome, gate.problems.map(({ problem }) => problem).join()]).toEqual([
    "applied",
    expect.stringContaining("tests/mate.mjs: mate"),
  ]);
  expect((await stand.next({ limit: 20 })).actions.map(({ id }) => id)).not.toContain("wave-1/commit");
});

test("leaves commits whose clones pass their tests and contain the records of the wave", async () => {
  using stand = await roadmapStand();
  await stand.roadmap([{ name: "alpha" }, { name: "beta" }, { name: "gamma", dependencies: ["alpha"] }]);
  const clones: unknown[] = [];
  await drive(stand, CUTS, (given) => {
    if (/wave-2\/impl|gamma\/tasks/.test(given.id) && clones.length === 0) clones.push(testClone(stand).code);
    return undefined;
  });
  const { code, uncommitted } = testClone(stand);
  expect({ clones, code, uncommitted }).toEqual({ clones: [0], code: 0, uncommitted: "" });
  expect(execFileSync("git", ["log", "--format=%s"], { cwd: stand.root, encoding: "utf8" })).toContain("Record wave 2");
});

test("outside a run, offers a commit after a review, and a clone of each commit passes its tests", async () => {
  using stand = await roadmapStand();
  const git = (...words: string[]) => execFileSync("git", words, { cwd: stand.root, encoding: "utf8" });
  await stand.run("feature.design", { feature: "alpha", description: "What alpha is for" });
  const commits: unknown[] = [];
  const goOn = () =>
    drive(stand, CUTS, (given) => {
      if (given.kind !== "commit") return undefined;
      git("add", "-A", "--", ...(given.paths ?? []));
      git("commit", "--quiet", "-m", given.message ?? "");
      commits.push([git("show", "--format=", "--name-only", "HEAD").includes("reviews/B"), testClone(stand).code]);
      return {};
    });
  await goOn();
  await stand.run("review.begin", { kind: "design", feature: "alpha" });
  await goOn();
  await stand.run("feature.impl", { feature: "alpha" });
  await goOn();
  await stand.run("review.begin", { kind: "impl", feature: "alpha" });
  await goOn();
  // The design's review, the code, the code's review.
  expect(commits).toEqual([
    [true, 0],
    [false, 0],
    [true, 0],
  ]);
  expect(git("status", "--porcelain")).toBe("");
});

test("goes on after a teammate's merge in a dirty tree, and a clone of each commit passes its tests", async () => {
  using stand = await roadmapStand({ "README.md": "# Shop\n" });
  const git = (...words: string[]) => execFileSync("git", words, { cwd: stand.root, encoding: "utf8" });
  await stand.roadmap([{ name: "alpha" }, { name: "gamma", dependencies: ["alpha"] }]);
  stand.write("README.md", "# Shop\n\nMy words.\n");
  stand.write("notes.txt", "mine\n");
  const clones: unknown[] = [];
  const done = await drive(stand, CUTS, (given) => {
    if (given.id === "alpha/build-A/1" || given.id === "gamma/impl/B2/test") mergeFromTeammate(stand, given.id);
    if (given.kind !== "commit") return undefined;
    git("add", "-A", "--", ...(given.paths ?? []));
    git("commit", "--quiet", "-m", given.message ?? "");
    clones.push(testClone(stand).code);
    return {};
  });
  expect(clones).toEqual([0, 0]);
  // The merged code is not the Builders' work, and voids none of it.
  expect(done.filter((id) => /build|architect/.test(id))).toEqual([
    "alpha/architect/1",
    "gamma/architect/1",
    "alpha/build-A/1",
    "gamma/build-A/1",
  ]);
  expect(git("status", "--porcelain").trimEnd().split("\n")).toEqual([" M README.md", "?? notes.txt"]);
});

/** A merge commit with code and a test of a teammate, made outside of the working tree. */
function mergeFromTeammate(stand: RoadmapStand, id: string): void {
  const git = (cwd: string, ...words: string[]) => execFileSync("git", words, { cwd, stdio: "ignore" });
  const name = id.split("/")[0] ?? "";
  using folder = temporaryFolder();
  const theirs = join(folder.path, "theirs");
  git(stand.root, "worktree", "add", "-q", "-b", `mate-${name}`, theirs);
  fs.writeFileSync(join(theirs, `src/mate-${name}.mjs`), `export const mate = () => "${name}";\n`);
  const text = `import { mate } from "../src/mate-${name}.mjs";\n\ntest("mate ${name}", () => same(mate(), "${name}"));\n`;
  fs.writeFileSync(join(theirs, `tests/mate-${name}.mjs`), text);
  git(theirs, "add", "-A");
  git(theirs, "commit", "-q", "-m", `Mate of ${name}`);
  git(stand.root, "worktree", "remove", theirs);
  git(stand.root, "merge", "-q", "--no-ff", "-m", `Merge mate-${name}`, `mate-${name}`);
}

/** Beta exports through a file that alpha shares, and never passes its review. */
const failing: Otherwise = (given) =>
  given.id.startsWith("beta/impl") && given.id.endsWith("/auditor")
    ? { report: auditorSays("NO-GO", given, ["C|test-failure|src/beta-A.mjs|It fails"]) }
    : undefined;

test("offers nothing of a wave while one of its features needs the user", async () => {
  using stand = await roadmapStand();
  await stand.roadmap([{ name: "alpha" }, { name: "beta" }]);
  const done = await drive(stand, CUTS, (given) =>
    given.id.startsWith("beta/escalation") ? { stop: true } : failing(given),
  );
  const { actions } = await stand.next({ limit: 20 });
  expect(actions.map(({ id }) => id)).toEqual(["beta/escalation/1"]);
  expect(done.filter((id) => id.startsWith("wave-1"))).toEqual([]);
});

test("lets the other owner clean a skipped feature's file before the commit", async () => {
  using stand = await roadmapStand();
  await stand.roadmap([{ name: "alpha" }, { name: "beta" }]);
  const share: Otherwise = (given) => {
    if (given.role !== "task-generator") return failing(given);
    const said = doWork(stand, CUTS, given);
    const path = `sdd/features/${given.id.split("/")[0]}/tasks.yaml`;
    stand.write(path, stand.read(path).replace("files: [", "files: [src/index.mjs, "));
    return said;
  };
  const builds: string[] = [];
  await drive(stand, CUTS, (given) => {
    if (given.id.startsWith("beta/escalation")) return { answer: "skip", said: "Not now" };
    if (given.role !== "builder") return share(given);
    builds.push(given.id);
    const feature = given.id.split("/")[0] ?? "";
    const lines = stand.has("src/index.mjs") ? stand.read("src/index.mjs") : "";
    const isClean = builds.includes("beta/build-A/1") && feature === "alpha";
    const own = `export { answer as ${feature} } from "./${feature}-A.mjs";\n`;
    stand.write("src/index.mjs", isClean ? own : lines.includes(own) ? lines : lines + own);
    return doWork(stand, CUTS, given);
  });
  expect(builds.filter((id) => id.startsWith("alpha"))).toEqual(["alpha/build-A/1", "alpha/build-A/2"]);
  expect(stand.read("src/index.mjs")).not.toContain("beta");
  expect(testClone(stand).code).toBe(0);
});
