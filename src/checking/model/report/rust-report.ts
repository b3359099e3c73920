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

const MAX_RUST_OUTPUT = 20_000;

const LIBTEST_STATUS = { ok: "passed", failed: "failed", ignored: "skipped", started: "failed" } as const;
type LibtestWord = keyof typeof LIBTEST_STATUS;

const text = replaceInvalid(z.string(), "");
const CompilerSpan = z.object({
  is_primary: lenient(z.boolean()),
  file_name: text,
  line_start: lenient(z.number()),
  label: lenient(z.string()),
});
const CompilerMessage = z.object({
  message: text,
  level: text,
  code: lenient(z.object({ code: lenient(z.string()) })),
  spans: replaceInvalid(z.array(CompilerSpan), []),
});

/** Cargo's lines have a reason, libtest's a type. */
const RustLine = z.object({
  reason: lenient(z.string()),
  success: lenient(z.boolean()),
  executable: lenient(z.string()),
  package_id: text,
  target: lenient(
    z.object({
      kind: replaceInvalid(z.array(z.unknown()), []),
      name: text,
      src_path: text,
      doctest: lenient(z.boolean()),
    }),
  ),
  profile: lenient(z.object({ test: lenient(z.boolean()) })),
  message: lenient(z.union([z.string(), CompilerMessage])),
  type: lenient(z.enum(["suite", "test"])),
  event: lenient(z.enum(Object.keys(LIBTEST_STATUS) as LibtestWord[])),
  name: lenient(z.string()),
  stdout: text,
  exec_time: lenient(z.number()),
  passed: lenient(z.number()),
  failed: lenient(z.number()),
  ignored: lenient(z.number()),
});
type RustLine = z.output<typeof RustLine>;

interface LibtestSuite {
  readonly tests: Map<string, { readonly event: LibtestWord; readonly ms?: number | undefined; readonly said: string }>;
  hasEnded: boolean;
}

interface CargoTestOutput {
  readonly executables: CargoTestProgram[];
  readonly complaints: Map<string, string[]>;
  readonly suites: LibtestSuite[];
  build: "unheard of" | "under way" | "finished" | "failed";
}

/** Output of `cargo test --message-format=json -- -Z unstable-options --format json`: cargo's lines, then libtest's. */
export function readRustReport(output: string, place: RunLocation): ReportReading<TestReport> {
  const lines: CargoTestOutput = { executables: [], complaints: new Map(), suites: [], build: "unheard of" };
  for (const [line] of iterateReportLines(output)) {
    // Output that a test prints past its harness appears between the lines.
    const told = line.startsWith("{") ? parseReportJson(line, RustLine) : undefined;
    if (told === undefined) continue;
    if (told.reason !== undefined) applyCargoLine(lines, told, place);
    const problem = applyLibtestLine(lines, told);
    if (problem !== undefined) return { problem };
  }
  if (lines.build === "under way") return { problem: "The output ends early: cargo was still building." };
  if (lines.build === "unheard of" && lines.suites.length === 0) {
    return { problem: "The output holds no line of cargo's or libtest's JSON." };
  }
  return { value: createRustReport(lines, place) };
}

function applyCargoLine(lines: CargoTestOutput, told: RustLine, place: RunLocation): void {
  if (told.reason === "build-finished") lines.build = told.success === true ? "finished" : "failed";
  else if (lines.build === "unheard of") lines.build = "under way";
  lines.executables.push(...listCargoPrograms(told));
  const complaint = formatCompilerError(told, place);
  if (complaint === undefined) return;
  const target = told.target?.src_path ?? "";
  const others = lines.complaints.get(target) ?? [];
  if (others.length < 50 && !others.includes(complaint)) others.push(complaint);
  lines.complaints.set(target, others);
}

function formatCompilerError({ reason, message }: RustLine, place: RunLocation): string | undefined {
  if (reason !== "compiler-message" || typeof message !== "object" || !message.level.startsWith("error")) return;
  const at = message.spans.find(({ is_primary }) => is_primary);
  const where = at ? `${at.file_name}:${Number(at.line_start)}: ` : "";
  const code = message.code?.code === undefined ? "" : `[${message.code.code}]`;
  const label = at?.label === undefined ? "" : `: ${at.label}`;
  return cleanRunnerMessage(place, `${where}error${code}: ${message.message}${label}`).slice(0, 400);
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

const createRustOutcomes = (suite: LibtestSuite, source: string, place: RunLocation): TestOutcome[] =>
  [...suite.tests].map(([name, { event, ms, said }]) =>
    createTestOutcome(place, {
      ...nameRustTest(name, source, place),
      status: LIBTEST_STATUS[event],
      ms,
      said: event === "started" ? TEST_NEVER_ENDED : said,
    }),
  );

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

interface CargoTestProgram {
  readonly package: string;
  readonly kind: number;
  readonly target: string;
  readonly source: string;
  /** Doctests run after all programs. */
  readonly hasDoctests: boolean;
}

const CARGO_TARGET_KINDS = ["lib", "bin", "test", "bench", "example"];

function listCargoPrograms({ reason, target, profile, executable, package_id }: RustLine): CargoTestProgram[] {
  if (reason !== "compiler-artifact" || executable === undefined || !target || profile?.test !== true) return [];
  const kind = CARGO_TARGET_KINDS.findIndex((each) => each === target.kind[0]);
  return [
    {
      package: parseCargoPackageName(package_id),
      kind: Math.max(kind, 0),
      target: target.name,
      source: target.src_path,
      hasDoctests: target.doctest === true,
    },
  ];
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
function orderCargoSources(executables: readonly CargoTestProgram[], suites: number): readonly string[] | undefined {
  const doctests = executables.filter(({ hasDoctests }) => hasDoctests).length;
  if (executables.length > 1 && suites < executables.length + doctests) return undefined;
  return executables
    .toSorted(
      (a, b) => compareCargoNames(a.package, b.package) || a.kind - b.kind || compareCargoNames(a.target, b.target),
    )
    .map(({ source }) => source);
}

const compareCargoNames = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
