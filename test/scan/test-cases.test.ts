import { expect, test } from "vitest";
import { compareTestFiles, findTestCases } from "#code/model/scan/test-cases.ts";
import { lookAt } from "./code-scans.ts";

/** Each as `line-lastLine:name` with its mark. */
async function cases(path: string, text: string): Promise<string[]> {
  return findTestCases(await lookAt(path, text)).map(
    ({ name, line, mark }) => `${line}:${name}${mark === undefined ? "" : ` (${mark})`}`,
  );
}

test.each([
  ['it("a", () => {}); test("b", async () => {});', ["1:a", "1:b"]],
  [
    'describe("s", () => {\n  describe("t", () => {\n    it("a", f);\n  });\n  it("b", f);\n});\nit("c", f);',
    ["3:s > t > a", "5:s > b", "7:c"],
  ],
  [
    'it.skip("a", f); xit("b", f); test.todo("c"); it.only("d", f); fit("e", f); it.fails("g", f);',
    ["1:a (skipped)", "1:b (skipped)", "1:c (skipped)", "1:d (only)", "1:e (only)", "1:g (expected-to-fail)"],
  ],
  ['describe.skip("s", () => { it("a", f); it.only("b", f); });', ["1:s > a (skipped)", "1:s > b (skipped)"]],
  [
    'it.each([[1], [2]])("adds %i", f); it.each`a\n${1}`("t $a", f);\ndescribe.each([1])("s %i", () => { it("a", f); });',
    ["1:adds %i", "1:t $a", "3:s %i > a"],
  ],
  [
    'it.skip.each([1])("a", f); it.each([1]).skip("no", f); test.concurrent.only("b", f);',
    ["1:a (skipped)", "1:b (only)"],
  ],
  [
    'it.skipIf(true)("a", f); it.skipIf(isCi)("b", f); it.runIf(false)("c", f); it.runIf(x)("d", f);',
    ["1:a (skipped)", "1:b", "1:c (skipped)", "1:d"],
  ],
  [
    'test("a", { skip: true }, f); test("b", { skip: false, timeout: 1 }, f); test("c", { fails: true }, f); test("d", { only: true }, f); test("e", { skip: "why" }, f);',
    ["1:a (skipped)", "1:b", "1:c (expected-to-fail)", "1:d (only)", "1:e (skipped)"],
  ],
  [
    'test("a", (t) => { t.skip(); });\ntest("b", (t) => { if (x) t.skip(); });\ntest("c", (t) => { if (true) { t.skip("no"); } });',
    ["1:a (skipped)", "2:b", "3:c (skipped)"],
  ],
  ['if (x) { test("a", (t) => { t.skip(); }); }', ["1:a (skipped)"]],
  ['test.describe("s", () => { test("a", f); });', ["1:s > a"]],
  ["it(`a ${b}`, f); it(name, f); describe(Thing, () => { it('x', f); });", ["1:a ${b}", "1:name", "1:Thing > x"]],
  ['it("it\\"s", f); re.test("x"); test.each([1]); items.it("y"); test.beforeEach(f); it();', ['1:it"s']],
  ['// it("a", f);\nconst s = `it("b", f)`;', []],
])("vitest and jest: %s", async (text, expected) => {
  expect(await cases("a.test.ts", text)).toEqual(expected);
});

test.each([
  ["def test_a(): pass\nasync def test_b(): pass\ndef helper(): pass\n", ["1:test_a", "2:test_b"]],
  [
    "class TestA:\n    def test_x(self): pass\n    def help(self):\n        def test_inner(): pass\nclass Other:\n    def test_y(self): pass\n",
    ["2:TestA > test_x"],
  ],
  ["class LoginTests(TestCase):\n    def testX(self): pass\n", ["2:LoginTests > testX"]],
  [
    "@pytest.mark.skip\ndef test_a(): pass\n@pytest.mark.skip(reason='x')\ndef test_b(): pass\n@pytest.mark.xfail\ndef test_c(): pass\n@unittest.expectedFailure\ndef test_d(): pass\n",
    ["1:test_a (skipped)", "3:test_b (skipped)", "5:test_c (expected-to-fail)", "7:test_d (expected-to-fail)"],
  ],
  [
    "@pytest.mark.skipif(True, reason='x')\ndef test_a(): pass\n@pytest.mark.skipif(sys.platform == 'win32', reason='x')\ndef test_b(): pass\n@unittest.skipIf(1, 'x')\ndef test_c(): pass\n@pytest.mark.parametrize('a', [1])\ndef test_d(a): pass\n",
    ["1:test_a (skipped)", "3:test_b", "5:test_c (skipped)", "7:test_d"],
  ],
  ["@pytest.mark.skip\nclass TestA:\n    def test_x(self): pass\n", ["3:TestA > test_x (skipped)"]],
  ["pytestmark = pytest.mark.skip(reason='x')\ndef test_a(): pass\n", ["2:test_a (skipped)"]],
  ["pytestmark = [pytest.mark.slow, pytest.mark.skip]\ndef test_a(): pass\n", ["2:test_a (skipped)"]],
  ["pytestmark = pytest.mark.slow\ndef test_a(): pass\n", ["2:test_a"]],
  [
    "class TestA:\n    __test__ = False\n    def test_x(self): pass\ndef test_y(): pass\n",
    ["3:TestA > test_x (skipped)", "4:test_y"],
  ],
  ["pytest.skip('x', allow_module_level=True)\ndef test_a(): pass\n", ["2:test_a (skipped)"]],
  [
    "def test_a():\n    pytest.skip('x')\ndef test_b():\n    if c:\n        pytest.skip('x')\ndef test_c():\n    if True:\n        pytest.xfail()\n",
    ["1:test_a (skipped)", "3:test_b", "6:test_c (expected-to-fail)"],
  ],
])("pytest: %j", async (text, expected) => {
  expect(await cases("test_a.py", text)).toEqual(expected);
});

test.each([
  [
    "func TestA(t *testing.T) {}\nfunc Testing() {}\nfunc Test_b(t *testing.T) {}\nfunc help() {}\nfunc FuzzX(f *testing.F) {}",
    ["2:TestA", "4:Test_b", "6:FuzzX"],
  ],
  [
    'func TestA(t *testing.T) {\n  t.Run("one", func(t *testing.T) {\n    t.Run(`two`, func(t *testing.T) {})\n  })\n  t.Run(name, f)\n}',
    ["2:TestA", "3:TestA > one", "4:TestA > one > two"],
  ],
  [
    'func TestA(t *testing.T) { t.Skip("x") }\nfunc TestB(t *testing.T) { if testing.Short() { t.Skip() } }\nfunc TestC(t *testing.T) { if true { t.SkipNow() } }',
    ["2:TestA (skipped)", "3:TestB", "4:TestC (skipped)"],
  ],
  [
    'func TestA(t *testing.T) {\n  t.Run("one", func(t *testing.T) { t.Skip() })\n  t.Run("two", func(t *testing.T) { t.Fatal() })\n}',
    ["2:TestA", "3:TestA > one (skipped)", "4:TestA > two"],
  ],
])("go: %s", async (text, expected) => {
  expect(await cases("a_test.go", `package a\n${text}\n`)).toEqual(expected);
});

test("marks all tests of a file with a Go ignore constraint as skipped", async () => {
  expect(await cases("a_test.go", "//go:build ignore\n\npackage a\nfunc TestA(t *testing.T) {}\n")).toEqual([
    "4:TestA (skipped)",
  ]);
});

test.each([
  ["#[test]\nfn a() {}\nfn b() {}\n#[tokio::test]\nasync fn c() {}\n", ["1:a", "4:c"]],
  [
    "#[cfg(test)]\nmod tests {\n  use super::*;\n  #[test]\n  #[should_panic]\n  fn a() {}\n  mod deep { #[rstest] fn b() {} }\n}\n",
    ["4:tests > a", "7:tests > deep > b"],
  ],
  ['#[test]\n#[ignore]\nfn a() {}\n#[ignore = "slow"]\n#[test]\nfn b() {}\n', ["1:a (skipped)", "4:b (skipped)"]],
  ["#[cfg(any())]\nmod tests {\n  #[test]\n  fn a() {}\n}\n", ["3:tests > a (skipped)"]],
  ["#[derive(Debug)]\nstruct A;\n/// test\nfn a() {}\n", []],
])("rust: %j", async (text, expected) => {
  expect(await cases("src/a.rs", text)).toEqual(expected);
});

const scanFiles = (files: Record<string, string>) =>
  Promise.all(Object.entries(files).map(async ([path, text]) => ({ path, text, look: await lookAt(path, text) })));

async function lost(before: Record<string, string>, after: Record<string, string>): Promise<string[]> {
  return compareTestFiles(await scanFiles(before), await scanFiles(after)).lost.map(
    ({ path, name, line, how }) => `${path}:${line}:${name} ${how}`,
  );
}

test.each([
  ["nothing", 'it("a", f); it("b", f);', 'it("b", f);\nit("c", f); it("a", g);', []],
  ["a removal", 'it("a", f);\nit("b", f);', 'it("a", f);', ["a.test.ts:2:b removed"]],
  ["a comment", 'it("a", f);', '// it("a", f);', ["a.test.ts:1:a removed"]],
  ["a new mark", 'it("a", f);', '\nit.skip("a", f);', ["a.test.ts:2:a skipped"]],
  ["a different mark", 'it.skip("a", f);', 'it.fails("a", f);', ["a.test.ts:1:a expected-to-fail"]],
  ["an old mark", 'it.skip("a", f);', 'it.skip("a", f);', []],
  ["a removed mark", 'it.skip("a", f);', 'it("a", f);', []],
  [
    "a skipped suite",
    'describe("s", () => { it("a", f); });',
    'describe.skip("s", () => { it("a", f); });',
    ["a.test.ts:1:s > a skipped"],
  ],
  ["a new exclusive test", 'it("a", f);', 'it("a", f); it.only("b", f);', ["a.test.ts:1:b only"]],
  ["the removal of one of two equal names", 'it("a", f); it("a", g);', 'it("a", f);', ["a.test.ts:1:a removed"]],
])("lists the tests lost by %s", async (_, before, after, expected) => {
  expect(await lost({ "a.test.ts": before }, { "a.test.ts": after })).toEqual(expected);
});

test("keeps a moved test, and counts the tests of a deleted file as lost", async () => {
  expect(await lost({ "a.test.ts": 'it("a", f); it("b", f);' }, { "b.test.ts": 'it("a", f);' })).toEqual([
    "a.test.ts:1:b removed",
  ]);
  const look = await lookAt("a.test.ts", 'it("a", f);');
  expect(compareTestFiles([{ path: "a.test.ts", look }], [{ path: "a.test.ts", look: undefined }]).lost).toEqual([
    { path: "a.test.ts", name: "a", line: 1, how: "removed" },
  ]);
});

test.each([
  ["a name", { "a.test.ts": 'it("a", () => f(1));' }, { "a.test.ts": 'it("b", () => f(1));' }, ["a.test.ts:b"]],
  [
    "a suite",
    { "a.test.ts": 'describe("s", () => {\n  it("a", f);\n});' },
    { "a.test.ts": 'describe("t", () => {\n  it("a", f);\n});' },
    ["a.test.ts:t > a"],
  ],
  ["a file", { "a.test.ts": 'it("a", f);' }, { "b.test.ts": 'it("a", f);' }, ["b.test.ts:a"]],
  [
    "name and layout",
    { "a_test.go": "func TestA(t *testing.T) {\n\tf(t)\n}\n" },
    { "b_test.go": "func TestB(t *testing.T) { f(t) }\n" },
    ["b_test.go:TestB"],
  ],
  ["only its code", { "a.test.ts": 'it("a", () => f(1));' }, { "a.test.ts": 'it("a", () => f(2));' }, []],
  [
    "name and code",
    { "test_a.py": "def test_a():\n    assert f(1)\n" },
    { "test_a.py": "def test_b():\n    assert f(2)\n" },
    [],
  ],
  ["name and mark", { "a.test.ts": 'it("a", f);' }, { "a.test.ts": 'it.skip("b", f);' }, []],
])("recognizes a test with changed %s", async (_, before, after, expected) => {
  const { moved } = compareTestFiles(await scanFiles(before), await scanFiles(after));
  expect(moved.map(({ to }) => `${to.path}:${to.name}`)).toEqual(expected);
});
