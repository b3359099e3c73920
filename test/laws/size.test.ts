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

test("a file has at most 400 lines", () => {
  const all = [
    ...sources.map(({ path, lines }) => ({ path, lines })),
    ...tests.map((path) => ({ path, lines: fs.readFileSync(path, "utf8").split("\n").length - 1 })),
  ];
  expect(all.filter(({ lines }) => lines > 400)).toEqual([]);
});

test("nineteen of twenty files have at most 320 lines", () => {
  expect(
    quantile(
      sources.map((source) => source.lines),
      0.95,
    ),
  ).toBeLessThanOrEqual(320);
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

test("the installed package needs at most 12 others", () => {
  const manifest = JSON.parse(fs.readFileSync("package.json", "utf8")) as { dependencies?: Record<string, string> };
  expect(Object.keys(manifest.dependencies ?? {}).length).toBeLessThanOrEqual(12);
});

test("the measure sees a long function inside another", () => {
  const inner = `const inner = () => {\n${"  x();\n".repeat(90)}};`;
  const { functions } = readSource("planning/model/x.ts", `function outer() {\n${inner}\n}\n`);
  expect(functions.map((fn) => [fn.name, fn.lines])).toEqual([
    ["outer", 94],
    ["inner", 92],
  ]);
});
