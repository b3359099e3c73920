import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type ProjectStand, projectStand } from "../gate/project.ts";

const FIXTURE = join(process.cwd(), "test/fixtures/javascript-runners/node_modules");
const isInstalled = fs.existsSync(join(FIXTURE, "mocha"));

/** How a project with some runner writes its tests. */
interface Runner {
  readonly name: string;
  readonly script: string;
  readonly package: string;
  readonly isModule: boolean;
  readonly modules?: string;
  readonly files?: Readonly<Record<string, string>>;
  /** The imports of a test file. */
  readonly head: string;
  readonly ending?: string;
  /** A test with a name and a body in which `same(is, should)` asserts. */
  readonly test: (name: string, body: string) => string;
  readonly same: (is: string, should: string) => string;
}

const ASSERT = (is: string, should: string): string => `assert.equal(${is}, ${should});`;
const EXPECT = (is: string, should: string): string => `expect(${is}).toBe(${should});`;
const IT = (name: string, body: string): string => `it("${name}", async () => { ${body} });`;
const TEST = (name: string, body: string): string => `test("${name}", async () => { ${body} });`;
const NESTED = (name: string, body: string): string =>
  `describe("outer", () => { describe(".inner(obj)", () => { ${IT(name, body)} }); });`;

const RUNNERS: readonly Runner[] = [
  {
    name: "mocha, with modules",
    script: "mocha --reporter dot --check-leaks --recursive test",
    package: "mocha",
    isModule: true,
    head: 'import assert from "node:assert/strict";',
    test: NESTED,
    same: ASSERT,
  },
  {
    name: "mocha, with require and a reporter in its settings",
    script: "npm run lint-nothing && nyc mocha --require test/support/env.js test/",
    package: "mocha",
    isModule: false,
    files: {
      ".mocharc.json": JSON.stringify({ reporter: "min", recursive: true }),
      "test/support/env.js": "process.env.NODE_ENV = 'test';\n",
    },
    head: 'const { expect } = require("chai");',
    test: NESTED,
    same: (is, should) => `expect(${is}).to.equal(${should});`,
  },
  {
    name: "jest",
    script: "jest --verbose",
    package: "jest",
    isModule: false,
    head: "",
    test: NESTED,
    same: EXPECT,
  },
  {
    name: "vitest",
    script: "vitest run --passWithNoTests",
    package: "vitest",
    isModule: true,
    modules: join(process.cwd(), "node_modules"),
    head: 'import { expect, test } from "vitest";',
    test: TEST,
    same: EXPECT,
  },
  {
    name: "node --test, with modules",
    script: "node --test --test-reporter=dot 'test/**/*.test.js'",
    package: "chai",
    isModule: true,
    head: 'import { describe, it } from "node:test";\nimport assert from "node:assert/strict";',
    test: NESTED,
    same: ASSERT,
  },
  {
    name: "node --test, with require",
    script: "node --test",
    package: "chai",
    isModule: false,
    head: 'const { test } = require("node:test");\nconst assert = require("node:assert");',
    test: TEST,
    same: ASSERT,
  },
  {
    name: "ava",
    script: "ava",
    package: "ava",
    isModule: true,
    head: 'import test from "ava";',
    test: (name, body) => `test("${name}", async (t) => { ${body} });`,
    same: (is, should) => `t.is(${is}, ${should});`,
  },
  {
    name: "tap",
    script: "tap --jobs 1",
    package: "tap",
    isModule: true,
    head: 'import t from "tap";',
    test: (name, body) => `t.test("${name}", async (t) => { ${body} });`,
    same: (is, should) => `t.equal(${is}, ${should});`,
  },
  {
    name: "playwright",
    script: "playwright test --reporter=list",
    package: "@playwright/test",
    isModule: true,
    files: { "playwright.config.js": 'export default { testDir: "test" };\n' },
    head: 'import { expect, test } from "@playwright/test";',
    test: TEST,
    same: EXPECT,
  },
];

const exporting = ({ isModule }: Runner, name: string, code: string): string =>
  isModule ? `export const ${name} = ${code};\n` : `exports.${name} = ${code};\n`;
const importing = ({ isModule }: Runner, name: string, file: string): string =>
  isModule ? `import { ${name} } from "../src/${file}";` : `const { ${name} } = require("../src/${file}");`;
const loading = ({ isModule }: Runner, name: string, file: string): string =>
  isModule
    ? `const { ${name} } = await import("../src/${file}");`
    : `const { ${name} } = require("../src/${file.replace(".js", "")}");`;

async function runnerStand(runner: Runner): Promise<ProjectStand> {
  const { script, isModule, head, files = {}, modules = FIXTURE } = runner;
  const manifest = {
    name: "small",
    ...(isModule ? { type: "module" } : {}),
    scripts: { test: script, "lint-nothing": "node --version" },
    devDependencies: { [runner.package]: "*" },
  };
  const it = await projectStand({
    "package.json": JSON.stringify(manifest),
    ".gitignore": "node_modules\n.tap\n.nyc_output\n",
    "sdd/config.yaml":
      "gates:\n  waived:\n    coverage: No tool for it is installed here\n    lint: No tool for it is installed here\n",
    "src/add.js": exporting(runner, "add", "(a, b) => a + b"),
    "src/size.js": exporting(runner, "size", "(list) => list.length"),
    "test/add.test.js": [
      head,
      importing(runner, "add", "add.js"),
      runner.test("adds", runner.same("add(1, 2)", "3")),
      "",
    ].join("\n"),
    ...files,
  });
  fs.symlinkSync(modules, join(it.root, "node_modules"));
  await it.trust();
  await it.begin();
  return it;
}

const names = (tests: unknown): string[] =>
  (tests as { name: string; red?: string; green: boolean }[]).map(
    ({ name, red, green }) => `${name.split(" > ").at(-1)}: ${red ?? "not red"}, ${green ? "green" : "not green"}`,
  );

describe.skipIf(!isInstalled)("evidence of JavaScript runners (scripts/install-fixture-tools installs them)", () => {
  test.each(RUNNERS.map((runner) => [runner.name, runner] as const))("%s", async (_, runner) => {
    using it = await runnerStand(runner);
    const { head, same } = runner;
    const missing = [head, importing(runner, "double", "two.js"), runner.test("doubles", same("double(2)", "4")), ""];
    const honest = [
      head,
      importing(runner, "add", "add.js"),
      runner.test("triples", `${loading(runner, "triple", "three.js")} ${same("triple(2)", "6")}`),
      runner.test("adds texts", same('add("1", 2)', "3")),
      // The bug is a crash of the code, not a wrong value.
      runner.test("sizes nothing", `${loading(runner, "size", "size.js")} ${same("size(undefined)", "0")}`),
    ];
    const lies = [
      runner.test("adds again", same("add(2, 2)", "4")),
      runner.test("has no database", 'throw new Error("no database");'),
    ];
    it.write("test/two.test.js", missing.join("\n"));
    it.write("test/three.test.js", [...honest, ...lies, ""].join("\n"));
    const before = await it.run("gate.evidence", { id: "AUTH-001" });
    expect(names(before["tests"])).toEqual([
      "triples: missing-symbol, not green",
      "adds texts: assertion, not green",
      "sizes nothing: error, not green",
      "adds again: not red, green",
      "has no database: not red, not green",
      "doubles: missing-symbol, not green",
    ]);
    const said = (before["problems"] as { problem: string }[]).map(({ problem }) => problem);
    expect(said).toEqual([
      expect.stringMatching(/adds again passes without your change, so it does not test the new behaviour\.$/),
      expect.stringMatching(/has no database failed without your change, but not on an assertion: .*no database/),
    ]);

    it.write("test/three.test.js", [...honest, ""].join("\n"));
    it.write("src/two.js", exporting(runner, "double", "(a) => a * 2"));
    it.write("src/three.js", exporting(runner, "triple", "(a) => a * 3"));
    it.write("src/add.js", exporting(runner, "add", "(a, b) => Number(a) + Number(b)"));
    it.write("src/size.js", exporting(runner, "size", "(list) => list?.length ?? 0"));
    const after = await it.run("gate.evidence", { id: "AUTH-001" });
    expect([names(after["tests"]), after["problems"]]).toEqual([
      [
        "triples: missing-symbol, green",
        "adds texts: assertion, green",
        "sizes nothing: error, green",
        "doubles: missing-symbol, green",
      ],
      [],
    ]);
  });
});
