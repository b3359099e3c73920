import { join } from "node:path";

export interface Language {
  readonly command: string;
  readonly partPath: (n: number) => string;
  readonly createPart: (n: number, result: number, ids: readonly string[]) => string;
  readonly testPath: (n: number) => string;
  readonly createTest: (n: number, result: number, ids: readonly string[]) => string;
  readonly files: Readonly<Record<string, string>>;
  /** Packages that are installed already, as a link to them. */
  readonly packages?: readonly [link: string, target: string];
}

export const JAVASCRIPT: Language = {
  command: "npm test",
  partPath: (n) => `src/part-${n}.js`,
  createPart: (n, result, ids) => `${tag("//", ids)}export function part${n}() {\n  return ${result};\n}\n`,
  testPath: (n) => `test/part-${n}.test.js`,
  createTest: (n, result, ids) => `import assert from "node:assert/strict";
import { test } from "node:test";
import { part${n} } from "../src/part-${n}.js";

${tag("//", ids)}test("part ${n} returns its number", () => {
  assert.equal(part${n}(), ${result});
});
`,
  files: {
    "package.json": `${JSON.stringify({ name: "parts", version: "1.0.0", type: "module", scripts: { test: "node --test" } }, undefined, 2)}\n`,
    ".gitignore": ".sdd/\nnode_modules\n",
    "test/readme.test.js": 'import { test } from "node:test";\n\ntest("reads", () => undefined);\n',
  },
};

export const PYTHON: Language = {
  command: "pytest",
  partPath: (n) => `src/parts/part_${n}.py`,
  createPart: (n, result, ids) => `${tag("#", ids)}def part_${n}() -> int:\n    return ${result}\n`,
  testPath: (n) => `tests/test_part_${n}.py`,
  createTest: (n, result, ids) => `from parts.part_${n} import part_${n}


${tag("#", ids)}def test_part_${n}() -> None:
    assert part_${n}() == ${result}
`,
  files: {
    "pyproject.toml":
      '[project]\nname = "parts"\nversion = "1.0.0"\n\n[tool.pytest.ini_options]\npythonpath = ["src"]\n',
    ".gitignore": ".sdd/\n.venv\n__pycache__\n.*_cache\n",
    "src/parts/__init__.py": "",
    "tests/test_readme.py": "def test_reads() -> None:\n    assert True\n",
  },
  packages: [".venv", join(process.cwd(), "test/fixtures/python-fastapi/.venv")],
};

const tag = (mark: string, ids: readonly string[]): string => ids.map((id) => `${mark} @spec ${id}\n`).join("");

export const GO: Language = {
  command: "go test ./...",
  partPath: (n) => `part_${n}.go`,
  createPart: (n, result, ids) => `package parts\n\n${tag("//", ids)}func Part${n}() int {\n\treturn ${result}\n}\n`,
  testPath: (n) => `part_${n}_test.go`,
  createTest: (n, result, ids) => `package parts

import "testing"

${tag("//", ids)}func TestPart${n}(t *testing.T) {
\tif got := Part${n}(); got != ${result} {
\t\tt.Fatalf("Part${n}() = %d, want ${result}", got)
\t}
}
`,
  files: { "go.mod": "module example.com/parts\n\ngo 1.21\n", ".gitignore": ".sdd/\n" },
};

export const RUST: Language = {
  command: "cargo test",
  partPath: (n) => `src/part_${n}.rs`,
  createPart: (n, result, ids) => `${tag("//", ids)}pub fn part_${n}() -> i32 {\n    ${result}\n}\n`,
  testPath: (n) => `tests/part_${n}.rs`,
  createTest: (n, result, ids) => `use parts::part_${n}::part_${n};

${tag("//", ids)}#[test]
fn part_${n}_returns_its_number() {
    assert_eq!(part_${n}(), ${result});
}
`,
  files: {
    "Cargo.toml": '[package]\nname = "parts"\nversion = "1.0.0"\nedition = "2021"\n',
    "Cargo.lock": 'version = 4\n\n[[package]]\nname = "parts"\nversion = "1.0.0"\n',
    ".gitignore": ".sdd/\ntarget\n",
    "src/lib.rs": `${Array.from({ length: 16 }, (_, n) => `pub mod part_${n};\n`).join("")}`,
  },
};
