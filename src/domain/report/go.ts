import {
  fileIn,
  linesOf,
  messageOf,
  msOf,
  NEVER_ENDED,
  objectIn,
  type Place,
  type Reading,
  textOf,
  tooMany,
} from "./reading.ts";
import type { LoadFailure, TestOutcome, TestReport } from "./tests.ts";

const MOST_OUTPUT = 20_000;
const DEEPEST = 8;

interface Package {
  readonly tests: Map<string, Test>;
  output: string;
  end?: "pass" | "fail" | "skip";
  failedBuild?: string;
}

interface Test {
  hasBegun: boolean;
  output: string;
  status?: TestOutcome["status"];
  elapsed?: unknown;
}

interface Events {
  readonly packages: Map<string, Package>;
  /** Compiler output by the package that failed to build. */
  readonly builds: Map<string, string>;
}

export function readGo(text: string, place: Place): Reading<TestReport> {
  const events: Events = { packages: new Map(), builds: new Map() };
  let count = 0;
  for (const [line, number] of linesOf(text)) {
    if (line.startsWith("{")) {
      const event = objectIn(line);
      if (!event) return { problem: `Line ${number} is no whole event of go test -json.` };
      if (takeEvent(events, event)) count += 1;
    } else takePlain(events, line);
    const problem = tooMany(count);
    if (problem !== undefined) return { problem };
  }
  if (events.packages.size === 0) return { problem: "The output holds no event of go test -json." };
  const open = [...events.packages].find(([, { end }]) => end === undefined)?.[0];
  if (open !== undefined) return { problem: `The output ends early: package ${open} never ended.` };
  return { value: reportOf(events, place) };
}

/** Returns whether the event is the first of a test. */
function takeEvent({ packages, builds }: Events, event: Record<string, unknown>): boolean {
  const action = event["Action"];
  const output = textOf(event["Output"]) ?? "";
  const build = textOf(event["ImportPath"]);
  if (build !== undefined && action === "build-output") builds.set(build, begun(builds.get(build) ?? "", output));
  const name = textOf(event["Package"]);
  if (name === undefined) return false;
  const found = packages.get(name) ?? { tests: new Map<string, Test>(), output: "" };
  packages.set(name, found);
  const test = textOf(event["Test"]);
  if (test !== undefined) return takeTest(found, test, event);
  if (action === "output") found.output = ended(found.output, output);
  if (action === "pass" || action === "fail" || action === "skip") found.end = action;
  const failedBuild = textOf(event["FailedBuild"]);
  if (failedBuild !== undefined) found.failedBuild = failedBuild;
  return false;
}

const RANK = { passed: 0, skipped: 1, failed: 2 } as const;
const STATUS: ReadonlyMap<unknown, TestOutcome["status"]> = new Map([
  ["pass", "passed"],
  ["fail", "failed"],
  ["skip", "skipped"],
]);

function takeTest({ tests }: Package, name: string, event: Record<string, unknown>): boolean {
  const isNew = !tests.has(name);
  const test = tests.get(name) ?? { hasBegun: false, output: "" };
  tests.set(name, test);
  const { Action: action, Output: output, Elapsed: elapsed } = event;
  if (action === "run") test.hasBegun = true;
  if (action === "output") test.output = ended(test.output, textOf(output) ?? "");
  const status = STATUS.get(action);
  if (status === undefined) return isNew;
  // A test may run more than once: the worst result counts.
  if (test.status === undefined || RANK[status] > RANK[test.status]) test.status = status;
  test.elapsed = elapsed;
  return isNew;
}

/** Before Go 1.24 build failures were plain lines. */
function takePlain({ packages }: Events, line: string): void {
  const name = /^FAIL\t(\S+) \[(?:build|setup) failed\]$/.exec(line)?.[1];
  if (name !== undefined) packages.set(name, { tests: new Map(), output: line, end: "fail" });
}

/** The important part of compiler output is at the start, that of test output at the end. */
const begun = (text: string, more: string): string => (text.length > MOST_OUTPUT ? text : text + more);

function ended(text: string, more: string): string {
  const all = text + more;
  return all.length > 2 * MOST_OUTPUT ? all.slice(-MOST_OUTPUT) : all;
}

function reportOf({ packages, builds }: Events, place: Place): TestReport {
  const tests: TestOutcome[] = [];
  const failures: LoadFailure[] = [];
  for (const [name, { tests: own, output, end, failedBuild }] of packages) {
    const file = folderOf(name, place);
    const below = complaintsBelow(own);
    const told = [...own].flatMap(([test, state]) => outcome(test, state, below, file, place));
    tests.push(...told);
    if (end !== "fail" || told.some(({ status }) => status === "failed")) continue;
    const said = builds.get(failedBuild ?? "") ?? output;
    failures.push({ file, message: messageOf(place, said.replace(/^# .*\n/gm, "")) });
  }
  return { tests, failures };
}

/** Messages of failed subtests by parent test: a parent mostly prints nothing itself. */
function complaintsBelow(tests: Package["tests"]): Map<string, string> {
  const below = new Map<string, string>();
  for (const [name, { status, output }] of tests) {
    if (status !== "failed") continue;
    const own = spoken(output);
    const around = own === "" ? [] : name.split("/", DEEPEST).slice(0, -1);
    for (const level of around.keys()) {
      const parent = around.slice(0, level + 1).join("/");
      if (!below.has(parent)) below.set(parent, own);
    }
  }
  return below;
}

/** A test can print its own success line. Without a `run` event it does not count. */
function outcome(
  name: string,
  test: Test,
  below: ReadonlyMap<string, string>,
  file: string,
  place: Place,
): TestOutcome[] {
  if (!test.hasBegun && test.status !== "failed") return [];
  const status = test.status ?? "failed";
  const told = { file, name: name.split("/").join(" > "), status, ...msOf(test.elapsed, 1000) };
  if (status !== "failed") return [told];
  const own = spoken(test.output);
  const said = test.status === undefined ? `${NEVER_ENDED}\n${own}` : own || (below.get(name) ?? "");
  return [{ ...told, message: messageOf(place, said) }];
}

/** A panic, else everything from the first error position on, else the whole output. */
function spoken(output: string): string {
  const said = output
    .replace(/^[ \t]*(?:=== (?:RUN|PAUSE|CONT|NAME) |--- (?:PASS|FAIL|SKIP): ).*\n?/gm, "")
    .replace(/^ {4}/gm, "");
  const start = [/^(?:panic|fatal error): /m, /^\S+\.go:\d+: /m].map((when) => said.search(when)).find((at) => at >= 0);
  return said.slice(start ?? 0).trim();
}

function folderOf(name: string, place: Place): string {
  if (place.module === undefined || place.module === "") return name;
  if (name === place.module) return fileIn(place, ".");
  return name.startsWith(`${place.module}/`) ? fileIn(place, name.slice(place.module.length + 1)) : name;
}

export function goModule(text: string): string | undefined {
  return /^module[ \t]+"?([^\s"]+)"?/m.exec(text.slice(0, 100_000))?.[1];
}
