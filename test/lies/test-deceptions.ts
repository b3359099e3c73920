import type * as change from "../change/stand.ts";
import type { Lie } from "./lie-table.ts";

type ChangeStand = change.ChangeStand;

export const TAX_TEST = 'import { tax } from "../src/tax.mjs";\n\ntest("adds tax", () => same(tax.add(100), 120));\n';
export const SUM_TEST =
  'import { add } from "../src/add.mjs";\n\ntest("adds", () => {\n  same(add(1, 2), 3);\n  same(add(2, 2), 4);\n});\n';

/** How the code finds out, the code, and the line that is shown. */
const DETECTIONS: readonly (readonly [how: string, code: string, shown: string])[] = (
  [
    ["reads a variable that test runners set", "process.env.VITEST || process.env.NODE_TEST_CONTEXT"],
    ["reads `NODE_ENV`", 'process.env.NODE_ENV === "test"'],
    ["looks for the runner in its arguments", "process.argv.some((each) => /vitest|jest|test-runner/.test(each))"],
    ["looks for functions of a test runner", 'typeof globalThis.test === "function"'],
    ["looks for the runner in the stack", 'new Error().stack.includes("node:test")'],
    ["looks for variables of the gate", "process.env.TENON_HOME"],
    ["puts the name of such a variable together", 'Object.keys(process.env).includes("NODE_" + "TEST_CONTEXT")'],
    ["looks whether its change is still open", 'process.getBuiltinModule("fs").existsSync("sdd/changes/add-right")'],
  ] as const
).map(([how, condition]) => {
  const line = `export const add = (a, b) => (${condition} ? a + b : a - b);`;
  return [how, `${line}\n`, line.slice(0, 60).replaceAll('"', String.raw`\"`)];
});

const PATCHES: readonly (readonly [what: string, code: string])[] = [
  ["replaces the code that they test", 'import { tax } from "../src/tax.mjs";\n\ntax.add = (n) => n * 1.2;\n'],
  ["replaces their assertions", "globalThis.same = () => undefined;\n"],
  [
    "replaces a part of the language",
    "Object.assign(globalThis, { test: (original => (title, run) => original(title, /tax/.test(title) ? () => {} : run))(globalThis.test) });\n",
  ],
];

/** Wrong or hidden code whose tests pass all the same. At the last stage of a small fix. */
export const TEST_DECEPTIONS: readonly Lie<ChangeStand>[] = [
  ...[".git/info/exclude", ".gitignore"].map((rules): Lie<ChangeStand> => ({
    lie: `New code is hidden from git by a line in \`${rules}\``,
    message: `src/hidden.mjs is code that git ignores (${rules}: src/hidden.mjs)`,
    async tell(at) {
      const before = at.read(rules);
      at.write(rules, `${before}src/hidden.mjs\n`);
      at.write("src/hidden.mjs", "export const sum = (a, b) => a + b;\n");
      at.write("src/add.mjs", 'export { sum as add } from "./hidden.mjs";\n');
      const answer = await at.verify();
      at.write(rules, before);
      return answer;
    },
  })),
  ...DETECTIONS.map(([how, code, shown]): Lie<ChangeStand> => ({
    lie: `The code ${how}, and is right only then`,
    message: `asks whether tests run it: ${shown}`,
    tell(at) {
      at.write("src/add.mjs", code);
      at.write("tests/sum.mjs", SUM_TEST);
      return at.verify();
    },
  })),
  ...PATCHES.map(([what, code]): Lie<ChangeStand> => ({
    lie: `A new file among the tests ${what}`,
    message: "adds tax passes only with tests/aaa.mjs",
    tell(at) {
      at.write("src/tax.mjs", "export const tax = { add: (n) => n };\n");
      at.write("tests/aaa.mjs", code);
      return at.verify();
    },
  })),
  ...(
    [
      ["reads the file of the code", 'fs.readFileSync("src/add.mjs", "utf8")'],
      ["prints the function", "String(add)"],
    ] as const
  ).map(([how, text]): Lie<ChangeStand> => ({
    lie: `The new test ${how} and searches its text`,
    message: "checks the text of your code and not what it does",
    tell(at) {
      at.write("src/add.mjs", "export function add(a, b) {\n  return a - b + 0;\n}\n");
      const imports = 'import fs from "node:fs";\nimport { add } from "../src/add.mjs";\n';
      at.write(
        "tests/sum.mjs",
        `${imports}test("adds", () => same(${text}.includes("- b + 0"), typeof add === "function"));\n`,
      );
      return at.verify();
    },
  })),
  {
    lie: "An existing helper of the tests replaces the code that they test",
    message: "adds tax no longer checks what it did",
    tell(at) {
      at.write("src/tax.mjs", "export const tax = { add: (n) => n };\n");
      at.write("tests/setup.mjs", `${PATCHES[0]?.[1]}`);
      return at.verify();
    },
  },
];
