import { quote } from "./text-format.ts";

type PlainYamlScalar = string | number | boolean | null;
type PlainYamlMapping = { readonly [key: string]: PlainYamlNode };
export type PlainYamlNode = PlainYamlScalar | readonly PlainYamlNode[] | PlainYamlMapping;

/** Words that some parsers read as booleans or null. */
const AMBIGUOUS_YAML_WORDS = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** Quotes every text, so that all YAML parsers read it the same way. */
export const formatPlainYaml = (node: PlainYamlMapping, indent = ""): string =>
  Object.entries(node)
    .map(([key, value]) => {
      const text = formatYamlNode(value, `${indent}  `);
      return `${indent}${formatYamlKey(key)}:${isSingleLineNode(value) ? ` ${text}` : `\n${text}`}`;
    })
    .join("");

/** Quotes keys such as `1e3`, `2026-01-31` or `no`, which YAML does not read as text. */
const formatYamlKey = (key: string): string =>
  /^[A-Za-z_][\w-]*$/.test(key) && !AMBIGUOUS_YAML_WORDS.test(key) ? key : formatYamlScalar(key);

function formatYamlNode(node: PlainYamlNode, indent: string): string {
  if (node === null || typeof node !== "object") return `${formatYamlScalar(node)}\n`;
  if (isSingleLineNode(node)) return Array.isArray(node) ? "[]\n" : "{}\n";
  if (!Array.isArray(node)) return formatPlainYaml(node as PlainYamlMapping, indent);
  const items = node.map((item: PlainYamlNode) => formatYamlNode(item, `${indent}  `).trimStart());
  return items.map((item) => `${indent}- ${item}`).join("");
}

const isSingleLineNode = (value: PlainYamlNode): boolean =>
  value === null || typeof value !== "object" || Object.keys(value).length === 0;

/** JSON is valid YAML, except for characters that YAML requires to be escaped. */
const formatYamlScalar = (value: PlainYamlScalar): string =>
  JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** Far deeper than any record. Protects the reader against crafted files. */
const MAX_YAML_DEPTH = 60;
const YAML_KEY_PATTERN = /^[A-Za-z_][\w-]*(?=:(?: |$))/;
const YAML_NUMBER_PATTERN = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const YAML_KEYWORDS = new Map<string, PlainYamlNode>([
  ["null", null],
  ["true", true],
  ["false", false],
  ["[]", []],
  ["{}", {}],
]);

/** Reads `formatPlainYaml` output with edits by people: comments, blank lines, bare text. Linear; never throws. */
export function parsePlainYaml(
  text: string,
): { readonly value: PlainYamlMapping } | { readonly problem: string; readonly line: number } {
  try {
    return { value: new PlainYamlParser(text).document() };
  } catch (error) {
    if (error instanceof PlainYamlError) return { problem: error.message, line: error.line };
    throw error;
  }
}

class PlainYamlError extends Error {
  readonly line: number;
  constructor({ line }: Pick<PlainYamlLine, "line">, problem: string) {
    super(problem);
    this.line = line;
  }
}

interface PlainYamlLine {
  readonly line: number;
  readonly indent: number;
  readonly text: string;
}

class PlainYamlParser {
  readonly #lines: PlainYamlLine[];
  #next = 0;

  constructor(text: string) {
    this.#lines = text.split(/\r\n|\n|\r/).flatMap((raw, i) => {
      const indent = raw.search(/[^ ]/);
      const said = indent < 0 ? "" : raw.slice(indent);
      return isBlankOrComment(said) || said.startsWith("#") ? [] : [{ line: i + 1, indent, text: said }];
    });
  }

  document(): PlainYamlMapping {
    return this.#lines.length === 0 ? {} : this.#mapping(0, 1);
  }

  #peek(): PlainYamlLine | undefined {
    return this.#lines[this.#next];
  }

  #block(indent: number, depth: number): PlainYamlNode {
    const line = this.#peek();
    if (line && depth > MAX_YAML_DEPTH)
      throw new PlainYamlError(line, `It is nested more than ${MAX_YAML_DEPTH} deep.`);
    if (line && isYamlListItem(line)) return this.#sequence(indent, depth);
    return this.#mapping(indent, depth);
  }

  #mapping(indent: number, depth: number): PlainYamlMapping {
    const entries = new Map<string, PlainYamlNode>();
    for (let line = this.#peek(); line && line.indent >= indent; line = this.#peek()) {
      requireYamlIndent(line, indent);
      const found = parseYamlKey(line);
      if (!found)
        throw new PlainYamlError(line, `${quote(line.text, 60)} is not a key with a value: write key: "value".`);
      if (entries.has(found.key)) throw new PlainYamlError(line, `${quote(found.key, 60)} is there twice.`);
      this.#next++;
      entries.set(found.key, this.#valueOf(line, found.rest, depth));
    }
    return Object.fromEntries(entries);
  }

  #valueOf(line: PlainYamlLine, rest: string, depth: number): PlainYamlNode {
    if (!isBlankOrComment(rest)) return parseYamlScalar(line, rest.trimStart());
    const below = this.#peek();
    if (!below || below.indent <= line.indent) {
      throw new PlainYamlError(line, `${quote(line.text, 60)} has no value: write null, [], {} or a text in quotes.`);
    }
    return this.#block(line.indent + 2, depth + 1);
  }

  #sequence(indent: number, depth: number): readonly PlainYamlNode[] {
    const items: PlainYamlNode[] = [];
    for (let line = this.#peek(); line && line.indent >= indent; line = this.#peek()) {
      requireYamlIndent(line, indent);
      if (!isYamlListItem(line))
        throw new PlainYamlError(line, `${quote(line.text, 60)} is not a list item: begin it with "- ".`);
      items.push(this.#item(line, depth));
    }
    return items;
  }

  /** Reads the text after the dash as if it were on its own line. */
  #item(line: PlainYamlLine, depth: number): PlainYamlNode {
    const inner: PlainYamlLine = { line: line.line, indent: line.indent + 2, text: line.text.slice(2) };
    if (isYamlListItem(inner) || parseYamlKey(inner)) {
      this.#lines[this.#next] = inner;
      return this.#block(inner.indent, depth + 1);
    }
    this.#next++;
    return parseYamlScalar(inner, inner.text);
  }
}

function requireYamlIndent(line: PlainYamlLine, indent: number): void {
  if (line.indent === indent) return;
  throw new PlainYamlError(line, `It is indented by ${line.indent} spaces instead of ${indent}.`);
}

const isYamlListItem = ({ text }: PlainYamlLine): boolean => text.startsWith("- ");

function parseYamlKey(line: PlainYamlLine): { readonly key: string; readonly rest: string } | undefined {
  const { text } = line;
  if (!text.startsWith('"')) {
    const key = YAML_KEY_PATTERN.exec(text)?.[0];
    return key === undefined ? undefined : { key, rest: text.slice(key.length + 1) };
  }
  const end = findClosingQuote(text);
  if (end === undefined || !/^:(?: |$)/.test(text.slice(end, end + 2))) return undefined;
  return { key: parseQuotedYamlText(line, text.slice(0, end)), rest: text.slice(end + 1) };
}

function parseYamlScalar(line: PlainYamlLine, text: string): PlainYamlNode {
  if (text.startsWith('"')) {
    const end = findClosingQuote(text);
    if (end === undefined || !isBlankOrComment(text.slice(end))) {
      throw new PlainYamlError(line, `${quote(text, 60)} does not end with its quotes.`);
    }
    return parseQuotedYamlText(line, text.slice(0, end));
  }
  const comment = text.search(/[ \t]#/);
  const said = (comment < 0 ? text : text.slice(0, comment)).trimEnd();
  const word = YAML_KEYWORDS.get(said);
  if (word !== undefined) return word;
  if (YAML_NUMBER_PATTERN.test(said) && Number.isFinite(Number(said))) return Number(said);
  const isBare = /^[\p{L}_/][^\p{Cc}]*$/u.test(said);
  if (isBare && !AMBIGUOUS_YAML_WORDS.test(said) && !/:(?: |$)/.test(said)) return said;
  throw new PlainYamlError(line, `${quote(said, 60)} is ambiguous in YAML: put it in double quotes.`);
}

function findClosingQuote(text: string): number | undefined {
  for (let i = 1; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === '"') return i + 1;
  }
  return undefined;
}

function parseQuotedYamlText(line: PlainYamlLine, text: string): string {
  try {
    return JSON.parse(text) as string;
  } catch {
    const problem = `${quote(text, 60)} has a character that must be escaped, such as \\n or \\u0007.`;
    throw new PlainYamlError(line, problem);
  }
}

const isBlankOrComment = (rest: string): boolean => rest.trimEnd() === "" || /^[ \t]+#/.test(rest);
