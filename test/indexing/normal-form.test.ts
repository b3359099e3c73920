import { expect, test } from "vitest";
import { syntax } from "../scan/code-scans.ts";

/** The hash of each component, by its name. */
async function hashes(path: string, text: string): Promise<Record<string, string>> {
  const outline = await syntax.outline(path, text);
  expect(outline?.isWhole).toBe(true);
  return Object.fromEntries(
    (outline?.components ?? []).map(({ within, name, hash }) => [[within, name].filter(Boolean).join("."), hash]),
  );
}

/** Written in two ways, by what a formatter or a writer of comments does. */
const SILENT: readonly (readonly [path: string, what: string, before: string, after: string])[] = [
  ["a.ts", "layout", "function f(a) { return a + 1; }", "function f( a )\n{\n\treturn a\n\t\t+ 1;\n}\n"],
  ["a.ts", "line ends", "function f() {\n  g();\n  h();\n}\n", "function f() {\r\n  g();\r\n  h();\r\n}\r\n"],
  ["a.ts", "comments", "function f() { g(); }", "/** Doc. */\nfunction f(/* none */) { // why\n  g(); /* so */\n}"],
  ["a.ts", "quotes", `const A = ['a', "it's", '"'];`, `const A = ["a", 'it\\'s', "\\""];`],
  [
    "a.ts",
    "semicolons",
    "class A { a = 1; f() { g(); return 1; }; }",
    "class A {\n  a = 1\n  f() {\n    g()\n    return 1\n  }\n}",
  ],
  ["a.ts", "trailing commas", "const A = f(a, [1, 2], { b, c });", "const A = f(\n  a,\n  [1, 2,],\n  { b, c, },\n);"],
  ["a.ts", "brackets around a body", "const f = () => a + b;", "const f = () => (a + b);"],
  [
    "a.ts",
    "brackets around a returned value",
    "function f() { return a && b; }",
    "function f() {\n  return (\n    a &&\n    b\n  );\n}",
  ],
  ["a.ts", "redundant brackets", "const A = a + b * c;", "const A = a + (b * c);"],
  ["a.ts", "brackets around one parameter", "const f = x => x;", "const f = (x) => x;"],
  ["a.ts", "quoted keys", 'const A = { "a": 1, b: 2 };', "const A = { a: 1, b: 2 };"],
  ["a.ts", "numbers", "const A = [0XFF, 1.50, .5, 5.0, 1E5];", "const A = [0xff, 1.5, 0.5, 5, 1e5];"],
  ["a.ts", "unions with a leading bar", 'type A = "a" | B;', 'type A =\n  | "a"\n  | B;'],
  ["a.ts", "brackets around a type", "type A = B | C[];", "type A = B | (C)[];"],
  [
    "a.ts",
    "members with different separators",
    "interface A { a: string; f(): void }",
    "interface A {\n  a: string,\n  f(): void,\n}",
  ],
  ["a.ts", "new without brackets", "const A = new B;", "const A = new B();"],
  ["a.ts", "empty statements", "function f() { g(); }", "function f() { ;g();; }"],
  [
    "a.tsx",
    "JSX over several lines",
    "const A = () => <p a='b'>Hi {b} there<i/></p>;",
    'const A = () => (\n  <p a="b">\n    Hi {b} there\n    <i />\n  </p>\n);',
  ],
  [
    "a.py",
    "layout",
    "def f(a,b): return a+b\n",
    "def f(\n    a,\n    b,\n):\n\n    return (\n        a\n        + b\n    )\n",
  ],
  [
    "a.py",
    "the depth of indentation",
    "def f():\n  if a:\n    b()\n  c()\n",
    "def f():\n    if a:\n\n        b()\n    c()\n",
  ],
  [
    "a.py",
    "docstrings",
    "class A:\n    def f(self):\n        return 1\n",
    'class A:\n    """Doc."""\n\n    def f(self):\n        "More."\n        # why\n        return 1\n',
  ],
  [
    "a.py",
    "quotes and prefixes",
    "A = ['a', u'b', F'{c!r}', R'\\d', 'it\\'s']\n",
    'A = ["a", "b", f"{c!r}", r"\\d", """it\'s"""]\n',
  ],
  [
    "a.py",
    "brackets",
    "def f():\n    for (a, b) in c: return (a)\n",
    "def f():\n    for a, b in c:\n        return a\n",
  ],
  [
    "a.py",
    "brackets around a condition",
    "def f():\n    if (a): assert(b)\n",
    "def f():\n    if a:\n        assert b\n",
  ],
  ["a.py", "no bases", "class A(): pass\n", "class A:\n    pass\n"],
  [
    "a.py",
    "continued lines",
    "def f():\n    return a + \\\n        b; pass\n",
    "def f():\n    return a + b\n    pass\n",
  ],
  [
    "a.py",
    "lines continued in brackets",
    "def f():\n    with a as b, c as d: pass\n",
    "def f():\n    with (\n        a as b,\n        c as d,\n    ):\n        pass\n",
  ],
  [
    "a.go",
    "gofmt",
    "package a\nfunc f( a int,b string ) (error) { x:=1; return g(a,x) }\n",
    "package a\n\n// Doc.\nfunc f(a int, b string) error {\n\tx := 1\n\treturn g(a, x) // why\n}\n",
  ],
  [
    "a.go",
    "literals",
    "package a\nvar A = []T{{a: 0XF, b: 2}}\n",
    "package a\n\nvar A = []T{\n\t{\n\t\ta: 0xf,\n\t\tb: 2,\n\t},\n}\n",
  ],
  [
    "a.go",
    "aligned fields",
    "package a\ntype S struct { a int; long string `x` }\n",
    "package a\n\ntype S struct {\n\ta    int // one\n\tlong string `x`\n}\n",
  ],
  [
    "a.go",
    "in a block",
    "package a\nconst A = 1\ntype T int\n",
    "package a\n\nconst (\n\t// Doc.\n\tA = 1\n)\n\ntype (\n\tT int\n)\n",
  ],
  [
    "a.rs",
    "rustfmt",
    "fn f(a:u8,b:u8)->u8{let c=a+b;g(c)}\n",
    "/// Doc.\nfn f(\n    a: u8,\n    b: u8,\n) -> u8 {\n    // why\n    let c = a + b;\n    g(c)\n}\n",
  ],
  [
    "a.rs",
    "braces of arms and closures",
    "fn f() { match a { B => { c } D => e } h(|x| { x + 1 }) }\n",
    "fn f() {\n    match a {\n        B => c,\n        D => e,\n    }\n    h(|x| x + 1)\n}\n",
  ],
  [
    "a.rs",
    "exits",
    "fn f() -> u8 { if a { return 1 } (2) }\n",
    "fn f() -> u8 {\n    if a {\n        return 1;\n    }\n    2\n}\n",
  ],
  [
    "a.rs",
    "attributes",
    "#[derive(A,B)]\nstruct S<T> where T: C { a: T }\n",
    "#[derive(A, B,)]\n/// Doc.\nstruct S<T>\nwhere\n    T: C,\n{\n    a: T,\n}\n",
  ],
];

test.each(SILENT)("%s: ignores %s in a hash", async (path, _, before, after) => {
  const was = await hashes(path, before);
  expect(Object.keys(was)).not.toEqual([]);
  expect(await hashes(path, after)).toEqual(was);
});

test("ignores location, neighbours and imports in a hash", async () => {
  const code = "export function f() {\n  return g(1);\n}\n";
  const { f } = await hashes("a.ts", code);
  const moved = await hashes(
    "b/c.mts",
    `import { b } from "b";\nimport { a } from "a";\n\nconst x = 1;\n\n${code}h();\n`,
  );
  expect(moved["f"]).toBe(f);
  const last = await hashes("a.py", "class A:\n    def f(self):\n        a()\n");
  const first = await hashes("a.py", "class A:\n    def f(self):\n        a()\n\n    b = 1\n");
  expect(first["A.f"]).toBe(last["A.f"]);
  expect(first["A"]).not.toBe(last["A"]);
});

const TS =
  "class A {\n  @log() async f(a: string, b = 1) {\n    if (a?.c && b > 1) { await g(a); }\n    return [h, b, 'x'];\n  }\n}\n";
const PY = "@wraps\nasync def f(a, *, b=1):\n    if a > 1 and b:\n        g(a)\n        h(b, 'x')\n    return a\n";
const GO =
  "package a\nfunc (s *S) F(a int, b string) error {\n\tfor i := 0; i < a; i++ {\n\t\tg(i)\n\t}\n\tdefer s.h(&b)\n\treturn nil\n}\n";
const RS = "#[inline]\npub fn f(a: &u8, b: (u8,)) -> u8 {\n    let mut c = a + 1;\n    if c > 2 { g(c)?; }\n    c\n}\n";

/** One part written otherwise, so that it does or may do something else. */
const SPEAKING: readonly (readonly [path: string, code: string, part: string, other: string])[] = [
  ["a.ts", TS, "b > 1", "b >= 1"],
  ["a.ts", TS, "&&", "||"],
  ["a.ts", TS, "a?.c", "a.c"],
  ["a.ts", TS, "'x'", "'X'"],
  ["a.ts", TS, "'x'", "`x`"],
  ["a.ts", TS, "g(a)", "k(a)"],
  ["a.ts", TS, "await ", ""],
  ["a.ts", TS, "async ", ""],
  ["a.ts", TS, "async f", "static async f"],
  ["a.ts", TS, "async f", "private async f"],
  ["a.ts", TS, "@log() ", ""],
  ["a.ts", TS, "log()", "log(1)"],
  ["a.ts", TS, "b = 1", "b = 2"],
  ["a.ts", TS, "a: string", "a: number"],
  ["a.ts", TS, "[h, b,", "[b, h,"],
  ["a.ts", TS, "[h, b, 'x']", "[h, b, 'x',,]"],
  ["a.ts", TS, "{ await g(a); }\n", "{ } await g(a);\n"],
  ["a.ts", "function f() { return (a?.b).c; }", "(a?.b)", "a?.b"],
  ["a.ts", "function f() { return a * (b + c); }", "(b + c)", "b + c"],
  ["a.ts", "function f() { for (a; ; ) b(); }", "(a; ; )", "(; a; )"],
  ["a.ts", "export function f() { g(); }", "export ", ""],
  ["a.ts", "export const f = 1, g = 2;", "f = 1", "f = 3"],
  ["a.ts", "const f = 1, g = 2;", "const", "let"],
  ["a.ts", "function f(a: string): void;\nfunction f(a: any) { g(a); }", "a: string", "a: number"],
  ["a.ts", "type f = A | B;", "A | B", "A & B"],
  ["a.tsx", "const f = () => <p>a b</p>;", "a b", "ab"],
  ["a.py", PY, "a > 1", "a < 1"],
  ["a.py", PY, " and ", " or "],
  ["a.py", PY, "        h(b", "    h(b"],
  ["a.py", PY, "g(a)\n        h(b, 'x')", "h(b, 'x')\n        g(a)"],
  ["a.py", PY, "'x'", "b'x'"],
  ["a.py", PY, "'x'", "f'{x}'"],
  ["a.py", PY, "async ", ""],
  ["a.py", PY, "@wraps", "@wrapped"],
  ["a.py", PY, "*, b", "b"],
  ["a.py", PY, "return a", "yield a"],
  ["a.py", PY, "return a", "return a,"],
  ["a.py", "def f():\n    (a,) = b\n", "(a,)", "(a)"],
  ["a.py", "def f():\n    return a[1,]\n", "1,", "1"],
  ["a.py", "def f():\n    return 1.0\n", "1.0", "1"],
  ["a.py", "def f():\n    return r'\\d'\n", "r'", "'"],
  ["a.py", "def f():\n    return '''a\n  b'''\n", "\n  b", "\n b"],
  ["a.go", GO, "i < a", "i <= a"],
  ["a.go", GO, "i++", "i--"],
  ["a.go", GO, "*S", "S"],
  ["a.go", GO, "defer ", "go "],
  ["a.go", GO, "&b", "b"],
  ["a.go", GO, "a int, b string", "b string, a int"],
  ["a.go", "package a\nfunc F() { for ; ; a++ { } }\n", "; ; a++", "a++; ; "],
  ["a.rs", RS, "c > 2", "c >= 2"],
  ["a.rs", RS, "    c\n}", "    c;\n}"],
  ["a.rs", RS, "g(c)?", "g(c)"],
  ["a.rs", RS, "let mut", "let"],
  ["a.rs", RS, "&u8", "&mut u8"],
  ["a.rs", RS, "(u8,)", "(u8)"],
  ["a.rs", RS, "pub fn", "fn"],
  ["a.rs", RS, "#[inline]", "#[inline(always)]"],
  ["a.rs", "fn f() { match a { B => { c; } _ => d } }\n", "{ c; }", "{ c }"],
];

test.each(SPEAKING)("%s: %j with %j as %j changes the hash", async (path, code, part, other) => {
  expect(code).toContain(part);
  const was = await hashes(path, code);
  const now = await hashes(
    path,
    code.replace(part, () => other),
  );
  for (const name of Object.keys(was).filter((each) => /(?:^|\.)[fF]$|^A$/.test(each)))
    expect([name, now[name]]).not.toEqual([name, was[name]]);
});

test("hashes a class with its methods, and an iota constant with those before it", async () => {
  const before = await hashes("a.go", "package a\nconst (\n\tA = iota\n\tB\n\tC = 5\n)\n");
  const after = await hashes("a.go", "package a\nconst (\n\tA = iota\n\tnew\n\tB\n\tC = 5\n)\n");
  expect(after["B"]).not.toBe(before["B"]);
  expect(after["C"]).toBe(before["C"]);
});
