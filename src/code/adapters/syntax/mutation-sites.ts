import type { MutationSite, MutationKind } from "../../model/mutation-site.ts";
import { createLineCounter } from "../../model/scan/code-scan.ts";
import { NO_NODE, type NodeIndex, type ParsedCode } from "./parsed-code.ts";

const BINARY_NODE_TYPE =
  /^(?:binary_expression|binary_operator|comparison_operator|boolean_operator|binary|augmented_assignment_expression|augmented_assignment|compound_assignment_expr|assignment_statement)$/;
const OPERATOR_SITE_KINDS: readonly (readonly [kind: MutationKind, operator: RegExp])[] = [
  ["comparison", /^(?:[<>]=?|[=!]==?|is|is not|in|not in)$/],
  ["arithmetic", /^(?:[-+*/%]=?)$/],
  ["logic", /^(?:&&|\|\||and|or|\?\?)$/],
];
const BOOLEAN_NODE_TYPE = /^(?:true|false|boolean_literal|boolean)$/;
const NUMBER_NODE_TYPE = /^(?:number|integer|int_literal|integer_literal|decimal_integer_literal)$/;
const CONDITIONAL_NODE_TYPE =
  /^(?:if_statement|if_expression|elif_clause|while_statement|while_expression|ternary_expression|if|unless|while)$/;
const RETURN_NODE_TYPE = /^(?:return_statement|return_expression|return)$/;
const CALL_STATEMENT_TYPE =
  /^(?:call|call_expression|await_expression|method_invocation|function_call_expression|member_call_expression)$/;
const ASSIGNMENT_NODE_TYPE = /^assignment(?:_expression)?$/;
const STRING_NODE_TYPE =
  /^(?:string|string_literal|template_string|interpreted_string_literal|encapsed_string|double_quote_string)$/;
const LOADING_CALL = /^(?:import|require|require_relative|include|load)\b/;
/** Code that does not run, or that is not behaviour a criterion describes. */
const NOT_MUTABLE_NODE_TYPE =
  /^(?:type_annotation|type_arguments|type_parameters|type_alias_declaration|interface_declaration|literal_type|import_statement|import_from_statement|import_declaration|use_declaration|decorator|attribute_item|token_tree|string|template_literal_type|enum_declaration|const_item|type|line_comment|block_comment|comment)$/;

export function findMutationSites(code: ParsedCode): MutationSite[] {
  const lines = createLineCounter(code.text);
  const sites: MutationSite[] = [];
  for (let node = 0; node < code.count;) {
    const isOutside = code.isNamed(node) && NOT_MUTABLE_NODE_TYPE.test(code.type(node));
    // A string counts; its contents do not.
    const kind = isOutside && code.type(node) !== "string" ? undefined : classifyMutationSite(code, node);
    const [start, end] = [code.start(node), code.end(node)];
    if (kind !== undefined && end > start)
      sites.push({ kind, start, end, line: lines(start), lastLine: lines(end - 1), text: code.said(node) });
    node = isOutside ? code.next(node) : node + 1;
  }
  return sites;
}

/** `export … from "…"`, `require("…")` and `import("…")`. */
function isModuleName(code: ParsedCode, node: NodeIndex): boolean {
  const list = code.parent(node);
  return code.isField(node, "source") || LOADING_CALL.test(code.short(code.parent(list)));
}

function classifyMutationSite(code: ParsedCode, node: NodeIndex): MutationKind | undefined {
  if (code.parent(node) === NO_NODE) return undefined;
  const [type, parent] = [code.type(node), code.type(code.parent(node))];
  const isOperator = !code.isNamed(node) || code.isField(node, "operator") || code.isField(node, "operators");
  if (isOperator && BINARY_NODE_TYPE.test(parent))
    return OPERATOR_SITE_KINDS.find(([, operator]) => operator.test(code.said(node)))?.[0];
  if (!code.isNamed(node)) return undefined;
  const literal = BOOLEAN_NODE_TYPE.test(type) ? "boolean" : NUMBER_NODE_TYPE.test(type) ? "number" : undefined;
  if (literal === "boolean") return literal;
  if (code.isField(node, "condition") && CONDITIONAL_NODE_TYPE.test(parent)) return "condition";
  if (RETURN_NODE_TYPE.test(parent)) return "return";
  if (parent === "arrow_function" && code.isField(node, "body") && type !== "statement_block") return "body";
  if (code.isField(node, "right") && ASSIGNMENT_NODE_TYPE.test(parent)) return "assignment";
  if (STRING_NODE_TYPE.test(type)) return isModuleName(code, node) ? undefined : "string";
  return parent === "expression_statement" && CALL_STATEMENT_TYPE.test(type) ? "call" : literal;
}
