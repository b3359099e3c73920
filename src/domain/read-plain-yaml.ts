import type { Node } from "./plain-yaml.ts";
import { quote } from "./quote.ts";

export type PlainYaml =
  | { readonly value: { readonly [key: string]: Node } }
  | { readonly problem: string; readonly line: number };

/** Far deeper than any record. Protects the reader against crafted files. */
const DEEPEST = 60;
const KEY = /^[A-Za-z_][\w-]*(?=:(?: |$))/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const PLAIN = /^[\p{L}_/][^\p{Cc}]*$/u;
/** Words that some parsers read as booleans or null. */
const DOUBTFUL = /^(?:true|false|null|yes|no|on|off|y|n)$/i;
const WORDS = new Map<string, Node>([
  ["null", null],
  ["true", true],
  ["false", false],
  ["[]", []],
  ["{}", {}],
]);

/**
 * Reads the output of `formatPlainYaml`. Also accepts comments, blank lines, other line ends and unambiguous bare text,
 * because people edit the files. Rejects all other YAML. Takes linear time and never throws.
 */
export function readPlainYaml(text: string): PlainYaml {
  try {
    return { value: new Reader(text).document() };
  } catch (error) {
    if (error instanceof Unreadable) return { problem: error.message, line: error.line };
    throw error;
  }
}

class Unreadable extends Error {
  readonly line: number;
  constructor({ line }: Pick<Line, "line">, problem: string) {
    super(problem);
    this.line = line;
  }
}

interface Line {
  readonly line: number;
  readonly indent: number;
  readonly text: string;
}

class Reader {
  readonly #lines: Line[];
  #next = 0;

  constructor(text: string) {
    this.#lines = text.split(/\r\n|\n|\r/).flatMap((raw, i) => {
      const indent = raw.search(/[^ ]/);
      const said = indent < 0 ? "" : raw.slice(indent);
      return isEmpty(said) || said.startsWith("#") ? [] : [{ line: i + 1, indent, text: said }];
    });
  }

  document(): { readonly [key: string]: Node } {
    return this.#lines.length === 0 ? {} : this.#mapping(0, 1);
  }

  #peek(): Line | undefined {
    return this.#lines[this.#next];
  }

  #block(indent: number, depth: number): Node {
    const line = this.#peek();
    if (line && depth > DEEPEST) throw new Unreadable(line, `It is nested more than ${DEEPEST} deep.`);
    if (line && isItem(line)) return this.#sequence(indent, depth);
    return this.#mapping(indent, depth);
  }

  #mapping(indent: number, depth: number): { readonly [key: string]: Node } {
    const entries = new Map<string, Node>();
    for (let line = this.#peek(); line && line.indent >= indent; line = this.#peek()) {
      refuseIndent(line, indent);
      const found = keyOf(line);
      if (!found)
        throw new Unreadable(line, `${quote(line.text, 60)} is no key with a value: write one as key: "value".`);
      if (entries.has(found.key)) throw new Unreadable(line, `${quote(found.key, 60)} is there twice.`);
      this.#next++;
      entries.set(found.key, this.#valueOf(line, found.rest, depth));
    }
    return Object.fromEntries(entries);
  }

  #valueOf(line: Line, rest: string, depth: number): Node {
    if (!isEmpty(rest)) return scalar(line, rest.trimStart());
    const below = this.#peek();
    if (!below || below.indent <= line.indent) {
      throw new Unreadable(line, `${quote(line.text, 60)} has no value: write null, [], {} or a text in quotes.`);
    }
    return this.#block(line.indent + 2, depth + 1);
  }

  #sequence(indent: number, depth: number): readonly Node[] {
    const items: Node[] = [];
    for (let line = this.#peek(); line && line.indent >= indent; line = this.#peek()) {
      refuseIndent(line, indent);
      if (!isItem(line))
        throw new Unreadable(line, `${quote(line.text, 60)} is no item of the list: begin it with "- ".`);
      items.push(this.#item(line, depth));
    }
    return items;
  }

  /** Reads the text after the dash as if it were on its own line. */
  #item(line: Line, depth: number): Node {
    const inner: Line = { line: line.line, indent: line.indent + 2, text: line.text.slice(2) };
    if (isItem(inner) || keyOf(inner)) {
      this.#lines[this.#next] = inner;
      return this.#block(inner.indent, depth + 1);
    }
    this.#next++;
    return scalar(inner, inner.text);
  }
}

function refuseIndent(line: Line, indent: number): void {
  if (line.indent === indent) return;
  throw new Unreadable(line, `It is indented by ${line.indent} spaces, where ${indent} are due.`);
}

const isItem = ({ text }: Line): boolean => text.startsWith("- ");

function keyOf(line: Line): { readonly key: string; readonly rest: string } | undefined {
  const { text } = line;
  if (!text.startsWith('"')) {
    const key = KEY.exec(text)?.[0];
    return key === undefined ? undefined : { key, rest: text.slice(key.length + 1) };
  }
  const end = endOfQuotes(text);
  if (end === undefined || !/^:(?: |$)/.test(text.slice(end, end + 2))) return undefined;
  return { key: unquoted(line, text.slice(0, end)), rest: text.slice(end + 1) };
}

function scalar(line: Line, text: string): Node {
  if (text.startsWith('"')) {
    const end = endOfQuotes(text);
    if (end === undefined || !isEmpty(text.slice(end))) {
      throw new Unreadable(line, `${quote(text, 60)} does not end with its quotes.`);
    }
    return unquoted(line, text.slice(0, end));
  }
  const said = withoutComment(text);
  const word = WORDS.get(said);
  if (word !== undefined) return word;
  if (NUMBER.test(said) && Number.isFinite(Number(said))) return Number(said);
  if (PLAIN.test(said) && !DOUBTFUL.test(said) && !/:(?: |$)/.test(said)) return said;
  throw new Unreadable(line, `${quote(said, 60)} may be read as something else: put it in double quotes.`);
}

function endOfQuotes(text: string): number | undefined {
  for (let i = 1; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === '"') return i + 1;
  }
  return undefined;
}

function unquoted(line: Line, text: string): string {
  try {
    return JSON.parse(text) as string;
  } catch {
    throw new Unreadable(
      line,
      `${quote(text, 60)} has something in its quotes that must be escaped, as \\n or \\u0007.`,
    );
  }
}

const isEmpty = (rest: string): boolean => rest.trimEnd() === "" || /^[ \t]+#/.test(rest);

function withoutComment(text: string): string {
  const comment = text.search(/[ \t]#/);
  return (comment < 0 ? text : text.slice(0, comment)).trimEnd();
}
