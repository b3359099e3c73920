import fc from "fast-check";
import { expect, test } from "vitest";
import { DEFAULT_CONFIG } from "#kernel/model/workspace-config.ts";
import type { StackCheck, FolderStack } from "./stack-check.ts";
import {
  type CheckDefinitions,
  compareTrustedSurfaces,
  isIdleSurface,
  createTrustedSurface,
} from "./trusted-surface.ts";

/** What is hashed, itself. */
const whole = (text: string): string => text;

const TEST: StackCheck = {
  kind: "test",
  tool: "vitest",
  run: { argv: ["vitest", "run", "--outputFile", "{report}"] },
  expect: "exit-zero",
  timeout_s: 600,
  silence_s: 120,
  report: { format: "junit-xml", from: "file" },
};
const LINT: StackCheck = {
  kind: "lint",
  tool: "eslint",
  run: { shell: "eslint . | tee lint.log" },
  expect: "min-score",
  min_score: 9,
  timeout_s: 300,
  silence_s: 60,
  fix: { argv: ["eslint", "--fix", "{files}"] },
};
const WEB: FolderStack = {
  directory: "my web",
  profile: "typescript-react",
  checks: [TEST, LINT],
  test_files: ["**/*.test.ts", "test/**"],
  source_files: ["src/**"],
  instead: {},
  missing: [],
  borrowed: ["node_modules"],
};
const API: FolderStack = { ...WEB, directory: ".", profile: "own", checks: [LINT] };
const FOUND: CheckDefinitions = {
  stacks: [WEB, API],
  gates: DEFAULT_CONFIG.gates,
  control: [
    { path: "package.json", part: "scripts", hash: "b".repeat(64), shown: ["test: vitest"] },
    { path: "eslint.config.js", hash: "a".repeat(64) },
  ],
  problems: [],
};

test("shows every command in full, with its folder and how it is judged", () => {
  const gates = { ...FOUND.gates, waived: { tests: "Only prose\u202e here" }, coverage: 10 };
  const { hash: _, ...shown } = createTrustedSurface({ ...FOUND, gates }, whole);
  expect(shown).toEqual({
    commands: [
      '"my web": lint eslint [expect=min-score min_score=9 silence_s=60 timeout_s=300] $ sh -c "eslint . | tee lint.log"',
      '"my web": lint eslint [fix] $ eslint --fix "{files}"',
      '"my web": test vitest [expect=exit-zero report=format:junit-xml,from:file silence_s=120 timeout_s=600] $ vitest run --outputFile "{report}"',
      '.: lint eslint [expect=min-score min_score=9 silence_s=60 timeout_s=300] $ sh -c "eslint . | tee lint.log"',
      '.: lint eslint [fix] $ eslint --fix "{files}"',
    ],
    settings: ["gates.coverage: 10", 'gates.waived tests: "Only prose\\u202e here"'],
    files: [
      { path: "eslint.config.js", hash: "a".repeat(64) },
      { path: "package.json (scripts)", hash: "b".repeat(64) },
    ],
  });
});

test("does not cut a long command", () => {
  const long = `echo ${"x".repeat(100_000)} && rm -rf /`;
  const check: StackCheck = { ...TEST, run: { shell: long } };
  const { commands } = createTrustedSurface({ ...FOUND, stacks: [{ ...WEB, checks: [check] }] }, whole);
  expect(commands[0]?.endsWith(`$ sh -c "${long}"`)).toBe(true);
});

test("ignores the order in which definitions are read", () => {
  const definitions = fc
    .tuple(
      fc.shuffledSubarray([WEB, API], { minLength: 2 }),
      fc.shuffledSubarray([TEST, LINT], { minLength: 2 }),
      fc.shuffledSubarray([...FOUND.control], { minLength: 2 }),
      fc.shuffledSubarray([...WEB.test_files], { minLength: 2 }),
    )
    .map(([stacks, checks, control, test_files]) => ({
      ...FOUND,
      stacks: stacks.map((stack) => ({ ...stack, test_files, checks: stack === WEB ? checks : stack.checks })),
      control,
    }));
  fc.assert(
    fc.property(definitions, (given) => {
      expect(createTrustedSurface(given, whole)).toEqual(createTrustedSurface(FOUND, whole));
    }),
  );
});

const withCheck = (change: object): CheckDefinitions => ({
  ...FOUND,
  stacks: [{ ...WEB, checks: [{ ...TEST, ...change }, LINT] }, API],
});
const withWeb = (change: Partial<FolderStack>): CheckDefinitions => ({
  ...FOUND,
  stacks: [{ ...WEB, ...change }, API],
});
const withGates = (change: Partial<CheckDefinitions["gates"]>): CheckDefinitions => ({
  ...FOUND,
  gates: { ...FOUND.gates, ...change },
});

test.each<[string, CheckDefinitions]>([
  ["an argument", withCheck({ run: { argv: ["vitest", "run", "--outputFile={report}"] } })],
  ["two arguments joined into one", withCheck({ run: { argv: ["vitest run", "--outputFile", "{report}"] } })],
  ["a shell instead of the program", withCheck({ run: { shell: 'vitest run --outputFile "{report}"' } })],
  ["a fix", withCheck({ fix: { argv: ["rm", "-rf", "test"] } })],
  ["a variable", withCheck({ variables: { NODE_OPTIONS: "--require ./x.js" } })],
  ["a time limit", withCheck({ timeout_s: 601 })],
  ["a limit for silence", withCheck({ silence_s: 121 })],
  ["the expected result", withCheck({ expect: "no-output" })],
  ["the minimum score", withCheck({ min_score: 1 })],
  ["the location of the report", withCheck({ report: { format: "junit-xml", from: "output" } })],
  ["the folder", withWeb({ directory: "web" })],
  ["the list of test files", withWeb({ test_files: ["test/**"] })],
  ["the folders of other packages", withWeb({ borrowed: [] })],
  ["a removed check", withWeb({ checks: [TEST] })],
  ["a control file", { ...FOUND, control: [{ path: "eslint.config.js", hash: "c".repeat(64) }] }],
  ["a removed control file", { ...FOUND, control: FOUND.control.slice(1) }],
  ["a waiver", withGates({ waived: { tests: "None yet" } })],
  ["coverage", withGates({ coverage: 89 })],
  ["retries", withGates({ retry_all: true })],
  ["mutation check", withGates({ mutation_check: true })],
])("%s changes the surface", (_, definitions) => {
  expect(createTrustedSurface(definitions, whole).hash).not.toBe(createTrustedSurface(FOUND, whole).hash);
});

test("ignores problems and the format of a file in the surface", () => {
  const control = FOUND.control.map(({ path, hash, part }) => ({ path, hash, ...(part ? { part } : {}) }));
  expect(createTrustedSurface({ ...FOUND, control }, whole)).toEqual(createTrustedSurface(FOUND, whole));
});

test("lists additions, removals and changes between two surfaces", () => {
  const before = createTrustedSurface({ ...FOUND, stacks: [{ ...WEB, checks: [TEST] }] }, whole);
  const after = createTrustedSurface(
    {
      ...withGates({ waived: { lint: "Later" } }),
      stacks: [{ ...WEB, checks: [{ ...TEST, timeout_s: 1 }] }],
      control: [
        { path: "eslint.config.js", hash: "c".repeat(64) },
        { path: "Makefile", hash: "d".repeat(64) },
      ],
    },
    whole,
  );
  expect(compareTrustedSurfaces(before, after)).toEqual({
    commands: { added: after.commands, removed: before.commands },
    settings: { added: ["gates.waived lint: Later"], removed: [] },
    files: { added: ["Makefile"], removed: ["package.json (scripts)"], changed: ["eslint.config.js"] },
  });
  expect(compareTrustedSurfaces(after, after)).toEqual({
    commands: { added: [], removed: [] },
    settings: { added: [], removed: [] },
    files: { added: [], removed: [], changed: [] },
  });
});

test("counts a surface as idle only if it runs nothing and leaves nothing out", () => {
  const none = { ...FOUND, stacks: [] };
  expect(
    [FOUND, none, { ...none, gates: { ...FOUND.gates, waived: { tests: "None" } } }].map((found) =>
      isIdleSurface(createTrustedSurface(found, whole)),
    ),
  ).toEqual([false, true, false]);
});

test("leaves advice on missing tools out of the trusted surface", () => {
  const advised = { ...WEB, missing: [{ kind: "types" as const, how: "Tenon looked for a file tsconfig.json." }] };
  const { hash } = createTrustedSurface({ ...FOUND, stacks: [advised, API] }, whole);
  expect(hash).toBe(createTrustedSurface(FOUND, whole).hash);
});
