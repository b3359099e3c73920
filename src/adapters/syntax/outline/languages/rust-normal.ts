import type { ParsedCode, NodeIndex } from "../../code.ts";
import type { NormalForm } from "../language.ts";

/** `|a| { a }` is `|a| a`, and the same after `=>`: rustfmt adds braces where a line would get too long. */
function unwrapRustBlock(code: ParsedCode, node: NodeIndex): "through" | undefined {
  const isArm = code.type(code.parent(node)) === "match_arm" && code.isField(node, "value");
  const isClosure = code.type(code.parent(node)) === "closure_expression";
  if (!isArm && !isClosure) return undefined;
  const [only, ...others] = code.children(node);
  if (only === undefined || others.length > 0) return undefined;
  const isStatement = /_(?:item|declaration|definition)$|^empty_statement$|^label$/.test(code.type(only));
  return isStatement || code.has(only, ";") ? undefined : "through";
}

/** A statement without a semicolon is an expression. `return a` ends a function with or without one. */
function unwrapRustStatement(code: ParsedCode, node: NodeIndex): "through" | undefined {
  const [only] = code.children(node);
  const isLeaving = only !== undefined && RUST_EXIT_EXPRESSION.test(code.type(only));
  return isLeaving || !code.has(node, ";") ? "through" : undefined;
}
const RUST_EXIT_EXPRESSION = /^(?:return|break|continue)_expression$/;

const unwrapSingleRustPattern = (code: ParsedCode, node: NodeIndex): "through" | undefined =>
  code.children(node).length === 1 ? "through" : undefined;

const lowerRustNumber = (code: ParsedCode, node: NodeIndex): string => code.said(node).toLowerCase();

export const rustNormalForm: NormalForm = {
  through: ["parenthesized_expression"],
  keepsComma: ["tuple_type", "tuple_pattern"],
  as: { integer_literal: lowerRustNumber, float_literal: lowerRustNumber },
  special: { block: unwrapRustBlock, expression_statement: unwrapRustStatement, or_pattern: unwrapSingleRustPattern },
};
