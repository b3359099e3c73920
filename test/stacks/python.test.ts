import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder, type TemporaryFolder } from "../kit/folder.ts";
import { type ProjectStand, projectStand } from "../gate/project.ts";

const PYTEST = join(process.cwd(), "test/fixtures/python-fastapi/.venv");
const hasPython = spawnSync("python3", ["-c", "import venv, sys; sys.exit(sys.version_info < (3, 9))"]).status === 0;
const hasPytest = fs.existsSync(join(PYTEST, "bin/pytest"));

const CONFIG = "gates:\n  waived:\n    coverage: No tool\n    lint: No tool\n    types: No tool\n";
const SOURCE = "def half(number):\n    return number / 3\n";
const FIXED = "def half(number):\n    return number / 2\n";
const CASES = `
    def test_halves(self):
        self.assertEqual(half(4), 2)
`;
const TEST = `import unittest
from small.maths import half


class TestHalf(unittest.TestCase):${CASES}`;
const LIAR = `
    def test_halves_nothing(self):
        self.assertEqual(half(0), 0)

    def test_breaks(self):
        raise RuntimeError("no database")
`;
/** The bug is a crash of the code, not a wrong value. */
const CRASH = `import unittest
from small.size import size


class TestSize(unittest.TestCase):
    def test_sizes_nothing(self):
        self.assertEqual(size(None), 0)
`;

/** How the environment finds the package in the working files. */
const INSTALLS: readonly (readonly [string, (root: string) => Readonly<Record<string, string>>])[] = [
  ["a .pth file", (root) => ({ "_small.pth": `${root}/src\n` })],
  [
    "a finder of setuptools",
    (root) => ({
      "__editable___small_finder.py": [
        "import sys",
        "from importlib.machinery import PathFinder",
        "from importlib.util import spec_from_file_location",
        `MAPPING = {"small": ${JSON.stringify(`${root}/src/small`)}}`,
        "class _EditableFinder:",
        "    @classmethod",
        "    def find_spec(cls, fullname, path=None, target=None):",
        "        if fullname in MAPPING:",
        "            init = MAPPING[fullname] + '/__init__.py'",
        "            return spec_from_file_location(fullname, init, submodule_search_locations=[MAPPING[fullname]])",
        "        return None",
        "def install():",
        "    sys.meta_path.insert(0, _EditableFinder)",
        "",
      ].join("\n"),
      "__editable__.small.pth": "import __editable___small_finder; __editable___small_finder.install()\n",
    }),
  ],
];

let environments: TemporaryFolder;
beforeAll(() => {
  environments = temporaryFolder();
});
afterAll(() => environments[Symbol.dispose]());

/** A package below src that is installed from there, with its own environment. */
async function packageStand(
  install: (root: string) => Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>> = {},
): Promise<ProjectStand> {
  const it = await projectStand({
    "pyproject.toml": '[project]\nname = "small"\nversion = "1"\n',
    ".gitignore": ".venv\n__pycache__\n",
    "sdd/config.yaml": CONFIG,
    "src/small/__init__.py": "",
    "src/small/maths.py": SOURCE,
    "src/small/size.py": "def size(items):\n    return len(items)\n",
    "tests/test_old.py":
      "import unittest\nfrom small.maths import half\n\n\nclass TestOld(unittest.TestCase):\n    def test_halves_nothing_at_all(self):\n        self.assertEqual(half(0), 0)\n",
    ...more,
  });
  const made = spawnSync("python3", ["-m", "venv", "--without-pip", join(it.root, ".venv")], { encoding: "utf8" });
  if (made.status !== 0) throw new Error(made.stderr);
  const [version = ""] = fs.readdirSync(join(it.root, ".venv/lib"));
  const site = join(it.root, ".venv/lib", version, "site-packages");
  for (const [name, text] of Object.entries(install(it.root))) fs.writeFileSync(join(site, name), text);
  await it.trust();
  await it.begin();
  return it;
}

const names = (tests: unknown): string[] =>
  (tests as { name: string; red?: string; green: boolean }[]).map(
    ({ name, red, green }) => `${name.split(" > ").at(-1)}: ${red ?? "not red"}, ${green ? "green" : "not green"}`,
  );
const problems = (answer: Readonly<Record<string, unknown>>): string[] =>
  (answer["problems"] as { problem: string }[]).map(({ problem }) => problem);

describe.skipIf(!hasPython)("evidence of Python (needs python3 with venv)", () => {
  test.each(INSTALLS)("imports the files without the work past %s", async (_, install) => {
    using it = await packageStand(install);
    it.write("tests/test_half.py", TEST + LIAR);
    it.write("src/small/maths.py", FIXED);
    it.write(
      "tests/test_double.py",
      TEST.replace("small.maths import half", "small.twice import double").replace("half(4), 2", "double(2), 4"),
    );
    it.write("src/small/twice.py", "def double(number):\n    return number * 2\n");
    it.write("tests/test_size.py", CRASH);
    it.write("src/small/size.py", "def size(items):\n    return len(items or [])\n");
    const first = await it.run("gate.evidence", { id: "AUTH-001" });
    expect(names(first["tests"])).toEqual([
      "test_halves: missing-symbol, green",
      "test_halves: assertion, green",
      "test_halves_nothing: not red, green",
      "test_breaks: not red, not green",
      "test_sizes_nothing: error, green",
    ]);
    expect(problems(first)).toEqual([
      expect.stringMatching(/test_halves_nothing passes without your change/),
      expect.stringMatching(/test_breaks failed without your change, but not on an assertion: .*no database/),
    ]);
  });

  test("refuses to judge if a compiled module comes from the working files", async () => {
    using it = await packageStand((root) => ({ "_small.pth": `${root}/src\n` }), {
      ".gitignore": ".venv\n__pycache__\n*.pyc\n",
    });
    it.write("src/small/make.py", "ANSWER = 42\n");
    const compile = `import py_compile; py_compile.compile("src/small/make.py", "src/small/made.pyc")`;
    spawnSync("python3", ["-c", compile], { cwd: it.root });
    fs.rmSync(join(it.root, "src/small/make.py"));
    it.write(
      "tests/test_made.py",
      TEST.replace("small.maths import half", "small.made import ANSWER").replace("half(4), 2", "ANSWER, 42"),
    );
    it.write("src/small/maths.py", FIXED);
    const answer = await it.run("gate.evidence", { id: "AUTH-001" });
    expect(problems(answer)).toEqual([
      expect.stringMatching(
        /^Without the implementation the tests could not run: Python imported src\/small\/made\.pyc from the working files .* run `tenon evidence`/,
      ),
    ]);
    // The remedy: without code, the working files are those without the work.
    it.write("src/small/maths.py", SOURCE);
    fs.rmSync(join(it.root, "src/small/made.pyc"));
    const alone = await it.run("gate.evidence", { id: "AUTH-001" });
    expect([names(alone["tests"]), problems(alone)]).toEqual([["test_halves: missing-symbol, not green"], []]);
  });

  test.skipIf(!hasPytest)("runs pytest on the files without the work", async () => {
    using it = await packageStand(() => ({}), {
      "pyproject.toml": '[project]\nname = "small"\nversion = "1"\n[tool.pytest.ini_options]\n',
    });
    const [version = ""] = fs.readdirSync(join(it.root, ".venv/lib"));
    const site = join(it.root, ".venv/lib", version, "site-packages");
    fs.writeFileSync(join(site, "_small.pth"), `${it.root}/src\n${join(PYTEST, "lib", version, "site-packages")}\n`);
    const script = `#!${it.root}/.venv/bin/python\nimport sys, pytest\nsys.exit(pytest.main())\n`;
    fs.writeFileSync(join(it.root, ".venv/bin/pytest"), script, { mode: 0o755 });
    it.write("tests/test_half.py", "from small.maths import half\n\n\ndef test_halves():\n    assert half(4) == 2\n");
    it.write("src/small/maths.py", FIXED);
    const answer = await it.run("gate.evidence", { id: "AUTH-001" });
    expect([names(answer["tests"]), problems(answer)]).toEqual([["test_halves: assertion, green"], []]);
  });
});
