import {
  formatReportedFile,
  cleanRunnerMessage,
  readDuration,
  type RunLocation,
  type ReportReading,
  checkTestCount,
} from "./reading.ts";
import type { LoadFailure, TestOutcome, TestReport } from "./tests.ts";
import { parseXml } from "./xml.ts";

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

const JUNIT_ROOT_ELEMENTS = new Set(["testsuites", "testsuite"]);

/**
 * JUnit XML as written by pytest, Node and many others. With `junit_family=xunit1` pytest names the file of each test.
 */
export function readJunitReport(text: string, place: RunLocation): ReportReading<TestReport> {
  const tests: TestOutcome[] = [];
  const failures: LoadFailure[] = [];
  const open: string[] = [];
  const around: string[] = [];
  let current: JunitCase | undefined;
  const problem = parseXml(text, {
    open(name, attributes) {
      if (open.length === 0 && !JUNIT_ROOT_ELEMENTS.has(name)) return "The XML is no JUnit report.";
      open.push(name);
      if (name === "testsuite") around.push(attributes.get("name") ?? "");
      if (name === "testcase") current = { attributes, around: [...around], isSkipped: false };
      else if (name === "skipped" && current) current.isSkipped = true;
      else if (isFailureElement(name) && current) current.complaint ??= { attributes, body: [] };
      return checkTestCount(tests.length);
    },
    close(name) {
      open.pop();
      if (name === "testsuite") around.pop();
      if (name !== "testcase" || !current) return;
      const failure = readCollectionFailure(current, place);
      if (failure) failures.push(failure);
      else tests.push(createJunitOutcome(current, place));
      current = undefined;
    },
    text(words) {
      if (isFailureElement(open.at(-1) ?? "")) current?.complaint?.body.push(words);
    },
  });
  return problem === undefined ? { value: { tests, failures } } : { problem };
}

const isFailureElement = (name: string): boolean => name === "failure" || name === "error";

/** pytest reports a file that it could not collect as a test without a class. */
function readCollectionFailure({ attributes, complaint }: JunitCase, place: RunLocation): LoadFailure | undefined {
  if (complaint?.attributes.get("message") !== "collection failure") return undefined;
  const body = complaint.body.join("");
  const errors = [...body.matchAll(/^E {0,3}(.*)$/gm)].map(([, line = ""]) => line);
  return {
    file: formatReportedFile(place, attributes.get("file") ?? attributes.get("name") ?? ""),
    message: cleanRunnerMessage(place, errors.length > 0 ? errors.join("\n") : body),
  };
}

function createJunitOutcome({ attributes, around, complaint, isSkipped }: JunitCase, place: RunLocation): TestOutcome {
  const file = attributes.get("file") ?? attributes.get("classname") ?? "";
  return {
    file: attributes.has("file") ? formatReportedFile(place, file) : file,
    name: [...listJunitSuites(attributes, around), attributes.get("name") ?? ""].join(" > "),
    status: complaint ? "failed" : isSkipped ? "skipped" : "passed",
    ...readDuration(Number.parseFloat(attributes.get("time") ?? ""), 1000),
    ...(complaint ? { message: cleanRunnerMessage(place, formatJunitFailure(complaint)) } : {}),
  };
}

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

/** The last line keeps the position and error type with which pytest ends its texts. */
function formatJunitFailure({ attributes, body }: JunitFailure): string {
  const text = body.join("").trim();
  const cause = NODE_ERROR_CAUSE.exec(text)?.[1];
  const type = cause ?? attributes.get("type") ?? "";
  const said = attributes.get("message") ?? "";
  // Node describes the difference in the lines below the first.
  const message = cause === undefined ? said : said.replaceAll(/\s*\n\s*/g, " ");
  const begin = message === "" ? text.slice(0, 1500) : message.slice(0, 1500);
  const kind = type !== "" && !begin.startsWith(type) ? `${type}: ` : "";
  const end = /(?:^|\n)([^\n]{1,200}:\d+: [A-Za-z_.]{1,80})$/.exec(text.slice(-300))?.[1];
  return end === undefined || begin.endsWith(end) ? `${kind}${begin}` : `${kind}${begin}\n${end}`;
}
