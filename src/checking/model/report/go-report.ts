import * as z from "zod/mini";
import {
  formatReportedFile,
  iterateReportLines,
  cleanRunnerMessage,
  createTestOutcome,
  lenient,
  replaceInvalid,
  TEST_NEVER_ENDED,
  parseReportJson,
  type RunLocation,
  type ReportReading,
  type LoadFailure,
  type TestOutcome,
  type TestReport,
} from "./test-report.ts";

const MAX_GO_OUTPUT = 20_000;
const MAX_SUBTEST_DEPTH = 8;

const GoEvent = z.object({
  Action: lenient(z.string()),
  /** The package that fails to build. */
  ImportPath: lenient(z.string()),
  Package: lenient(z.string()),
  Test: lenient(z.string()),
  Output: replaceInvalid(z.string(), ""),
  Elapsed: lenient(z.number()),
  FailedBuild: lenient(z.string()),
});
type GoEvent = z.output<typeof GoEvent>;

interface GoPackageState {
  readonly tests: Map<string, GoTestState>;
  output: string;
  hasEnded?: boolean;
  isFailed?: boolean;
  failedBuild?: string | undefined;
}

interface GoTestState {
  hasBegun: boolean;
  output: string;
  status?: TestOutcome["status"];
  seconds?: number | undefined;
}

interface GoTestEvents {
  readonly packages: Map<string, GoPackageState>;
  /** Compiler output by the package that failed to build. */
  readonly builds: Map<string, string>;
}

export function readGoReport(text: string, place: RunLocation): ReportReading<TestReport> {
  const events: GoTestEvents = { packages: new Map(), builds: new Map() };
  for (const [line, number] of iterateReportLines(text)) {
    if (line.startsWith("{")) {
      const event = parseReportJson(line, GoEvent);
      if (!event) return { problem: `Line ${number} is no whole event of go test -json.` };
      applyGoEvent(events, event);
    } else applyPlainGoLine(events, line);
  }
  if (events.packages.size === 0) return { problem: "The output holds no event of go test -json." };
  const open = [...events.packages].find(([, { hasEnded }]) => !hasEnded)?.[0];
  if (open !== undefined) return { problem: `The output ends early: package ${open} never ended.` };
  return { value: createGoReport(events, place) };
}

const GO_STATUS: ReadonlyMap<string | undefined, TestOutcome["status"]> = new Map([
  ["pass", "passed"],
  ["fail", "failed"],
  ["skip", "skipped"],
]);

function applyGoEvent({ packages, builds }: GoTestEvents, event: GoEvent): void {
  const { Action: action, ImportPath: build, Package: name, Test: test, Output: output } = event;
  if (build !== undefined && action === "build-output")
    builds.set(build, appendToStart(builds.get(build) ?? "", output));
  if (name === undefined) return;
  const found = packages.get(name) ?? { tests: new Map<string, GoTestState>(), output: "" };
  packages.set(name, found);
  if (test !== undefined) return applyGoTestEvent(found, test, event);
  if (action === "output") found.output = appendToEnd(found.output, output);
  const status = GO_STATUS.get(action);
  if (status !== undefined) Object.assign(found, { hasEnded: true, isFailed: status === "failed" });
  found.failedBuild = event.FailedBuild ?? found.failedBuild;
}

const GO_STATUS_RANK = { passed: 0, skipped: 1, failed: 2 } as const;

function applyGoTestEvent({ tests }: GoPackageState, name: string, { Action, Output, Elapsed }: GoEvent): void {
  const test = tests.get(name) ?? { hasBegun: false, output: "" };
  tests.set(name, test);
  if (Action === "run") test.hasBegun = true;
  if (Action === "output") test.output = appendToEnd(test.output, Output);
  const status = GO_STATUS.get(Action);
  if (status === undefined) return;
  // A test may run more than once: the worst result counts.
  if (test.status === undefined || GO_STATUS_RANK[status] > GO_STATUS_RANK[test.status]) test.status = status;
  test.seconds = Elapsed;
}

/** Before Go 1.24 build failures were plain lines. */
function applyPlainGoLine({ packages }: GoTestEvents, line: string): void {
  const name = /^FAIL\t(\S+) \[(?:build|setup) failed\]$/.exec(line)?.[1];
  if (name !== undefined) packages.set(name, { tests: new Map(), output: line, hasEnded: true, isFailed: true });
}

/** The important part of compiler output is at the start, that of test output at the end. */
const appendToStart = (text: string, more: string): string => (text.length > MAX_GO_OUTPUT ? text : text + more);

function appendToEnd(text: string, more: string): string {
  const all = text + more;
  return all.length > 2 * MAX_GO_OUTPUT ? all.slice(-MAX_GO_OUTPUT) : all;
}

function createGoReport({ packages, builds }: GoTestEvents, place: RunLocation): TestReport {
  const tests: TestOutcome[] = [];
  const failures: LoadFailure[] = [];
  for (const [name, { tests: own, output, isFailed, failedBuild }] of packages) {
    const file = resolvePackageFolder(name, place);
    const below = collectSubtestMessages(own);
    const told = [...own].flatMap(([test, state]) => createGoOutcomes(test, state, below, file, place));
    tests.push(...told);
    if (!isFailed || told.some(({ status }) => status === "failed")) continue;
    const said = builds.get(failedBuild ?? "") ?? output;
    failures.push({ file, message: cleanRunnerMessage(place, said.replace(/^# .*\n/gm, "")) });
  }
  return { tests, failures };
}

/** Messages of failed subtests by parent test: a parent mostly prints nothing itself. */
function collectSubtestMessages(tests: GoPackageState["tests"]): Map<string, string> {
  const below = new Map<string, string>();
  for (const [name, { status, output }] of tests) {
    if (status !== "failed") continue;
    const own = extractGoFailure(output);
    const around = own === "" ? [] : name.split("/", MAX_SUBTEST_DEPTH).slice(0, -1);
    for (const level of around.keys()) {
      const parent = around.slice(0, level + 1).join("/");
      if (!below.has(parent)) below.set(parent, own);
    }
  }
  return below;
}

/** A test can print its own success line. Without a `run` event it does not count. */
function createGoOutcomes(
  name: string,
  test: GoTestState,
  below: ReadonlyMap<string, string>,
  file: string,
  place: RunLocation,
): TestOutcome[] {
  if (!test.hasBegun && test.status !== "failed") return [];
  const status = test.status ?? "failed";
  const own = extractGoFailure(test.output);
  const said = test.status === undefined ? `${TEST_NEVER_ENDED}\n${own}` : own || below.get(name);
  const ms = test.seconds === undefined ? undefined : test.seconds * 1000;
  return [createTestOutcome(place, { file, name: name.split("/").join(" > "), status, ms, said })];
}

/** A panic, else everything from the first error position on, else the whole output. */
function extractGoFailure(output: string): string {
  const said = output
    .replace(/^[ \t]*(?:=== (?:RUN|PAUSE|CONT|NAME) |--- (?:PASS|FAIL|SKIP): ).*\n?/gm, "")
    .replace(/^ {4}/gm, "");
  const start = [/^(?:panic|fatal error): /m, /^\S+\.go:\d+: /m].map((when) => said.search(when)).find((at) => at >= 0);
  return said.slice(start ?? 0).trim();
}

function resolvePackageFolder(name: string, place: RunLocation): string {
  if (place.module === undefined || place.module === "") return name;
  if (name === place.module) return formatReportedFile(place, ".");
  return name.startsWith(`${place.module}/`) ? formatReportedFile(place, name.slice(place.module.length + 1)) : name;
}

export function readGoModulePath(text: string): string | undefined {
  return /^module[ \t]+"?([^\s"]+)"?/m.exec(text.slice(0, 100_000))?.[1];
}
