import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { LOGIN, type TinyStand, tinyStand } from "./tiny.ts";

const OLD = "tests/old.mjs";
/** A test that shows the second criterion, and says so above it. */
const BY_TAG = `import { add } from "../src/add.mjs";

// @spec AUTH-001.AC-2
test("locks after three wrong codes", () => same(add(1, 2), 3));
`;
const SILENT = BY_TAG.replace("// @spec AUTH-001.AC-2\n", "");
/** One that says so in its name. */
const BY_NAME = SILENT.replace("locks after", "AUTH-001 AC-2: locks after");
const SPEC = "sdd/specs/AUTH-001.yaml";

/** The feature is built, and its last stage is open. A test from before the work shows one of its criteria. */
let it: TinyStand;
let spec: string;

beforeAll(async () => {
  it = await tinyStand({ gates: "    documentation: Nobody reads it\n", files: { [OLD]: BY_NAME } });
  it.write("src/login.mjs", LOGIN);
  const moved = await it.advance("AUTH-001");
  if (moved.workflow?.stage !== "verify") throw new Error(`It is stuck: ${JSON.stringify(moved.checks)}`);
  spec = it.read(SPEC);
}, 120_000);
beforeEach(() => {
  it.write("src/login.mjs", LOGIN);
  it.write(OLD, BY_NAME);
  it.write(SPEC, spec);
});
afterAll(() => it[Symbol.dispose]());

/** What a gate says, but for the user's word, which nobody gave. */
const open = async (): Promise<string[]> => (await it.gate()).open.filter((line) => !line.startsWith("approval: "));

const MISSING = "No test names AUTH-001.AC-2: say @spec AUTH-001.AC-2 in the one that shows it, or just above.";

test("accepts a criterion that an untouched test names", async () => {
  expect(await open()).toEqual([]);
  const last = it.read("sdd/receipts/AUTH-001.jsonl").trimEnd().split("\n").at(-1) ?? "";
  expect(JSON.parse(last)).toMatchObject({ criteria: ["AUTH-001.AC-1", "AUTH-001.AC-2"] });
});

test.each<[string, string, string[]]>([
  ["without a test", SILENT, [MISSING]],
  [
    "named above an older test, with a reason",
    BY_TAG.replace("AC-2\n", "AC-2\n// tenon-allow: add did so before\n"),
    [],
  ],
  ["named only in a string", BY_TAG.replace("// @spec AUTH-001.AC-2", '"// @spec AUTH-001.AC-2";'), [MISSING]],
  [
    "with a failing test",
    BY_TAG.replace("3))", "4))"),
    ["tests/old.mjs: locks after three wrong codes names AUTH-001.AC-2, but did not run and pass."],
  ],
])("judges a criterion %s", async (_, text, problems) => {
  it.write(OLD, text);
  expect((await open()).filter((line) => !/^tests(?:-kept)?: /.test(line))).toEqual(
    problems.map((problem) => `criteria: ${problem}`),
  );
});

test("requires a criterion that the spec gained since the last pass", async () => {
  expect(await open()).toEqual([]);
  const third =
    "  - id: AC-3\n    given: a locked login\n    when: 15 minutes are over\n    then: a code is taken again\n";
  it.write(
    SPEC,
    spec.replace("success_criteria:", `${third}success_criteria:`).replace("[AC-1, AC-2]", "[AC-1, AC-2, AC-3]"),
  );
  const { passed, checks = [] } = await it.run("workflow.advance", { id: "AUTH-001", check: true });
  expect(passed).toBe(false);
  expect(checks.find(({ check }) => check === "criteria")?.problems).toEqual([
    { problem: MISSING.replaceAll("AC-2", "AC-3") },
  ]);
});

test("rejects tags of unknown ids", async () => {
  it.write("src/login.mjs", `${LOGIN}// @spec AUTH-002, AUTH-001.AC-9\nexport const other = 1;\n`);
  expect(await open()).toEqual([
    "tags: src/login.mjs:3: nothing defines AUTH-002, but there is AUTH-001.",
    "tags: src/login.mjs:3: AUTH-001 has no AC-9; it has AC-1, AC-2.",
  ]);
});

/** As an agent could, who may write any file of its checkout. */
function forge(...statements: readonly string[]): void {
  using database = new DatabaseSync(join(it.root, ".sdd/index.db"));
  for (const sql of statements) database.exec(sql);
}

test("ignores rows that were added to the index", async () => {
  it.write(OLD, SILENT.replace("test(", "// @spec AUTH-001\ntest("));
  await it.run("trace.show");
  const file = `(SELECT id FROM files WHERE path = '${OLD}')`;
  forge(
    `UPDATE tags SET criterion = 'AC-2' WHERE file = ${file}`,
    `UPDATE tests SET name = 'AUTH-001 AC-2: locks' WHERE file = ${file}`,
  );
  // It is a forgery that a trace believes.
  const { tests } = await it.run("trace.show", { id: "AUTH-001.AC-2" });
  expect((tests as { path: string }[]).map(({ path }) => path)).toContain(OLD);
  expect((await open()).filter((line) => line.startsWith("criteria: "))).toEqual([`criteria: ${MISSING}`]);
});

test("ignores rows that were deleted from the index", async () => {
  await it.run("trace.show");
  forge("DELETE FROM tags", "DELETE FROM tests");
  const { tests } = await it.run("trace.show", { id: "AUTH-001.AC-2" });
  expect(tests).toEqual([]);
  expect(await open()).toEqual([]);
});
