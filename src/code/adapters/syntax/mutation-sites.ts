import type { Tree } from "web-tree-sitter";
import type { ParseBudget } from "./parse-budget.ts";
import type { MutationSite, MutationKind } from "../../model/mutation-site.ts";
import { createLineCounter } from "../../model/scan/code-scan.ts";

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
/** Code that does not run, or that is not behaviour a criterion describes. */
const NOT_MUTABLE_NODE_TYPE =
  /^(?:type_annotation|type_arguments|type_parameters|type_alias_declaration|interface_declaration|literal_type|import_statement|import_from_statement|import_declaration|use_declaration|decorator|attribute_item|token_tree|string|template_literal_type|enum_declaration|const_item|type|line_comment|block_comment|comment)$/;

export function findMutationSites(tree: Tree, text: string, budget: ParseBudget): MutationSite[] | undefined {
  const lines = createLineCounter(text);
  const sites: MutationSite[] = [];
  const isDone = walkSyntaxTree(tree, budget, (step) => {
    const isOutside = step.isNamed && NOT_MUTABLE_NODE_TYPE.test(step.type);
    // A returned string counts; its contents do not.
    if (isOutside && step.type !== "string") return false;
    const kind = classifyMutationSite(step, text);
    const { start, end } = step;
    if (kind !== undefined && end > start)
      sites.push({ kind, start, end, line: lines(start), lastLine: lines(end - 1), text: text.slice(start, end) });
    return !isOutside;
  });
  return isDone ? sites : undefined;
}

function classifyMutationSite(step: TreeWalkStep, text: string): MutationKind | undefined {
  const { type, parent, field } = step;
  if (parent === undefined) return undefined;
  const isOperator = BINARY_NODE_TYPE.test(parent.type) && (field === "operator" || field === "operators");
  if (isOperator)
    return OPERATOR_SITE_KINDS.find(([, operator]) => operator.test(text.slice(step.start, step.end)))?.[0];
  if (!step.isNamed) return undefined;
  if (field === "condition" && CONDITIONAL_NODE_TYPE.test(parent.type)) return classifyConditionSite(step);
  if (RETURN_NODE_TYPE.test(parent.type)) return isBooleanLiteral(step) ? classifyLiteralSite(type) : "return";
  if (parent.type === "expression_statement" && CALL_STATEMENT_TYPE.test(type)) return "call";
  return classifyLiteralSite(type);
}

const classifyLiteralSite = (type: string): MutationKind | undefined =>
  BOOLEAN_NODE_TYPE.test(type) ? "boolean" : NUMBER_NODE_TYPE.test(type) ? "number" : undefined;

const isBooleanLiteral = ({ type }: TreeWalkStep): boolean => BOOLEAN_NODE_TYPE.test(type);

const classifyConditionSite = ({ type }: TreeWalkStep): MutationKind =>
  BOOLEAN_NODE_TYPE.test(type) ? "boolean" : "condition";

interface TreeWalkStep {
  readonly type: string;
  readonly isNamed: boolean;
  readonly field: string | null;
  readonly start: number;
  readonly end: number;
  readonly parent: TreeWalkStep | undefined;
}

/**
 * Visits every node in text order. `see` returns whether to enter the node. Not recursive: a tree may be as deep as its
 * text is long. False beyond the budget.
 */
function walkSyntaxTree(tree: Tree, budget: ParseBudget, see: (step: TreeWalkStep) => boolean): boolean {
  const cursor = tree.walk();
  try {
    let parent: TreeWalkStep | undefined;
    let count = 0;
    for (;;) {
      if (++count % 1024 === 0 && budget.exceedsLimit()) return false;
      const step: TreeWalkStep = {
        type: cursor.nodeType,
        isNamed: cursor.nodeIsNamed,
        field: cursor.currentFieldName,
        start: cursor.startIndex,
        end: cursor.endIndex,
        parent,
      };
      if (see(step) && cursor.gotoFirstChild()) {
        parent = step;
        continue;
      }
      while (!cursor.gotoNextSibling()) {
        if (!cursor.gotoParent()) return true;
        parent = parent?.parent;
      }
    }
  } finally {
    cursor.delete();
  }
}
