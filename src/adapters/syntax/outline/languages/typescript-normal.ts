import { type ParsedCode, NO_NODE, type NodeIndex } from "../../code.ts";
import type { NormalForm } from "../language.ts";
import { normalizeQuotes, normalizeNumber } from "../literals.ts";

const TYPESCRIPT_CHAIN_LINK = /^(?:member_expression|subscript_expression|call_expression)$/;

/** `(a?.b).c` is not `a?.b.c`. All other parentheses repeat the structure of the tree. */
function unwrapTypescriptParentheses(code: ParsedCode, node: NodeIndex): "through" | undefined {
  const holder = code.type(code.parent(node));
  if (!TYPESCRIPT_CHAIN_LINK.test(holder)) return "through";
  let [chain] = code.children(node);
  while (chain !== undefined && TYPESCRIPT_CHAIN_LINK.test(code.type(chain))) {
    if (code.has(chain, "optional_chain", "?.")) return undefined;
    chain = ["object", "function"].map((field) => code.child(chain ?? NO_NODE, field)).find((each) => each !== NO_NODE);
  }
  return "through";
}

const unwrapSingleTypescriptMember = (code: ParsedCode, node: NodeIndex): "through" | undefined =>
  code.children(node).length === 1 ? "through" : undefined;

const skipEmptyTypescriptList = (code: ParsedCode, node: NodeIndex): "skip" | undefined =>
  code.children(node).length === 0 ? "skip" : undefined;

/** `"a": 1` is `a: 1`. */
function normalizeTypescriptString(code: ParsedCode, node: NodeIndex): string {
  const said = normalizeQuotes(code.said(node));
  const isKey = code.isField(node, "key") || code.isField(node, "name");
  return isKey && /^"(?:[A-Za-z_$][\w$]*|0|[1-9]\d{0,14})"$/.test(said) ? said.slice(1, -1) : said;
}

/** JSX text as rendered: without indentation, and without whitespace that contains a line break. */
function normalizeJsxText(code: ParsedCode, node: NodeIndex): string {
  const lines = code.said(node).split(/\r?\n/);
  if (lines.length === 1) return lines[0]?.replace(/[ \t]+/g, " ") ?? "";
  const inner = lines.map((line, at) =>
    at === 0 ? line.trimEnd() : at === lines.length - 1 ? line.trimStart() : line.trim(),
  );
  return inner
    .filter((line) => line !== "")
    .join(" ")
    .replace(/[ \t]+/g, " ");
}

/** `(a) => a` is `a => a`: the parentheses around one plain parameter. */
function unwrapArrowParameters(code: ParsedCode, node: NodeIndex): "through" | undefined {
  if (code.type(code.parent(node)) !== "arrow_function") return undefined;
  const [only, ...others] = code.children(node);
  if (only === undefined || others.length > 0) return undefined;
  const pattern = code.type(only) === "required_parameter" ? code.child(only, "pattern") : only;
  return code.type(pattern) === "identifier" &&
    code.end(pattern) - code.start(pattern) === code.end(only) - code.start(only)
    ? "through"
    : undefined;
}

const unwrapArrowParameter = (code: ParsedCode, node: NodeIndex): "through" | undefined =>
  code.children(node).length === 1 && unwrapArrowParameters(code, code.parent(node)) === "through"
    ? "through"
    : undefined;

export const typescriptNormalForm: NormalForm = {
  through: ["parenthesized_type"],
  loose: [";"],
  keepsLoose: ["for_statement"],
  parted: ["interface_body", "object_type"],
  as: {
    // Without its type, because a key may also be written as a string.
    property_identifier: (code, node) => code.said(node),
    string: normalizeTypescriptString,
    number: (code, node) => normalizeNumber(code.said(node)),
    jsx_text: normalizeJsxText,
  },
  special: {
    parenthesized_expression: unwrapTypescriptParentheses,
    union_type: unwrapSingleTypescriptMember,
    intersection_type: unwrapSingleTypescriptMember,
    formal_parameters: unwrapArrowParameters,
    required_parameter: unwrapArrowParameter,
    empty_statement: (code, node) =>
      /^(?:statement_block|program|class_body)$/.test(code.type(code.parent(node))) ? "skip" : undefined,
    arguments: (code, node) =>
      code.type(code.parent(node)) === "new_expression" ? skipEmptyTypescriptList(code, node) : undefined,
  },
};
