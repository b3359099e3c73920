import fc from "fast-check";
import { expect, test } from "vitest";
import { yamlAdapter } from "#kernel/adapters/yaml-reader.ts";
import { DESIGN, RESEARCH, TASKS } from "../../../../test/kit/feature.ts";
import { createYamlNode } from "#kernel/model/yaml-tree.ts";
import { checkDesign, checkResearchDocument } from "./design-check.ts";
import { checkTaskPlan } from "./task-plan.ts";

const lines = fc.oneof(fc.constantFrom(...DESIGN.split("\n"), ...RESEARCH.split("\n")), fc.string({ unit: "binary" }));
const text = fc.array(lines, { maxLength: 80 }).map((all) => all.join("\n"));

test("gives each problem a line of the document, for any text", () => {
  fc.assert(
    fc.property(text, (given) => {
      const length = given.split(/\r\n|\r|\n/).length;
      const { problems, notes } = checkDesign(given);
      const all = [...problems, ...notes, ...checkResearchDocument(given).problems];
      expect(all.filter(({ line = 0 }) => line < 1 || line > length)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test("accepts a design with a missing line or names the problem's line, and names only files of the design", () => {
  const all = DESIGN.split("\n");
  for (const [i, gone] of all.entries()) {
    const given = all.toSpliced(i, 1).join("\n");
    const { problems, files } = checkDesign(given);
    expect({
      gone,
      wrong: problems.filter(({ line = 0 }) => line < 1),
      strange: files.filter((file) => !given.includes(file)),
    }).toEqual({
      gone,
      wrong: [],
      strange: [],
    });
  }
});

const leaf = fc.oneof(
  fc.string(),
  fc.double({ noNaN: true }),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom("1", "1.1", "A", "S1.AC1"),
);
const { node } = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { depthSize: "medium", withCrossShrink: true },
    leaf,
    fc.array(tie("node"), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom(
        "tasks",
        "execution",
        "id",
        "wave",
        "groups",
        "files",
        "depends",
        "subtasks",
        "specs",
        "details",
        "p",
        "x",
      ),
      tie("node"),
      { maxKeys: 5 },
    ),
  ),
}));

test("judges any tasks without a crash", () => {
  fc.assert(
    fc.property(fc.record({ tasks: node, execution: node }), (given) => {
      const { tree } = yamlAdapter.read(JSON.stringify(given, null, 1));
      const { problems, groups } = tree ? checkTaskPlan(tree, checkDesign(DESIGN)) : { problems: [], groups: [] };
      expect([problems.every(({ line = 0 }) => line >= 1), groups.every(({ wave }) => wave >= 1)]).toEqual([
        true,
        true,
      ]);
    }),
    { numRuns: 200 },
  );
});

test("judges a plan of a thousand tasks and a design of a thousand criteria in one pass", () => {
  const many = Array.from({ length: 1_000 }, (_, i) => i + 1);
  const criteria = many.map((n) => `${n}. It answers ${n}.`).join("\n");
  const design = checkDesign(
    DESIGN.replace("1. A session ends 24 hours after the login. [behavior]", criteria).replaceAll("2.1", "2"),
  );
  expect([design.problems, design.specs[1]?.criteria.length]).toEqual([[], 1_000]);
  const tasks = many.map((n) => ({
    id: String(n),
    summary: "x",
    details: ["a", "b", "c"],
    specs: ["1", "2"],
    depends: n > 1 ? [String(n - 1)] : [],
  }));
  const execution = many.map((n) => ({
    wave: n,
    groups: [{ id: `G${n}`, tasks: [String(n)], files: [`src/${n % 7}.ts`] }],
  }));
  expect(checkTaskPlan(createYamlNode({ tasks, execution }, 1), design).problems).toEqual([]);
});

test("accepts the example tasks", () => {
  const { tree } = yamlAdapter.read(TASKS);
  expect(tree && checkTaskPlan(tree, checkDesign(DESIGN)).problems).toEqual([]);
});
