import {
  formatReportedFile,
  iterateReportLines,
  cleanRunnerMessage,
  readDuration,
  TEST_NEVER_ENDED,
  parseReportJson,
  type RunLocation,
  type ReportReading,
  readOptionalText,
  checkTestCount,
  type LoadFailure,
  type TestOutcome,
  type TestReport,
} from "./test-report.ts";

const MAX_GO_OUTPUT = 20_000;
const MAX_SUBTEST_DEPTH = 8;

interface GoPackageState {
  readonly tests: Map<string, GoTestState>;
  output: string;
  end?: "pass" | "fail" | "skip";
  failedBuild?: string;
}

interface GoTestState {
  hasBegun: boolean;
  output: string;
  status?: TestOutcome["status"];
  elapsed?: unknown;
}

interface GoTestEvents {
  readonly packages: Map<string, GoPackageState>;
  /** Compiler output by the package that failed to build. */
  readonly builds: Map<string, string>;
}

export function readGoReport(text: string, place: RunLocation): ReportReading<TestReport> {
  const events: GoTestEvents = { packages: new Map(), builds: new Map() };
  let count = 0;
  for (const [line, number] of iterateReportLines(text)) {
    if (line.startsWith("{")) {
      const event = parseReportJson(line);
      if (!event) return { problem: `Line ${number} is no whole event of go test -json.` };
      if (applyGoEvent(events, event)) count += 1;
    } else applyPlainGoLine(events, line);
    const problem = checkTestCount(count);
    if (problem !== undefined) return { problem };
  }
  if (events.packages.size === 0) return { problem: "The output holds no event of go test -json." };
  const open = [...events.packages].find(([, { end }]) => end === undefined)?.[0];
  if (open !== undefined) return { problem: `The output ends early: package ${open} never ended.` };
  return { value: createGoReport(events, place) };
}

/** Returns whether the event is the first of a test. */
function applyGoEvent({ packages, builds }: GoTestEvents, event: Record<string, unknown>): boolean {
  const action = event["Action"];
  const output = readOptionalText(event["Output"]) ?? "";
  const build = readOptionalText(event["ImportPath"]);
  if (build !== undefined && action === "build-output")
    builds.set(build, appendToStart(builds.get(build) ?? "", output));
  const name = readOptionalText(event["Package"]);
  if (name === undefined) return false;
  const found = packages.get(name) ?? { tests: new Map<string, GoTestState>(), output: "" };
  packages.set(name, found);
  const test = readOptionalText(event["Test"]);
  if (test !== undefined) return applyGoTestEvent(found, test, event);
  if (action === "output") found.output = appendToEnd(found.output, output);
  if (action === "pass" || action === "fail" || action === "skip") found.end = action;
  const failedBuild = readOptionalText(event["FailedBuild"]);
  if (failedBuild !== undefined) found.failedBuild = failedBuild;
  return false;
}

const GO_STATUS_RANK = { passed: 0, skipped: 1, failed: 2 } as const;
const GO_TEST_STATUS: ReadonlyMap<unknown, TestOutcome["status"]> = new Map([
  ["pass", "passed"],
  ["fail", "failed"],
  ["skip", "skipped"],
]);

function applyGoTestEvent({ tests }: GoPackageState, name: string, event: Record<string, unknown>): boolean {
  const isNew = !tests.has(name);
  const test = tests.get(name) ?? { hasBegun: false, output: "" };
  tests.set(name, test);
  const { Action: action, Output: output, Elapsed: elapsed } = event;
  if (action === "run") test.hasBegun = true;
  if (action === "output") test.output = appendToEnd(test.output, readOptionalText(output) ?? "");
  const status = GO_TEST_STATUS.get(action);
  if (status === undefined) return isNew;
  // A test may run more than once: the worst result counts.
  if (test.status === undefined || GO_STATUS_RANK[status] > GO_STATUS_RANK[test.status]) test.status = status;
  test.elapsed = elapsed;
  return isNew;
}

/** Before Go 1.24 build failures were plain lines. */
function applyPlainGoLine({ packages }: GoTestEvents, line: string): void {
  const name = /^FAIL\t(\S+) \[(?:build|setup) failed\]$/.exec(line)?.[1];
  if (name !== undefined) packages.set(name, { tests: new Map(), output: line, end: "fail" });
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
  for (const [name, { tests: own, output, end, failedBuild }] of packages) {
    const file = resolvePackageFolder(name, place);
    const below = collectSubtestMessages(own);
    const told = [...own].flatMap(([test, state]) => createGoOutcomes(test, state, below, file, place));
    tests.push(...told);
    if (end !== "fail" || told.some(({ status }) => status === "failed")) continue;
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
  const told = { file, name: name.split("/").join(" > "), status, ...readDuration(test.elapsed, 1000) };
  if (status !== "failed") return [told];
  const own = extractGoFailure(test.output);
  const said = test.status === undefined ? `${TEST_NEVER_ENDED}\n${own}` : own || (below.get(name) ?? "");
  return [{ ...told, message: cleanRunnerMessage(place, said) }];
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
