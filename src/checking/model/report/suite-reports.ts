import * as z from "zod/mini";
import {
  cleanRunnerMessage,
  createTestOutcome,
  formatReportedFile,
  iterateReportLines,
  lenient,
  type LoadFailure,
  parseReportJson,
  replaceInvalid,
  type ReportReading,
  type RunLocation,
  type TestOutcome,
  type TestReport,
} from "./test-report.ts";
import { parseXml } from "./xml-parser.ts";

const RSPEC_STATUS = { passed: "passed", failed: "failed", pending: "skipped" } as const;

const RspecReport = z.object({
  examples: z.array(
    z.object({
      full_description: z.string(),
      status: z.enum(Object.keys(RSPEC_STATUS) as (keyof typeof RSPEC_STATUS)[]),
      file_path: z.string(),
      run_time: lenient(z.number()),
      exception: lenient(z.object({ class: lenient(z.string()), message: lenient(z.string()) })),
    }),
  ),
  messages: replaceInvalid(z.array(z.string()), []),
});

/** RSpec names a test by all its words in a row: `User#initials takes first letters`. */
export function readRspecReport(text: string, place: RunLocation): ReportReading<TestReport> {
  const report = parseReportJson(text, RspecReport);
  if (!report) return { problem: "The report is not a complete JSON object with RSpec's `examples`." };
  const tests = report.examples.map((one) =>
    createTestOutcome(place, {
      file: formatReportedFile(place, one.file_path),
      name: one.full_description,
      status: RSPEC_STATUS[one.status],
      ms: one.run_time === undefined ? undefined : 1000 * one.run_time,
      said: one.exception && `${one.exception.class ?? "Error"}: ${(one.exception.message ?? "").trim()}`,
    }),
  );
  const failures = report.messages.flatMap((message): LoadFailure[] => {
    const [, file] = /An error occurred (?:while loading|in a \S+ hook for) (\S+\.rb)/.exec(message) ?? [];
    if (file === undefined) return [];
    const [, type = "", said = ""] = /^([A-Z]\w*(?:::\w+)*):\s*\n\s*([^\n]*)/m.exec(message) ?? [];
    const summary = type === "" ? message : `${type}: ${said}`;
    return [{ file: formatReportedFile(place, file), message: cleanRunnerMessage(place, summary) }];
  });
  return { value: { tests, failures } };
}

const MINITEST_STATUS = { ".": "passed", F: "failed", E: "failed", S: "skipped" } as const;
const MINITEST_LINE = /^(\S.*?)#(test_.+) = \d+\.\d\d s = ([.FES])$/;
const MINITEST_START = /^(\S.*?)#(test_(?:\d{4}_.+?|\S+)) = /;
const MINITEST_END = /(?:^|\s)\d+\.\d\d s = ([.FES])$/;
const MINITEST_SUMMARY = /^\d+ runs, \d+ assertions, /m;
const MINITEST_TOTALS = /^(\d+) runs, \d+ assertions, (\d+) failures, (\d+) errors, (\d+) skips/gm;

/** The output of minitest with `--verbose`. A test can print lines that look like minitest's, so the counts must match. */
export function readMinitestReport(output: string, place: RunLocation): ReportReading<TestReport> {
  const said = collectMinitestFailures(output);
  const tests: TestOutcome[] = [];
  const counts = { ".": 0, F: 0, E: 0, S: 0 };
  let open: RegExpExecArray | null = null;
  for (const [line] of iterateReportLines(output)) {
    const whole = MINITEST_LINE.exec(line);
    // A test that prints something separates its name from its result.
    const start = whole ?? open;
    open = MINITEST_START.exec(line) ?? open;
    const sign = MINITEST_END.exec(line)?.[1];
    if (sign === undefined || start === null) continue;
    open = null;
    const [, suite = "", method = ""] = start;
    const result = sign as keyof typeof MINITEST_STATUS;
    counts[result] += 1;
    const isSpec = /^test_\d{4}_/.test(method);
    tests.push(
      createTestOutcome(place, {
        file: suite,
        name: `${isSpec ? suite.replaceAll("::", " > ") : suite} > ${method.replace(/^test_\d{4}_/, "")}`,
        status: MINITEST_STATUS[result],
        said: said.get(`${suite}#${method}`),
      }),
    );
  }
  const totals = [...output.matchAll(MINITEST_TOTALS)].map((found) => found.slice(1).map(Number));
  if (totals.length === 0)
    return { problem: "The output has no summary of minitest. Tenon reads the output of --verbose." };
  const sum = (at: number): number => totals.reduce((all, one) => all + (one[at] ?? 0), 0);
  const isWhole = sum(0) === tests.length && sum(1) === counts.F && sum(2) === counts.E && sum(3) === counts.S;
  if (!isWhole) return { problem: `Minitest counts ${sum(0)} runs, but the output names ${tests.length} tests.` };
  return { value: { tests, failures: [] } };
}

/** The first lines of each failure, by class and method, with the kind of error that minitest leaves out. */
function collectMinitestFailures(output: string): Map<string, string> {
  const found = output.matchAll(
    /^ {1,6}\d+\) (Failure|Error):\n(.+?#test_.*?)(?: \[[^\]\n]*\])?:\n((?:(?! {1,6}\d+\) |\d+ runs, ).*\n){0,20})/gm,
  );
  return new Map(
    [...found].map(([, kind, name = "", text = ""]) => [
      name,
      `${kind === "Failure" ? "Minitest::Assertion: " : ""}${text.trim()}`,
    ]),
  );
}

/** Such a file ends the run before its summary. Rake prints the error first if its own task loads the tests. */
export function findRubyLoadFailures(output: string, place: RunLocation): LoadFailure[] {
  const raised = /^(?:\S.*?: )?(?<text>.*) \((?<kind>(?:[A-Z]\w*::)*[A-Z]\w*(?:Error|Exception))\)$/m.exec(output);
  const error =
    raised ?? /^rake aborted!\n(?<kind>(?:[A-Z]\w*::)*[A-Z]\w*(?:Error|Exception)): (?<text>.*)$/m.exec(output);
  if (!error || MINITEST_SUMMARY.test(output)) return [];
  const { kind = "", text = "" } = error.groups ?? {};
  const trace = [error[0], ...output.slice(error.index).split("\n").slice(0, 60)].join("\n");
  const files = [...trace.matchAll(/(?:^|\s|from )(\/?[^\s:]+\.rb):\d+/g)].map(([, file = ""]) => file);
  const own = files.map((file) => formatReportedFile(place, file)).find((file) => /(?:^|\/)(?:test|spec)\//.test(file));
  const message = `${kind}: ${text.replace(/^.*?in [`'].*?': /, "")}`;
  return own === undefined || own.startsWith("/") ? [] : [{ file: own, message: cleanRunnerMessage(place, message) }];
}

const TRX_STATUS: Readonly<Partial<Record<string, TestOutcome["status"]>>> = {
  Passed: "passed",
  PassedButRunAborted: "passed",
  Failed: "failed",
  Error: "failed",
  Timeout: "failed",
  Aborted: "failed",
  NotExecuted: "skipped",
  Inconclusive: "skipped",
};

/** Visual Studio's test results, as `dotnet test --logger trx` writes them. */
export function readTrxReport(text: string, place: RunLocation): ReportReading<TestReport> {
  const classes = new Map<string, string>();
  const results: { id: string; name: string; outcome: string; ms: number; said: string[] }[] = [];
  const open: string[] = [];
  let unit = "";
  const problem = parseXml(text, {
    open(name, attributes) {
      if (open.length === 0 && name !== "TestRun") return "The XML is not a TRX report.";
      open.push(name);
      const get = (key: string): string => attributes.get(key) ?? "";
      if (name === "UnitTest") unit = get("id");
      else if (name === "TestMethod") classes.set(unit, get("className").split(",")[0] ?? "");
      else if (name === "UnitTestResult")
        results.push({
          id: get("testId"),
          name: get("testName"),
          outcome: get("outcome"),
          ms: parseTrxDuration(get("duration")),
          said: [],
        });
    },
    close() {
      open.pop();
    },
    text(words) {
      if (open.at(-1) === "Message" && open.includes("ErrorInfo")) results.at(-1)?.said.push(words);
    },
  });
  if (problem !== undefined) return { problem };
  const unknown = results.find(({ outcome }) => TRX_STATUS[outcome] === undefined);
  if (unknown) return { problem: `A test has the unknown outcome ${unknown.outcome.slice(0, 40)}.` };
  const tests = results.map(({ id, name, outcome, ms, said }) => {
    const suite = classes.get(id) ?? "";
    const method = name.startsWith(`${suite}.`) ? name.slice(suite.length + 1) : name;
    // The arguments of a theory: `Adds(a: 1, b: 2)`.
    const own = method.replace(
      /^(\w{1,300})\((.*)\)$/s,
      (_, bare: string, given: string) => `${bare}[${given.replaceAll(/[[\]]/g, "").slice(0, 250)}]`,
    );
    const names = [...(suite.split(".").at(-1) ?? "").split("+"), own];
    const status = TRX_STATUS[outcome] ?? "failed";
    return createTestOutcome(place, { file: suite, name: names.join(" > "), status, ms, said: said.join("").trim() });
  });
  return { value: { tests, failures: [] } };
}

const parseTrxDuration = (duration: string): number => {
  const [hours = 0, minutes = 0, seconds = 0] = duration.split(":").map(Number);
  return 1000 * (60 * (60 * hours + minutes) + seconds);
};
