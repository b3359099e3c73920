import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CheckKind } from "#checking/model/stack/stack-check.ts";
import { findCoverageProblems } from "#checking/operations/gate/static-checks.ts";
import { type Breakage, breakFixture } from "../kit/breakages.ts";
import { environment, type Stack, STACKS, toolchainProblem } from "../kit/fixtures.ts";
import { NEW_WORK } from "./new-work.ts";
import { type Workshop, workshop } from "./workshop.ts";

/** A check of a shipped profile, the edit that makes it fail, and what it says then. */
interface Row {
  readonly kind: CheckKind;
  readonly tool: string;
  readonly breakage: Breakage;
  readonly said: RegExp;
  /** Of the failure; `real` unless told. */
  readonly failure?: "fixable";
  /** The file of that edit, where the check has a fix that mends it. */
  readonly mends?: string;
}

interface Told {
  readonly checks: readonly Row[];
  /** The tool that tells which lines were run. */
  readonly coverage: string;
  readonly tests: readonly string[];
  /** Lines that are new and that no test runs. */
  readonly untested: readonly string[];
  /** The test of the new work, and what its runner says is missing without it. */
  readonly test: readonly [file: string, name: string];
  readonly asserting: readonly [file: string, name: string];
  readonly unreadable: RegExp;
}

const TSX = "tests/components/UserProfile.test.tsx: UserProfile";

const TOLD: Readonly<Record<Stack, Told>> = {
  "typescript-react": {
    checks: [
      { kind: "test", tool: "vitest", breakage: "assertion", said: /^tests\/initials\.test\.ts: .*expected/ },
      {
        kind: "lint",
        tool: "eslint",
        breakage: "lint-fixable",
        said: /^eslint exited with 1\./,
        failure: "fixable",
        mends: "src/initials.ts",
      },
      { kind: "types", tool: "tsc", breakage: "types", said: /^tsc exited with [12]\./ },
      {
        kind: "format",
        tool: "prettier",
        breakage: "format",
        said: /^prettier exited with 1\./,
        failure: "fixable",
        mends: "src/initials.ts",
      },
      { kind: "build", tool: "npm", breakage: "types", said: /^npm exited with [12]\./ },
    ],
    coverage: "vitest",
    tests: [
      `${TSX} > lets those edit it who may`,
      `${TSX} > offers nothing to edit to others`,
      `${TSX} > shows the name and the address`,
      'tests/initials.test.ts: initialsOf > makes of "  grace  brewster hopper " GH',
      'tests/initials.test.ts: initialsOf > makes of "" ?',
      'tests/initials.test.ts: initialsOf > makes of "Ada Lovelace" AL',
      'tests/initials.test.ts: initialsOf > makes of "Plato" P',
    ],
    untested: ["Tests run 0 of 2 changed lines, 0 %; the minimum is 90 %.", "src/farewell.ts: no test runs lines 2-3."],
    test: ["tests/greeting.test.ts", "greets by name"],
    asserting: ["tests/dotted.test.ts", "puts dots between them"],
    unreadable:
      /^tests\/named\.test\.ts: knows names failed without your change, but not on an assertion: syntax error: /,
  },
  "python-fastapi": {
    checks: [
      { kind: "test", tool: "pytest", breakage: "assertion", said: /^tests\/test_user_routes\.py: .*[Aa]ssert/ },
      {
        kind: "lint",
        tool: "ruff",
        breakage: "lint-fixable",
        said: /^ruff exited with 1\./,
        failure: "fixable",
        mends: "src/routers/user_routes.py",
      },
      { kind: "types", tool: "mypy", breakage: "types", said: /^mypy exited with 1\./ },
      {
        kind: "format",
        tool: "ruff",
        breakage: "format",
        said: /^ruff exited with 1\./,
        failure: "fixable",
        mends: "src/routers/user_routes.py",
      },
    ],
    coverage: "pytest-cov",
    tests: [
      "tests/test_user_routes.py: TestWhatIsNoNumber > test_is_refused",
      "tests/test_user_routes.py: test_a_number_that_nobody_has_is_not_found[0]",
      "tests/test_user_routes.py: test_a_number_that_nobody_has_is_not_found[99]",
      "tests/test_user_routes.py: test_a_user_is_found_by_number",
    ],
    untested: ["Tests run 0 of 3 changed lines, 0 %; the minimum is 90 %.", "src/farewell.py: no test runs lines 1-3."],
    test: ["tests/test_greeting.py", "test_greets_by_name"],
    asserting: ["tests/test_numbers.py", "test_there_are_two"],
    unreadable:
      /^tests\/test_named\.py: test_knows_names failed without your change, but not on an assertion: syntax error: /,
  },
  go: {
    checks: [
      { kind: "test", tool: "go", breakage: "assertion", said: /^account: TestInitials/ },
      { kind: "lint", tool: "vet", breakage: "lint", said: /^vet exited with 1\./ },
      {
        kind: "format",
        tool: "gofmt",
        breakage: "format",
        said: /^gofmt should print nothing, and printed something\./,
        failure: "fixable",
        mends: "account/user.go",
      },
      { kind: "build", tool: "go", breakage: "types", said: /^go exited with 1\./ },
    ],
    coverage: "go",
    tests: [
      "account: TestInitials",
      "account: TestInitials > Ada_Lovelace",
      "account: TestInitials > plato",
      "account: TestNewUser",
      "account: TestNewUserWithoutName",
    ],
    untested: [
      "Tests run 0 of 3 changed lines, 0 %; the minimum is 90 %.",
      "account/farewell.go: no test runs lines 4-6.",
    ],
    test: ["account/greeting_test.go", "TestGreetsByName"],
    asserting: ["account/dotted_test.go", "TestPutsDotsBetween"],
    unreadable:
      /^account\/named_test\.go: TestKnowsNames is not in .* account\/names_test\.go does not load, so fix that file first: /,
  },
  rust: {
    checks: [
      { kind: "test", tool: "cargo", breakage: "assertion", said: /^src\/lib\.rs: .*initials_are_capital_letters/ },
      { kind: "lint", tool: "clippy", breakage: "lint", said: /^clippy exited with 101\./ },
      { kind: "format", tool: "rustfmt", breakage: "format", said: /^rustfmt exited with 1\./ },
      { kind: "build", tool: "cargo", breakage: "types", said: /^cargo exited with 101\./ },
    ],
    coverage: "llvm-cov",
    tests: [
      "src/lib.rs: user > tests > initials_are_capital_letters",
      "tests/user.rs: a_name_loses_the_spaces_around_it",
      "tests/user.rs: a_user_needs_a_name",
    ],
    untested: ["Tests run 0 of 4 changed lines, 0 %; the minimum is 90 %.", "src/farewell.rs: no test runs lines 2-5."],
    test: ["tests/greeting.rs", "greets_by_name"],
    asserting: ["tests/dotted.rs", "puts_dots_between_them"],
    unreadable: /^tests\/named\.rs: knows_names failed without your change, but not on an assertion: syntax error: /,
  },
};

/** What not everybody who has the toolchain has. */
function findMissingTool(tool: string): string | undefined {
  if (tool !== "llvm-cov") return undefined;
  const { status } = spawnSync("cargo", ["llvm-cov", "--version"], { stdio: "ignore", env: environment() });
  return status === 0 ? undefined : "missing: cargo llvm-cov";
}

describe.each(STACKS)("the checks of %s", (stack) => {
  const { checks, coverage, tests, untested, asserting, unreadable } = TOLD[stack];
  const problem = toolchainProblem(stack);
  const isMissing = problem !== undefined;
  const note = isMissing ? ` (${problem})` : "";
  let it: Workshop;
  beforeAll(async () => {
    if (!isMissing) it = await workshop(stack);
  });
  afterAll(() => it?.[Symbol.dispose]());

  /** On edited files, which are put back afterwards. */
  async function on<T>(edit: () => void, work: () => Promise<T>): Promise<T> {
    edit();
    try {
      return await work();
    } finally {
      it.restore();
    }
  }

  test.skipIf(isMissing)(`match its own profile, and nothing else runs${note}`, async () => {
    const { detections } = await it.engine.stacks.survey();
    expect(detections.map(({ directory, profile, isPrimary }) => [directory, profile, isPrimary])).toEqual([
      [".", stack, true],
    ]);
    expect(it.use.checks.map(({ kind, tool }) => `${kind} ${tool}`)).toEqual([
      ...checks.map(({ kind, tool }) => `${kind} ${tool}`),
      `coverage ${coverage}`,
    ]);
  });

  for (const { kind, tool, breakage, said, failure = "real", mends } of checks) {
    const end = mends === undefined ? "" : ", and its fix mends that";
    test.skipIf(isMissing)(`${kind}: ${tool} passes, and fails after a small edit${end}${note}`, async () => {
      const passed = await it.attempt(kind, tool);
      expect([passed.outcome, passed.receipt]).toMatchObject([
        { status: "passed", problems: [] },
        { check: kind, status: "passed", tool, exit: 0 },
      ]);
      const { broken, mended } = await on(
        () => breakFixture(it.root, stack, breakage),
        async () => ({ broken: await it.attempt(kind, tool), mended: mends && (await mendedBy(kind, tool, mends)) }),
      );
      const { outcome, receipt } = broken;
      expect([outcome.status, outcome.failure, receipt.status]).toEqual(["failed", failure, "failed"]);
      expect(outcome.problems[0]?.problem).toMatch(said);
      expect(mended).toBe(mends && "passed");
    });
  }

  /** What the check says once its fix has run. */
  async function mendedBy(kind: CheckKind, tool: string, path: string): Promise<string> {
    const isDone = await it.mend(kind, [path], tool);
    return isDone ? (await it.attempt(kind, tool)).outcome.status : "the fix did not end";
  }

  const uncovered = async (): Promise<readonly string[]> => {
    const { outcome, coverage: lines = new Map() } = await it.attempt("coverage");
    if (outcome.status !== "passed") return outcome.problems.map((each) => each.problem);
    return findCoverageProblems(await it.changed(), lines, 90).map((each) => each.problem);
  };

  const lacking = problem ?? findMissingTool(coverage);
  test.skipIf(lacking !== undefined)(
    `coverage: ${coverage} reports the changed lines that no test runs${lacking === undefined ? "" : ` (${lacking})`}`,
    async () => {
      const { code, tests: newTests, untested: more } = NEW_WORK[stack];
      expect(await on(() => it.write({ ...code, ...newTests }), uncovered)).toEqual([]);
      expect(await on(() => it.write(more), uncovered)).toEqual(untested);
    },
  );

  test.skipIf(isMissing)(`show a new test that fails for missing code and passes with it${note}`, async () => {
    const { code, tests: newTests } = NEW_WORK[stack];
    const [seen, { report }] = await on(
      () => it.write({ ...code, ...newTests }),
      async () => [await it.red(), await it.attempt("test")] as const,
    );
    const [file, name] = TOLD[stack].test;
    expect([seen.red, seen.problems, seen.unseen]).toEqual([[{ file, name, why: "missing-symbol" }], [], []]);
    // Told test by test, the new one among those that were there.
    const told = (report?.tests ?? []).map((each) => `${each.status} ${each.file}: ${each.name}`);
    const place = stack === "go" ? "account" : file;
    expect(told.toSorted()).toEqual([...tests, `${place}: ${name}`].map((each) => `passed ${each}`).toSorted());
  });

  test.skipIf(isMissing)(`show a new test that fails because the code behaves differently${note}`, async () => {
    const seen = await on(
      () => it.write(NEW_WORK[stack].asserting),
      () => it.red(),
    );
    const [file, name] = asserting;
    expect([seen.red, seen.problems, seen.unseen]).toEqual([[{ file, name, why: "assertion" }], [], []]);
  });

  test.skipIf(isMissing)(`reject a test that fails for an unreadable file${note}`, async () => {
    const seen = await on(
      () => it.write(NEW_WORK[stack].unreadable),
      () => it.red(),
    );
    expect([seen.red, seen.problems.map((each) => each.problem)]).toEqual([[], [expect.stringMatching(unreadable)]]);
  });
});
