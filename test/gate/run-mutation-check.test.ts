import { openGitSession } from "#git/adapters/git-repository.ts";
import { execFile } from "node:child_process";
import fs from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { createGitSnapshots } from "#git/adapters/git-snapshots.ts";
import { createGitSource } from "#git/adapters/git-source.ts";
import { createGitWorktrees } from "#git/adapters/git-worktrees.ts";
import type { TestOutcome, TestReport } from "#checking/model/report/test-report.ts";
import type { FolderStack } from "#checking/model/stack/stack-check.ts";
import { mutateCriteria, type MutationRequest } from "#checking/operations/gate/run-mutation-check.ts";
import type { CallProgress } from "#kernel/operations/call-progress.ts";
import { git, temporaryRepository } from "../kit/folder.ts";
import { syntax } from "../scan/code-scans.ts";

const FILES = {
  "package.json": '{"type":"module"}\n',
  ".gitignore": "node_modules/\n",
  "reporter.js":
    'export default async function* (events) {\n  for await (const { type, data } of events) {\n    if (type === "test:pass" || type === "test:fail") yield `${JSON.stringify({ type, ...data })}\\n`;\n  }\n}\n',
  "src/login.js":
    '// @spec AUTH-001.AC-1\nexport function isOld(age) {\n  return age >= 18;\n}\n\n// @spec AUTH-001.AC-2\nexport function greet(isMember) {\n  if (isMember) return "Welcome back";\n  return "Hello";\n}\n\nexport const limit = 5;\n',
  "test/login.test.js":
    'import test from "node:test";\nimport assert from "node:assert";\nimport { greet, isOld } from "../src/login.js";\n\n// @spec AUTH-001.AC-1\ntest("18 is old", () => assert.ok(isOld(18) && !isOld(17)));\n\n// @spec AUTH-001.AC-2\ntest("greets", () => assert.ok(greet(true)));\n',
} as const;

const stack: FolderStack = {
  directory: ".",
  profile: "javascript",
  checks: [],
  test_files: ["test/**"],
  source_files: ["src/**"],
  borrowed: ["node_modules"],
  missing: [],
  instead: {},
};

/** A repository with the files, some of them changed since they were committed. */
function project(changes: Partial<Record<keyof typeof FILES, string>> = {}) {
  const folder = temporaryRepository();
  const write = (path: string, text: string): void => {
    fs.mkdirSync(join(folder.path, path, ".."), { recursive: true });
    fs.writeFileSync(join(folder.path, path), text);
  };
  for (const [path, text] of Object.entries(FILES)) write(path, text);
  git(folder.path, "add", "-A");
  git(folder.path, "commit", "-qm", "Begin");
  for (const [path, text] of Object.entries(changes)) write(path, text);
  return folder;
}

/** Node's own runner, really run. */
function runTests(root: string): Promise<TestReport> {
  const words = ["--test", "--test-reporter=./reporter.js", "test/login.test.js"];
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  return new Promise((resolve) => {
    execFile(process.execPath, words, { cwd: root, env: environment }, (_error, out) => {
      const events = out.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as Event] : []));
      resolve({ tests: events.map((event) => getOutcome(event, root)), failures: [] });
    });
  });
}

interface Event {
  readonly type: string;
  readonly name: string;
  readonly file: string;
}

const getOutcome = ({ type, name, file }: Event, root: string): TestOutcome => ({
  file: relative(root, file),
  name,
  status: type === "test:pass" ? "passed" : "failed",
});

interface More {
  readonly clock?: () => string;
  readonly progress?: CallProgress;
}

const quiet: CallProgress = { tell: () => undefined, cancelled: new AbortController().signal };

function mutate(root: string, changes: Partial<MutationRequest> = {}, { clock, progress = quiet }: More = {}) {
  const engine = {
    source: createGitSource(openGitSession(root, process.env)),
    snapshots: createGitSnapshots(openGitSession(root, process.env)),
    worktrees: createGitWorktrees(openGitSession(root, process.env)),
    syntax,
    clock: { now: clock ?? (() => "2026-01-31T12:00:00Z") },
    progress,
  };
  return mutateCriteria(engine, {
    spec: "AUTH-001",
    most: 20,
    minutes: 5,
    stacks: [stack],
    test: (_, place) => runTests(place),
    mayHold: (_, file, path) => file === path,
    ...changes,
  });
}

const summarizeResults = (results: Awaited<ReturnType<typeof mutate>>) =>
  results.map(({ survivors, ...rest }) => ({
    ...rest,
    survivors: survivors.map(({ path, line, shown: { after } }) => `${path}:${line}: ${after}`).toSorted(),
  }));

test("detects mutations with a test of the boundary, and none with a test without assertions", async () => {
  using folder = project();
  const before = git(folder.path, "status", "--porcelain");
  expect(summarizeResults(await mutate(folder.path))).toEqual([
    { name: "AUTH-001.AC-1", tried: 3, detected: 3, invalid: 0, left: 0, survivors: [] },
    {
      name: "AUTH-001.AC-2",
      tried: 3,
      detected: 1,
      invalid: 0,
      left: 0,
      survivors: ['src/login.js:8: if (!(isMember)) return "Welcome back";', "src/login.js:9: return undefined;"],
    },
  ]);
  expect(git(folder.path, "status", "--porcelain")).toBe(before);
  expect(fs.readFileSync(join(folder.path, "src/login.js"), "utf8")).toBe(FILES["src/login.js"]);
});

test("mutates uncommitted code", async () => {
  using folder = project({
    "test/login.test.js": FILES["test/login.test.js"].replace(
      "greet(true)",
      'greet(true) === "Welcome back" && greet(false) === "Hello"',
    ),
  });
  expect(summarizeResults(await mutate(folder.path, { criterion: "AC-2" }))).toEqual([
    { name: "AUTH-001.AC-2", tried: 3, detected: 3, invalid: 0, left: 0, survivors: [] },
  ]);
});

test("limits number and time, and serves each criterion in turn", async () => {
  using folder = project();
  const counts = async (changes: Partial<MutationRequest>, more?: More) =>
    (await mutate(folder.path, changes, more)).map(({ tried, left }) => [tried, left]);
  expect(await counts({ most: 3 })).toEqual([
    [2, 1],
    [1, 2],
  ]);
  let minute = 0;
  const passing = (): string => `2026-01-31T12:${String(minute++).padStart(2, "0")}:00Z`;
  expect(await counts({ minutes: 3 }, { clock: passing })).toEqual([
    [1, 2],
    [1, 2],
  ]);
});

test("a cancelled call returns its partial result", async () => {
  using folder = project();
  const given = new AbortController();
  const progress = { tell: (_: string, done?: number) => void (done === 1 && given.abort()), cancelled: given.signal };
  const results = await mutate(folder.path, {}, { progress });
  expect(results.map(({ tried }) => tried)).toEqual([1, 0]);
});

test.each<[string, Partial<Record<keyof typeof FILES, string>>, Partial<MutationRequest>, string]>([
  ["no test", { "test/login.test.js": "" }, { criterion: "AC-1" }, "No test is tagged with AUTH-001.AC-1."],
  ["no code and no test", {}, { spec: "AUTH-002" }, "No test is tagged with AUTH-002."],
  [
    "no code, but a test",
    { "src/login.js": FILES["src/login.js"].replaceAll("@spec", "spec") },
    { criterion: "AC-1" },
    "No code that Tenon can mutate is tagged with AUTH-001.AC-1.",
  ],
  [
    "tests that fail already",
    { "test/login.test.js": FILES["test/login.test.js"].replace("isOld(18)", "isOld(1)") },
    { criterion: "AC-1" },
    "The tests for AUTH-001.AC-1 do not pass on the code as it is.",
  ],
])("reports %s as a problem, not as a pass", async (_, changes, asked, problem) => {
  using folder = project(changes);
  expect((await mutate(folder.path, asked)).map((result) => [result.tried, result.problem])).toEqual([[0, problem]]);
});

test("uses the tests of the spec for a criterion without a tag", async () => {
  using folder = project({
    "src/login.js": FILES["src/login.js"].replaceAll(/AUTH-001\.AC-\d/g, "AUTH-001"),
    "test/login.test.js": FILES["test/login.test.js"].replaceAll(/AUTH-001\.AC-\d/g, "AUTH-001"),
  });
  expect((await mutate(folder.path, { criterion: "AC-1", most: 2 })).map(({ name, tried }) => [name, tried])).toEqual([
    ["AUTH-001.AC-1", 2],
  ]);
});

test("reports that it cannot create a checkout without a commit", async () => {
  using folder = temporaryRepository();
  for (const path of ["src/login.js", "test/login.test.js"] as const) {
    fs.mkdirSync(join(folder.path, path, ".."), { recursive: true });
    fs.writeFileSync(join(folder.path, path), FILES[path]);
  }
  await expect(mutate(folder.path)).rejects.toMatchObject({ code: "gate.no-base" });
});
