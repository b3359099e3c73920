import { SaxesParser } from "saxes";
import {
  formatReportedFile,
  cleanRunnerMessage,
  createTestOutcome,
  stripTerminalColours,
  type RunLocation,
  type ReportReading,
  type LoadFailure,
  type TestOutcome,
  type TestReport,
} from "./test-report.ts";

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
  return createTestOutcome(place, {
    file: attributes.has("file") ? formatReportedFile(place, file) : file,
    name: [...listJunitSuites(attributes, around), attributes.get("name") ?? ""].join(" > "),
    status: complaint ? "failed" : isSkipped ? "skipped" : "passed",
    ms: 1000 * Number.parseFloat(attributes.get("time") ?? ""),
    said: complaint && formatJunitFailure(complaint),
  });
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

/** A string returned by `open` stops the parser and becomes the problem. */
export interface XmlListener {
  open(name: string, attributes: ReadonlyMap<string, string>): string | void;
  close(name: string): void;
  text(text: string): void;
}

const MAX_XML_DEPTH = 32;
const MAX_XML_ATTRIBUTES = 64;

/** Errors of the parser that stop it. Runners get other rules of XML wrong, and their reports are read all the same. */
const XML_ERRORS: readonly (readonly [RegExp, string])[] = [
  [/root element|^unclosed|unexpected end/, "The XML ends early."],
  [/only one root/, "The XML has two roots."],
  [/outside of root/, "The XML has text outside its root."],
  [/clos(?:e|ing) tag/, "The XML closes what is not open."],
  [/entity/, "The XML has an entity that is not known."],
  [/^duplicate attribute|^disallowed character\.$/, "The XML has a broken attribute."],
  [/tag name|opening tag|attribute/, "The XML has a broken tag."],
];

class XmlSyntaxError extends Error {}

/**
 * Parses XML in one pass. Rejects a document type, so a report cannot define or fetch entities. Returns the problem, if
 * any.
 */
export function parseXml(text: string, listener: XmlListener): string | undefined {
  // Version 1.1 allows references to control characters, which runners write for colours.
  const parser = new SaxesParser({ position: false, defaultXMLVersion: "1.1", forceXMLVersion: true });
  let depth = 0;
  const refuse = (problem: string | void): void => {
    if (typeof problem === "string") throw new XmlSyntaxError(problem);
  };
  parser.on("error", ({ message }) => refuse(XML_ERRORS.find(([pattern]) => pattern.test(message))?.[1]));
  parser.on("doctype", () => refuse("The XML declares a document type, which is not read."));
  parser.on("opentag", ({ name, attributes }) => {
    const entries = Object.entries(attributes);
    if ((depth += 1) > MAX_XML_DEPTH) refuse(`The XML is more than ${MAX_XML_DEPTH} levels deep.`);
    if (entries.length > MAX_XML_ATTRIBUTES) refuse("The XML has a broken attribute.");
    refuse(listener.open(name, new Map(entries)));
  });
  parser.on("closetag", ({ name }) => {
    depth -= 1;
    listener.close(name);
  });
  const hearText = (words: string): void => {
    if (depth > 0) listener.text(words);
  };
  parser.on("text", hearText);
  parser.on("cdata", hearText);
  try {
    parser.write(removeControlCharacters(text)).close();
    return undefined;
  } catch (error) {
    if (error instanceof XmlSyntaxError) return error.message;
    throw error;
  }
}

/** XML has none, but test output has. */
const removeControlCharacters = (text: string): string =>
  stripTerminalColours(text)
    .replace(/[^\P{Cc}\t\n\r]|[\uFFFE\uFFFF]/gu, "")
    .toWellFormed();
