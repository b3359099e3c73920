import { type ParsedCode, NO_NODE, type NodeIndex } from "../syntax/parsed-code.ts";
import {
  type ComponentReader,
  type FoundComponent,
  type LanguageOutline,
  type NameReader,
  type NodeRule,
  type NormalForm,
  describeNamedAs,
  listNamedComponents,
  readPlainDecorator,
  unwrapSingleChild,
} from "../outline/language-outline.ts";
import { normalizeQuotes, normalizeNumber } from "../outline/normal-hash.ts";
import {
  listTypescriptExports,
  readTypescriptImport,
  readTypescriptReExport,
  readTypescriptRequire,
} from "./typescript-modules.ts";

const TYPESCRIPT_CHAIN_LINK = /^(?:member_expression|subscript_expression|call_expression)$/;

/** `(a?.b).c` is not `a?.b.c`. All other parentheses repeat the structure of the tree. */
const unwrapTypescriptParentheses: NodeRule = (code, node) => {
  const holder = code.type(code.parent(node));
  if (!TYPESCRIPT_CHAIN_LINK.test(holder)) return "through";
  let [chain] = code.children(node);
  while (chain !== undefined && TYPESCRIPT_CHAIN_LINK.test(code.type(chain))) {
    if (code.has(chain, "optional_chain", "?.")) return undefined;
    chain = ["object", "function"].map((field) => code.child(chain ?? NO_NODE, field)).find((each) => each !== NO_NODE);
  }
  return "through";
};

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
const unwrapArrowParameters: NodeRule = (code, node) => {
  if (code.type(code.parent(node)) !== "arrow_function") return undefined;
  const [only, ...others] = code.children(node);
  if (only === undefined || others.length > 0) return undefined;
  const pattern = code.type(only) === "required_parameter" ? code.child(only, "pattern") : only;
  return code.type(pattern) === "identifier" &&
    code.end(pattern) - code.start(pattern) === code.end(only) - code.start(only)
    ? "through"
    : undefined;
};

const unwrapArrowParameter: NodeRule = (code, node) =>
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
    union_type: unwrapSingleChild,
    intersection_type: unwrapSingleChild,
    formal_parameters: unwrapArrowParameters,
    required_parameter: unwrapArrowParameter,
    empty_statement: (code, node) =>
      /^(?:statement_block|program|class_body)$/.test(code.type(code.parent(node))) ? "skip" : undefined,
    arguments: (code, node) =>
      code.type(code.parent(node)) === "new_expression" && code.children(node, 1).length === 0 ? "skip" : undefined,
  },
};

const TYPESCRIPT_FUNCTION_TYPE = /^(?:arrow_function|function_expression|generator_function|function)$/;
const TYPESCRIPT_CLASS_TYPE = /^(?:class|class_expression)$/;

const classifyTypescriptValue = (code: ParsedCode, value: NodeIndex): FoundComponent["kind"] =>
  TYPESCRIPT_FUNCTION_TYPE.test(code.type(value))
    ? "function"
    : TYPESCRIPT_CLASS_TYPE.test(code.type(value))
      ? "class"
      : "constant";

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

const typescriptRules = {
  isExported: isExportedTypescript,
  span: (code: ParsedCode, node: NodeIndex) => {
    const whole = findTypescriptStatement(code, node);
    return { whole, from: skipTypescriptDecorators(code, whole) };
  },
};

function skipTypescriptDecorators(code: ParsedCode, node: NodeIndex): NodeIndex {
  if (!code.has(node, "decorator")) return node;
  let at = node + 1;
  while (code.type(at) === "decorator" || code.isComment(at)) at = code.next(at);
  return at;
}

/** An overload is part of the function that follows it. */
const describeTypescriptSignature: ComponentReader = (code, node, around) => {
  const whole = findTypescriptStatement(code, node);
  if (isTypescriptOverload(code, whole, code.next(whole))) return undefined;
  return describeNamedAs("function", typescriptRules)(code, node, around);
};

function isTypescriptOverload(code: ParsedCode, sibling: NodeIndex, whole: NodeIndex): boolean {
  const [one, other] = [unwrapTypescriptStatement(code, sibling), unwrapTypescriptStatement(code, whole)];
  if (!/^(?:function|method)_signature$/.test(code.type(one)) || code.parent(sibling) !== code.parent(whole))
    return false;
  if (!/^(?:function_(?:signature|declaration)|method_(?:signature|definition))$/.test(code.type(other))) return false;
  // In an interface every overload is a component.
  if (code.type(code.parent(sibling)) === "interface_body") return false;
  return code.fieldText(one, "name") === code.fieldText(other, "name");
}

function unwrapTypescriptStatement(code: ParsedCode, whole: NodeIndex): NodeIndex {
  let node = whole;
  while (TYPESCRIPT_WRAPPER_TYPE.test(code.type(node)))
    node = code.childOf(node, "function_signature", "function_declaration", "ambient_declaration", "export_statement");
  return node;
}

const describeDefaultExport: ComponentReader = (code, node) => {
  if (!code.has(node, "default")) return undefined;
  const value = readTypescriptValue(code, node, "value");
  if (value === NO_NODE || code.type(value) === "identifier") return undefined;
  const named = code.fieldText(value, "name");
  return {
    kind: classifyTypescriptValue(code, value),
    name: named === "" ? "default" : named,
    isExported: true,
    body: findTypescriptBody(code, value),
    whole: node,
  };
};

function readTypescriptValue(code: ParsedCode, node: NodeIndex, as: string): NodeIndex {
  let value = code.child(node, as);
  while (code.type(value) === "parenthesized_expression") value = code.children(value)[0] ?? NO_NODE;
  return value;
}

const findTypescriptBody = (code: ParsedCode, value: NodeIndex): NodeIndex =>
  code.type(value) === "object" ? value : code.child(value, "body");

const describeTypescriptMethod: ComponentReader = (code, node, around) => {
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
};

function findNextTypescriptSibling(code: ParsedCode, node: NodeIndex): NodeIndex {
  const end = code.next(code.parent(node));
  for (let at = code.next(node); at < end; at = code.next(at)) if (code.isNamed(at) && !code.isComment(at)) return at;
  return NO_NODE;
}

const isPrivateTypescriptMember = (code: ParsedCode, node: NodeIndex): boolean =>
  code.said(code.childOf(node, "accessibility_modifier")) === "private" || code.fieldText(node, "name").startsWith("#");

const readTypescriptName = (code: ParsedCode, name: NodeIndex): string =>
  code.type(name) === "computed_property_name" ? "" : code.said(name).replace(/^(["'])(.*)\1$/s, "$2");

const describeTypescriptField: ComponentReader = (code, node) => {
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
};

const describeTypescriptPair: ComponentReader = (code, node, around) => {
  const value = readTypescriptValue(code, node, "value");
  if (around.name === "" || !TYPESCRIPT_FUNCTION_TYPE.test(code.type(value))) return undefined;
  const kind = around.kind === "constant" ? "method" : "function";
  return {
    kind,
    name: readTypescriptName(code, code.child(node, "key")),
    isExported: true,
    body: code.child(value, "body"),
  };
};

const describeTypescriptVariable: ComponentReader = (code, node) => {
  const [name, value] = [code.child(node, "name"), readTypescriptValue(code, node, "value")];
  const declaration = code.parent(node);
  const isLoop = code.type(declaration).startsWith("for_");
  if (code.type(name) !== "identifier" || isLoop) return undefined;
  const kind = classifyTypescriptValue(code, value);
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
    body: kind === "constant" ? code.longValue(node, value) : code.child(value, "body"),
  };
};

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
  return code.type(called) === "call_expression" && /^(?:require|import)$/.test(code.fieldText(called, "function"));
};

/** `exports.a = function`, `Session.prototype.login = function`. */
const describeTypescriptAssignment: ComponentReader = (code, node, around) => {
  const [left, right] = [code.child(node, "left"), readTypescriptValue(code, node, "right")];
  const isFunction = TYPESCRIPT_FUNCTION_TYPE.test(code.type(right));
  if (around.name !== "" || code.type(left) !== "member_expression") return undefined;
  if (!isFunction && !TYPESCRIPT_CLASS_TYPE.test(code.type(right))) return undefined;
  const [object, property] = [code.compactField(left, "object"), code.fieldText(left, "property")];
  const whole = findTypescriptStatement(code, node);
  const body = code.child(right, "body");
  const kind = isFunction ? "function" : "class";
  if (object === "module" && property === "exports") {
    const own = code.fieldText(right, "name");
    return { kind, name: own === "" ? "default" : own, isExported: true, whole, body };
  }
  if (/^(?:module\.)?exports$/.test(object)) return { kind, name: property, isExported: true, whole, body };
  const within = object.replace(/\.prototype$/, "");
  if (!/^[\w$.]+$/.test(within) || within === "this") return undefined;
  return { kind: isFunction ? "method" : "class", name: property, within, isExported: true, whole, body };
};

/** `new Audit(a).write()` calls `Audit.write`. */
const readTypescriptNewMethod: NameReader = (code, node) => {
  const called = code.child(node, "function");
  const object = code.child(called, "object");
  if (code.type(object) !== "new_expression") return "";
  return `${code.compactField(object, "constructor")}.${code.fieldText(called, "property")}`;
};

/** `defineGetter(req, "ip", function ip() {…})`: a named function as an argument. */
const describeFunctionArgument: ComponentReader = (code, node, around) => {
  const [list, name] = [code.parent(node), code.fieldText(node, "name")];
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
};

const readJsxComponent: NameReader = (code, node) => {
  const name = code.compactField(node, "name");
  return /^[A-Z]|\./.test(name) ? name : "";
};

export const typescriptOutline: LanguageOutline = {
  components: {
    ...listNamedComponents(typescriptRules, {
      function: "function_declaration generator_function_declaration",
      class: "class_declaration abstract_class_declaration",
      interface: "interface_declaration",
      type: "enum_declaration",
      module: "internal_module",
    }),
    function_signature: describeTypescriptSignature,
    type_alias_declaration: (code, node, around) => ({
      ...describeNamedAs("type", typescriptRules)(code, node, around),
      body: NO_NODE,
    }),
    module: describeNamedAs("module", {
      ...typescriptRules,
      name: (code, node) => readTypescriptName(code, code.child(node, "name")),
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
    new_expression: (code, node) => code.compactField(node, "constructor"),
    decorator: readPlainDecorator,
    jsx_opening_element: readJsxComponent,
    jsx_self_closing_element: readJsxComponent,
  },
  marks: ["decorator"],
  belongs: isTypescriptOverload,
  exports: listTypescriptExports,
  normal: typescriptNormalForm,
};
