import {
  formatReportedFile,
  isReportObject,
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

const MAX_RUST_OUTPUT = 20_000;

interface LibtestSuite {
  readonly tests: Map<string, LibtestEvent>;
  readonly count: unknown;
  hasEnded: boolean;
}

interface LibtestEvent {
  readonly event: "started" | "ok" | "failed" | "ignored";
  readonly seconds?: unknown;
  readonly said: string;
}

interface CargoTestOutput {
  readonly executables: CargoTestProgram[];
  readonly complaints: Map<string, string[]>;
  readonly suites: LibtestSuite[];
  build: "unheard of" | "under way" | "finished" | "failed";
}

/** Output of `cargo test --message-format=json -- -Z unstable-options --format json`: cargo's lines, then libtest's. */
export function readRustReport(text: string, place: RunLocation): ReportReading<TestReport> {
  const lines: CargoTestOutput = { executables: [], complaints: new Map(), suites: [], build: "unheard of" };
  let tests = 0;
  for (const [line] of iterateReportLines(text)) {
    // Output that a test prints past its harness appears between the lines.
    const told = line.startsWith("{") ? parseReportJson(line) : undefined;
    if (told === undefined) continue;
    if (typeof told["reason"] === "string") applyCargoLine(lines, told, place);
    const problem = applyLibtestLine(lines, told) ?? checkTestCount(told["event"] === "started" ? (tests += 1) : tests);
    if (problem !== undefined) return { problem };
  }
  if (lines.build === "under way") return { problem: "The output ends early: cargo was still building." };
  if (lines.build === "unheard of" && lines.suites.length === 0) {
    return { problem: "The output holds no line of cargo's or libtest's JSON." };
  }
  return { value: createRustReport(lines, place) };
}

function applyCargoLine(lines: CargoTestOutput, told: Record<string, unknown>, place: RunLocation): void {
  if (told["reason"] === "build-finished") lines.build = told["success"] === true ? "finished" : "failed";
  else if (lines.build === "unheard of") lines.build = "under way";
  const executable = readCargoProgram(told);
  if (executable) lines.executables.push(executable);
  const complaint = formatCompilerError(told, place);
  if (complaint === undefined) return;
  const target = isReportObject(told["target"]) ? (readOptionalText(told["target"]["src_path"]) ?? "") : "";
  const others = lines.complaints.get(target) ?? [];
  if (others.length < 50 && !others.includes(complaint)) others.push(complaint);
  lines.complaints.set(target, others);
}

function formatCompilerError({ reason, message }: Record<string, unknown>, place: RunLocation): string | undefined {
  if (
    reason !== "compiler-message" ||
    !isReportObject(message) ||
    !readOptionalText(message["level"])?.startsWith("error")
  )
    return;
  const code = isReportObject(message["code"]) ? readOptionalText(message["code"]["code"]) : undefined;
  const spans = Array.isArray(message["spans"]) ? message["spans"].filter(isReportObject) : [];
  const at = spans.find((span) => span["is_primary"] === true);
  const label = readOptionalText(at?.["label"]);
  const where = at ? `${readOptionalText(at["file_name"]) ?? ""}:${Number(at["line_start"])}: ` : "";
  const said = `${readOptionalText(message["message"]) ?? ""}${label === undefined ? "" : `: ${label}`}`;
  return cleanRunnerMessage(place, `${where}error${code === undefined ? "" : `[${code}]`}: ${said}`).slice(0, 400);
}

function applyLibtestLine({ suites }: CargoTestOutput, told: Record<string, unknown>): string | undefined {
  const { type, event, name } = told;
  if (type === "suite" && event === "started") {
    suites.push({ tests: new Map(), count: told["test_count"], hasEnded: false });
    return undefined;
  }
  const suite = suites.at(-1);
  if (!suite || suite.hasEnded) return undefined;
  if (type === "suite" && (event === "ok" || event === "failed")) return finishLibtestSuite(suite, told);
  if (type !== "test" || typeof name !== "string") return undefined;
  if (event === "started" || event === "ok" || event === "failed" || event === "ignored") {
    const said = readOptionalText(told["message"]) ?? extractRustPanic(readOptionalText(told["stdout"]) ?? "");
    suite.tests.set(name, { event, seconds: told["exec_time"], said });
  }
  return undefined;
}

/** A test can print lines that look like the harness's, so the counts must match. */
function finishLibtestSuite(suite: LibtestSuite, told: Record<string, unknown>): string | undefined {
  suite.hasEnded = true;
  const counts = { ok: 0, failed: 0, ignored: 0, started: 0 };
  for (const { event } of suite.tests.values()) counts[event] += 1;
  const { passed, failed, ignored } = told;
  if (passed === counts.ok && failed === counts.failed && ignored === counts.ignored) return undefined;
  const heard = `${counts.ok} passed, ${counts.failed} failed and ${counts.ignored} ignored`;
  return `A suite counts ${Number(passed)} passed, ${Number(failed)} failed and ${Number(ignored)} ignored tests, but ${heard} were told.`;
}

function createRustReport({ executables, complaints, suites, build }: CargoTestOutput, place: RunLocation): TestReport {
  const files = orderCargoSources(executables, suites.length);
  const tests = suites.flatMap((suite, index) => createRustOutcomes(suite, files?.[index] ?? ".", place));
  const failures: LoadFailure[] = [...complaints].map(([target, said]) => ({
    file: formatReportedFile(place, target),
    message: said.join("\n").slice(0, 2_000),
  }));
  if (build === "failed" && failures.length === 0) {
    failures.push({ file: formatReportedFile(place, "."), message: "The build failed, and cargo does not say why." });
  }
  for (const [index, suite] of suites.entries()) {
    const isCut = !suite.hasEnded && ![...suite.tests.values()].some(({ event }) => event === "started");
    if (isCut)
      failures.push({ file: formatReportedFile(place, files?.[index] ?? "."), message: "Its tests never ended." });
  }
  return { tests, failures };
}

const LIBTEST_STATUS = { ok: "passed", failed: "failed", ignored: "skipped", started: "failed" } as const;

function createRustOutcomes(suite: LibtestSuite, source: string, place: RunLocation): TestOutcome[] {
  return [...suite.tests].map(([name, { event, seconds, said }]) => {
    const status = LIBTEST_STATUS[event];
    const told = { ...nameRustTest(name, source, place), status, ...readDuration(seconds, 1000) };
    if (status !== "failed") return told;
    return { ...told, message: cleanRunnerMessage(place, event === "started" ? TEST_NEVER_ENDED : said) };
  });
}

/** A doctest is named by its file: `src/user.rs - user::User::new (line 8)`. */
function nameRustTest(name: string, source: string, place: RunLocation): { file: string; name: string } {
  const [, file, rest] = /^(\S+\.(?:rs|md)) - (.*)$/s.exec(name) ?? [];
  if (file !== undefined && rest !== undefined) return { file: formatReportedFile(place, file), name: rest };
  return { file: formatReportedFile(place, source), name: name.split("::").join(" > ") };
}

/** Starts at the panic, after other output of the test, and drops the backtrace. */
function extractRustPanic(stdout: string): string {
  const panic = /^thread '.*' (?:\(\d+\) )?(?=panicked at )/m.exec(stdout);
  const said = panic ? stdout.slice(panic.index + panic[0].length) : stdout;
  return said.slice(0, MAX_RUST_OUTPUT).replace(/\n(?:stack backtrace:\n|note: run with `RUST_BACKTRACE)[^]*$/, "");
}

export interface CargoTestProgram {
  readonly package: string;
  readonly kind: number;
  readonly target: string;
  readonly source: string;
  /** Doctests run after all programs. */
  readonly hasDoctests: boolean;
}

const CARGO_TARGET_KINDS = ["lib", "bin", "test", "bench", "example"];

export function readCargoProgram(told: Record<string, unknown>): CargoTestProgram | undefined {
  const { reason, target, profile, executable, package_id } = told;
  if (reason !== "compiler-artifact" || typeof executable !== "string") return undefined;
  if (!isReportObject(target) || !isReportObject(profile) || profile["test"] !== true) return undefined;
  const [first] = Array.isArray(target["kind"]) ? (target["kind"] as unknown[]) : [];
  const kind = CARGO_TARGET_KINDS.indexOf(readOptionalText(first) ?? "");
  return {
    package: parseCargoPackageName(readOptionalText(package_id) ?? ""),
    kind: Math.max(kind, 0),
    target: readOptionalText(target["name"]) ?? "",
    source: readOptionalText(target["src_path"]) ?? "",
    hasDoctests: target["doctest"] === true,
  };
}

/** `path+file:///somewhere/accounts#0.1.0` or `path+file:///somewhere#accounts@0.1.0`. */
function parseCargoPackageName(id: string): string {
  const [place = "", version = ""] = id.split("#");
  return version.includes("@") ? (version.split("@")[0] ?? "") : (place.split("/").at(-1) ?? "");
}

/**
 * Source files in the order in which cargo runs the programs: by package, then libraries before programs before tests,
 * then by name. Suites do not name their program, so only the order identifies them. Undefined if suites are missing: a
 * program without the usual harness reports none, and the order is then unknown.
 */
export function orderCargoSources(
  executables: readonly CargoTestProgram[],
  suites: number,
): readonly string[] | undefined {
  const doctests = executables.filter(({ hasDoctests }) => hasDoctests).length;
  if (executables.length > 1 && suites < executables.length + doctests) return undefined;
  return executables
    .toSorted(
      (a, b) => compareCargoNames(a.package, b.package) || a.kind - b.kind || compareCargoNames(a.target, b.target),
    )
    .map(({ source }) => source);
}

const compareCargoNames = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
