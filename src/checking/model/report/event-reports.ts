import * as z from "zod/mini";
import { compareTexts } from "#kernel/model/text-format.ts";
import {
  formatReportedFile,
  iterateReportLines,
  cleanRunnerMessage,
  createTestOutcome,
  lenient,
  replaceInvalid,
  parseReportJson,
  type RunLocation,
  type ReportReading,
  type LoadFailure,
  type TestOutcome,
  type TestReport,
} from "./test-report.ts";

const TEST_NEVER_ENDED = "It started and never ended.";
const MAX_EVENT_OUTPUT = 20_000;
const MAX_SUBTEST_DEPTH = 8;

const text = replaceInvalid(z.string(), "");
const optionalText = lenient(z.string());
const optionalNumber = lenient(z.number());
const optionalFlag = lenient(z.boolean());

const GoEvent = z.object({
  Action: optionalText,
  ImportPath: optionalText,
  Package: optionalText,
  Test: optionalText,
  Output: text,
  Elapsed: optionalNumber,
  FailedBuild: optionalText,
});

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

export function readGoReport(output: string, place: RunLocation): ReportReading<TestReport> {
  const packages = new Map<string, GoPackageState>();
  /** Compiler output by the package that failed to build. */
  const builds = new Map<string, string>();
  for (const [line, number] of iterateReportLines(output)) {
    if (!line.startsWith("{")) {
      // Before Go 1.24 build failures were plain lines.
      const failed = /^FAIL\t(\S+) \[(?:build|setup) failed\]$/.exec(line)?.[1];
      if (failed !== undefined)
        packages.set(failed, { tests: new Map(), output: line, hasEnded: true, isFailed: true });
      continue;
    }
    const event = parseReportJson(line, GoEvent);
    if (!event) return { problem: `Line ${number} is not a complete event of go test -json.` };
    const { Action: action, ImportPath: build, Package: name, Output: said } = event;
    if (build !== undefined && action === "build-output") {
      const known = builds.get(build) ?? "";
      // The important part of compiler output is at the start, that of test output at the end.
      if (known.length <= MAX_EVENT_OUTPUT) builds.set(build, known + said);
    }
    if (name === undefined) continue;
    const found = packages.get(name) ?? { tests: new Map<string, GoTestState>(), output: "" };
    packages.set(name, found);
    applyGoEvent(found, event);
  }
  if (packages.size === 0) return { problem: "The output holds no event of go test -json." };
  const open = [...packages].find(([, { hasEnded }]) => !hasEnded)?.[0];
  if (open !== undefined) return { problem: `The output is cut off: package ${open} never ended.` };
  return { value: createGoReport(packages, builds, place) };
}

const GO_STATUS: ReadonlyMap<string | undefined, TestOutcome["status"]> = new Map([
  ["pass", "passed"],
  ["fail", "failed"],
  ["skip", "skipped"],
]);
const GO_STATUS_RANK = { passed: 0, skipped: 1, failed: 2 } as const;

function applyGoEvent(found: GoPackageState, event: z.output<typeof GoEvent>): void {
  const { Action: action, Test: name } = event;
  const status = GO_STATUS.get(action);
  const appendOutput = (known: string): string => {
    const all = known + (action === "output" ? event.Output : "");
    return all.length > 2 * MAX_EVENT_OUTPUT ? all.slice(-MAX_EVENT_OUTPUT) : all;
  };
  if (name === undefined) {
    found.output = appendOutput(found.output);
    if (status !== undefined) Object.assign(found, { hasEnded: true, isFailed: status === "failed" });
    found.failedBuild = event.FailedBuild ?? found.failedBuild;
    return;
  }
  const test = found.tests.get(name) ?? { hasBegun: false, output: "" };
  found.tests.set(name, test);
  if (action === "run") test.hasBegun = true;
  test.output = appendOutput(test.output);
  if (status === undefined) return;
  // A test may run more than once: the worst result counts.
  if (test.status === undefined || GO_STATUS_RANK[status] > GO_STATUS_RANK[test.status]) test.status = status;
  test.seconds = event.Elapsed;
}

function createGoReport(
  packages: ReadonlyMap<string, GoPackageState>,
  builds: ReadonlyMap<string, string>,
  place: RunLocation,
): TestReport {
  const tests: TestOutcome[] = [];
  const failures: LoadFailure[] = [];
  for (const [name, { tests: own, output, isFailed, failedBuild }] of packages) {
    const { module = "" } = place;
    const isOwn = module !== "" && `${name}/`.startsWith(`${module}/`);
    const file = isOwn ? formatReportedFile(place, name.slice(module.length + 1) || ".") : name;
    const below = collectSubtestMessages(own);
    const told = [...own].flatMap(([test, state]) => createGoOutcomes(test, state, below, file, place));
    tests.push(...told);
    if (!isFailed || told.some(({ status }) => status === "failed")) continue;
    const said = builds.get(failedBuild ?? "") ?? output;
    const message = cleanRunnerMessage(place, said.replace(/^# .*\n/gm, ""));
    const broken = isOwn ? splitGoBuildErrors(message, place) : [];
    failures.push(...(broken.length > 0 ? broken : [{ file, message }]));
  }
  return { tests, failures };
}

/** Errors by the test file that they are in. The other test files of the package may be sound. */
function splitGoBuildErrors(message: string, place: RunLocation): LoadFailure[] {
  const lines = message.split("\n").flatMap((line) => {
    const path = /^(?:vet: )?(\S+_test\.go):\d+/.exec(line)?.[1];
    return path === undefined ? [] : [{ file: formatReportedFile(place, path), line }];
  });
  return [...Map.groupBy(lines, ({ file }) => file)].map(([file, own]) => ({
    file,
    message: own.map(({ line }) => line).join("\n"),
  }));
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

export function readGoModulePath(manifest: string): string | undefined {
  return /^module[ \t]+"?([^\s"]+)"?/m.exec(manifest.slice(0, 100_000))?.[1];
}

const LIBTEST_STATUS = { ok: "passed", failed: "failed", ignored: "skipped", started: "failed" } as const;
type LibtestWord = keyof typeof LIBTEST_STATUS;

const CompilerMessage = z.object({
  message: text,
  level: text,
  code: lenient(z.object({ code: optionalText })),
  spans: replaceInvalid(
    z.array(z.object({ is_primary: optionalFlag, file_name: text, line_start: optionalNumber, label: optionalText })),
    [],
  ),
});

/** Cargo's lines have a reason, libtest's a type. */
const RustLine = z.object({
  reason: optionalText,
  success: optionalFlag,
  executable: optionalText,
  package_id: text,
  target: lenient(
    z.object({ kind: replaceInvalid(z.array(z.unknown()), []), name: text, src_path: text, doctest: optionalFlag }),
  ),
  profile: lenient(z.object({ test: optionalFlag })),
  message: lenient(z.union([z.string(), CompilerMessage])),
  type: lenient(z.enum(["suite", "test"])),
  event: lenient(z.enum(Object.keys(LIBTEST_STATUS) as LibtestWord[])),
  name: optionalText,
  stdout: text,
  exec_time: optionalNumber,
  passed: optionalNumber,
  failed: optionalNumber,
  ignored: optionalNumber,
});
type RustLine = z.output<typeof RustLine>;

interface LibtestSuite {
  readonly tests: Map<string, { readonly event: LibtestWord; readonly ms?: number | undefined; readonly said: string }>;
  hasEnded: boolean;
}

interface CargoTestOutput {
  readonly programs: CargoTestProgram[];
  readonly complaints: Map<string, string[]>;
  readonly suites: LibtestSuite[];
  build: "unheard of" | "under way" | "finished" | "failed";
}

/** Output of `cargo test --message-format=json -- -Z unstable-options --format json`: cargo's lines, then libtest's. */
export function readRustReport(output: string, place: RunLocation): ReportReading<TestReport> {
  const lines: CargoTestOutput = { programs: [], complaints: new Map(), suites: [], build: "unheard of" };
  for (const [line] of iterateReportLines(output)) {
    // Output that a test prints past its harness appears between the lines.
    const told = line.startsWith("{") ? parseReportJson(line, RustLine) : undefined;
    if (told === undefined) continue;
    if (told.reason !== undefined) applyCargoLine(lines, told, place);
    const problem = applyLibtestLine(lines, told);
    if (problem !== undefined) return { problem };
  }
  if (lines.build === "under way") return { problem: "The output is cut off: cargo was still building." };
  if (lines.build === "unheard of" && lines.suites.length === 0)
    return { problem: "The output holds no line of cargo's or libtest's JSON." };
  return { value: createRustReport(lines, place) };
}

function applyCargoLine(lines: CargoTestOutput, told: RustLine, place: RunLocation): void {
  const { reason, message, target } = told;
  if (reason === "build-finished") lines.build = told.success === true ? "finished" : "failed";
  else if (lines.build === "unheard of") lines.build = "under way";
  if (reason === "compiler-artifact" && told.executable !== undefined && target && told.profile?.test === true)
    lines.programs.push({
      package: parseCargoPackageName(told.package_id),
      kind: Math.max(
        CARGO_TARGET_KINDS.findIndex((each) => each === target.kind[0]),
        0,
      ),
      target: target.name,
      source: target.src_path,
      hasDoctests: target.doctest === true,
    });
  if (reason !== "compiler-message" || typeof message !== "object" || !message.level.startsWith("error")) return;
  const at = message.spans.find(({ is_primary }) => is_primary);
  const where = at ? `${at.file_name}:${Number(at.line_start)}: ` : "";
  const code = message.code?.code === undefined ? "" : `[${message.code.code}]`;
  const label = at?.label === undefined ? "" : `: ${at.label}`;
  const complaint = cleanRunnerMessage(place, `${where}error${code}: ${message.message}${label}`).slice(0, 400);
  const source = target?.src_path ?? "";
  const others = lines.complaints.get(source) ?? [];
  if (others.length < 50 && !others.includes(complaint)) others.push(complaint);
  lines.complaints.set(source, others);
}

function applyLibtestLine({ suites }: CargoTestOutput, told: RustLine): string | undefined {
  const { type, event, name, message, stdout, exec_time: seconds } = told;
  if (type === "suite" && event === "started") {
    suites.push({ tests: new Map(), hasEnded: false });
    return undefined;
  }
  const suite = suites.at(-1);
  if (!suite || suite.hasEnded || event === undefined) return undefined;
  if (type === "suite") return event === "ignored" ? undefined : finishLibtestSuite(suite, told);
  if (type !== "test" || name === undefined) return undefined;
  const said = typeof message === "string" ? message : extractRustPanic(stdout);
  suite.tests.set(name, { event, ms: seconds === undefined ? undefined : seconds * 1000, said });
  return undefined;
}

/** A test can print lines that look like the harness's, so the counts must match. */
function finishLibtestSuite(suite: LibtestSuite, { passed, failed, ignored }: RustLine): string | undefined {
  suite.hasEnded = true;
  const counts = { ok: 0, failed: 0, ignored: 0, started: 0 };
  for (const { event } of suite.tests.values()) counts[event] += 1;
  if (passed === counts.ok && failed === counts.failed && ignored === counts.ignored) return undefined;
  const heard = `${counts.ok} passed, ${counts.failed} failed and ${counts.ignored} ignored`;
  return `A suite counts ${Number(passed)} passed, ${Number(failed)} failed and ${Number(ignored)} ignored tests, but the report lists ${heard}.`;
}

/** Starts at the panic, after other output of the test, and drops the backtrace. */
function extractRustPanic(stdout: string): string {
  const panic = /^thread '.*' (?:\(\d+\) )?(?=panicked at )/m.exec(stdout);
  const said = panic ? stdout.slice(panic.index + panic[0].length) : stdout;
  return said.slice(0, MAX_EVENT_OUTPUT).replace(/\n(?:stack backtrace:\n|note: run with `RUST_BACKTRACE)[^]*$/, "");
}

function createRustReport({ programs, complaints, suites, build }: CargoTestOutput, place: RunLocation): TestReport {
  const sources = orderCargoSources(programs, suites.length);
  const tests: TestOutcome[] = [];
  const failures: LoadFailure[] = [...complaints].map(([target, said]) => ({
    file: formatReportedFile(place, target),
    message: said.join("\n").slice(0, 2_000),
  }));
  if (build === "failed" && failures.length === 0)
    failures.push({ file: formatReportedFile(place, "."), message: "The build failed, and cargo gives no reason." });
  for (const [index, suite] of suites.entries()) {
    const source = formatReportedFile(place, sources?.[index] ?? ".");
    for (const [test, { event, ms, said }] of suite.tests) {
      // A doctest is named by its file: `src/user.rs - user::User::new (line 8)`.
      const [, documented, rest] = /^(\S+\.(?:rs|md)) - (.*)$/s.exec(test) ?? [];
      const file = documented === undefined ? source : formatReportedFile(place, documented);
      const name = rest ?? test.split("::").join(" > ");
      const message = event === "started" ? TEST_NEVER_ENDED : said;
      tests.push(createTestOutcome(place, { file, name, status: LIBTEST_STATUS[event], ms, said: message }));
    }
    const isCut = !suite.hasEnded && ![...suite.tests.values()].some(({ event }) => event === "started");
    if (isCut) failures.push({ file: source, message: "Its tests never ended." });
  }
  return { tests, failures };
}

interface CargoTestProgram {
  readonly package: string;
  readonly kind: number;
  readonly target: string;
  readonly source: string;
  /** Doctests run after all programs. */
  readonly hasDoctests: boolean;
}

const CARGO_TARGET_KINDS = ["lib", "bin", "test", "bench", "example"];

/** `path+file:///somewhere/accounts#0.1.0` or `path+file:///somewhere#accounts@0.1.0`. */
function parseCargoPackageName(id: string): string {
  const [place = "", version = ""] = id.split("#");
  return version.includes("@") ? (version.split("@")[0] ?? "") : (place.split("/").at(-1) ?? "");
}

/**
 * By package, then libraries, programs and tests, then by name: only the order identifies a suite's program. Undefined
 * if suites are missing.
 */
function orderCargoSources(programs: readonly CargoTestProgram[], suites: number): readonly string[] | undefined {
  const doctests = programs.filter(({ hasDoctests }) => hasDoctests).length;
  if (programs.length > 1 && suites < programs.length + doctests) return undefined;
  return programs
    .toSorted((a, b) => compareTexts(a.package, b.package) || a.kind - b.kind || compareTexts(a.target, b.target))
    .map(({ source }) => source);
}
