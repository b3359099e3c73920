import fc from "fast-check";
import fs from "node:fs";
import { expect, test, vi } from "vitest";
import type { CodeOutline } from "#code/model/index/code-outline.ts";
import { hastySyntax, syntax } from "../scan/code-scans.ts";

const FOLDER = "test/fixtures/outlines";
const SAMPLES: Readonly<Record<string, string>> = Object.fromEntries(
  ["typescript/session.ts", "typescript/panel.tsx", "javascript/response.js", "python/orders.py", "go/store.go"]
    .concat("rust/store.rs")
    .map((path) => [path, fs.readFileSync(`${FOLDER}/${path}`, "utf8")]),
);

async function getOutline(path: string, text: string): Promise<CodeOutline> {
  const outline = await syntax.outline(path, text);
  if (outline === undefined) throw new Error(`${path} is no code.`);
  return outline;
}

/** Whether everything that is said of a file can be said of it. */
async function isSound(path: string, text: string): Promise<boolean> {
  const { components, imports, lines, doc } = await getOutline(path, text);
  const isInside = (line: number): boolean => line >= 1 && line <= lines;
  return (
    lines === text.split("\n").length &&
    doc.length <= 2000 &&
    imports.every(({ line }) => isInside(line)) &&
    components.every(
      (each, at) =>
        each.name !== "" &&
        each.signature.length <= 300 &&
        !/[\r\n]/.test(each.signature) &&
        each.doc.length <= 2000 &&
        each.start >= 0 &&
        each.end <= text.length &&
        each.start <= each.end &&
        each.lastLine >= each.line &&
        isInside(each.line) &&
        isInside(each.lastLine) &&
        /^[0-9a-f]{32}$/.test(each.hash) &&
        (components[at - 1]?.start ?? 0) <= each.end,
    )
  );
}

test("outlines code that breaks off anywhere", async () => {
  for (const [path, text] of Object.entries(SAMPLES))
    for (let length = 0; length < text.length; length += 37)
      expect([path, length, await isSound(path, text.slice(0, length))]).toEqual([path, length, true]);
});

test("reads any bytes without a crash", async () => {
  const torn = fc.tuple(
    fc.constantFrom(...Object.keys(SAMPLES)),
    fc.nat(2000),
    fc.nat(60),
    fc.string({ unit: "binary", maxLength: 30 }),
  );
  const isNeverTorn = fc.asyncProperty(torn, ([path, at, length, put]) => {
    const text = SAMPLES[path] ?? "";
    return isSound(path, text.slice(0, at) + put + text.slice(at + length));
  });
  expect((await fc.check(isNeverTorn, { numRuns: 150 })).counterexample).toBeNull();
});

test("reports the readable part of broken code as incomplete", async () => {
  const { isWhole, components } = await getOutline(
    "a.ts",
    "export function f() { return 1; }\n\nconst = ;\n\nclass A { g() {} }\n",
  );
  expect(isWhole).toBe(false);
  expect(components.map(({ name }) => name)).toEqual(["f", "A", "g"]);
});

test("finds no components in an empty file or in comments alone", async () => {
  const nothing = { by: "grammar", isWhole: true, components: [], imports: [], tags: [], tests: [] };
  for (const path of Object.keys(SAMPLES)) {
    expect(await syntax.outline(path, "")).toMatchObject({ ...nothing, lines: 1, doc: "" });
    expect(await syntax.outline(path, "\n\n")).toMatchObject({ ...nothing, lines: 3 });
  }
  expect(await syntax.outline("a.ts", "// About it.\n// @spec A-001\n")).toMatchObject({
    doc: "About it.\n@spec A-001",
    components: [],
    tags: [{ spec: "A-001", line: 2, by: "tag" }],
  });
});

test.each([
  ["a byte order mark", '\uFEFFexport function größe(a: string) {\n  return "😀" + a;\n}\nconst B = 1;\n'],
  [
    "surrogate pairs",
    'const A = "😀😀";\n/** Größe 😀. */\nexport function größe(a: string) { return "😀" + a; }\nconst B = 1;\n',
  ],
  [
    "different line ends",
    "const A = 1;\r\n/**\r\n * Doc.\r\n * More.\r\n */\r\nfunction größe() {\r\n}\r\nconst B = 1;\r\n",
  ],
])("reports positions in the text with %s", async (_, text) => {
  const { components } = await getOutline("a.ts", text);
  const found = components.find(({ name }) => name === "größe");
  expect(text.slice(found?.start, found?.end)).toMatch(
    /^(?:\/\*\*[\s\S]*?\*\/\s+)?(?:export )?function größe\([\s\S]*\}$/,
  );
  const last = components.find(({ name }) => name === "B");
  expect(text.slice(last?.start, last?.end)).toBe("const B = 1");
});

test("ignores line ends in doc comments and signatures", async () => {
  const { components } = await getOutline(
    "a.ts",
    "/**\r\n * Doc.\r\n * More.\r\n */\r\nfunction f(\r\n  a,\r\n) {\r\n}\r\n",
  );
  expect(components[0]).toMatchObject({ doc: "Doc.\nMore.", signature: "function f(a)", line: 1, lastLine: 8 });
});

test("cuts long texts, and never within a character", async () => {
  const long = `/** ${"😀".repeat(3000)} */\nfunction f(${"😀: string, ".repeat(200)}) {}\nexport const A = [${'"x", '.repeat(500)}];\n`;
  const { components } = await getOutline("a.js", long.replaceAll("😀: string", "ß"));
  for (const { doc, signature } of components) {
    expect(doc.isWellFormed()).toBe(true);
    expect([doc.length <= 2000, signature.length <= 300]).toEqual([true, true]);
  }
  expect(components.at(-1)?.signature).toBe("export const A");
});

test("outlines no file that is over 1 MB or not code, and a slow one by its comments", async () => {
  expect(await syntax.outline("a.ts", "a;".repeat(600_000))).toBeUndefined();
  expect(await syntax.outline("a.json", "{}")).toBeUndefined();
  const text = `/** @spec A-001 */\nfunction f() {}\n${"g(1);\n".repeat(3000)}`;
  expect(await hastySyntax.outline("a.ts", text)).toEqual({
    language: "typescript",
    by: "comments",
    isWhole: false,
    lines: 3003,
    doc: "",
    components: [],
    imports: [],
    tags: [{ spec: "A-001", line: 1, by: "tag" }],
    tests: [],
  });
});

test("outlines a long file the same however long parsing takes", async () => {
  const text = "function f() { g(); }\n".repeat(3000);
  const before = await syntax.outline("a.ts", text);
  let now = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 3_600_000));
  try {
    expect(await syntax.outline("a.ts", text)).toEqual(before);
    expect(await syntax.sites("a.ts", "f(1 > 2);\n".repeat(3000))).not.toEqual([]);
  } finally {
    clock.mockRestore();
  }
  expect(before).toMatchObject({ by: "grammar", isWhole: true });
});

/** As large as a file may be, in the long tier; else large enough for what takes the square of its length to show. */
const many = (count: number): number => (process.env["TENON_FULL"] === undefined ? count / 10 : count);

test.each([
  ["a.ts", "function f(){".repeat(many(60_000))],
  ["a.ts", "class A{m(){".repeat(many(60_000))],
  ["a.ts", `const ${"a = 1, ".repeat(many(120_000))}b = 1;`],
  ["a.ts", `const a = ${"{a(){},b:()=>({".repeat(many(50_000))}`],
  ["a.ts", `class A {${"m(a: string): void;".repeat(many(40_000))}}`],
  ["a.ts", `${"function f(): void;\n".repeat(many(40_000))}function f() {}`],
  ["a.ts", `class A {${"@a ".repeat(many(200_000))}m() {}}`],
  ["a.ts", `a${".b()".repeat(many(200_000))}`],
  ["a.ts", `const a = ${"(".repeat(many(400_000))}1${")".repeat(many(400_000))};`],
  ["a.ts", `const a = ${"(a?.b).".repeat(many(100_000))}c;`],
  ["a.ts", `${"// a\n".repeat(many(150_000))}function f() {}`],
  ["a.ts", `import {${"a,".repeat(many(300_000))}} from "b";`],
  ["a.ts", `const a = [${"1,".repeat(many(400_000))}];`],
  ["a.py", `${"def f(): pass\n".repeat(many(60_000))}`],
  ["a.py", `class A:\n${"    B = 1\n".repeat(many(80_000))}`],
  ["a.py", `__all__ = [${'"a",'.repeat(many(200_000))}]\n`],
  ["a.py", "@a\n".repeat(many(300_000))],
  ["a.go", `package a\nconst (\nA = iota\n${"B\n".repeat(many(150_000))})\n`],
  ["a.go", `package a\nvar ${"a, ".repeat(many(200_000))}b int\n`],
  ["a.rs", `use ${"a::{".repeat(many(150_000))}`],
  ["a.rs", `${"#[a]\n".repeat(many(150_000))}fn f() {}`],
  ["a.rs", "mod a {".repeat(many(140_000))],
])("returns from the trap in %s", async (path, text) => {
  expect(await isSound(path, text)).toBe(true);
});
