import { printParseErrorCode, visit } from "jsonc-parser";

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

class JsoncProblem extends Error {
  constructor(text: string, at: number, what: string) {
    const before = text.slice(0, at).split("\n");
    super(`line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${what}`);
    this.name = "JsoncProblem";
  }
}

const MAX_JSONC_DEPTH = 100;

type OpenContainer = { kind: "object" | "array"; start: number; end: number; entries: OpenEntry[] };
type OpenEntry = { start: number; end: number; key: string; value: JsoncNode; comma: number | undefined };

/** jsonc-parser reports commas and comments only while it reads, and its trees lack them. */
export function parseJsoncText(text: string): JsoncDocument {
  const comments: JsoncRange[] = [];
  const open: OpenContainer[] = [];
  let root: JsoncNode | undefined;
  let name: { readonly key: string; readonly start: number } | undefined;
  const place = (value: JsoncNode): void => {
    const { key = "", start = value.start } = name ?? {};
    name = undefined;
    const around = open.at(-1);
    if (around) around.entries.push({ key, value, start, end: value.end, comma: undefined });
    else root = value;
  };
  const begin = (kind: OpenContainer["kind"], start: number): void => {
    if (open.length > MAX_JSONC_DEPTH) throw new JsoncProblem(text, start, "it is nested too deeply");
    const container: OpenContainer = { kind, start, end: start, entries: [] };
    place(container);
    open.push(container);
  };
  let closed: OpenContainer | undefined;
  const finish = (offset: number): void => {
    closed = open.pop();
    if (closed) closed.end = offset + 1;
    const entry = open.at(-1)?.entries.at(-1);
    if (entry) entry.end = offset + 1;
  };
  visit(
    text.replace(/^\uFEFF/, " "),
    {
      onObjectBegin: (start) => begin("object", start),
      onArrayBegin: (start) => begin("array", start),
      onObjectEnd: finish,
      onArrayEnd: finish,
      onObjectProperty: (key, start) => (name = { key, start }),
      onLiteralValue: (value: JsoncScalar["value"], start, length) =>
        place({ kind: "scalar", value, start, end: start + length }),
      onSeparator: (sign, offset) => {
        const entry = sign === "," ? open.at(-1)?.entries.at(-1) : undefined;
        if (entry) entry.comma = offset + 1;
      },
      onComment: (start, length) => comments.push({ start, end: start + length }),
      onError: (code, offset) => {
        const error = printParseErrorCode(code);
        // A missing bracket is reported after its container has ended.
        const around = error.startsWith("Close") ? closed : open.at(-1);
        throw new JsoncProblem(text, offset, describeJsoncError(error, around, name !== undefined));
      },
    },
    { allowTrailingComma: true, allowEmptyContent: true },
  );
  return { root, comments };
}

const BAD_JSONC_STRING = "a quoted text does not end, or has a character that is not allowed";
const JSONC_ERRORS: Readonly<Record<string, string>> = {
  EndOfFileExpected: "there is more text after its end",
  ColonExpected: "a colon is missing",
  UnexpectedEndOfComment: "a comment does not end",
  UnexpectedEndOfString: BAD_JSONC_STRING,
  InvalidUnicode: BAD_JSONC_STRING,
  InvalidEscapeCharacter: BAD_JSONC_STRING,
  InvalidCharacter: BAD_JSONC_STRING,
};

function describeJsoncError(error: string, around: OpenContainer | undefined, isNamed: boolean): string {
  const last = around?.entries.at(-1);
  if (last && last.comma === undefined && !isNamed && JSONC_ERRORS[error] === undefined)
    return `a comma or ${around?.kind === "object" ? "}" : "]"} is missing`;
  const missing = around?.kind === "object" && !isNamed ? "a name in quotes is missing" : "a value is missing";
  return JSONC_ERRORS[error] ?? missing;
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
