import type { Tree } from "web-tree-sitter";
import type { Site, SiteKind } from "#domain/bite/site.ts";
import { lineCounter } from "#domain/scan/lines.ts";
import { type Step, walk } from "./walk.ts";

const BINARY =
  /^(?:binary_expression|binary_operator|comparison_operator|boolean_operator|binary|augmented_assignment_expression|augmented_assignment|compound_assignment_expr|assignment_statement)$/;
const OPERATORS: readonly (readonly [kind: SiteKind, operator: RegExp])[] = [
  ["comparison", /^(?:[<>]=?|[=!]==?|is|is not|in|not in)$/],
  ["arithmetic", /^(?:[-+*/%]=?)$/],
  ["logic", /^(?:&&|\|\||and|or|\?\?)$/],
];
const BOOLEAN = /^(?:true|false|boolean_literal|boolean)$/;
const NUMBER = /^(?:number|integer|int_literal|integer_literal|decimal_integer_literal)$/;
const BRANCHES =
  /^(?:if_statement|if_expression|elif_clause|while_statement|while_expression|ternary_expression|if|unless|while)$/;
const RETURN = /^(?:return_statement|return_expression|return)$/;
const CALL =
  /^(?:call|call_expression|await_expression|method_invocation|function_call_expression|member_call_expression)$/;
/** Code that does not run, or that is not behaviour a criterion describes. */
const OUTSIDE =
  /^(?:type_annotation|type_arguments|type_parameters|type_alias_declaration|interface_declaration|literal_type|import_statement|import_from_statement|import_declaration|use_declaration|decorator|attribute_item|token_tree|string|template_literal_type|enum_declaration|const_item|type|line_comment|block_comment|comment)$/;

export function sitesAt(tree: Tree, text: string, deadline: number): Site[] | undefined {
  const lines = lineCounter(text);
  const sites: Site[] = [];
  const isDone = walk(tree, deadline, (step) => {
    const isOutside = step.isNamed && OUTSIDE.test(step.type);
    // A returned string counts; its contents do not.
    if (isOutside && step.type !== "string") return false;
    const kind = kindOf(step, text);
    const { start, end } = step;
    if (kind !== undefined && end > start)
      sites.push({ kind, start, end, line: lines(start), lastLine: lines(end - 1), text: text.slice(start, end) });
    return !isOutside;
  });
  return isDone ? sites : undefined;
}

function kindOf(step: Step, text: string): SiteKind | undefined {
  const { type, parent, field } = step;
  if (parent === undefined) return undefined;
  const isOperator = BINARY.test(parent.type) && (field === "operator" || field === "operators");
  if (isOperator) return OPERATORS.find(([, operator]) => operator.test(text.slice(step.start, step.end)))?.[0];
  if (!step.isNamed) return undefined;
  if (field === "condition" && BRANCHES.test(parent.type)) return conditionOf(step);
  if (RETURN.test(parent.type)) return isLoneLiteral(step) ? literalKind(type) : "return";
  if (parent.type === "expression_statement" && CALL.test(type)) return "call";
  return literalKind(type);
}

const literalKind = (type: string): SiteKind | undefined =>
  BOOLEAN.test(type) ? "boolean" : NUMBER.test(type) ? "number" : undefined;

const isLoneLiteral = ({ type }: Step): boolean => BOOLEAN.test(type);

const conditionOf = ({ type }: Step): SiteKind => (BOOLEAN.test(type) ? "boolean" : "condition");
