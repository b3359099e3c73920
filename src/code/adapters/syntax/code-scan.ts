import { createLineCounter } from "../../model/scan/code-scan.ts";
import type { CodeScan, ScannedCall, ScannedDefinition, ScannedSign, ScanSpan } from "../../model/scan/code-scan.ts";
import { LONGEST_NODE_NAME, memoizeByObject, NO_NODE } from "./parsed-code.ts";
import type { GrammarVocabulary, NodeIndex, ParsedCode } from "./parsed-code.ts";

const CALL_NODE_TYPE =
  /^(?:call|call_expression|function_call_expression|macro_invocation|method_invocation|invocation_expression|(?:member|nullsafe_member|scoped)_call_expression)$/;

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

export function scanParsedCode(language: string, code: ParsedCode) {
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
  const nestingOf = createNestingTracker(code);
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
    const { depth, isConditional } = nestingOf(at, told);
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
    const isNamedValue = told.mayBeNamed && code.isField(at, "value") && FUNCTION_VALUE_PARENT.test(code.type(parent));
    const kind = told.definition ?? (isNamedValue ? "function" : undefined);
    // In C and C++ the use of a type has the same node type as its definition, but no body.
    const isReference = code.type(at).endsWith("_specifier") && code.child(at, "body") === NO_NODE;
    if (kind !== undefined && parent !== NO_NODE && !isReference) {
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
  const look: CodeScan = { language, by: "grammar", isWhole: code.isWhole, ...found };
  return { look, callPlaces, docstrings };
}

interface NodeNesting {
  readonly end: NodeIndex;
  readonly depth: number;
  readonly isConditional: boolean;
}

/** Returns how deep a node is nested, and whether it is inside a branch. Call it for each node in order. */
function createNestingTracker(code: ParsedCode) {
  const open: NodeNesting[] = [];
  return (node: NodeIndex, told: ReturnType<typeof classifyNodeType>): NodeNesting => {
    while (open.length > 0 && (open.at(-1)?.end ?? 0) <= node) open.pop();
    const outer = open.at(-1) ?? { end: code.count, depth: 0, isConditional: false };
    if (!told.nests && !told.isFunction && !told.isBranch) return outer;
    const depth = outer.depth + Number(told.nests);
    const isConditional =
      !told.isFunction && (outer.isConditional || (told.isBranch && !hasAlwaysTrueCondition(code, node)));
    const here = { end: code.next(node), depth, isConditional };
    open.push(here);
    return here;
  };
}

function hasAlwaysTrueCondition(code: ParsedCode, node: NodeIndex): boolean {
  const condition = code.type(node).startsWith("if_") ? code.child(node, "condition") : NO_NODE;
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

function classifySign(code: ParsedCode, node: NodeIndex): ScannedSign["kind"] | undefined {
  const type = code.type(node);
  if (type === "predefined_type") return code.said(node) === "any" ? "any" : undefined;
  const start = code.start(node);
  if (type === "assignment")
    return /^(?:pytestmark|__test__)\b/.test(code.text.slice(start, start + 12)) ? "assignment" : undefined;
  return SIGN_KIND_BY_NODE_TYPE[type];
}

function formatCalleeName(code: ParsedCode, node: NodeIndex, depth = 0): string {
  const called = code.child(node, "function");
  if (called !== NO_NODE && CALL_NODE_TYPE.test(code.type(called))) {
    if (depth > 3) return "";
    const given = code.child(called, "arguments");
    const isShort = given !== NO_NODE && code.end(given) - code.start(given) <= LONGEST_NODE_NAME;
    const words = isShort ? /^\(\s*(true|false)\s*\)$/.exec(code.said(given))?.[1] : undefined;
    return `${formatCalleeName(code, called, depth + 1)}(${words ?? ""})`;
  }
  const macro = code.child(node, "macro");
  if (macro !== NO_NODE) return `${code.compact(macro)}!`;
  // Type arguments are not part of the name: `make<int>`.
  if (called !== NO_NODE) return code.compact(called).replace(/(?:::)?<[^()]*>$/, "");
  const scope = code.child(node, "scope");
  if (scope !== NO_NODE) return `${code.compact(scope)}::${code.compactField(node, "name")}`;
  const object = nodeOrFallback(code.child(node, "receiver"), () => code.child(node, "object"));
  const method = nodeOrFallback(code.child(node, "method"), () => code.child(node, "name"));
  // A method of an object created in place belongs to its class: `new Audit(1).write` is `Audit.write`.
  const made = code.type(object) === "object_creation_expression" ? code.child(object, "type") : NO_NODE;
  const owner = made === NO_NODE ? code.compact(object) : code.compact(made).replace(/<.*>$/, "");
  const parts = [...(object === NO_NODE ? [] : [owner]), ...(method === NO_NODE ? [] : [code.compact(method)])];
  return parts.join(/^(?:nullsafe_)?member_call_expression$/.test(code.type(node)) ? "->" : ".");
}

function readFirstArguments(code: ParsedCode, node: NodeIndex) {
  const tokens = code.type(node) === "macro_invocation" ? (code.children(node).at(-1) ?? NO_NODE) : NO_NODE;
  const given = nodeOrFallback(code.child(node, "arguments"), () => tokens);
  const [first = NO_NODE, second = NO_NODE] = code.children(given, 2);
  const options =
    second !== NO_NODE && code.type(second) === "object" ? code.said(second).slice(0, LONGEST_NODE_NAME) : undefined;
  const isShort = first !== NO_NODE && code.end(first) - code.start(first) <= LONGEST_NODE_NAME;
  return {
    ...(isShort ? { argument: code.said(first) } : {}),
    ...(options === undefined ? {} : { options }),
  };
}

const nodeOrFallback = (place: NodeIndex, other: () => NodeIndex): NodeIndex => (place === NO_NODE ? other() : place);

/** A block after a macro belongs to the call, though the grammar separates them: `TEST_CASE("a") { }`. */
function findCallEnd(code: ParsedCode, node: NodeIndex): number {
  const statement = code.parent(node);
  const block = code.type(statement) === "expression_statement" ? code.next(statement) : NO_NODE;
  const isCalledWith =
    block !== NO_NODE &&
    code.type(block) === "compound_statement" &&
    code.parent(block) === code.parent(statement) &&
    !code.text.slice(code.end(node), code.start(block)).includes(";");
  return code.end(isCalledWith ? block : node);
}

export function readDefinitionName(
  code: ParsedCode,
  node: NodeIndex,
): { readonly name: string; readonly marks: readonly string[] } {
  const declarator = code.child(node, "declarator");
  if (declarator !== NO_NODE && code.child(node, "name") === NO_NODE) return readDeclaratorName(code, node, declarator);
  const parent = code.parent(node);
  const names = [
    ...["name", "type"].map((field) => code.child(node, field)),
    ...["name", "property"].map((field) => code.child(parent, field)),
  ];
  const name = names.find((each) => each !== NO_NODE);
  // Java keeps annotations among the modifiers; C# and PHP keep attributes in lists.
  const modifiers = code.childOf(node, "modifiers");
  const around = modifiers === NO_NODE ? code.children(node).slice(0, MOST_ANNOTATIONS) : code.children(modifiers);
  const marks = around.filter((each) => /^(?:marker_annotation|annotation|attribute_list)$/.test(code.type(each)));
  return { name: name === undefined ? "" : code.short(name), marks: marks.map((each) => code.short(each)) };
}

const MOST_ANNOTATIONS = 20;

/** The name that a C declarator declares, without the syntax around it: `*find(int)`. */
export function findDeclaredName(code: ParsedCode, declarator: NodeIndex): NodeIndex {
  let [at, inner] = [declarator, declarator];
  while (inner !== NO_NODE) {
    at = inner;
    // All of `operator bool()` is the name.
    if (code.type(at) === "operator_cast") break;
    inner = code.child(at, "declarator");
    if (inner === NO_NODE && /^(?:parenthesized|reference|attributed)_declarator$/.test(code.type(at)))
      inner = code.children(at)[0] ?? NO_NODE;
  }
  return at;
}

/** A test macro parses as a function without a type: `TEST(Shop, Adds) { }` is `Shop.Adds`. */
function readDeclaratorName(code: ParsedCode, node: NodeIndex, declarator: NodeIndex) {
  const name = code.short(findDeclaredName(code, declarator));
  if (code.child(node, "type") !== NO_NODE || !TEST_MACRO_NAME.test(name)) return { name, marks: [] };
  const given = code.children(code.child(declarator, "parameters")).map((each) => code.short(each));
  return { name: given.join("."), marks: [name] };
}

const TEST_MACRO_NAME = /^(?:TYPED_)?TEST(?:_[FP])?$|^BOOST_(?:AUTO|FIXTURE)_TEST_CASE$/;
