import { expect, test } from "vitest";
import { syntax } from "../scan/code-scans.ts";

/** The hash of each component, by its name. */
async function hashes(path: string, text: string): Promise<Record<string, string>> {
  const outline = await syntax.outline(path, text);
  return Object.fromEntries((outline?.components ?? []).map(({ name, hash }) => [name, hash]));
}

const JAVA = "class A { int f(int a) { if (a > 0) { return g(a, 1000); } return -1; } }";
const CSHARP = 'class A { int F(int a) { var b = new[] { 1, 2 }; return G(a, "x") + 1000; } }';
const C = "#define M (1 + 2)\nint f(int a) { return (a > 0) ? g(a) : 1000; }\n";
const CPP = "struct A { int f(int a) const { return g<int>(a, 1000); } };";
const RUBY = 'class A\n  def f(a, b = 1000)\n    g(a, "x") if b\n  end\nend\n';
const PHP = "<?php class A { function f(int $a): int { return g($a, 'x') + [1, 2][0] + 1000; } }";

test.each([
  [
    "A.java",
    JAVA,
    "/** Doc. */\nclass A {\n  // why\n  int f(int a)\n  {\n    if ((a > 0)) { return g(a, 1_000); } return -1;\n  }\n}\n",
  ],
  [
    "A.cs",
    CSHARP,
    '/// Doc.\nclass A\n{\n  int F(int a)\n  {\n    var b = new[] { 1, 2, };\n    return (G(a, "x")) + 1_000; // why\n  }\n}\n',
  ],
  ["a.c", C, "#define M (1   +  2) /* why */\n/* Doc. */\nint\nf(int a)\n{\n  return a > 0 ? g(a)\n    : 1000;\n}\n"],
  ["a.cpp", CPP, "// Doc.\nstruct A\n{\n  int f(int a) const\n  {\n    return (g<int>(a, 1'000));\n  }\n};\n"],
  ["a.rb", RUBY, "# Doc.\nclass A\n\n  def f a, b = 1_000\n    g a, 'x' if (b) # why\n  end\nend\n"],
  [
    "A.php",
    PHP,
    '<?php\n/** Doc. */\nclass A\n{\n  function f(int $a): int\n  {\n    return (g($a, "x",)) + [1, 2,][0] + 1_000; // why\n  }\n}\n',
  ],
])("%s keeps its hashes in a different format", async (path, before, after) => {
  const was = await hashes(path, before);
  expect(Object.keys(was).length).toBeGreaterThanOrEqual(2);
  expect(await hashes(path, after)).toEqual(was);
});

test.each([
  ["A.java", JAVA, "a > 0", "a >= 0"],
  ["A.java", JAVA, "int f(int a)", "static int f(int a)"],
  ["A.java", JAVA, "int f(int a)", "@Audited int f(int a)"],
  ["A.java", JAVA, "return -1", "throw x"],
  ["A.java", JAVA, "1000", "100"],
  ["A.cs", CSHARP, '"x"', '"y"'],
  ["A.cs", CSHARP, "G(a", "G(ref a"],
  ["A.cs", CSHARP, "int F(int a)", "async int F(int a)"],
  ["a.c", C, "g(a)", "g(&a)"],
  ["a.c", C, "int f(int a)", "static int f(int a)"],
  ["a.c", C, "(a > 0) ?", "!(a > 0) ?"],
  ["a.cpp", CPP, " const", ""],
  ["a.cpp", CPP, "g<int>", "g<long>"],
  ["a.rb", RUBY, '"x"', '"#{x}"'],
  ["a.rb", RUBY, " if b", " unless b"],
  ["a.rb", RUBY, "def f(a, b = 1000)", "def f(a, b: 1000)"],
  ["A.php", PHP, "'x'", "'$x'"],
  ["A.php", PHP, "int $a", "?int $a"],
  ["A.php", PHP, "g($a", "g(&$a"],
  ["A.php", PHP, "+ 1000", "- 1000"],
])("%s: %s with %j as %j changes a hash", async (path, before, part, other) => {
  const [was, now] = [
    await hashes(path, before),
    await hashes(
      path,
      before.replace(part, () => other),
    ),
  ];
  const name = /F\(/.test(before) ? "F" : "f";
  expect(now[name]).not.toBe(was[name]);
});

test("hashes a macro's value without its spaces and comments", async () => {
  const of = async (text: string): Promise<string | undefined> => (await hashes("a.c", `${text}\n`))["M"];
  expect(await of("#define M   a +  b // why")).toBe(await of("#define M a + b"));
  expect(await of("#define M a - b")).not.toBe(await of("#define M a + b"));
});
