import type { Code, Place } from "../../code.ts";
import type { NormalForm } from "../language.ts";
import { quotesAlone } from "../literals.ts";

/** `u"a"` and `'''a'''` are `'a'`. An f-string is compared by its parts. */
function string(code: Code, node: Place): string | undefined {
  if (code.has(node, "interpolation")) return undefined;
  const match = /^([a-zA-Z]*)("""|'''|"|')([\s\S]*)\2$/.exec(code.said(node));
  if (match === null) return undefined;
  const [, prefix = "", , inner = ""] = match;
  return `${prefixOf(prefix)}"${isRaw(prefix) ? inner : quotesAlone(inner)}"`;
}

const prefixOf = (prefix: string): string => prefix.toLowerCase().replace("u", "");
const isRaw = (prefix: string): boolean => /r/i.test(prefix);

const start = (code: Code, node: Place): string => `${prefixOf(/^[a-zA-Z]*/.exec(code.said(node))?.[0] ?? "")}"`;

const content = (code: Code, node: Place): string => {
  const prefix = code.said(code.childOf(code.parent(node), "string_start"));
  return isRaw(prefix.replace(/["']/g, "")) ? code.said(node) : quotesAlone(code.said(node));
};

/** `(a) = 1` is `a = 1`. */
const pattern = (code: Code, node: Place): "through" | undefined =>
  code.children(node).length === 1 && !code.has(node, ",") ? "through" : undefined;

/** `class A():` is `class A:`. */
const noBases = (code: Code, node: Place): "skip" | undefined =>
  code.type(code.parent(node)) === "class_definition" && code.children(node).length === 0 ? "skip" : undefined;

const lower = (code: Code, node: Place): string => code.said(node).toLowerCase();

export const normal: NormalForm = {
  through: ["parenthesized_expression"],
  loose: [";"],
  bare: ["tuple", "tuple_pattern", "with_clause", "import_from_statement"],
  same: { tuple: "expression_list", tuple_pattern: "pattern_list" },
  keepsComma: ["subscript"],
  as: { string, string_start: start, string_content: content, string_end: () => "", integer: lower, float: lower },
  special: { tuple_pattern: pattern, argument_list: noBases, line_continuation: () => "skip" },
};
