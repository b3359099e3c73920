import {
  formatReportedFile,
  cleanRunnerMessage,
  readDuration,
  type RunLocation,
  type ReportReading,
  checkTestCount,
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

/** A string returned by `open` stops the parser and becomes the problem. */
export interface XmlListener {
  open(name: string, attributes: ReadonlyMap<string, string>): string | void;
  close(name: string): void;
  text(text: string): void;
}

const MAX_XML_DEPTH = 32;
const MAX_XML_ATTRIBUTES = 64;
const XML_NAME = /[A-Za-z_:][\w:.-]{0,255}/y;
const XML_SPACE = /\s*/y;
const XML_ATTRIBUTE = /\s+([A-Za-z_:][\w:.-]{0,255})\s*=\s*(["'])/y;
const XML_TAG_END = /\s*(\/?)>/y;
const XML_ENTITY = /&(?:#([0-9]{1,7})|#x([0-9a-fA-F]{1,6})|([a-z]{1,8}));|&/g;
const XML_ENTITY_CHARACTERS: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
]);

class XmlSyntaxError extends Error {}

/**
 * Parses XML in one pass: elements, attributes, text, CDATA and the five entities. Rejects a document type, so a report
 * cannot define or fetch entities. Returns the problem, if any.
 */
export function parseXml(text: string, listener: XmlListener): string | undefined {
  try {
    new XmlReader(text, listener).read();
    return undefined;
  } catch (error) {
    if (error instanceof XmlSyntaxError) return error.message;
    throw error;
  }
}

class XmlReader {
  readonly #text: string;
  readonly #listener: XmlListener;
  readonly #open: string[] = [];
  #at = 0;
  #hasRoot = false;

  constructor(text: string, listener: XmlListener) {
    this.#text = text;
    this.#listener = listener;
  }

  read(): void {
    if (this.#text.startsWith("\ufeff")) this.#at = 1;
    while (this.#at < this.#text.length) {
      const next = this.#text.indexOf("<", this.#at);
      const end = next === -1 ? this.#text.length : next;
      if (end > this.#at) this.#characters(decodeXmlEntities(this.#text.slice(this.#at, end)));
      this.#at = end;
      if (next !== -1) this.#markup();
    }
    if (!this.#hasRoot || this.#open.length > 0) throw new XmlSyntaxError("The XML ends early.");
  }

  #characters(text: string): void {
    if (this.#open.length > 0) this.#listener.text(text);
    else if (text.trim() !== "") throw new XmlSyntaxError("The XML has text outside its root.");
  }

  #markup(): void {
    const is = (start: string): boolean => this.#text.startsWith(start, this.#at);
    if (is("<?")) this.#upTo("<?", "?>");
    else if (is("<!--")) this.#upTo("<!--", "-->");
    else if (is("<![CDATA[")) this.#characters(this.#upTo("<![CDATA[", "]]>"));
    else if (is("<!")) throw new XmlSyntaxError("The XML declares a document type, which is not read.");
    else if (is("</")) this.#closing();
    else this.#opening();
  }

  #upTo(start: string, stop: string): string {
    const from = this.#at + start.length;
    const end = this.#text.indexOf(stop, from);
    if (end === -1) throw new XmlSyntaxError("The XML ends early.");
    this.#at = end + stop.length;
    return this.#text.slice(from, end);
  }

  #closing(): void {
    this.#at += 2;
    const name = this.#matched(XML_NAME)[0];
    this.#matched(XML_SPACE);
    if (this.#text[this.#at] !== ">" || this.#open.pop() !== name) {
      throw new XmlSyntaxError("The XML closes what is not open.");
    }
    this.#at += 1;
    this.#listener.close(name);
  }

  #opening(): void {
    this.#at += 1;
    const name = this.#matched(XML_NAME)[0];
    if (this.#open.length === 0 && this.#hasRoot) throw new XmlSyntaxError("The XML has two roots.");
    if (this.#open.length >= MAX_XML_DEPTH)
      throw new XmlSyntaxError(`The XML is more than ${MAX_XML_DEPTH} levels deep.`);
    this.#hasRoot = true;
    const refusal = this.#listener.open(name, this.#attributes());
    if (typeof refusal === "string") throw new XmlSyntaxError(refusal);
    const isEmpty = this.#matched(XML_TAG_END)[1] === "/";
    if (isEmpty) this.#listener.close(name);
    else this.#open.push(name);
  }

  #attributes(): Map<string, string> {
    const attributes = new Map<string, string>();
    for (let found = this.#tried(XML_ATTRIBUTE); found; found = this.#tried(XML_ATTRIBUTE)) {
      const [, name = "", quote = ""] = found;
      const end = this.#text.indexOf(quote, this.#at);
      if (end === -1) throw new XmlSyntaxError("The XML ends early.");
      const value = this.#text.slice(this.#at, end);
      if (value.includes("<") || attributes.has(name) || attributes.size >= MAX_XML_ATTRIBUTES) {
        throw new XmlSyntaxError("The XML has a broken attribute.");
      }
      attributes.set(name, decodeXmlEntities(value));
      this.#at = end + 1;
    }
    return attributes;
  }

  #tried(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found) this.#at += found[0].length;
    return found;
  }

  #matched(pattern: RegExp): RegExpExecArray {
    const found = this.#tried(pattern);
    if (!found) throw new XmlSyntaxError("The XML has a broken tag.");
    return found;
  }
}

function decodeXmlEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(XML_ENTITY, (_, decimal?: string, hexadecimal?: string, name?: string) => {
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number.parseInt(decimal, 10);
    if (code <= 0x10ffff) return String.fromCodePoint(code);
    const character = XML_ENTITY_CHARACTERS.get(name ?? "");
    if (character === undefined) throw new XmlSyntaxError("The XML has an entity that is not known.");
    return character;
  });
}
