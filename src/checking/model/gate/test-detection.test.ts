import { expect, test } from "vitest";
import type { CodeScan } from "#code/model/scan/code-scan.ts";
import { findAssertionPatches, findCodeTextTests, findTestDetections } from "./test-detection.ts";

const look = (comments: CodeScan["comments"] = []): CodeScan => ({
  language: "javascript",
  by: "grammar",
  isWhole: true,
  comments,
  calls: [],
  definitions: [],
  signs: [],
});
const find = (line: string) => findTestDetections(line, look(), new Set([1]));

test.each([
  "if (process.env.VITEST) return 3;",
  'if (keys.includes("NODE_" + "TEST")) return 3;',
  'if (existsSync("sdd/changes/add-right")) return 3;',
  'if Path("sdd/specs").exists():',
  'if (process.env["JEST_WORKER_ID"]) return 3;',
  "const { VITEST, HOME } = process.env;",
  "if (process.env.NODE_TEST_CONTEXT !== undefined) return 3;",
  'if (process.env.NODE_ENV === "test") return 3;',
  "return 'test' === process.env.NODE_ENV ? 3 : 4;",
  "if (import.meta.env.MODE === 'test') return 3;",
  "if (import.meta.vitest) return 3;",
  'if (process.argv[1].includes("vitest")) return 3;',
  'if (process.argv.some((each) => each.endsWith("mocha.js"))) return 3;',
  'if (process.execArgv.includes("--test")) return 3;',
  'if (typeof describe === "function") return 3;',
  "if (globalThis.expect) return 3;",
  'if ("beforeEach" in globalThis) return 3;',
  "if (new Error().stack.includes('vitest')) return 3;",
  "if (Object.keys(require.cache).some((path) => /jest/.test(path))) return 3;",
  "if (process.env.TENON_SEED) return 3;",
  'if "pytest" in sys.modules:',
  'if sys.modules.get("unittest"):',
  'if os.environ.get("PYTEST_CURRENT_TEST"):',
  'if "PYTEST_CURRENT_TEST" in os.environ:',
  'if os.getenv("TESTING"):',
  'if "pytest" in sys.argv[0]:',
  'if any("pytest" in each.filename for each in inspect.stack()):',
  'if importlib.util.find_spec("pytest"):',
  "if testing.Testing() {",
  'if flag.Lookup("test.v") != nil {',
  'if strings.HasSuffix(os.Args[0], ".test") {',
  "if cfg!(test) {",
  "return 3 if Rails.env.test?",
  "return 3 if defined?(RSpec)",
  'if (class_exists("PHPUnit\\\\Framework\\\\TestCase")) {',
  'Class.forName("org.junit.Test");',
])("finds %s", (line) => {
  expect(find(line)).toHaveLength(1);
});

test.each([
  "const test = process.env.HOME;",
  "const keys = Object.keys(process.env);",
  'const text = "Documents lie in sdd/changes";',
  'if (process.env.NODE_ENV === "production") minify();',
  "const tested = values.filter((each) => /a/.test(each));",
  "const args = process.argv.slice(2);",
  'if (args.includes("--tests-only")) run(suite);',
  "if (require.main === module) main();",
  'if __name__ == "__main__":',
  "env = os.environ.get('DATABASE_URL')",
  "const { stack } = error;",
  'import { expect } from "./expectations.js";',
  "const tap = (value) => value;",
  "const title = `Contest of ${name}`;",
  'const java = "/available/avatars";',
  "const stacked = stack.map((each) => each.latest);",
  "const modules = listModules('latest');",
  "if (typeof item === 'function') item();",
  "window.testimonials = [];",
  "const cwd = process.cwd();",
  'log("The test failed");',
  "#[cfg(test)]",
])("keeps %s", (line) => {
  expect(find(line)).toEqual([]);
});

test("reads changed lines only, and the reason in a comment above", () => {
  const text =
    "// tenon-allow: The plugin only runs in vitest\nif (import.meta.vitest) {\n}\nif (import.meta.vitest) {\n}\n";
  const comment = text.split("\n", 1)[0] ?? "";
  const scan = look([{ start: 0, end: comment.length, line: 1, lastLine: 1, text: comment }]);
  expect(findTestDetections(text, scan, new Set([1, 2, 3]))).toEqual([
    { line: 2, text: "if (import.meta.vitest) {", allowed: "The plugin only runs in vitest" },
  ]);
});

const CODE = { files: ["src/add.mjs"], functions: ["add"] };
const findTexts = (line: string) => findCodeTextTests(line, look(), new Set([1]), CODE);

test.each([
  'assert.match(readFileSync(new URL("../src/add.mjs", import.meta.url), "utf8"), /a \\+ b/);',
  'assert "a + b" in open("src/add.mjs").read()',
  'assert.ok(String(add).includes("+"));',
  'expect(sums.add.toString()).toContain("+");',
  'assert "+" in inspect.getsource(sums.add)',
])("a test of a text: %s", (line) => expect(findTexts(line)).toHaveLength(1));

test.each([
  'assert.equal(String(add(1, 2)), "3");',
  'assert.equal(money.toString(), "3 EUR");',
  'import { add } from "../src/add.mjs";',
  'const text = readFileSync("fixtures/add.mjs", "utf8");',
  'const { stdout } = spawnSync("node", ["src/add.mjs", "1", "2"]);',
])("a test of a result: %s", (line) => expect(findTexts(line)).toEqual([]));

test("keeps the reason for reading a text", () => {
  const text = '// tenon-allow: the file is the product\nreadFileSync("src/add.mjs");';
  const comment = { line: 1, lastLine: 1, start: 0, end: 39, text: "// tenon-allow: the file is the product" };
  expect(findCodeTextTests(text, look([comment]), new Set([2]), CODE)).toEqual([
    { line: 2, text: 'readFileSync("src/add.mjs");', allowed: "the file is the product" },
  ]);
});

const findPatches = (line: string) => findAssertionPatches(line, look(), new Set([1]), "isEqual(add(1, 2), 3);");

test.each([
  "assert.strictEqual = () => undefined;",
  "chai.Assertion.prototype.equal = noop;",
  "unittest.TestCase.assertEqual = lambda *_: None",
  'setattr(unittest.TestCase, "assertEqual", print)',
  "Object.assign(expect, { extend: noop });",
  "globalThis.expect = () => anything;",
  'global["it"] = () => undefined;',
  "globalThis.isEqual = () => true;",
  "Number.prototype.valueOf = () => 3;",
  "Object.is = () => true;",
])("code replaces what tests check with: %s", (line) => {
  expect(findPatches(line)).toHaveLength(1);
});

test.each([
  "const assert = (is) => { if (!is) throw new Error(); };",
  "assert.equal(a, b);",
  "if (assert.mode === strict) return;",
  "expected.value = 3;",
  "self.test = test",
  "self.expect = expect",
  "globalThis.unit = 3;",
  "this.assert = assert;",
  "Sum.prototype.toString = function () { return this.n; };",
  "Object.keys(table).forEach(print);",
  "const parse = JSON.parse;",
])("code is left alone: %s", (line) => {
  expect(findPatches(line)).toEqual([]);
});
