import type { ParsedCode, NodeIndex } from "../../code.ts";
import type { NormalForm } from "../language.ts";
import { unescapeQuotes } from "../literals.ts";

/** `u"a"` and `'''a'''` are `'a'`. An f-string is compared by its parts. */
function normalizePythonString(code: ParsedCode, node: NodeIndex): string | undefined {
  if (code.has(node, "interpolation")) return undefined;
  const match = /^([a-zA-Z]*)("""|'''|"|')([\s\S]*)\2$/.exec(code.said(node));
  if (match === null) return undefined;
  const [, prefix = "", , inner = ""] = match;
  return `${normalizePythonPrefix(prefix)}"${isRawPythonPrefix(prefix) ? inner : unescapeQuotes(inner)}"`;
}

const normalizePythonPrefix = (prefix: string): string => prefix.toLowerCase().replace("u", "");
const isRawPythonPrefix = (prefix: string): boolean => /r/i.test(prefix);

const normalizePythonStringStart = (code: ParsedCode, node: NodeIndex): string =>
  `${normalizePythonPrefix(/^[a-zA-Z]*/.exec(code.said(node))?.[0] ?? "")}"`;

const normalizePythonStringContent = (code: ParsedCode, node: NodeIndex): string => {
  const prefix = code.said(code.childOf(code.parent(node), "string_start"));
  return isRawPythonPrefix(prefix.replace(/["']/g, "")) ? code.said(node) : unescapeQuotes(code.said(node));
};

/** `(a) = 1` is `a = 1`. */
const unwrapPythonPattern = (code: ParsedCode, node: NodeIndex): "through" | undefined =>
  code.children(node).length === 1 && !code.has(node, ",") ? "through" : undefined;

/** `class A():` is `class A:`. */
const skipEmptyPythonBases = (code: ParsedCode, node: NodeIndex): "skip" | undefined =>
  code.type(code.parent(node)) === "class_definition" && code.children(node).length === 0 ? "skip" : undefined;

const lowerPythonNumber = (code: ParsedCode, node: NodeIndex): string => code.said(node).toLowerCase();

export const pythonNormalForm: NormalForm = {
  through: ["parenthesized_expression"],
  loose: [";"],
  bare: ["tuple", "tuple_pattern", "with_clause", "import_from_statement"],
  same: { tuple: "expression_list", tuple_pattern: "pattern_list" },
  keepsComma: ["subscript"],
  as: {
    string: normalizePythonString,
    string_start: normalizePythonStringStart,
    string_content: normalizePythonStringContent,
    string_end: () => "",
    integer: lowerPythonNumber,
    float: lowerPythonNumber,
  },
  special: { tuple_pattern: unwrapPythonPattern, argument_list: skipEmptyPythonBases, line_continuation: () => "skip" },
};
