import { type Code, NONE, type Place } from "../../code.ts";
import type { NormalForm } from "../language.ts";
import { inOneQuote, numberInOneForm } from "../literals.ts";

const LINK = /^(?:member_expression|subscript_expression|call_expression)$/;

/** `(a?.b).c` is not `a?.b.c`. All other parentheses repeat the structure of the tree. */
function parenthesized(code: Code, node: Place): "through" | undefined {
  const holder = code.type(code.parent(node));
  if (!LINK.test(holder)) return "through";
  let [chain] = code.children(node);
  while (chain !== undefined && LINK.test(code.type(chain))) {
    if (code.has(chain, "optional_chain", "?.")) return undefined;
    chain = ["object", "function"].map((field) => code.child(chain ?? NONE, field)).find((each) => each !== NONE);
  }
  return "through";
}

const alone = (code: Code, node: Place): "through" | undefined =>
  code.children(node).length === 1 ? "through" : undefined;

const isEmpty = (code: Code, node: Place): "skip" | undefined =>
  code.children(node).length === 0 ? "skip" : undefined;

/** `"a": 1` is `a: 1`. */
function string(code: Code, node: Place): string {
  const said = inOneQuote(code.said(node));
  const isKey = code.isField(node, "key") || code.isField(node, "name");
  return isKey && /^"(?:[A-Za-z_$][\w$]*|0|[1-9]\d{0,14})"$/.test(said) ? said.slice(1, -1) : said;
}

/** JSX text as rendered: without indentation, and without whitespace that contains a line break. */
function jsxText(code: Code, node: Place): string {
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
function parameters(code: Code, node: Place): "through" | undefined {
  if (code.type(code.parent(node)) !== "arrow_function") return undefined;
  const [only, ...others] = code.children(node);
  if (only === undefined || others.length > 0) return undefined;
  const pattern = code.type(only) === "required_parameter" ? code.child(only, "pattern") : only;
  return code.type(pattern) === "identifier" &&
    code.end(pattern) - code.start(pattern) === code.end(only) - code.start(only)
    ? "through"
    : undefined;
}

const parameter = (code: Code, node: Place): "through" | undefined =>
  code.children(node).length === 1 && parameters(code, code.parent(node)) === "through" ? "through" : undefined;

export const normal: NormalForm = {
  through: ["parenthesized_type"],
  loose: [";"],
  keepsLoose: ["for_statement"],
  parted: ["interface_body", "object_type"],
  as: {
    // Without its type, because a key may also be written as a string.
    property_identifier: (code, node) => code.said(node),
    string,
    number: (code, node) => numberInOneForm(code.said(node)),
    jsx_text: jsxText,
  },
  special: {
    parenthesized_expression: parenthesized,
    union_type: alone,
    intersection_type: alone,
    formal_parameters: parameters,
    required_parameter: parameter,
    empty_statement: (code, node) =>
      /^(?:statement_block|program|class_body)$/.test(code.type(code.parent(node))) ? "skip" : undefined,
    arguments: (code, node) => (code.type(code.parent(node)) === "new_expression" ? isEmpty(code, node) : undefined),
  },
};
