/** A value in JSON with comments and trailing commas, with its position in the text. */
export type JsoncNode = JsoncObject | JsoncArray | JsoncScalar;

interface JsoncRange {
  readonly start: number;
  readonly end: number;
}

export interface JsoncEntry extends JsoncRange {
  readonly value: JsoncNode;
  /** End of the comma after it; undefined without one. */
  readonly comma: number | undefined;
}

interface JsoncMember extends JsoncEntry {
  readonly key: string;
}

export interface JsoncObject extends JsoncRange {
  readonly kind: "object";
  readonly entries: readonly JsoncMember[];
}

export interface JsoncArray extends JsoncRange {
  readonly kind: "array";
  readonly entries: readonly JsoncEntry[];
}

interface JsoncScalar extends JsoncRange {
  readonly kind: "scalar";
  readonly value: string | number | boolean | null;
}

export interface JsoncDocument {
  /** Undefined for a text of only white space and comments. */
  readonly root: JsoncNode | undefined;
  readonly comments: readonly JsoncRange[];
}

/** Why a text is not JSON, and where. */
export class JsoncProblem extends Error {
  constructor(text: string, at: number, what: string) {
    const before = text.slice(0, at).split("\n");
    super(`line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${what}`);
    this.name = "JsoncProblem";
  }
}

const MAX_JSONC_DEPTH = 100;
const JSONC_BLANK = /[\t\n\r \uFEFF]*/y;
const JSONC_NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** Each character matches in only one way, so that an unterminated string fails fast. */
const JSONC_STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/sy;
const JSONC_LITERALS = { true: true, false: false, null: null } as const;

export function parseJsoncText(text: string): JsoncDocument {
  return new JsoncReader(text).document();
}

class JsoncReader {
  readonly #text: string;
  readonly #comments: JsoncRange[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): JsoncDocument {
    this.#skip();
    const root = this.#at < this.#text.length ? this.#value(0) : undefined;
    this.#skip();
    if (this.#at < this.#text.length) throw this.#problem("there is more after its end");
    return { root, comments: this.#comments };
  }

  #value(depth: number): JsoncNode {
    if (depth > MAX_JSONC_DEPTH) throw this.#problem("it is nested too deeply");
    const start = this.#at;
    const first = this.#text[start];
    if (first === "{") return { kind: "object", start, entries: this.#members(depth), end: this.#at };
    if (first === "[") return { kind: "array", start, entries: this.#items(depth), end: this.#at };
    if (first === '"') return { kind: "scalar", start, value: this.#string(), end: this.#at };
    for (const [word, value] of Object.entries(JSONC_LITERALS)) {
      if (!this.#text.startsWith(word, start)) continue;
      this.#at += word.length;
      return { kind: "scalar", start, value, end: this.#at };
    }
    const number = this.#match(JSONC_NUMBER);
    if (number === undefined) throw this.#problem("a value is missing");
    return { kind: "scalar", start, value: Number(number), end: this.#at };
  }

  #members(depth: number): JsoncMember[] {
    return this.#list("}", (start): JsoncMember => {
      if (this.#text[start] !== '"') throw this.#problem("a name in quotes is missing");
      const key = this.#string();
      this.#skip();
      if (this.#text[this.#at] !== ":") throw this.#problem("a colon is missing");
      this.#at++;
      this.#skip();
      const value = this.#value(depth + 1);
      return { key, value, start, end: this.#at, comma: this.#comma("}") };
    });
  }

  #items(depth: number): JsoncEntry[] {
    return this.#list("]", (start): JsoncEntry => {
      const value = this.#value(depth + 1);
      return { value, start, end: this.#at, comma: this.#comma("]") };
    });
  }

  #list<T>(close: string, entry: (start: number) => T): T[] {
    const entries: T[] = [];
    this.#at++;
    for (;;) {
      this.#skip();
      if (this.#text[this.#at] === close) {
        this.#at++;
        return entries;
      }
      entries.push(entry(this.#at));
    }
  }

  #comma(close: string): number | undefined {
    this.#skip();
    if (this.#text[this.#at] === ",") return ++this.#at;
    if (this.#text[this.#at] === close) return undefined;
    throw this.#problem(`a comma or ${close} is missing`);
  }

  #string(): string {
    const start = this.#at;
    try {
      return JSON.parse(this.#match(JSONC_STRING) ?? "") as string;
    } catch {
      this.#at = start;
      throw this.#problem("a text in quotes does not end, or holds what it may not");
    }
  }

  #skip(): void {
    for (;;) {
      this.#match(JSONC_BLANK);
      const start = this.#at;
      if (this.#text.startsWith("//", start)) {
        const length = this.#text.slice(start).search(/[\r\n]/);
        this.#at = length < 0 ? this.#text.length : start + length;
      } else if (this.#text.startsWith("/*", start)) {
        const close = this.#text.indexOf("*/", start + 2);
        if (close < 0) throw this.#problem("a comment does not end");
        this.#at = close + 2;
      } else return;
      this.#comments.push({ start, end: this.#at });
    }
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #problem(what: string): JsoncProblem {
    return new JsoncProblem(this.#text, this.#at, what);
  }
}

export function convertJsoncNode(node: JsoncNode): unknown {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "array") return node.entries.map(({ value }) => convertJsoncNode(value));
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, convertJsoncNode(value)]));
}

/** Equal values give equal text, whatever the order of their members. */
export function formatCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatCanonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${members.map(([key, each]) => `${JSON.stringify(key)}:${formatCanonicalJson(each)}`).join(",")}}`;
}
