import {
  fileIn,
  isObject,
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
import { type Executable, executableOf, inOrderOfRunning } from "./cargo.ts";
import type { LoadFailure, TestOutcome, TestReport } from "./tests.ts";

const MOST_SAID = 20_000;

interface Suite {
  readonly tests: Map<string, Told>;
  readonly count: unknown;
  hasEnded: boolean;
}

interface Told {
  readonly event: "started" | "ok" | "failed" | "ignored";
  readonly seconds?: unknown;
  readonly said: string;
}

interface Lines {
  readonly executables: Executable[];
  readonly complaints: Map<string, string[]>;
  readonly suites: Suite[];
  build: "unheard of" | "under way" | "finished" | "failed";
}

/** Output of `cargo test --message-format=json -- -Z unstable-options --format json`: cargo's lines, then libtest's. */
export function readLibtest(text: string, place: Place): Reading<TestReport> {
  const lines: Lines = { executables: [], complaints: new Map(), suites: [], build: "unheard of" };
  let tests = 0;
  for (const [line] of linesOf(text)) {
    // Output that a test prints past its harness appears between the lines.
    const told = line.startsWith("{") ? objectIn(line) : undefined;
    if (told === undefined) continue;
    if (typeof told["reason"] === "string") takeCargo(lines, told, place);
    const problem = takeLibtest(lines, told) ?? tooMany(told["event"] === "started" ? (tests += 1) : tests);
    if (problem !== undefined) return { problem };
  }
  if (lines.build === "under way") return { problem: "The output ends early: cargo was still building." };
  if (lines.build === "unheard of" && lines.suites.length === 0) {
    return { problem: "The output holds no line of cargo's or libtest's JSON." };
  }
  return { value: reportOf(lines, place) };
}

function takeCargo(lines: Lines, told: Record<string, unknown>, place: Place): void {
  if (told["reason"] === "build-finished") lines.build = told["success"] === true ? "finished" : "failed";
  else if (lines.build === "unheard of") lines.build = "under way";
  const executable = executableOf(told);
  if (executable) lines.executables.push(executable);
  const complaint = complaintOf(told, place);
  if (complaint === undefined) return;
  const target = isObject(told["target"]) ? (textOf(told["target"]["src_path"]) ?? "") : "";
  const others = lines.complaints.get(target) ?? [];
  if (others.length < 50 && !others.includes(complaint)) others.push(complaint);
  lines.complaints.set(target, others);
}

function complaintOf({ reason, message }: Record<string, unknown>, place: Place): string | undefined {
  if (reason !== "compiler-message" || !isObject(message) || !textOf(message["level"])?.startsWith("error")) return;
  const code = isObject(message["code"]) ? textOf(message["code"]["code"]) : undefined;
  const spans = Array.isArray(message["spans"]) ? message["spans"].filter(isObject) : [];
  const at = spans.find((span) => span["is_primary"] === true);
  const label = textOf(at?.["label"]);
  const where = at ? `${textOf(at["file_name"]) ?? ""}:${Number(at["line_start"])}: ` : "";
  const said = `${textOf(message["message"]) ?? ""}${label === undefined ? "" : `: ${label}`}`;
  return messageOf(place, `${where}error${code === undefined ? "" : `[${code}]`}: ${said}`).slice(0, 400);
}

function takeLibtest({ suites }: Lines, told: Record<string, unknown>): string | undefined {
  const { type, event, name } = told;
  if (type === "suite" && event === "started") {
    suites.push({ tests: new Map(), count: told["test_count"], hasEnded: false });
    return undefined;
  }
  const suite = suites.at(-1);
  if (!suite || suite.hasEnded) return undefined;
  if (type === "suite" && (event === "ok" || event === "failed")) return endSuite(suite, told);
  if (type !== "test" || typeof name !== "string") return undefined;
  if (event === "started" || event === "ok" || event === "failed" || event === "ignored") {
    const said = textOf(told["message"]) ?? complaintIn(textOf(told["stdout"]) ?? "");
    suite.tests.set(name, { event, seconds: told["exec_time"], said });
  }
  return undefined;
}

/** A test can print lines that look like the harness's, so the counts must match. */
function endSuite(suite: Suite, told: Record<string, unknown>): string | undefined {
  suite.hasEnded = true;
  const counts = { ok: 0, failed: 0, ignored: 0, started: 0 };
  for (const { event } of suite.tests.values()) counts[event] += 1;
  const { passed, failed, ignored } = told;
  if (passed === counts.ok && failed === counts.failed && ignored === counts.ignored) return undefined;
  const heard = `${counts.ok} passed, ${counts.failed} failed and ${counts.ignored} ignored`;
  return `A suite counts ${Number(passed)} passed, ${Number(failed)} failed and ${Number(ignored)} ignored tests, but ${heard} were told.`;
}

function reportOf({ executables, complaints, suites, build }: Lines, place: Place): TestReport {
  const files = inOrderOfRunning(executables, suites.length);
  const tests = suites.flatMap((suite, index) => outcomes(suite, files?.[index] ?? ".", place));
  const failures: LoadFailure[] = [...complaints].map(([target, said]) => ({
    file: fileIn(place, target),
    message: said.join("\n").slice(0, 2_000),
  }));
  if (build === "failed" && failures.length === 0) {
    failures.push({ file: fileIn(place, "."), message: "The build failed, and cargo does not say why." });
  }
  for (const [index, suite] of suites.entries()) {
    const isCut = !suite.hasEnded && ![...suite.tests.values()].some(({ event }) => event === "started");
    if (isCut) failures.push({ file: fileIn(place, files?.[index] ?? "."), message: "Its tests never ended." });
  }
  return { tests, failures };
}

const STATUS = { ok: "passed", failed: "failed", ignored: "skipped", started: "failed" } as const;

function outcomes(suite: Suite, source: string, place: Place): TestOutcome[] {
  return [...suite.tests].map(([name, { event, seconds, said }]) => {
    const status = STATUS[event];
    const told = { ...named(name, source, place), status, ...msOf(seconds, 1000) };
    if (status !== "failed") return told;
    return { ...told, message: messageOf(place, event === "started" ? NEVER_ENDED : said) };
  });
}

/** A doctest is named by its file: `src/user.rs - user::User::new (line 8)`. */
function named(name: string, source: string, place: Place): { file: string; name: string } {
  const [, file, rest] = /^(\S+\.(?:rs|md)) - (.*)$/s.exec(name) ?? [];
  if (file !== undefined && rest !== undefined) return { file: fileIn(place, file), name: rest };
  return { file: fileIn(place, source), name: name.split("::").join(" > ") };
}

/** Starts at the panic, after other output of the test, and drops the backtrace. */
function complaintIn(stdout: string): string {
  const panic = /^thread '.*' (?:\(\d+\) )?(?=panicked at )/m.exec(stdout);
  const said = panic ? stdout.slice(panic.index + panic[0].length) : stdout;
  return said.slice(0, MOST_SAID).replace(/\n(?:stack backtrace:\n|note: run with `RUST_BACKTRACE)[^]*$/, "");
}
