import { expect, test } from "vitest";
import { temporaryRepository } from "../kit/folder.ts";
import { put, stacksAt } from "./stand.ts";

const EXTRA = `[project]
name = "idna"
version = "1"
[project.optional-dependencies]
all = ["pytest >= 8", "ruff"]
`;
const UNITTEST = "import unittest\n\n\nclass CoreTests(unittest.TestCase):\n    def test_core(self):\n        pass\n";
const FUNCTION = "from unittest import mock\n\n\ndef test_core():\n    assert mock\n";

test.each([
  ["unittest, with pytest in an extra", { "tests/test_core.py": UNITTEST }, "unittest"],
  ["functions, with pytest in an extra", { "tests/test_core.py": FUNCTION }, "pytest"],
  ["both kinds of tests", { "tests/test_core.py": UNITTEST, "tests/test_more.py": FUNCTION }, "pytest"],
  ["no tests yet, with pytest in an extra", { "core.py": "" }, "pytest"],
  [
    "unittest that tox runs by pytest",
    { "tests/test_core.py": UNITTEST, "tox.ini": "[testenv]\ncommands = pytest\n" },
    "pytest",
  ],
  ["unittest with settings of pytest", { "tests/test_core.py": UNITTEST, "pytest.ini": "[pytest]\n" }, "pytest"],
  [
    "a CI file that runs unittest",
    {
      "tests/test_core.py": UNITTEST,
      ".github/workflows/ci.yml": "jobs:\n  a:\n    steps:\n      - run: python -m unittest\n",
    },
    "unittest",
  ],
])("finds what runs the tests: %s", async (_, files, tool) => {
  using repository = temporaryRepository();
  put(repository.path, { "pyproject.toml": EXTRA, ...files });
  const definitions = await stacksAt(repository.path).definitions();
  const tests = definitions?.stacks[0]?.checks.filter(({ kind }) => kind === "test") ?? [];
  expect(tests.map((check) => check.tool)).toEqual([tool]);
});
