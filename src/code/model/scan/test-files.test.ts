import { expect, test } from "vitest";
import { isSourceFile, isTestFile, findFileStack } from "./test-files.ts";

const web = { directory: ".", test_files: ["**/*.test.ts", "test/**"], source_files: ["**/*.ts"] };
const api = { directory: "services/api", test_files: ["tests/**/*.py"], source_files: ["**/*.py"] };

test.each([
  ["src/a.ts", false, true],
  ["src/a.test.ts", true, false],
  ["a.test.ts", true, false],
  ["test/kit/folder.ts", true, false],
  ["README.md", false, false],
  ["services/api/app/a.py", false, true],
  ["services/api/tests/deep/test_a.py", true, false],
  ["services/api/a.test.ts", false, false],
  ["services/api2/a.test.ts", true, false],
])("%s is a test: %s, source: %s", (path, isTest, isSource) => {
  expect([isTestFile(path, [web, api]), isSourceFile(path, [web, api])]).toEqual([isTest, isSource]);
});

test("a file outside every stack is neither test nor source", () => {
  expect([isTestFile("a.test.ts", [api]), isSourceFile("a.py", [api]), findFileStack("a.py", [api])]).toEqual([
    false,
    false,
    undefined,
  ]);
});
