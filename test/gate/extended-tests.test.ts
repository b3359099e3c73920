import { expect, test } from "vitest";
import { type ProjectStand, projectStand } from "./project.ts";
import { TINY } from "./tiny.ts";

const ID = "BUG-042";
const BROKEN = "export const add = (a, b) => (a < 0 ? b : a + b);\n";
const FIXED = `// @spec ${ID}\nexport const add = (a, b) => a + b;\n`;
const IMPORT = 'import { add } from "../src/add.mjs";\n';
const TAG = `// @spec ${ID}`;
const testOf = (...lines: string[]): string =>
  `${IMPORT}\ntest("adds", () => {\n${lines.map((line) => `  ${line}\n`).join("")}});\n`;
const tableOf = (...rows: string[]): string =>
  `${IMPORT}\nconst sums = [\n${rows.map((row) => `  ${row}\n`).join("")}];\n\ntest("adds", () => {\n  for (const [a, b, sum] of sums) same(add(a, b), sum);\n});\n`;
const OLD = testOf("same(add(1, 2), 3);");

/** A bugfix whose test file is `before` at the start. */
async function fixIn(before: string): Promise<ProjectStand> {
  const it = await projectStand({ ...TINY, "src/add.mjs": BROKEN, "tests/add.mjs": before });
  await it.trust();
  await it.run("workflow.bugfix", { description: "Negative numbers are left out", id: ID });
  it.fill(ID);
  for (const stage of ["investigate", "specify-fix"]) await it.advance(ID, { stage });
  return it;
}

test.each<[string, string, string]>([
  ["a line in an earlier test", OLD, testOf("same(add(1, 2), 3);", TAG, "same(add(-1, 2), 1);")],
  ["a row in the table of an earlier test", tableOf("[1, 2, 3]"), tableOf("[1, 2, 3],", TAG, "[-1, 2, 1],")],
])("accepts %s as the regression test", async (_, before, after) => {
  using it = await fixIn(before);
  it.write("tests/add.mjs", after);
  const evidence = await it.run("gate.evidence", { id: ID });
  expect([evidence["tests"], evidence["problems"]]).toMatchObject([[{ name: "adds", red: "assertion" }], []]);
  it.write("src/add.mjs", FIXED);
  expect((await it.gate(ID)).open).toEqual([]);
  expect((await it.advance(ID, { stage: "fix" })).passed).toBe(true);
});

const UNSEEN = `regression-seen-to-fail: No new test names the bug: write one that fails because of it, with @spec ${ID} in a comment.`;
test.each<[string, string]>([
  ["passes without the fix", testOf("same(add(1, 2), 3);", TAG, "same(add(2, 2), 4);")],
  ["replaces what the test expected", testOf(TAG, "same(add(-1, 2), 1);")],
  [
    "fails without a file that is not code",
    `import fs from "node:fs";\n${testOf("same(add(1, 2), 3);", TAG, 'same(fs.existsSync("notes.txt"), true);')}`,
  ],
])("rejects a line in an earlier test that %s", async (_, after) => {
  using it = await fixIn(OLD);
  it.write("tests/add.mjs", after);
  it.write("notes.txt", "Done.\n");
  it.write("src/add.mjs", FIXED);
  expect((await it.gate(ID)).open).toContain(UNSEEN);
});
