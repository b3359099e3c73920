import { expect, test } from "vitest";
import {
  sampleMutations,
  applyMutation,
  type Mutation,
  createMutations,
  type CriterionTarget,
  listCriterionTargets,
  formatCriterionTarget,
  findTargetTests,
  findCriterionLines,
} from "#checking/model/mutation/mutation-check.ts";
import { lookAt, syntax } from "./code-scans.ts";

const EVERYWHERE = [{ line: 1, lastLine: Infinity }];

async function listMutations(path: string, text: string, lines = EVERYWHERE): Promise<Mutation[]> {
  const { language } = await lookAt(path, text);
  return createMutations({ path, text, language }, await syntax.sites(path, text), lines);
}

test.each([
  ["a.ts", "const a = b < c;", ["const a = b <= c;"]],
  ["a.ts", "const a = b === c;", ["const a = b !== c;"]],
  ["a.ts", "const a = b && c || d;", ["const a = b || c || d;", "const a = b && c && d;"]],
  ["a.ts", "const a = b + 1;", ["const a = b - 1;", "const a = b + 2;"]],
  ["a.ts", 'const a = b + "x" + `y` + c;', []],
  ["a.ts", "a += 2; a %= b;", ["a -= 2; a %= b;", "a += 3; a %= b;"]],
  ["a.ts", "const a: Map<1, true> = f(true);", ["const a: Map<1, true> = f(false);"]],
  ["a.ts", "type A = 1 | true; import { x } from 'y';", []],
  ["a.ts", "if (a) b();", ["if (!(a)) b();", "if (a) void 0;"]],
  ["a.ts", "if (a > 1.5) {}", ["if (!(a > 1.5)) {}", "if (a >= 1.5) {}"]],
  ["a.ts", "const a = b ? 1 : 2;", ["const a = !(b) ? 1 : 2;", "const a = b ? 2 : 2;", "const a = b ? 1 : 3;"]],
  ["a.ts", "function f() { return x; }", ["function f() { return undefined; }"]],
  ["a.ts", "function f() { return true; }", ["function f() { return false; }"]],
  ["a.ts", "function f() { return undefined; } function g() { return; }", []],
  [
    "a.ts",
    "await save(a); console.log(a); logger.info(a); super(a);",
    ["void 0; console.log(a); logger.info(a); super(a);"],
  ],
  [
    "a.tsx",
    "const A = () => <p>{a > b && <i>1</i>}</p>;",
    ["const A = () => <p>{a > b || <i>1</i>}</p>;", "const A = () => <p>{a >= b && <i>1</i>}</p>;"],
  ],
  [
    "a.py",
    "x = a is not b and c in d",
    ["x = a is not b or c in d", "x = a is b and c in d", "x = a is not b and c not in d"],
  ],
  [
    "a.py",
    "if a == 1: save()",
    ["if not (a == 1): save()", "if a != 1: save()", "if a == 2: save()", "if a == 1: pass"],
  ],
  ["a.py", "def f(): return a", ["def f(): return None"]],
  ["a.py", "x = True; print(1)", ["x = False; print(1)", "x = True; print(2)"]],
  [
    "a.go",
    "func f() bool { if a >= 1 { return true }; g(); return false }",
    [
      "func f() bool { if !(a >= 1) { return true }; g(); return false }",
      "func f() bool { if a > 1 { return true }; g(); return false }",
      "func f() bool { if a >= 2 { return true }; g(); return false }",
      "func f() bool { if a >= 1 { return false }; g(); return false }",
      "func f() bool { if a >= 1 { return true }; _ = 0; return false }",
      "func f() bool { if a >= 1 { return true }; g(); return true }",
    ],
  ],
  [
    "a.rs",
    "fn f() -> u8 { if let Some(x) = y { g(x); } return x * 2u8; }",
    [
      "fn f() -> u8 { if let Some(x) = y { (); } return x * 2u8; }",
      "fn f() -> u8 { if let Some(x) = y { g(x); } return Default::default(); }",
      "fn f() -> u8 { if let Some(x) = y { g(x); } return x / 2u8; }",
      "fn f() -> u8 { if let Some(x) = y { g(x); } return x * 3u8; }",
    ],
  ],
  ["a.rs", "#[cfg(a = 1)] fn f() { assert!(1 < 2); }", []],
])("%s: %s", async (path, line, expected) => {
  const text = path.endsWith(".go") ? `package a\n${line}\n` : `${line}\n`;
  const all = await listMutations(path, text);
  expect(all.map(({ shown }) => shown.after).toSorted()).toEqual(expected.toSorted());
  expect(new Set(all.map(({ shown }) => shown.before))).toEqual(new Set(all.length > 0 ? [line] : []));
});

const SHOP: Readonly<Record<string, string>> = {
  "shop.ts":
    "export async function pay(a: number, b?: Card): Promise<boolean> {\n  if (!b || a <= 0) return false;\n  for (let i = 0; i < 3; i++) {\n    if (await b.charge(a + 1)) { audit(a); return i !== 2; }\n  }\n  throw new Error('no');\n}\n",
  "shop.py":
    "def pay(a, b=None):\n    if not b or a <= 0:\n        return False\n    while a > 1:\n        a -= 1\n        audit(a)\n    return a * 2 if a in b else b\n",
  "shop.go":
    "package shop\n\nfunc Pay(a int, b *Card) (bool, error) {\n\tif b == nil || a <= 0 {\n\t\treturn false, nil\n\t}\n\tfor i := 0; i < 3; i++ {\n\t\tb.Charge(a + i)\n\t}\n\treturn true, nil\n}\n",
  "shop.rs":
    "fn pay(a: u32, b: Option<Card>) -> bool {\n    if a <= 0 || b.is_none() { return false; }\n    while a > 1 { audit(a); }\n    let c = a + 1;\n    c != 2\n}\n",
  "Shop.java":
    "class Shop { boolean pay(int a, Card b) { if (b == null || a <= 0) { return false; } b.charge(a + 1); return true; } }\n",
  "shop.rb": "def pay(a, b)\n  return false if a <= 0\n  b.charge(a + 1)\n  true\nend\n",
  "shop.php": "<?php\nfunction pay($a, $b) { if ($a <= 0 || !$b) { return false; } charge($a + 1); return true; }\n",
};

test.each(Object.entries(SHOP))("%s stays valid code under every mutation", async (path, text) => {
  const all = await listMutations(path, text);
  expect((await lookAt(path, text)).isWhole).toBe(true);
  expect(all.length).toBeGreaterThan(3);
  for (const mutation of all) {
    const wrong = applyMutation(text, mutation);
    expect({ wrong, isWhole: (await lookAt(path, wrong)).isWhole }).toEqual({ wrong, isWhole: true });
    expect(wrong).not.toBe(text);
  }
});

test("chooses the same mutations for a seed, one per line first, and at most the requested number", async () => {
  const all = await listMutations("shop.ts", SHOP["shop.ts"] ?? "");
  const lines = new Set(all.map(({ line }) => line)).size;
  const some = sampleMutations(all, lines, "AUTH-001");
  expect(new Set(some.map(({ line }) => line)).size).toBe(lines);
  expect(sampleMutations(all, lines, "AUTH-001")).toEqual(some);
  expect(sampleMutations(all, lines, "AUTH-002")).not.toEqual(some);
  expect(sampleMutations(all, 1000, "x").toSorted((a, b) => a.start - b.start || a.end - b.end)).toEqual(
    all.toSorted((a, b) => a.start - b.start || a.end - b.end),
  );
});

const CODE = `// @spec AUTH-001
import { x } from "y";

/**
 * @spec AUTH-002.AC-1
 */
// Says whether.
export const a = () => {
  return 1;
};

class B {
  // @spec AUTH-002 AC-2
  c() {
    return 2;
  }
  d() {
    x();
    // @spec AUTH-002
    return 3;
  }
}
`;

test.each<[CriterionTarget, string[]]>([
  [{ spec: "AUTH-001" }, ["1-Infinity"]],
  [{ spec: "AUTH-002" }, ["17-21"]],
  [{ spec: "AUTH-002", criterion: "AC-1" }, ["8-10"]],
  [{ spec: "AUTH-002", criterion: "AC-2" }, ["14-16"]],
  [{ spec: "AUTH-002", criterion: "AC-3" }, []],
  [{ spec: "AUTH-003" }, []],
])("finds the code of %j in lines %j", async (aim, expected) => {
  const lines = findCriterionLines(await lookAt("a.ts", CODE), aim);
  expect(lines.map(({ line, lastLine }) => `${line}-${lastLine}`)).toEqual(expected);
});

test("applies a docstring to its function, and skips Rust's test modules", async () => {
  const python = 'def a():\n    """@spec A-001"""\n    return 1\n\ndef b():\n    return 2\n';
  expect(findCriterionLines(await lookAt("a.py", python), { spec: "A-001" })).toMatchObject([{ line: 1, lastLine: 3 }]);
  const rust =
    "// @spec A-001\n\nfn a() {}\n#[cfg(test)]\nmod tests {\n  // @spec A-001\n  #[test]\n  fn b() {}\n}\nfn c() {}\n";
  expect(findCriterionLines(await lookAt("a.rs", rust), { spec: "A-001" })).toEqual([
    { line: 1, lastLine: 3 },
    { line: 10, lastLine: Infinity },
  ]);
});

test("mutates only traced lines", async () => {
  const lines = findCriterionLines(await lookAt("a.ts", CODE), { spec: "AUTH-002", criterion: "AC-2" });
  const found = await listMutations("a.ts", CODE, lines);
  expect(found.map(({ line, kind }) => [line, kind])).toEqual([[15, "return"]]);
});

test("finds the tests that carry a criterion's tag or are below it", async () => {
  const text =
    '// @spec A-001\nimport x;\n\n// @spec A-001.AC-1\nit("a", f);\ndescribe("s", () => {\n  it("b", () => {\n    // @spec A-001 AC-2\n  });\n});\n';
  const look = await lookAt("a.test.ts", text);
  const targets = (criterion?: string) => findTargetTests("a.test.ts", look, { spec: "A-001", criterion }, true);
  expect([targets("AC-1"), targets("AC-2"), targets("AC-3"), targets()]).toEqual([
    [{ file: "a.test.ts", name: "a" }],
    [{ file: "a.test.ts", name: "s > b" }],
    [],
    [{ file: "a.test.ts" }, { file: "a.test.ts", name: "a" }, { file: "a.test.ts", name: "s > b" }],
  ]);
  expect(findTargetTests("a.test.ts", look, { spec: "B-001" }, true)).toEqual([]);
});

test("finds the tests inside a Rust source file, and no others", async () => {
  const text =
    "// @spec A-001\nfn a() {}\n#[cfg(test)]\nmod tests {\n  // @spec A-001.AC-1\n  #[test]\n  fn b() {}\n}\n";
  const look = await lookAt("src/a.rs", text);
  expect(findTargetTests("src/a.rs", look, { spec: "A-001" }, false)).toEqual([
    { file: "src/a.rs", name: "tests > b" },
  ]);
  expect(listCriterionTargets(look, "A-001")).toEqual([{ spec: "A-001" }]);
});

test("lists the criteria that code names", async () => {
  expect(listCriterionTargets(await lookAt("a.ts", CODE), "AUTH-002").map(formatCriterionTarget)).toEqual([
    "AUTH-002.AC-1",
    "AUTH-002.AC-2",
    "AUTH-002",
  ]);
});
