import fc from "fast-check";
import { expect, test } from "vitest";
import { findCodeShortcuts } from "#code/model/scan/code-shortcuts.ts";
import { findSpecTags } from "#code/model/scan/spec-tags.ts";
import { findTestCases } from "#code/model/scan/test-cases.ts";
import { hastySyntax, lookAt, syntax } from "./code-scans.ts";

const CODE: Readonly<Record<string, string>> = {
  "a.ts":
    '/** @spec A-001 */\ndescribe("s", () => { it.each([1])("a", { skip: true }, () => { console.log(x as any ?? `${y}`); }); });\n',
  "a.tsx": "export const A = (): any => <p className={`a`}>{/* TODO */ b > 1 && c}</p>;\n",
  "a.js": "for (const a of b) if (a?.c(1)) throw new Error('not implemented'); else debugger;\n",
  "a.py":
    '@pytest.mark.skip\nclass TestA:\n    """@spec A-001"""\n    def test_x(self):\n        if a > 1 and not b: raise NotImplementedError("x")\n        print(f"{a}")\n',
  "a.go":
    'package a\n// @spec A-001\nfunc TestX(t *testing.T) { t.Run("a", func(t *testing.T) { if a == 1 { t.Skip() } }) }\n',
  "a.rs":
    '#[cfg(test)]\nmod tests {\n  #[test]\n  #[ignore = "x"]\n  fn a() -> bool { dbg!(1); todo!(); x.y()?; return a + 1 > 2; }\n}\n',
  "A.java": "class A { /* @spec A-001 */ int f(int a) { return a > 1 ? 2 : g(3); } }\n",
  "a.php":
    "<?php\nfunction f($a) { // @spec A-001\n  if ($a > 1) { return true; } throw new Exception('not implemented'); }\n",
  "a.rb": "# @spec A-001\ndef f(a)\n  raise NotImplementedError if a > 1\nend\n",
  "a.sh": 'f() { if [ "$1" = a ]; then echo "x"; fi; } # @spec A-001\n',
  "a.css": "/* @spec A-001 */ a { color: red; }\n",
  "a.kt": 'fun f() = "// x" // @spec A-001\n',
};
const paths = Object.keys(CODE);

/** Everything that is asked of a file, and whether it answers for no place that is not there. */
async function isAnswered(path: string, text: string): Promise<boolean> {
  const look = await lookAt(path, text);
  const lines = text.split("\n").length;
  const spans = [...look.comments, ...look.calls, ...look.definitions, ...look.signs];
  findSpecTags(look);
  findTestCases(look);
  findCodeShortcuts(look, { isTest: false, forbidsAny: true });
  const sites = await syntax.sites(path, text);
  return (
    spans.every(({ line, lastLine }) => line >= 1 && lastLine >= line && lastLine <= lines) &&
    sites.every((site) => text.slice(site.start, site.end) === site.text)
  );
}

test("reads code that breaks off anywhere", async () => {
  for (const [path, text] of Object.entries(CODE)) {
    for (let length = 0; length <= text.length; length += 3) {
      expect(await isAnswered(path, text.slice(0, length))).toBe(true);
    }
  }
});

test("reads any bytes without a crash", async () => {
  const bytes = fc.uint8Array({ maxLength: 400 }).map((each) => Buffer.from(each).toString("utf8"));
  const torn = fc.tuple(
    fc.constantFrom(...paths),
    fc.nat(200),
    fc.nat(60),
    fc.string({ unit: "binary", maxLength: 30 }),
  );
  const isNeverLost = fc.asyncProperty(fc.constantFrom(...paths), bytes, isAnswered);
  const isNeverTorn = fc.asyncProperty(torn, ([path, at, length, put]) => {
    const text = CODE[path] ?? "";
    return isAnswered(path, text.slice(0, at) + put + text.slice(at + length));
  });
  expect((await fc.check(isNeverLost, { numRuns: 300 })).counterexample).toBeNull();
  expect((await fc.check(isNeverTorn, { numRuns: 300 })).counterexample).toBeNull();
});

/** As large as a file may be, in the long tier; else large enough for what takes the square of its length to show. */
const many = (count: number): number => (process.env["TENON_FULL"] === undefined ? count / 10 : count);

test.each([
  ["a.ts", "[".repeat(many(500_000))],
  ["a.ts", "f(".repeat(many(300_000))],
  ["a.ts", 'describe("a",()=>{it("b",f);'.repeat(many(30_000))],
  ["a.ts", "function f(){".repeat(many(60_000))],
  ["a.ts", `${"a+".repeat(many(400_000))}a`],
  ["a.js", "a().".repeat(many(200_000))],
  ["a.js", "`${".repeat(many(250_000))],
  ["a.tsx", "<a>".repeat(many(250_000))],
  ["a.py", Array.from({ length: 1200 }, (_, at) => `${" ".repeat(at)}def test_a():`).join("\n")],
  ["a.py", "def test_a(): pass\n".repeat(many(50_000))],
  ["a.py", "@a\n".repeat(many(300_000))],
  ["a.py", "pytestmark = 1\n".repeat(many(60_000))],
  ["a.py", `x = ${"(".repeat(many(500_000))}`],
  ["a.go", `package a\nfunc TestA(t *testing.T) {${'t.Run("a", func(t *testing.T) {'.repeat(many(30_000))}`],
  ["a.rs", "mod a {".repeat(many(140_000))],
  ["a.rs", "#[a]".repeat(many(250_000))],
  ["a.rs", "/*".repeat(many(500_000))],
  ["a.sh", "$((".repeat(many(300_000))],
  ["a.sh", "cat <<A\n".repeat(many(120_000))],
  ["a.rb", "<<A\n".repeat(many(250_000))],
  ["a.php", `<?php ${"{".repeat(many(900_000))}`],
  ["a.css", "a{".repeat(many(500_000))],
  ["a.kt", '\\"'.repeat(many(500_000))],
  ["a.kt", "'a\\".repeat(many(300_000))],
  ["a.kt", "/*".repeat(many(500_000))],
  ["a.vue", "<!--".repeat(many(250_000))],
  ["a.ts", `/*${" TODO @spec A-001,".repeat(many(50_000))}*/`],
  ["a.ts", `/*${"@spec A-001 ".repeat(many(80_000))}*/`],
  ["a.ts", `// ${"AC-1, ".repeat(many(150_000))}`],
  ["a.ts", `// @spec A-001${" ".repeat(many(900_000))}`],
])("returns from the trap in %s", async (path, text) => {
  expect(await isAnswered(path, text)).toBe(true);
});

test("does not parse a file that is too large or too slow", async () => {
  expect(await syntax.look("a.ts", "a;".repeat(600_000))).toBeUndefined();
  expect(await syntax.sites("a.ts", "a;".repeat(600_000))).toEqual([]);
  const text = `f(1);\n// @spec A-001\n${"g(2 > 1);\n".repeat(2000)}`;
  const look = await hastySyntax.look("a.ts", text);
  expect({ ...look, comments: look?.comments.map((comment) => comment.text) }).toEqual({
    language: "typescript",
    by: "comments",
    isWhole: false,
    comments: ["// @spec A-001"],
    calls: [],
    definitions: [],
    signs: [],
  });
  expect(await hastySyntax.sites("a.ts", text)).toEqual([]);
});

test("gives the same results for sequential and concurrent reads", async () => {
  const asked = Array.from({ length: 40 }, (_, at) => paths[at % paths.length] ?? "");
  const looks = await Promise.all(asked.map((path) => lookAt(path, CODE[path] ?? "")));
  const again = await Promise.all(paths.map((path) => lookAt(path, CODE[path] ?? "")));
  expect(looks).toEqual(asked.map((path) => again[paths.indexOf(path)]));
});

test("marks broken code, and only that", async () => {
  expect((await lookAt("a.ts", "const a = ;")).isWhole).toBe(false);
  expect((await lookAt("a.ts", "const a = 1;")).isWhole).toBe(true);
});
