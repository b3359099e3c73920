import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TINY } from "../gate/tiny.ts";
import { builderSays, cutsOf, doWork } from "./agents.ts";
import { before, drive } from "./roadmap-driver.ts";
import { code, codeOf, testOf, tests } from "./feature-documents.ts";
import { type RoadmapStand, roadmapStand } from "./stand.ts";

const CUT = { feature: "alpha", groups: ["A"] };
const CUTS = cutsOf({ alpha: ["A"] });
const CRITERION = "alpha.S1.AC1";

/** Builds with these tests, and runs the gate. */
async function gate(stand: RoadmapStand, text: string): Promise<{ receipt?: string; problems: string[] }> {
  await stand.roadmap([{ name: "alpha" }, { name: "beta" }]);
  await drive(stand, CUTS, before("alpha/build"));
  const given = await stand.given("alpha/build");
  stand.write(codeOf(CUT, "A"), 'export function answer() {\n  return "alpha A";\n}\n');
  stand.write(testOf(CUT, "A"), text);
  await stand.report(given.id, { report: builderSays(CUT, "A") });
  const { receipt, problems } = await stand.report((await stand.given("alpha/gate")).id, {});
  return { ...(receipt ? { receipt } : {}), problems: problems.map(({ problem }) => problem) };
}

const importing = `import { answer } from "../${codeOf(CUT, "A")}";\n\n`;

test.each([
  [
    "does not use the code",
    `// AC: ${CRITERION}\ntest("alpha answers", () => same(1, 1));\n`,
    `The test of ${CRITERION} passes without the code of alpha. Let it use the code and check the result.`,
  ],
  [
    "calls the code and checks nothing",
    `${importing}// AC: ${CRITERION}\ntest("alpha is checked", () => { answer(); });\n`,
    `The test of ${CRITERION} checks nothing: it also passes with broken code.`,
  ],
  [
    "calls the code and compares something else",
    `${importing}// AC: ${CRITERION}\ntest("alpha is checked", () => { answer(); same(1, 1); });\n`,
    `The test of ${CRITERION} checks nothing: it also passes with broken code.`,
  ],
  [
    "is empty",
    `${importing}// AC: ${CRITERION}\ntest("alpha is checked", () => {});\n`,
    `The test of ${CRITERION} checks nothing: it also passes with broken code.`,
  ],
])("does not count a criterion's test that %s", async (_, text, problem) => {
  using stand = await roadmapStand();
  expect(await gate(stand, text)).toEqual({ problems: [problem] });
  expect((await stand.next()).actions.map(({ id }) => id)).toContain("alpha/build-A/2");
});

test("returns a Builder's report at once while no test names a criterion of its group", async () => {
  using stand = await roadmapStand();
  await stand.roadmap([{ name: "alpha" }, { name: "beta" }]);
  await drive(stand, CUTS, before("alpha/build"));
  const { id } = await stand.given("alpha/build");
  stand.write(codeOf(CUT, "A"), code(CUT, "A"));
  stand.write(testOf(CUT, "A"), tests(CUT, "A").replace(`// AC: ${CRITERION}\n`, ""));
  const { outcome, problems } = await stand.report(id, { report: builderSays(CUT, "A") });
  const problem = `No test names ${CRITERION}. Write the comment "AC: ${CRITERION}" above the test that shows it.`;
  expect([outcome, problems]).toEqual(["refused", [{ problem }]]);
  stand.write(testOf(CUT, "A"), tests(CUT, "A"));
  expect((await stand.report(id, { report: builderSays(CUT, "A") })).outcome).toBe("applied");
});

test.each([
  ["deletes", ""],
  ["empties", `test("alpha of old", () => {});\n`],
])("returns the report of a Builder who %s an old test in a file of its group", async (_, changed) => {
  const old = `test("alpha of old", () => same(1, 1));\n`;
  using stand = await roadmapStand({ [testOf(CUT, "A")]: old });
  await stand.roadmap([{ name: "alpha" }]);
  await drive(stand, CUTS, before("alpha/build"));
  const { id } = await stand.given("alpha/build");
  const write = (kept: string) => {
    stand.write(codeOf(CUT, "A"), code(CUT, "A"));
    stand.write(testOf(CUT, "A"), `${tests(CUT, "A")}${kept}`);
  };
  write(changed);
  const { outcome, problems } = await stand.report(id, { report: builderSays(CUT, "A") });
  expect([outcome, problems.map(({ problem }) => problem)]).toEqual([
    "refused",
    [
      expect.stringMatching(
        /^tests\/alpha-A\.mjs: alpha of old .*\. Restore it, or name it in a comment: tenon-allow: /,
      ),
    ],
  ]);
  write(`// tenon-allow: "alpha of old" tested what nobody needs\n`);
  expect((await stand.report(id, { report: builderSays(CUT, "A") })).outcome).toBe("applied");
});

test("asks no Builder for a criterion that a later group covers too, or that nobody has to show", async () => {
  using stand = await roadmapStand();
  const both = cutsOf({ alpha: ["A", "B"] });
  const pair = both.get("alpha") ?? CUT;
  await stand.roadmap([{ name: "alpha" }, { name: "beta" }]);
  await drive(stand, both, (given) => {
    if (given.id.startsWith("alpha/build")) return { stop: true };
    if (given.role !== "task-generator" || !given.id.startsWith("alpha")) return undefined;
    const said = doWork(stand, both, given);
    const path = "sdd/features/alpha/tasks.yaml";
    // Group B tests what group A builds.
    stand.write(
      path,
      stand.read(path).replace('specs: ["2"]\n    acs: [S2.AC1]', 'specs: ["1", "2"]\n    acs: [S1.AC1, S2.AC1]'),
    );
    return said;
  });
  stand.write(codeOf(pair, "A"), code(pair, "A"));
  stand.write(testOf(pair, "A"), 'test("alpha A loads", () => same(1, 1));\n');
  expect((await stand.report("alpha/build-A/1", { report: builderSays(pair, "A") })).outcome).toBe("applied");
  using lax = await roadmapStand({
    "sdd/config.yaml": `stack:\n  directories: { ".": tiny }\ngates:\n  waived:\n    criteria: Markers come later\n`,
  });
  await lax.roadmap([{ name: "alpha" }, { name: "beta" }]);
  await drive(lax, CUTS, before("alpha/build"));
  await lax.given("alpha/build");
  lax.write(codeOf(CUT, "A"), code(CUT, "A"));
  lax.write(testOf(CUT, "A"), tests(CUT, "A").replace(`// AC: ${CRITERION}\n`, ""));
  expect((await lax.report("alpha/build-A/1", { report: builderSays(CUT, "A") })).outcome).toBe("applied");
});

test("counts a test that fails without the code", async () => {
  using stand = await roadmapStand();
  expect(await gate(stand, tests(CUT, "A"))).toEqual({ receipt: "alpha.R-1", problems: [] });
});

test("requires one real test, and lets the user waive the proof", async () => {
  using stand = await roadmapStand();
  const empty = `// AC: ${CRITERION}\ntest("alpha again", () => {});\n`;
  expect(await gate(stand, `${tests(CUT, "A")}${empty}`)).toMatchObject({ receipt: "alpha.R-1" });
  using lax = await roadmapStand({
    "sdd/config.yaml": `stack:\n  directories: { ".": tiny }\ngates:\n  waived:\n    tests-seen-to-fail: Tests come later\n`,
  });
  expect(await gate(lax, `// AC: ${CRITERION}\ntest("alpha answers", () => same(1, 1));\n`)).toMatchObject({
    receipt: "alpha.R-1",
  });
});

/** A runner that can choose its files, and notes which it was given, run by run. */
function countingTools(log: string): Readonly<Record<string, string>> {
  const note = `fs.appendFileSync(${JSON.stringify(log)}, (process.argv.slice(3).join(" ") || "all") + "\\n");\n`;
  const chosen = `const wanted = process.argv.slice(3);\nfor (const file of fs.readdirSync("tests").filter((each) => wanted.length === 0 || wanted.includes("tests/" + each))) {`;
  const tool = (TINY["tools/test.mjs"] ?? "").replace(
    'for (const file of fs.readdirSync("tests")) {',
    `${note}${chosen}`,
  );
  const profile = (TINY["sdd/stacks/tiny.yaml"] ?? "").replace(
    'argv: [node, tools/test.mjs, "{report}"]\n',
    '$&    only: [node, tools/test.mjs, "{report}", "{tests}"]\n',
  );
  return { "tools/test.mjs": tool, "sdd/stacks/tiny.yaml": profile };
}

test("a feature's gate runs the suite once, and after it only the tests of criteria", async () => {
  const folder = fs.mkdtempSync(join(os.tmpdir(), "tenon-runs-"));
  try {
    const log = join(folder, "runs.log");
    using stand = await roadmapStand(countingTools(log));
    await stand.roadmap([{ name: "alpha" }, { name: "beta" }]);
    await drive(stand, CUTS, before("alpha/gate"));
    const unchecked = `// AC: ${CRITERION}\ntest("alpha again", () => {});\n`;
    stand.write(testOf(CUT, "A"), `${stand.read(testOf(CUT, "A"))}${unchecked}`);
    stand.write(codeOf(CUT, "A"), 'export function answer() {\n  return "alpha A";\n}\n');
    fs.rmSync(log, { force: true });
    const { receipt, problems } = await stand.report((await stand.given("alpha/gate")).id, {});
    expect([receipt, problems]).toEqual(["alpha.R-1", []]);
    expect(fs.readFileSync(log, "utf8").trimEnd().split("\n")).toEqual(["all", testOf(CUT, "A"), testOf(CUT, "A")]);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
});
