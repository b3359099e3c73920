import type { Code, Place } from "../../code.ts";
import type { NormalForm } from "../language.ts";

/** `|a| { a }` is `|a| a`, and the same after `=>`: rustfmt adds braces where a line would get too long. */
function block(code: Code, node: Place): "through" | undefined {
  const isArm = code.type(code.parent(node)) === "match_arm" && code.isField(node, "value");
  const isClosure = code.type(code.parent(node)) === "closure_expression";
  if (!isArm && !isClosure) return undefined;
  const [only, ...others] = code.children(node);
  if (only === undefined || others.length > 0) return undefined;
  const isStatement = /_(?:item|declaration|definition)$|^empty_statement$|^label$/.test(code.type(only));
  return isStatement || code.has(only, ";") ? undefined : "through";
}

/** A statement without a semicolon is an expression. `return a` ends a function with or without one. */
function statement(code: Code, node: Place): "through" | undefined {
  const [only] = code.children(node);
  const isLeaving = only !== undefined && LEAVES.test(code.type(only));
  return isLeaving || !code.has(node, ";") ? "through" : undefined;
}
const LEAVES = /^(?:return|break|continue)_expression$/;

const alone = (code: Code, node: Place): "through" | undefined =>
  code.children(node).length === 1 ? "through" : undefined;

const lower = (code: Code, node: Place): string => code.said(node).toLowerCase();

export const normal: NormalForm = {
  through: ["parenthesized_expression"],
  keepsComma: ["tuple_type", "tuple_pattern"],
  as: { integer_literal: lower, float_literal: lower },
  special: { block, expression_statement: statement, or_pattern: alone },
};
