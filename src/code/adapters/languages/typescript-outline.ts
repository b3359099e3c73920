import { type ParsedCode, NO_NODE, type NodeIndex } from "../syntax/parsed-code.ts";
import type { NormalForm, EnclosingComponent, FoundComponent, LanguageOutline } from "../outline/language-outline.ts";
import { normalizeQuotes, normalizeNumber } from "../outline/normal-hash.ts";
import { readCompactText } from "../syntax/call-and-definition-names.ts";
import {
  listTypescriptExports,
  readTypescriptImport,
  readTypescriptReExport,
  readTypescriptRequire,
} from "./typescript-modules.ts";

const TYPESCRIPT_CHAIN_LINK = /^(?:member_expression|subscript_expression|call_expression)$/;

/** `(a?.b).c` is not `a?.b.c`. All other parentheses repeat the structure of the tree. */
function unwrapTypescriptParentheses(code: ParsedCode, node: NodeIndex): "through" | undefined {
  const holder = code.type(code.parent(node));
  if (!TYPESCRIPT_CHAIN_LINK.test(holder)) return "through";
  let [chain] = code.children(node);
  while (chain !== undefined && TYPESCRIPT_CHAIN_LINK.test(code.type(chain))) {
    if (code.has(chain, "optional_chain", "?.")) return undefined;
    chain = ["object", "function"].map((field) => code.child(chain ?? NO_NODE, field)).find((each) => each !== NO_NODE);
  }
  return "through";
}

const unwrapSingleTypescriptMember = (code: ParsedCode, node: NodeIndex): "through" | undefined =>
  code.children(node).length === 1 ? "through" : undefined;

const skipEmptyTypescriptList = (code: ParsedCode, node: NodeIndex): "skip" | undefined =>
  code.children(node).length === 0 ? "skip" : undefined;

/** `"a": 1` is `a: 1`. */
function normalizeTypescriptString(code: ParsedCode, node: NodeIndex): string {
  const said = normalizeQuotes(code.said(node));
  const isKey = code.isField(node, "key") || code.isField(node, "name");
  return isKey && /^"(?:[A-Za-z_$][\w$]*|0|[1-9]\d{0,14})"$/.test(said) ? said.slice(1, -1) : said;
}

/** JSX text as rendered: without indentation, and without whitespace that contains a line break. */
function normalizeJsxText(code: ParsedCode, node: NodeIndex): string {
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
function unwrapArrowParameters(code: ParsedCode, node: NodeIndex): "through" | undefined {
  if (code.type(code.parent(node)) !== "arrow_function") return undefined;
  const [only, ...others] = code.children(node);
  if (only === undefined || others.length > 0) return undefined;
  const pattern = code.type(only) === "required_parameter" ? code.child(only, "pattern") : only;
  return code.type(pattern) === "identifier" &&
    code.end(pattern) - code.start(pattern) === code.end(only) - code.start(only)
    ? "through"
    : undefined;
}

const unwrapArrowParameter = (code: ParsedCode, node: NodeIndex): "through" | undefined =>
  code.children(node).length === 1 && unwrapArrowParameters(code, code.parent(node)) === "through"
    ? "through"
    : undefined;

const typescriptNormalForm: NormalForm = {
  through: ["parenthesized_type"],
  loose: [";"],
  keepsLoose: ["for_statement"],
  parted: ["interface_body", "object_type"],
  as: {
    // Without its type, because a key may also be written as a string.
    property_identifier: (code, node) => code.said(node),
    string: normalizeTypescriptString,
    number: (code, node) => normalizeNumber(code.said(node)),
    jsx_text: normalizeJsxText,
  },
  special: {
    parenthesized_expression: unwrapTypescriptParentheses,
    union_type: unwrapSingleTypescriptMember,
    intersection_type: unwrapSingleTypescriptMember,
    formal_parameters: unwrapArrowParameters,
    required_parameter: unwrapArrowParameter,
    empty_statement: (code, node) =>
      /^(?:statement_block|program|class_body)$/.test(code.type(code.parent(node))) ? "skip" : undefined,
    arguments: (code, node) =>
      code.type(code.parent(node)) === "new_expression" ? skipEmptyTypescriptList(code, node) : undefined,
  },
};

const TYPESCRIPT_FUNCTION_TYPE = /^(?:arrow_function|function_expression|generator_function|function)$/;
const TYPESCRIPT_CLASS_TYPE = /^(?:class|class_expression)$/;

function findTypescriptStatement(code: ParsedCode, node: NodeIndex): NodeIndex {
  let whole = node;
  for (let up = code.parent(node); TYPESCRIPT_WRAPPER_TYPE.test(code.type(up)); up = code.parent(up)) whole = up;
  return whole;
}
const TYPESCRIPT_WRAPPER_TYPE = /^(?:export_statement|ambient_declaration|expression_statement)$/;

const isExportedTypescript = (code: ParsedCode, node: NodeIndex): boolean => {
  for (let up = code.parent(node); TYPESCRIPT_WRAPPER_TYPE.test(code.type(up)); up = code.parent(up))
    if (code.type(up) === "export_statement") return true;
  return false;
};

const describeTypescriptAs =
  (kind: FoundComponent["kind"]) =>
  (code: ParsedCode, node: NodeIndex): FoundComponent => ({
    kind,
    name: code.said(code.child(node, "name")),
    isExported: isExportedTypescript(code, node),
    whole: findTypescriptStatement(code, node),
    from: skipTypescriptDecorators(code, findTypescriptStatement(code, node)),
  });

function skipTypescriptDecorators(code: ParsedCode, node: NodeIndex): NodeIndex {
  if (!code.has(node, "decorator")) return node;
  let at = node + 1;
  while (code.type(at) === "decorator" || code.isComment(at)) at = code.next(at);
  return at;
}

/** An overload is part of the function that follows it. */
function describeTypescriptSignature(code: ParsedCode, node: NodeIndex): FoundComponent | undefined {
  const whole = findTypescriptStatement(code, node);
  const next = code.next(whole);
  return isTypescriptOverload(code, whole, next) ? undefined : describeTypescriptAs("function")(code, node);
}

function isTypescriptOverload(code: ParsedCode, sibling: NodeIndex, whole: NodeIndex): boolean {
  const [one, other] = [unwrapTypescriptStatement(code, sibling), unwrapTypescriptStatement(code, whole)];
  if (!/^(?:function|method)_signature$/.test(code.type(one)) || code.parent(sibling) !== code.parent(whole))
    return false;
  if (!/^(?:function_(?:signature|declaration)|method_(?:signature|definition))$/.test(code.type(other))) return false;
  // In an interface every overload is a component.
  if (code.type(code.parent(sibling)) === "interface_body") return false;
  return code.said(code.child(one, "name")) === code.said(code.child(other, "name"));
}

function unwrapTypescriptStatement(code: ParsedCode, whole: NodeIndex): NodeIndex {
  let node = whole;
  while (TYPESCRIPT_WRAPPER_TYPE.test(code.type(node)))
    node = code.childOf(node, "function_signature", "function_declaration", "ambient_declaration", "export_statement");
  return node;
}

function describeDefaultExport(code: ParsedCode, node: NodeIndex): FoundComponent | undefined {
  if (!code.has(node, "default")) return undefined;
  const value = readTypescriptValue(code, node, "value");
  if (value === NO_NODE || code.type(value) === "identifier") return undefined;
  const named = code.said(code.child(value, "name"));
  const kind = TYPESCRIPT_FUNCTION_TYPE.test(code.type(value))
    ? "function"
    : TYPESCRIPT_CLASS_TYPE.test(code.type(value))
      ? "class"
      : "constant";
  return {
    kind,
    name: named === "" ? "default" : named,
    isExported: true,
    body: findTypescriptBody(code, value),
    whole: node,
  };
}

function readTypescriptValue(code: ParsedCode, node: NodeIndex, as: string): NodeIndex {
  let value = code.child(node, as);
  while (code.type(value) === "parenthesized_expression") value = code.children(value)[0] ?? NO_NODE;
  return value;
}

const findTypescriptBody = (code: ParsedCode, value: NodeIndex): NodeIndex =>
  code.type(value) === "object" ? value : code.child(value, "body");

function describeTypescriptMethod(
  code: ParsedCode,
  node: NodeIndex,
  around: EnclosingComponent,
): FoundComponent | undefined {
  const name = code.child(node, "name");
  const isInObject = code.type(code.parent(node)) === "object";
  if (isInObject && around.name === "") return undefined;
  if (code.type(node) === "method_signature" && isTypescriptOverload(code, node, findNextTypescriptSibling(code, node)))
    return undefined;
  return {
    kind: isInObject && around.kind !== "constant" ? "function" : "method",
    name: readTypescriptName(code, name),
    isExported: !isPrivateTypescriptMember(code, node),
    from: skipTypescriptDecorators(code, node),
  };
}

function findNextTypescriptSibling(code: ParsedCode, node: NodeIndex): NodeIndex {
  const end = code.next(code.parent(node));
  for (let at = code.next(node); at < end; at = code.next(at)) if (code.isNamed(at) && !code.isComment(at)) return at;
  return NO_NODE;
}

const isPrivateTypescriptMember = (code: ParsedCode, node: NodeIndex): boolean =>
  code.said(code.childOf(node, "accessibility_modifier")) === "private" ||
  code.said(code.child(node, "name")).startsWith("#");

const readTypescriptName = (code: ParsedCode, name: NodeIndex): string =>
  code.type(name) === "computed_property_name" ? "" : code.said(name).replace(/^(["'])(.*)\1$/s, "$2");

function describeTypescriptField(code: ParsedCode, node: NodeIndex): FoundComponent | undefined {
  const value = readTypescriptValue(code, node, "value");
  const name = [code.child(node, "name"), code.child(node, "property")].find((each) => each !== NO_NODE) ?? NO_NODE;
  const isFunction = TYPESCRIPT_FUNCTION_TYPE.test(code.type(value));
  const isConstant = code.has(node, "static") && value !== NO_NODE;
  if (!isFunction && !isConstant) return undefined;
  return {
    kind: isFunction ? "method" : "constant",
    name: readTypescriptName(code, name),
    isExported: !isPrivateTypescriptMember(code, node) && !code.said(name).startsWith("#"),
    body: isFunction ? code.child(value, "body") : NO_NODE,
    from: skipTypescriptDecorators(code, node),
  };
}

function describeTypescriptPair(
  code: ParsedCode,
  node: NodeIndex,
  around: EnclosingComponent,
): FoundComponent | undefined {
  const value = readTypescriptValue(code, node, "value");
  if (around.name === "" || !TYPESCRIPT_FUNCTION_TYPE.test(code.type(value))) return undefined;
  const kind = around.kind === "constant" ? "method" : "function";
  return {
    kind,
    name: readTypescriptName(code, code.child(node, "key")),
    isExported: true,
    body: code.child(value, "body"),
  };
}

function describeTypescriptVariable(code: ParsedCode, node: NodeIndex): FoundComponent | undefined {
  const [name, value] = [code.child(node, "name"), readTypescriptValue(code, node, "value")];
  const declaration = code.parent(node);
  const isLoop = code.type(declaration).startsWith("for_");
  if (code.type(name) !== "identifier" || isLoop) return undefined;
  const type = code.type(value);
  const kind = TYPESCRIPT_FUNCTION_TYPE.test(type)
    ? "function"
    : TYPESCRIPT_CLASS_TYPE.test(type)
      ? "class"
      : "constant";
  const whole = findTypescriptStatement(code, declaration);
  if (kind === "constant" && (!isTypescriptTopLevel(code, whole) || isTypescriptImportCall(code, value)))
    return undefined;
  const isFirst = code.childOf(declaration, "variable_declarator") === node;
  const words = [code.type(whole) === "export_statement" ? "export" : "", code.said(declaration + 1)];
  return {
    kind,
    name: code.said(name),
    isExported: isExportedTypescript(code, declaration),
    whole: isFirst ? whole : node,
    shared: words.filter((word) => word !== "").join(" "),
    body: kind === "constant" ? findLongConstantValue(code, node, value) : code.child(value, "body"),
  };
}

const findLongConstantValue = (code: ParsedCode, node: NodeIndex, value: NodeIndex): NodeIndex =>
  value !== NO_NODE && code.end(node) - code.start(node) > 200 ? value : NO_NODE;

function isTypescriptTopLevel(code: ParsedCode, whole: NodeIndex): boolean {
  const around = code.parent(whole);
  return code.type(around) === "program" || /^(?:internal_)?module$/.test(code.type(code.parent(around)));
}

/** A `require` or `import` call is an import, not a constant. */
const isTypescriptImportCall = (code: ParsedCode, value: NodeIndex): boolean => {
  let called = value;
  while (/^(?:member_expression|await_expression)$/.test(code.type(called)))
    called =
      code.type(called) === "await_expression" ? (code.children(called)[0] ?? NO_NODE) : code.child(called, "object");
  return (
    code.type(called) === "call_expression" && /^(?:require|import)$/.test(code.said(code.child(called, "function")))
  );
};

/** `exports.a = function`, `Session.prototype.login = function`. */
function describeTypescriptAssignment(
  code: ParsedCode,
  node: NodeIndex,
  around: EnclosingComponent,
): FoundComponent | undefined {
  const [left, right] = [code.child(node, "left"), readTypescriptValue(code, node, "right")];
  const isFunction = TYPESCRIPT_FUNCTION_TYPE.test(code.type(right));
  if (around.name !== "" || code.type(left) !== "member_expression") return undefined;
  if (!isFunction && !TYPESCRIPT_CLASS_TYPE.test(code.type(right))) return undefined;
  const [object, property] = [
    readCompactText(code, code.child(left, "object")),
    code.said(code.child(left, "property")),
  ];
  const whole = findTypescriptStatement(code, node);
  const body = code.child(right, "body");
  const kind = isFunction ? "function" : "class";
  if (object === "module" && property === "exports") {
    const own = code.said(code.child(right, "name"));
    return { kind, name: own === "" ? "default" : own, isExported: true, whole, body };
  }
  if (/^(?:module\.)?exports$/.test(object)) return { kind, name: property, isExported: true, whole, body };
  const within = object.replace(/\.prototype$/, "");
  if (!/^[\w$.]+$/.test(within) || within === "this") return undefined;
  return { kind: isFunction ? "method" : "class", name: property, within, isExported: true, whole, body };
}

/** `@Injectable`; a decorator with parentheses is a call anyway. */
const readTypescriptDecorator = (code: ParsedCode, node: NodeIndex): string => {
  const said = readCompactText(code, node);
  return /^@[\w$.]+$/.test(said) ? said.slice(1) : "";
};

/** `new Audit(a).write()` calls `Audit.write`. */
const readTypescriptNewMethod = (code: ParsedCode, node: NodeIndex): string => {
  const called = code.child(node, "function");
  const object = code.child(called, "object");
  if (code.type(object) !== "new_expression") return "";
  return `${readCompactText(code, code.child(object, "constructor"))}.${code.said(code.child(called, "property"))}`;
};

/** `defineGetter(req, "ip", function ip() {…})`: a named function as an argument. */
function describeFunctionArgument(
  code: ParsedCode,
  node: NodeIndex,
  around: EnclosingComponent,
): FoundComponent | undefined {
  const [list, name] = [code.parent(node), code.said(code.child(node, "name"))];
  const call = code.parent(list);
  if (around.name !== "" || name === "" || code.type(list) !== "arguments") return undefined;
  if (code.type(code.parent(call)) !== "expression_statement" || !isTypescriptTopLevel(code, code.parent(call)))
    return undefined;
  const [object = NO_NODE, property = NO_NODE] = code.children(list);
  const isOf = code.type(object) === "identifier" && readTypescriptName(code, property) === name;
  return {
    kind: "function",
    name,
    ...(isOf ? { within: code.said(object) } : {}),
    isExported: isOf,
    whole: code.parent(call),
    from: node,
  };
}

const readJsxComponent = (code: ParsedCode, node: NodeIndex): string => {
  const name = readCompactText(code, code.child(node, "name"));
  return /^[A-Z]|\./.test(name) ? name : "";
};

export const typescriptOutline: LanguageOutline = {
  components: {
    function_declaration: describeTypescriptAs("function"),
    generator_function_declaration: describeTypescriptAs("function"),
    function_signature: describeTypescriptSignature,
    class_declaration: describeTypescriptAs("class"),
    abstract_class_declaration: describeTypescriptAs("class"),
    interface_declaration: describeTypescriptAs("interface"),
    type_alias_declaration: (code, node) => ({ ...describeTypescriptAs("type")(code, node), body: NO_NODE }),
    enum_declaration: describeTypescriptAs("type"),
    internal_module: describeTypescriptAs("module"),
    module: (code, node) => ({
      ...describeTypescriptAs("module")(code, node),
      name: readTypescriptName(code, code.child(node, "name")),
    }),
    export_statement: describeDefaultExport,
    method_definition: describeTypescriptMethod,
    method_signature: describeTypescriptMethod,
    abstract_method_signature: describeTypescriptMethod,
    public_field_definition: describeTypescriptField,
    field_definition: describeTypescriptField,
    pair: describeTypescriptPair,
    variable_declarator: describeTypescriptVariable,
    assignment_expression: describeTypescriptAssignment,
    function_expression: describeFunctionArgument,
  },
  imports: {
    import_statement: readTypescriptImport,
    export_statement: readTypescriptReExport,
    call_expression: readTypescriptRequire,
  },
  calls: {
    call_expression: readTypescriptNewMethod,
    new_expression: (code, node) => readCompactText(code, code.child(node, "constructor")),
    decorator: readTypescriptDecorator,
    jsx_opening_element: readJsxComponent,
    jsx_self_closing_element: readJsxComponent,
  },
  marks: ["decorator"],
  belongs: isTypescriptOverload,
  exports: listTypescriptExports,
  normal: typescriptNormalForm,
};
