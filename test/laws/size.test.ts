import fs from "node:fs";
import { expect, test } from "vitest";
import { filesIn, readSource, sources } from "./source.ts";

const tests = filesIn("src")
  .filter((path) => /\.(?:test|contract)\.ts$/.test(path))
  .map((path) => `src/${path}`)
  .concat(
    filesIn("test")
      .filter((path) => path.endsWith(".ts"))
      .map((path) => `test/${path}`),
  );

function quantile(numbers: readonly number[], share: number): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * share)] ?? 0;
}

test("no file outgrows one sitting", () => {
  const all = [
    ...sources.map(({ path, lines }) => ({ path, lines })),
    ...tests.map((path) => ({ path, lines: fs.readFileSync(path, "utf8").split("\n").length - 1 })),
  ];
  expect(all.filter(({ lines }) => lines > 400)).toEqual([]);
});

test("most files are small: median at most 80 lines, nineteen of twenty at most 250", () => {
  const lines = sources.map((source) => source.lines);
  expect({ median: quantile(lines, 0.5) <= 80, p95: quantile(lines, 0.95) <= 250 }).toEqual({
    median: true,
    p95: true,
  });
});

test("functions fit a screen: none over 80 lines, nineteen of twenty at most 40", () => {
  const functions = sources.flatMap((source) => source.functions.map((fn) => ({ path: source.path, ...fn })));
  expect(functions.filter((fn) => fn.lines > 80)).toEqual([]);
  expect(
    quantile(
      functions.map((fn) => fn.lines),
      0.95,
    ),
  ).toBeLessThanOrEqual(40);
});

test("a declaration of a tool or command takes at most 25 lines", () => {
  const declarations = sources
    .filter((source) => /^adapters\/(?:cli\/commands|mcp\/tools)\//.test(source.path))
    .flatMap((source) =>
      [...source.text.matchAll(/^ {2}\{[\s\S]*?^ {2}\},?$/gm)].map(([text]) => text.split("\n").length),
    );
  expect(declarations.filter((lines) => lines > 25)).toEqual([]);
});

test("folders hold at most 20 files and lie at most four deep", () => {
  const folders = Map.groupBy(
    filesIn("src").filter((path) => !path.endsWith(".test.ts")),
    (path) => path.slice(0, path.lastIndexOf("/")),
  );
  const broken = [...folders].filter(([folder, files]) => files.length > 20 || folder.split("/").length > 4);
  expect(broken.map(([folder]) => folder)).toEqual([]);
});

test("the installed package needs at most 12 others", () => {
  const manifest = JSON.parse(fs.readFileSync("package.json", "utf8")) as { dependencies?: Record<string, string> };
  expect(Object.keys(manifest.dependencies ?? {}).length).toBeLessThanOrEqual(12);
});

test("the measure sees a long function inside another", () => {
  const inner = `const inner = () => {\n${"  x();\n".repeat(90)}};`;
  const { functions } = readSource("domain/x.ts", `function outer() {\n${inner}\n}\n`);
  expect(functions.map((fn) => [fn.name, fn.lines])).toEqual([
    ["outer", 94],
    ["inner", 92],
  ]);
});
