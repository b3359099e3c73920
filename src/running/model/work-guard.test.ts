import { expect, test } from "vitest";
import { judgeAgentChanges } from "./work-guard.ts";

const FILE = { mode: "100644", blob: "b" };
const added = (path: string, mode = "100644") => ({ path, to: { mode, blob: "n" } });
const changed = (path: string) => ({ path, from: FILE, to: { mode: "100644", blob: "n" } });
const removed = (path: string) => ({ path, from: FILE });
const ALLOWED = ["src/a.ts", "src/a.test.ts"];

test.each([
  ["files of the action", [added("src/a.ts"), changed("src/a.test.ts"), removed("src/a.ts")], 3, [], 0],
  ["a new file that a tool left behind", [added("src/a.ts"), added("coverage/x.txt")], 1, ["coverage/x.txt"], 0],
  ["a change of a foreign file", [changed("src/b.ts")], 0, [], 1],
  ["a removed foreign file", [removed("tests/b.test.ts")], 0, [], 1],
  ["a new record", [added("sdd/waves/1.yaml")], 0, [], 1],
  ["a record in other letters", [added("SDD/waves/1.yaml")], 0, [], 1],
  ["files of git's settings", [changed(".gitignore"), changed(".gitattributes")], 0, [], 1],
  ["a link in the place of a file", [added("src/a.ts", "120000")], 1, [], 1],
  ["a submodule in the place of a file", [added("src/a.ts", "160000")], 1, [], 1],
  ["a record and a foreign file", [changed("sdd/waves/1.yaml"), changed("src/b.ts")], 0, [], 2],
])("judges %s", (_, files, own, leftOut, problems) => {
  const result = judgeAgentChanges(ALLOWED, files);
  expect([result.own.length, result.leftOut, result.problems.length]).toEqual([own, leftOut, problems]);
});

test("names what is Tenon's, so that it can be restored", () => {
  const { records, problems } = judgeAgentChanges(ALLOWED, [changed("sdd/waves/1.yaml"), changed("src/b.ts")]);
  expect(records.map(({ path }) => path)).toEqual(["sdd/waves/1.yaml"]);
  expect(problems).toEqual([
    "These files do not belong to the action. Restore them: src/b.ts.",
    "These files are Tenon's, and it restored them. Leave them alone: sdd/waves/1.yaml.",
  ]);
});
