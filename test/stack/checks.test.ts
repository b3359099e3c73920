import { expect, test } from "vitest";
import { planWorkspaceStacks } from "#checking/model/stack/stack-plan.ts";
import { DEFAULT_CONFIG } from "#kernel/model/workspace-config.ts";
import { packageJson, shipped, siteOf } from "./stand.ts";

const planChecks = (files: Readonly<Record<string, string>>) =>
  planWorkspaceStacks(siteOf(files), shipped, DEFAULT_CONFIG.stack);

function commands(files: Readonly<Record<string, string>>): string[] {
  return planChecks(files).stacks.flatMap(({ directory, checks }) =>
    checks.map(({ kind, run }) => `${directory} ${kind}: ${"argv" in run ? run.argv.join(" ") : run.shell}`),
  );
}

const PY = { "main.py": "" };

const NODE_TEST =
  "node --test --test-reporter={reporter} --test-reporter-destination={report} --test-reporter=spec --test-reporter-destination=stdout";
const NODE_COVERAGE =
  "node --test --experimental-test-coverage --test-reporter={reporter} --test-reporter-destination={report} --test-reporter=lcov --test-reporter-destination={coverage} --test-reporter=spec --test-reporter-destination=stdout";

test.each<[string, Record<string, string>, string[]]>([
  [
    "vitest, eslint, prettier and tsc",
    {
      "package.json": packageJson(["vitest", "eslint", "prettier", "typescript"], { build: "vite build" }),
      "tsconfig.json": "{}",
      "a.ts": "",
    },
    [
      ". test: vitest run --reporter=default --reporter=json --outputFile.json={report}",
      ". lint: eslint .",
      ". types: tsc --noEmit",
      ". format: prettier --check .",
      ". build: npm run build",
    ],
  ],
  [
    "a project that only refers to others",
    {
      "package.json": packageJson(["typescript"]),
      "tsconfig.json": '{ // all\n "files": [], "references": [{"path": "./a"},],\n}',
      "a.ts": "",
    },
    [". types: tsc --build --noEmit"],
  ],
  [
    "jest, with its own coverage",
    { "package.json": packageJson(["jest"]), "a.js": "" },
    [
      ". test: jest --json --outputFile={report}",
      ". coverage: jest --coverage --coverageReporters=json --coverageDirectory={coverage} --json --outputFile={report}",
    ],
  ],
  [
    "scripts alone",
    { "package.json": packageJson([], { test: "node test.js", lint: "xo" }), "a.js": "" },
    [". test: npm test", ". lint: npm run lint"],
  ],
  [
    "tests by Node itself",
    { "package.json": packageJson([], { test: "node --test" }), "a.js": "" },
    [`. test: ${NODE_TEST}`, `. coverage: ${NODE_COVERAGE}`],
  ],
  [
    "tests by Node itself, with the options of their script",
    { "package.json": packageJson([], { test: "node --import tsx --test spec/*.ts" }), "a.js": "" },
    [`. test: ${NODE_TEST} --import tsx spec/*.ts`, `. coverage: ${NODE_COVERAGE} --import tsx spec/*.ts`],
  ],
  [
    "mocha, with the options of its script but for its reporter",
    {
      "package.json": packageJson(["mocha"], {
        test: "cross-env A=1 mocha -r env.js --reporter spec --check-leaks test/ test/acceptance/",
      }),
      "a.js": "",
    },
    [". test: mocha -r env.js --check-leaks test/ test/acceptance/ --reporter {reporter}"],
  ],
  [
    "a script that builds what mocha tests",
    { "package.json": packageJson(["mocha"], { pretest: "tsc", test: "mocha dist" }), "a.js": "" },
    [". test: npm test"],
  ],
  [
    "the script of npm init",
    { "package.json": packageJson([], { test: 'echo "Error: no test specified" && exit 1' }), "a.js": "" },
    [],
  ],
  [
    "oxlint beside eslint",
    { "package.json": packageJson(["oxlint", "eslint"]), "a.js": "" },
    [". lint: eslint .", ". lint: oxlint"],
  ],
  [
    "xo and tsd, which a test script runs too",
    { "package.json": packageJson(["ava", "xo", "tsd"], { test: "xo && ava && tsd" }), "a.js": "", "a.d.ts": "" },
    [". test: ava --tap", ". lint: xo", ". types: tsd"],
  ],
  [
    "standard as the linter",
    { "package.json": packageJson(["tap", "standard"], { test: "standard && tap" }), "a.js": "" },
    [". test: tap --reporter=tap", ". lint: standard"],
  ],
  [
    "a compiler after the tests",
    { "package.json": packageJson(["ava"], { test: "ava && tsc" }), "a.js": "" },
    [". test: ava --tap"],
  ],
  [
    "biome for two things",
    { "package.json": packageJson(["@biomejs/biome"]), "a.js": "" },
    [". lint: biome lint .", ". format: biome format ."],
  ],
  [
    "tools above a package",
    {
      "package.json": packageJson(["vitest", "eslint"]),
      "packages/a/package.json": packageJson(["react"], { test: "vitest" }),
      "packages/a/a.tsx": "",
    },
    [
      "packages/a test: vitest run --reporter=default --reporter=json --outputFile.json={report}",
      "packages/a lint: eslint .",
    ],
  ],
  [
    "ruff for all",
    {
      "pyproject.toml": "[tool.ruff]\nline-length = 100\n[tool.pytest.ini_options]\n[tool.mypy]\nstrict = true\n",
      ...PY,
    },
    [
      ". test: pytest -o junit_family=xunit1 --junitxml={report}",
      ". lint: ruff check --no-fix .",
      ". types: mypy .",
      ". format: ruff format --check .",
    ],
  ],
  [
    "ruff beside pylint and black",
    { "requirements.txt": "ruff\npylint\nblack\nmypy\n", ...PY },
    [
      ". lint: ruff check --no-fix .",
      ". lint: pylint --recursive=y --ignore=.venv,venv --fail-under=9 .",
      ". types: mypy .",
      ". format: black --check .",
    ],
  ],
  ["mypy that knows its files", { "pyproject.toml": '[tool.mypy]\nfiles = ["src"]\n', ...PY }, [". types: mypy"]],
  [
    "pytest of setup.cfg",
    { "setup.cfg": "[tool:pytest]\n", ...PY },
    [". test: pytest -o junit_family=xunit1 --junitxml={report}"],
  ],
  [
    "Go with golangci-lint",
    { "go.mod": "", "a.go": "", ".golangci.yml": "" },
    [
      ". test: go test -json ./...",
      ". lint: go vet ./...",
      ". lint: golangci-lint run",
      ". format: gofmt -l .",
      ". build: go build ./...",
      ". coverage: go test -json -coverprofile={coverage} -coverpkg=./... ./...",
    ],
  ],
  [
    "targets of a Makefile",
    { Makefile: "test: deps\n\t./run\nbuild:\n\tcc x\nX := 1\n", "x.c": "" },
    [". test: make test", ". build: make build"],
  ],
])("plans checks for %s", (_, files, expected) => {
  expect(commands(files)).toEqual(expected);
});

test("reports a missing check with the tool that would provide it", () => {
  const [stack] = planChecks({ "package.json": packageJson(["vitest"]), "a.ts": "" }).stacks;
  expect(stack?.missing).toEqual([
    {
      kind: "lint",
      how: "Tenon looked for eslint, oxlint, @biomejs/biome, xo or standard among the dependencies, or a script lint in package.json.",
    },
    {
      kind: "types",
      how: expect.stringMatching(/^Tenon looked for typescript among the dependencies and a file tsconfig\.json/),
    },
    { kind: "format", how: "Tenon looked for prettier, oxfmt or @biomejs/biome among the dependencies." },
    { kind: "build", how: "Tenon looked for a script build in package.json." },
    {
      kind: "coverage",
      how: "Tenon looked for @vitest/coverage-v8, @vitest/coverage-istanbul or jest among the dependencies, or c8 among the dependencies and a test script that runs mocha.",
    },
  ]);
});

test("requires no types for JavaScript", () => {
  const [stack] = planChecks({ "package.json": packageJson(["vitest"]), "a.js": "" }).stacks;
  expect(stack?.missing.map(({ kind }) => kind)).toEqual(["lint", "format", "build", "coverage"]);
});

test("does not report a check as missing that another one covers", () => {
  const [stack] = planChecks({ "go.mod": "", "a.go": "" }).stacks;
  expect([stack?.missing, stack?.instead]).toEqual([[], { types: "build" }]);
});

test("borrows folders above a package too", () => {
  const files = {
    "package.json": packageJson(["vitest"]),
    "packages/a/package.json": packageJson([], { test: "vitest" }),
    "packages/a/a.ts": "",
  };
  expect(planChecks(files).stacks.map(({ borrowed }) => borrowed)).toEqual([["node_modules", "../../node_modules"]]);
});

test.each<[string, Record<string, string>, string]>([
  [
    "a script that is run",
    { test: "tape || true" },
    "The script test of package.json swallows its own failure with `|| true`, so test by npm proves nothing",
  ],
  ["a script that runs before it", { test: "tape", pretest: "lint; exit 0" }, "The script pretest of package.json"],
  ["a script that another runs", { test: "npm run unit", unit: "tape || :" }, "The script unit of package.json"],
  [
    "one of several scripts",
    { test: "run-s unit:*", "unit:a": "a", "unit:b": "b || true" },
    "The script unit:b of package.json",
  ],
  ["a script that yarn runs", { test: "yarn unit", unit: "tape || :" }, "The script unit of package.json"],
  ["a script that node runs", { test: "node --run unit", unit: "tape || :" }, "The script unit of package.json"],
  ["scripts that run each other", { test: "npm run a", a: "npm test" }, "none"],
  ["a script that no check runs", { test: "tape", clean: "rm -r x || true" }, "none"],
])("reports %s if it swallows a failure", (_, scripts, expected) => {
  const [problem] = planChecks({ "package.json": packageJson([], scripts), "a.js": "" }).problems;
  expect(problem ?? "none").toContain(expected);
});

test.each([
  ["test:\n\t-./run\n", "The target test of the Makefile in . swallows its own failure"],
  ["test:\n\t@./run || true\n", "The target test of the Makefile in . swallows its own failure"],
  ["test: ; ./run || true\n", "The target test of the Makefile in . swallows its own failure"],
  ["test:\n\t@./run\n", "none"],
])("reports a target that swallows a failure: %j", (text, expected) => {
  const [problem] = planChecks({ Makefile: text, "x.c": "" }).problems;
  expect(problem ?? "none").toContain(expected);
});

test("does not report a script that a direct call bypasses", () => {
  const files = { "package.json": packageJson(["vitest"], { test: "vitest || true" }), "a.js": "" };
  expect(planChecks(files).problems).toEqual([]);
});
