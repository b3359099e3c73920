import {
  createLineCounter,
  type ScannedCall,
  type ScannedDefinition,
  type CodeScan,
  type ScannedSign,
  type ScanSpan,
} from "../../model/scan/code-scan.ts";
import {
  formatCalleeName,
  CALL_NODE_TYPE,
  findCallEnd,
  readFirstArguments,
  readDefinitionName,
  isTypeReferenceOnly,
} from "./call-and-definition-names.ts";
import { memoizeByObject, type ParsedCode, NO_NODE, type NodeIndex, type GrammarVocabulary } from "./parsed-code.ts";

const ANNOTATION_NODE_TYPE = /^(?:decorator|attribute_item|inner_attribute_item)$/;
const SIGN_KIND_BY_NODE_TYPE: Readonly<Partial<Record<string, ScannedSign["kind"]>>> = {
  debugger_statement: "debugger",
  throw_statement: "throw",
  throw_expression: "throw",
  raise_statement: "throw",
};
const DEFINITION_NODE_TYPES: Readonly<Record<ScannedDefinition["kind"], string>> = {
  function:
    "function_declaration generator_function_declaration function_definition function_item method_definition " +
    "method_declaration constructor_declaration method singleton_method",
  class:
    "class_declaration abstract_class_declaration class_definition interface_declaration impl_item struct_item " +
    "trait_item class class_specifier record_declaration struct_declaration struct_specifier trait_declaration",
  module: "mod_item internal_module module",
};
const DEFINITION_KINDS = ["function", "class", "module"] as const;
const FUNCTION_VALUE_TYPE = /^(?:arrow_function|function_expression|generator_function)$/;
const FUNCTION_VALUE_PARENT = /^(?:variable_declarator|public_field_definition|field_definition|pair)$/;

const FUNCTION_SCOPE_TYPE = /function|method|lambda|^func_literal$|^closure_expression$|^(?:class|mod|module)(?:_|$)/;
const BRANCH_NODE_TYPE =
  /^(?:if|elif|else|unless|while|for|until|switch|case|match|try|catch|except|conditional|ternary|rescue)(?:_|$)|_case$|^(?:type_)?switch|_arm$|^boolean_operator$|^for_in_statement$/;
const ALWAYS_TRUE_CONDITION = /^\(?\s*(?:true|True|1)\s*\)?$/;

export const DEEPEST_NESTING = 100;
const NESTING_NODE_TYPE =
  /^(?:call|call_expression|macro_invocation|method_invocation)$|_item$|_definition$|_declaration$/;

const getNodeTypeRoles = memoizeByObject((words: GrammarVocabulary) =>
  words.types.map((type, id) => (words.isNamed[id] === 1 ? classifyNodeType(type) : undefined)),
);

const classifyNodeType = (type: string) => ({
  nests: NESTING_NODE_TYPE.test(type),
  isFunction: FUNCTION_SCOPE_TYPE.test(type),
  isBranch: BRANCH_NODE_TYPE.test(type),
  isMark: ANNOTATION_NODE_TYPE.test(type),
  isCall: CALL_NODE_TYPE.test(type),
  mayBeNamed: FUNCTION_VALUE_TYPE.test(type),
  definition: DEFINITION_KINDS.find((kind) => DEFINITION_NODE_TYPES[kind].split(" ").includes(type)),
  mayBeSign: type === "predefined_type" || type === "assignment" || type in SIGN_KIND_BY_NODE_TYPE,
  isString: type === "string",
});

export interface TreeScan {
  readonly look: CodeScan;
  readonly callPlaces: readonly NodeIndex[];
  readonly docstrings: ReadonlySet<NodeIndex>;
}

export function scanParsedCode(language: string, code: ParsedCode): TreeScan {
  const lines = createLineCounter(code.text);
  const span = (start: number, end: number, text: string): ScanSpan => ({
    start,
    end,
    line: lines(start),
    lastLine: lines(Math.max(start, end - 1)),
    text,
  });
  const found = {
    comments: [] as ScanSpan[],
    calls: [] as ScannedCall[],
    definitions: [] as ScannedDefinition[],
    signs: [] as ScannedSign[],
  };
  const [callPlaces, docstrings]: [NodeIndex[], Set<NodeIndex>] = [[], new Set()];
  const telling = getNodeTypeRoles(code.words);
  const around = new NestingTracker(code);
  // Annotations are siblings before the node they annotate. Each parent holds the ones that wait for it.
  const waiting = new Map<NodeIndex, { readonly texts: string[]; readonly start: number }>();
  for (let at = 0; at < code.count; at++) {
    const told = telling[code.typeId(at)];
    if (told === undefined) continue;
    const [start, end] = [code.start(at), code.end(at)];
    const isDocstring = told.isString && isPythonDocstring(code, at);
    if (isDocstring || code.isComment(at)) {
      const text = code.text.slice(start, end).trimEnd();
      found.comments.push(span(start, start + text.length, text));
      if (isDocstring) docstrings.add(at);
      at = code.next(at) - 1;
      continue;
    }
    const parent = code.parent(at);
    const { depth, isConditional } = around.at(at, told);
    if (told.isMark && parent !== NO_NODE) {
      const marks = waiting.get(parent) ?? { texts: [], start };
      marks.texts.push(code.short(at));
      waiting.set(parent, marks);
      continue;
    }
    const before = waiting.size === 0 ? undefined : waiting.get(parent);
    if (before !== undefined) waiting.delete(parent);
    if (depth > DEEPEST_NESTING) continue;
    if (told.isCall) {
      found.calls.push({
        ...span(start, findCallEnd(code, at), formatCalleeName(code, at)),
        ...readFirstArguments(code, at),
        isConditional,
      });
      callPlaces.push(at);
    }
    const kind = told.definition ?? (told.mayBeNamed && isNamedFunctionValue(code, at) ? "function" : undefined);
    if (kind !== undefined && parent !== NO_NODE && !isTypeReferenceOnly(code, at)) {
      const { name, marks } = readDefinitionName(code, at);
      found.definitions.push({
        ...span(before?.start ?? start, end, name),
        kind,
        marks: [...(before?.texts ?? []), ...marks],
      });
    }
    const sign = told.mayBeSign ? classifySign(code, at) : undefined;
    if (sign !== undefined) found.signs.push({ ...span(start, end, code.short(at)), kind: sign });
  }
  return { look: { language, by: "grammar", isWhole: code.isWhole, ...found }, callPlaces, docstrings };
}

class NestingTracker {
  readonly #code: ParsedCode;
  readonly #open: { readonly end: NodeIndex; readonly depth: number; readonly isConditional: boolean }[] = [];

  constructor(code: ParsedCode) {
    this.#code = code;
  }

  at(
    node: NodeIndex,
    told: ReturnType<typeof classifyNodeType>,
  ): { readonly depth: number; readonly isConditional: boolean } {
    const open = this.#open;
    while (open.length > 0 && (open.at(-1)?.end ?? 0) <= node) open.pop();
    const outer = open.at(-1) ?? TOP_NESTING;
    if (!told.nests && !told.isFunction && !told.isBranch) return outer;
    const depth = outer.depth + Number(told.nests);
    const isConditional =
      !told.isFunction && (outer.isConditional || (told.isBranch && !hasAlwaysTrueCondition(this.#code, node)));
    const here = { end: this.#code.next(node), depth, isConditional };
    open.push(here);
    return here;
  }
}

const TOP_NESTING = { depth: 0, isConditional: false };

function hasAlwaysTrueCondition(code: ParsedCode, node: NodeIndex): boolean {
  if (!code.type(node).startsWith("if_")) return false;
  const condition = code.child(node, "condition");
  if (condition === NO_NODE) return false;
  const start = code.start(condition);
  return ALWAYS_TRUE_CONDITION.test(code.text.slice(start, Math.min(code.end(condition), start + 20)));
}

function isPythonDocstring(code: ParsedCode, node: NodeIndex): boolean {
  const statement = code.parent(node);
  if (code.type(statement) !== "expression_statement") return false;
  const body = code.parent(statement);
  const isModule = code.type(body) === "module";
  const isBody = isModule || /^(?:function|class)_definition$/.test(code.type(code.parent(body)));
  const start = code.start(node);
  if (!isBody || !/^[rRuU]?["']/.test(code.text.slice(start, start + 2))) return false;
  const before = code.text.slice(isModule ? 0 : code.start(body), code.start(statement));
  return before.length < 20_000 && before.split("\n").every((line) => /^\s*(?:#.*)?$/.test(line));
}

const isNamedFunctionValue = (code: ParsedCode, node: NodeIndex): boolean =>
  code.isField(node, "value") && FUNCTION_VALUE_PARENT.test(code.type(code.parent(node)));

function classifySign(code: ParsedCode, node: NodeIndex): ScannedSign["kind"] | undefined {
  const type = code.type(node);
  if (type === "predefined_type") return code.said(node) === "any" ? "any" : undefined;
  const start = code.start(node);
  if (type === "assignment")
    return /^(?:pytestmark|__test__)\b/.test(code.text.slice(start, start + 12)) ? "assignment" : undefined;
  return SIGN_KIND_BY_NODE_TYPE[type];
}
