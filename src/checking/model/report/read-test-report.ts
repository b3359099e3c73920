import * as z from "zod/mini";
import { getPathFolder } from "#kernel/model/folder-path.ts";
import { findBuildFailures } from "./build-failures.ts";
import { readGoReport, readRustReport } from "./event-reports.ts";
import { findRubyLoadFailures, readMinitestReport, readRspecReport, readTrxReport } from "./suite-reports.ts";
import { parseXml } from "./xml-parser.ts";
import { readTapReport } from "./tap-report.ts";
import {
  type RunLocation,
  type ReportReading,
  checkReportSize,
  type TestFormat,
  type TestReport,
  formatReportedFile,
  cleanRunnerMessage,
  createTestOutcome,
  lenient,
  replaceInvalid,
  parseReportJson,
  type LoadFailure,
  type TestOutcome,
} from "./test-report.ts";

const TEST_REPORT_READERS: Readonly<
  Record<TestFormat, (text: string, place: RunLocation) => ReportReading<TestReport>>
> = {
  "vitest-json": readJavascriptReport,
  "jest-json": readJavascriptReport,
  "junit-xml": readJunitReport,
  "go-json": readGoReport,
  "libtest-json": readRustReport,
  "junit-java": (text, place) => readJunitReport(text, place, describeJavaCase),
  "phpunit-xml": (text, place) => readJunitReport(text, place, describePhpCase),
  trx: readTrxReport,
  "rspec-json": readRspecReport,
  minitest: readMinitestReport,
  tap: readTapReport,
};

const MAX_REPORTED_NAME = 1_000;
const MAX_REPORTED_TESTS = 100_000;

export function readTestReport(format: TestFormat, text: string, place: RunLocation): ReportReading<TestReport> {
  const problem = checkReportSize(text);
  if (problem !== undefined) return { problem };
  const read = TEST_REPORT_READERS[format](text, place);
  if ("problem" in read) return read;
  const { tests, failures } = read.value;
  if (tests.length > MAX_REPORTED_TESTS)
    return { problem: `The report has more than ${MAX_REPORTED_TESTS.toLocaleString("en")} tests.` };
  return {
    value: {
      tests: tests.map((test) => ({ ...test, file: limitReportedName(test.file), name: limitReportedName(test.name) })),
      failures: failures.map((failure) => ({ ...failure, file: limitReportedName(failure.file) })),
    },
  };
}

/** A test file that does not load may leave no report; then the output of the failed run names it. */
export function readTestReports(
  format: TestFormat,
  texts: readonly string[],
  output: string,
  place: RunLocation,
): ReportReading<TestReport> | undefined {
  const rejected = findRejectedFiles(format, output, place);
  if (texts.length + rejected.length === 0) return undefined;
  const all = { tests: [] as TestOutcome[], failures: [...rejected] };
  for (const text of texts) {
    const read = readTestReport(format, text, place);
    if ("problem" in read && rejected.length === 0) return read;
    if ("problem" in read) continue;
    all.tests.push(...read.value.tests);
    all.failures.push(...read.value.failures);
  }
  return { value: all };
}

function findRejectedFiles(format: TestFormat, output: string, place: RunLocation): LoadFailure[] {
  if (format === "minitest") return findRubyLoadFailures(output, place);
  return format === "junit-java" || format === "trx" || format === "phpunit-xml"
    ? findBuildFailures(output, place)
    : [];
}

const limitReportedName = (name: string): string => name.slice(0, MAX_REPORTED_NAME).toWellFormed();

/** Most runners name the file; Go a package's folder, Rust a program's root; Java, C# and minitest the class. */
export function canReportFile(format: TestFormat, file: string, path: string): boolean {
  if (file === path) return true;
  // AVA does not name the file.
  if (format === "tap") return file === "";
  if (format === "go-json") return file === getPathFolder(path);
  if (format in CLASS_FILE_ENDINGS) return isClassFile(format, file, path);
  if (format !== "libtest-json") return false;
  if (!file.endsWith(".rs")) return file === "." || path.startsWith(`${file}/`);
  const root = /^(.*\/)?(?:lib|main|mod)\.rs$/.exec(file);
  return root !== null && path.startsWith(root[1] ?? "") && path.endsWith(".rs");
}

const CLASS_FILE_ENDINGS: Readonly<Partial<Record<TestFormat, RegExp>>> = {
  "junit-java": /\.(?:java|kt|groovy|scala)$/,
  trx: /\.cs$/,
  minitest: /\.rb$/,
};

/** Only Java requires the class and its file to have the same name. */
function isClassFile(format: TestFormat, name: string, path: string): boolean {
  if (CLASS_FILE_ENDINGS[format]?.test(path) !== true || name.includes("/")) return false;
  return !path.endsWith(".java") || `/${path}`.endsWith(`/${name.replaceAll(".", "/")}.java`);
}

const JAVASCRIPT_STATUS = {
  passed: "passed",
  failed: "failed",
  skipped: "skipped",
  pending: "skipped",
  todo: "skipped",
  disabled: "skipped",
} as const;

const textArray = replaceInvalid(z.array(z.string()), []);
const JavascriptTests = z.array(
  z.object({
    title: z.string(),
    status: z.enum(Object.keys(JAVASCRIPT_STATUS) as (keyof typeof JAVASCRIPT_STATUS)[]),
    ancestorTitles: textArray,
    duration: lenient(z.number()),
    failureMessages: textArray,
  }),
);
const JavascriptFile = z.object({
  name: z.string(),
  status: lenient(z.string()),
  message: lenient(z.string()),
  assertionResults: z.array(z.unknown()),
});

/** vitest and jest write the same JSON. */
function readJavascriptReport(text: string, place: RunLocation): ReportReading<TestReport> {
  const report = parseReportJson(text, z.object({ testResults: z.array(z.unknown()) }));
  if (!report) return { problem: "The report is not a complete JSON object with `testResults`." };
  const tests: TestOutcome[] = [];
  const failures: LoadFailure[] = [];
  for (const result of report.testResults) {
    const { data, error } = z.safeParse(JavascriptFile, result);
    if (!data) {
      const isObject = error.issues.some(({ path }) => path.length > 0);
      return {
        problem: `One of \`testResults\` ${isObject ? "has no `name` or no `assertionResults`" : "is not an object"}.`,
      };
    }
    const file = formatReportedFile(place, data.name);
    const cases = z.safeParse(JavascriptTests, data.assertionResults);
    if (!cases.success) {
      const isObject = cases.error.issues[0]?.path.length === 2;
      return { problem: `A test of ${file} ${isObject ? "has no title or an unknown status" : "is not an object"}.` };
    }
    const isBroken = data.status === "failed" && !cases.data.some(({ status }) => status === "failed");
    if (isBroken) {
      // Jest puts a heading above a load error and indents the rest.
      const own = /^\s*● Test suite failed to run\s*\n([^]*)$/.exec(data.message ?? "")?.[1];
      const message = own?.replace(/^ {4}/gm, "") ?? data.message ?? "";
      failures.push({ file, message: cleanRunnerMessage(place, message) });
    }
    for (const { title, status, ancestorTitles, duration, failureMessages } of cases.data) {
      const name = [...ancestorTitles.filter((suite) => suite !== ""), title].join(" > ");
      const said = failureMessages.join("\n\n");
      tests.push(createTestOutcome(place, { file, name, status: JAVASCRIPT_STATUS[status], ms: duration, said }));
    }
  }
  return { value: { tests, failures } };
}

interface JunitCase {
  readonly attributes: ReadonlyMap<string, string>;
  readonly around: readonly string[];
  complaint?: JunitFailure;
  isSkipped: boolean;
}

interface JunitFailure {
  readonly attributes: ReadonlyMap<string, string>;
  readonly body: string[];
}

/** JUnit XML of many runners. With `junit_family=xunit1` pytest names the file of each test. */
function readJunitReport(
  text: string,
  place: RunLocation,
  describeCase: JunitDialect = describeJunitCase,
): ReportReading<TestReport> {
  const tests: TestOutcome[] = [];
  const failures: LoadFailure[] = [];
  const open: string[] = [];
  const around: string[] = [];
  let current: JunitCase | undefined;
  const problem = parseXml(text, {
    open(name, attributes) {
      if (open.length === 0 && !["testsuites", "testsuite"].includes(name)) return "The XML is not a JUnit report.";
      open.push(name);
      if (name === "testsuite") around.push(attributes.get("name") ?? "");
      if (name === "testcase") current = { attributes, around: [...around], isSkipped: false };
      else if (name === "skipped" && current) current.isSkipped = true;
      else if (isFailureElement(name) && current) {
        current.complaint ??= { attributes, body: [] };
        current.complaint.body.push("\n");
      }
    },
    close(name) {
      open.pop();
      if (name === "testsuite") around.pop();
      if (name !== "testcase" || !current) return;
      const { attributes, complaint } = current;
      // pytest reports a file that it could not collect as a test without a class.
      if (complaint?.attributes.get("message") === "collection failure") {
        const body = complaint.body.join("");
        const errors = [...body.matchAll(/^E {0,3}(.*)$/gm)].map(([, line = ""]) => line);
        const file = formatReportedFile(place, attributes.get("file") ?? attributes.get("name") ?? "");
        failures.push({ file, message: cleanRunnerMessage(place, errors.length > 0 ? errors.join("\n") : body) });
      } else tests.push(createJunitOutcome(current, place, describeCase));
      current = undefined;
    },
    text(words) {
      if (isFailureElement(open.at(-1) ?? "")) current?.complaint?.body.push(words);
    },
  });
  return problem === undefined ? { value: { tests, failures } } : { problem };
}

const isFailureElement = (name: string): boolean => name === "failure" || name === "error";

type JunitDialect = (
  attributes: ReadonlyMap<string, string>,
  around: readonly string[],
  place: RunLocation,
) => Pick<TestOutcome, "file"> & { readonly names: readonly string[] };

function createJunitOutcome(
  { attributes, around, complaint, isSkipped }: JunitCase,
  place: RunLocation,
  describeCase: JunitDialect,
): TestOutcome {
  const { file, names } = describeCase(attributes, around, place);
  return createTestOutcome(place, {
    file,
    name: names.join(" > "),
    status: complaint ? "failed" : isSkipped ? "skipped" : "passed",
    ms: 1000 * Number.parseFloat(attributes.get("time") ?? ""),
    said: complaint && formatJunitFailure(complaint),
  });
}

const describeJunitCase: JunitDialect = (attributes, around, place) => {
  const file = attributes.get("file") ?? attributes.get("classname") ?? "";
  return {
    file: attributes.has("file") ? formatReportedFile(place, file) : file,
    names: [...listJunitSuites(attributes, around), attributes.get("name") ?? ""],
  };
};

/** Surefire and Gradle name a class and a method, with its parameters: `each(String)[1]`. */
const describeJavaCase: JunitDialect = (attributes) => {
  const [outer = "", ...inner] = (attributes.get("classname") ?? "").split("$");
  const method = (attributes.get("name") ?? "").replace(/^([\w$]{1,200})(?:\([^()]{0,500}\)|\{[^{}]{0,500}\})/, "$1");
  return { file: outer, names: [outer.split(".").at(-1) ?? "", ...inner, method] };
};

/** PHPUnit appends the data set to the name. Pest appends the test to the file. */
const describePhpCase: JunitDialect = (attributes, around, place) => {
  const [file = "", pest] = (attributes.get("file") ?? "").split("::");
  const name = attributes.get("name") ?? "";
  const parts = name.split(" → ").map((part) => part.replace(/^`(.*)`$/, "$1"));
  const own = pest === undefined ? [name] : [...parts.slice(0, -1), (parts.at(-1) ?? "").replace(/^it /, "")];
  const suite = pest === undefined ? [(attributes.get("classname") ?? "").split(".").at(-1) ?? ""] : [];
  return {
    file: formatReportedFile(place, file),
    names: [...suite, ...own].map((part) => part.replace(/ with data set (.{1,250})$/s, "[$1]")),
  };
};

/** The part of `classname` beyond the module that `file` names. */
function listJunitSuites(attributes: ReadonlyMap<string, string>, around: readonly string[]): readonly string[] {
  const file = attributes.get("file");
  const classname = attributes.get("classname") ?? "";
  if (file === undefined || classname === "" || classname === file) return [];
  const module = file.replace(/\.\w+$/, "").replaceAll("/", ".");
  if (classname === module) return [];
  // Node nests suites. It uses all their names, or always `test`, as the class name.
  if (classname === "test" || classname === around.join(".")) return around;
  return classname.startsWith(`${module}.`) ? classname.slice(module.length + 1).split(".") : [classname];
}

/** Node reports every failure as its own error type, with the thrown error as the cause. */
const NODE_ERROR_CAUSE = /failureType: 'testCodeFailure',\n\s+cause: (\w{1,80}Error)\b/;

const PYTHON_FRAME = /^ *File "[^"\n]{1,300}", line \d+, in .*$/gm;

/** The last line keeps the position and error type with which pytest ends its texts, or the last frame of Python. */
function formatJunitFailure({ attributes, body }: JunitFailure): string {
  const text = body.join("").trim();
  const cause = NODE_ERROR_CAUSE.exec(text)?.[1];
  const type = cause ?? attributes.get("type") ?? "";
  const said = attributes.get("message") ?? "";
  // Node describes the difference in the lines below the first.
  const message = cause === undefined ? said : said.replaceAll(/\s*\n\s*/g, " ");
  const begin = message === "" ? text.slice(0, 1500) : message.slice(0, 1500);
  const kind = type !== "" && !begin.startsWith(type) ? `${type}: ` : "";
  const end =
    /(?:^|\n)([^\n]{1,200}:\d+: [A-Za-z_.]{1,80})$/.exec(text.slice(-300))?.[1] ?? text.match(PYTHON_FRAME)?.at(-1);
  return end === undefined || begin.endsWith(end) ? `${kind}${begin}` : `${kind}${begin}\n${end}`;
}
