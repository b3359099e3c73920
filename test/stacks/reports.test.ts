import fs from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { CoverageFormat, LoadFailure, TestFormat, TestOutcome } from "#checking/model/report/test-report.ts";
import { readGoModulePath } from "#checking/model/report/event-reports.ts";
import { readCoverageReport } from "#checking/model/report/coverage-report.ts";
import { readTestReport } from "#checking/model/report/read-test-report.ts";
import { classifyTestFailure } from "#checking/model/report/failure-reason.ts";
import { type Breakage, breakFixture } from "../kit/breakages.ts";
import { fixtureRepository, runTool, type Stack, STACKS, toolchainProblem } from "../kit/fixtures.ts";
import { temporaryFolder } from "../kit/folder.ts";

/** How a stack's runner is asked for what machines read; `{out}` is a fresh folder. */
interface Asked {
  readonly argv: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  readonly format: TestFormat;
  /** A file in the folder; else it is what is printed. */
  readonly report?: string;
  readonly coverage?: { readonly argv: readonly string[]; readonly format: CoverageFormat; readonly file: string };
}

const target = temporaryFolder();
afterAll(() => target[Symbol.dispose]());

const CARGO = ["--message-format=json", "--", "-Z", "unstable-options", "--format", "json", "--report-time"];
const PYTEST = [
  "-m",
  "pytest",
  "-q",
  "--junitxml={out}/report.xml",
  "-o",
  "junit_family=xunit1",
  "-p",
  "no:cacheprovider",
];

const ASKED: Readonly<Record<Stack, Asked>> = {
  "typescript-react": {
    argv: ["node_modules/.bin/vitest", "run", "--reporter=json", "--outputFile={out}/report.json"],
    variables: { CI: "1" },
    format: "vitest-json",
    report: "report.json",
    coverage: {
      argv: ["--coverage", "--coverage.reporter=json", "--coverage.reportsDirectory={out}/coverage"],
      format: "istanbul-json",
      file: "coverage/coverage-final.json",
    },
  },
  "python-fastapi": {
    argv: [".venv/bin/python", ...PYTEST, "--continue-on-collection-errors"],
    variables: { PYTHONDONTWRITEBYTECODE: "1", COVERAGE_FILE: "{out}/.coverage" },
    format: "junit-xml",
    report: "report.xml",
    coverage: {
      argv: ["--cov", "--cov-report=json:{out}/coverage.json"],
      format: "coverage-py-json",
      file: "coverage.json",
    },
  },
  go: {
    argv: ["go", "test", "-json", "-count=1", "./..."],
    format: "go-json",
    coverage: { argv: ["-coverprofile={out}/cover.out"], format: "go-cover", file: "cover.out" },
  },
  rust: {
    argv: ["cargo", "test", "--offline", "--no-fail-fast", ...CARGO],
    variables: { RUSTC_BOOTSTRAP: "1", RUST_BACKTRACE: "0", CARGO_TARGET_DIR: target.path },
    format: "libtest-json",
  },
};

interface Heard {
  readonly code: number | null;
  readonly told: readonly string[];
  /** Of the coverage: how many lines were run, of how many. */
  readonly covered?: Readonly<Record<string, string>>;
}

async function hear(stack: Stack, breakage?: Breakage): Promise<Heard> {
  using repository = fixtureRepository(stack);
  using out = temporaryFolder();
  if (breakage) breakFixture(repository.path, stack, breakage);
  const { argv, variables = {}, format, report, coverage } = ASKED[stack];
  const filled = (text: string): string => text.replaceAll("{out}", out.path);
  const asked = [...argv, ...(breakage ? [] : (coverage?.argv ?? []))].map(filled);
  const filledVariables = Object.entries(variables).map(([name, value]) => [name, filled(value)]);
  const { code, stdout } = await runTool(repository.path, asked, Object.fromEntries(filledVariables));
  const read = (name: string): string => fs.readFileSync(join(out.path, name), "utf8");
  const module =
    stack === "go" ? readGoModulePath(fs.readFileSync(join(repository.path, "go.mod"), "utf8")) : undefined;
  const place = { folder: repository.path, directory: ".", module };
  const told = rows(format, report === undefined ? stdout : read(report), place);
  if (breakage || !coverage) return { code, told };
  const lines = readCoverageReport(coverage.format, read(coverage.file), place);
  if ("problem" in lines) throw new Error(lines.problem);
  const covered = [...lines.value].map(([file, runs]) => {
    return [file, `${[...runs.values()].filter(Boolean).length} of ${runs.size}`];
  });
  return { code, told, covered: Object.fromEntries(covered) };
}

/** One row a test, in the order of the alphabet, because runners differ in theirs. */
function rows(format: TestFormat, text: string, place: Parameters<typeof readTestReport>[2]): string[] {
  const read = readTestReport(format, text, place);
  if ("problem" in read) return [read.problem];
  const why = (failure: TestOutcome | LoadFailure): string => {
    const { reason, symbol } = classifyTestFailure(format, failure);
    return symbol === undefined ? reason : `${reason} ${symbol}`;
  };
  const tests = read.value.tests.filter(({ status }) => status !== "passed");
  return [
    `${read.value.tests.length - tests.length} passed`,
    ...tests.map((one) => `${one.status} ${one.file}: ${one.name}${one.status === "failed" ? `: ${why(one)}` : ""}`),
    ...read.value.failures.map((one) => `did not load ${one.file}: ${why(one)}`),
  ].toSorted();
}

type Row = readonly [what: string, breakage: Breakage | undefined, heard: Heard];

const EXPECTED: Readonly<Record<Stack, readonly Row[]>> = {
  "typescript-react": [
    [
      "every test that passed, and the lines that were run",
      undefined,
      {
        code: 0,
        told: ["7 passed"],
        covered: { "src/components/UserProfile.tsx": "2 of 2", "src/initials.ts": "6 of 6" },
      },
    ],
    [
      "what a test found wrong",
      "assertion",
      { code: 1, told: ["6 passed", 'failed tests/initials.test.ts: initialsOf > makes of "" ?: assertion'] },
    ],
    [
      "what is not there",
      "missing-symbol",
      {
        code: 1,
        told: [
          "0 passed",
          "failed tests/components/UserProfile.test.tsx: UserProfile > lets those edit it who may: missing-symbol initialsOf",
          "failed tests/components/UserProfile.test.tsx: UserProfile > offers nothing to edit to others: missing-symbol initialsOf",
          "failed tests/components/UserProfile.test.tsx: UserProfile > shows the name and the address: missing-symbol initialsOf",
          'failed tests/initials.test.ts: initialsOf > makes of "  grace  brewster hopper " GH: missing-symbol initialsOf',
          'failed tests/initials.test.ts: initialsOf > makes of "" ?: missing-symbol initialsOf',
          'failed tests/initials.test.ts: initialsOf > makes of "Ada Lovelace" AL: missing-symbol initialsOf',
          'failed tests/initials.test.ts: initialsOf > makes of "Plato" P: missing-symbol initialsOf',
        ],
      },
    ],
    [
      "that a file is no program",
      "syntax",
      {
        code: 1,
        told: [
          "0 passed",
          "did not load tests/components/UserProfile.test.tsx: syntax",
          "did not load tests/initials.test.ts: syntax",
        ],
      },
    ],
    [
      "what was skipped",
      "skipped",
      {
        code: 0,
        told: [
          "6 passed",
          "skipped tests/components/UserProfile.test.tsx: UserProfile > offers nothing to edit to others",
        ],
      },
    ],
  ],
  "python-fastapi": [
    [
      "every test that passed, and the lines that were run",
      undefined,
      {
        code: 0,
        told: ["4 passed"],
        covered: {
          "src/main.py": "4 of 4",
          "src/routers/__init__.py": "0 of 0",
          "src/routers/user_routes.py": "13 of 13",
        },
      },
    ],
    [
      "what a test found wrong",
      "assertion",
      {
        code: 1,
        told: [
          "2 passed",
          "failed tests/test_user_routes.py: test_a_number_that_nobody_has_is_not_found[0]: assertion",
          "failed tests/test_user_routes.py: test_a_number_that_nobody_has_is_not_found[99]: assertion",
        ],
      },
    ],
    [
      "what is not there",
      "missing-symbol",
      { code: 1, told: ["0 passed", "did not load tests/test_user_routes.py: missing-symbol app"] },
    ],
    [
      "that a file is no program",
      "syntax",
      { code: 1, told: ["0 passed", "did not load tests/test_user_routes.py: syntax"] },
    ],
    [
      "what was skipped",
      "skipped",
      { code: 0, told: ["3 passed", "skipped tests/test_user_routes.py: test_a_user_is_found_by_number"] },
    ],
  ],
  go: [
    [
      "every test that passed, and the lines that were run",
      undefined,
      { code: 0, told: ["5 passed"], covered: { "account/user.go": "12 of 12" } },
    ],
    [
      "what a test found wrong",
      "assertion",
      {
        code: 1,
        told: [
          "2 passed",
          "failed account: TestInitials > Ada_Lovelace: assertion",
          "failed account: TestInitials > plato: assertion",
          "failed account: TestInitials: assertion",
        ],
      },
    ],
    [
      "what is not there",
      "missing-symbol",
      { code: 1, told: ["0 passed", "did not load account/user_test.go: missing-symbol NewUser"] },
    ],
    ["that a file is no program", "syntax", { code: 1, told: ["0 passed", "did not load account: syntax"] }],
    ["what was skipped", "skipped", { code: 0, told: ["4 passed", "skipped account: TestNewUserWithoutName"] }],
  ],
  rust: [
    ["every test that passed", undefined, { code: 0, told: ["3 passed"] }],
    [
      "what a test found wrong",
      "assertion",
      { code: 101, told: ["2 passed", "failed src/lib.rs: user > tests > initials_are_capital_letters: assertion"] },
    ],
    [
      "what is not there",
      "missing-symbol",
      { code: 101, told: ["0 passed", "did not load src/lib.rs: missing-symbol initials"] },
    ],
    ["that a file is no program", "syntax", { code: 101, told: ["0 passed", "did not load src/lib.rs: syntax"] }],
    ["what was skipped", "skipped", { code: 0, told: ["2 passed", "skipped tests/user.rs: a_user_needs_a_name"] }],
  ],
};

describe.each(STACKS)("the runner of %s", (stack) => {
  const problem = toolchainProblem(stack);
  const note = problem === undefined ? "" : ` (${problem})`;
  test.skipIf(problem !== undefined).each(EXPECTED[stack])(`reports %s${note}`, async (_, breakage, expected) => {
    expect(await hear(stack, breakage)).toEqual(expected);
  });
});
