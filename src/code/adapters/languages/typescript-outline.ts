import { type ParsedCode, NO_NODE, type NodeIndex } from "../syntax/parsed-code.ts";
import type { ComponentReader, FoundComponent, NamedComponentRules, NodeRule } from "../outline/language-outline.ts";
import { defineLanguage, describeNamedAs, readPlainDecorator } from "../outline/language-outline.ts";
import { unescapeQuotes } from "../outline/normal-hash.ts";
import { normalizeJsxText } from "./jsx-text.ts";

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

const typescriptRules: NamedComponentRules = {
  isExported: isExportedTypescript,
  span: (code, node) => {
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

function readTypescriptValue(code: ParsedCode, node: NodeIndex, as: string): NodeIndex {
  let value = code.child(node, as);
  while (code.type(value) === "parenthesized_expression") value = code.children(value)[0] ?? NO_NODE;
  return value;
}

const describeTypescriptMethod: ComponentReader = (code, node, around) => {
  const name = code.child(node, "name");
  const isInObject = code.type(code.parent(node)) === "object";
  if (isInObject && around.name === "") return undefined;
  const end = code.next(code.parent(node));
  let next = code.next(node);
  while (next < end && (!code.isNamed(next) || code.isComment(next))) next = code.next(next);
  const isSignature = code.type(node) === "method_signature" && next < end;
  if (isSignature && isTypescriptOverload(code, node, next)) return undefined;
  return {
    kind: isInObject && around.kind !== "constant" ? "function" : "method",
    name: readTypescriptName(code, name),
    isExported: !isPrivateTypescriptMember(code, node),
    from: skipTypescriptDecorators(code, node),
  };
};

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
  const [object, property] = [code.compactField(left, "object"), code.fieldText(left, "property")];
  const whole = findTypescriptStatement(code, node);
  const isNamedExport = /^(?:module\.)?exports$/.test(object) && property !== "exports";
  // `exports.static = require("serve-static")`, `exports.json = parser.json`
  if (isNamedExport && /^(?:call|member)_expression$/.test(code.type(right)))
    return { kind: "constant", name: property, isExported: true, whole };
  if (object === "module" && property === "exports" && hasTypescriptMethods(code, right))
    return { kind: "constant", name: "default", isExported: true, whole, body: right };
  if (!isFunction && !TYPESCRIPT_CLASS_TYPE.test(code.type(right))) return undefined;
  const body = code.child(right, "body");
  const kind = isFunction ? "function" : "class";
  if (object === "module" && property === "exports") {
    const own = code.fieldText(right, "name");
    return { kind, name: own === "" ? "default" : own, isExported: true, whole, body };
  }
  if (isNamedExport) return { kind, name: property, isExported: true, whole, body };
  const within = object.replace(/\.prototype$/, "");
  if (!/^[\w$.]+$/.test(within) || within === "this") return undefined;
  return { kind: isFunction ? "method" : "class", name: property, within, isExported: true, whole, body };
};

/** `module.exports = { get path() {…} }`, unlike a list of names. */
const hasTypescriptMethods = (code: ParsedCode, value: NodeIndex): boolean =>
  code.type(value) === "object" &&
  (code.has(value, "method_definition") || code.children(value).some((each) => isTypescriptFunctionPair(code, each)));
const isTypescriptFunctionPair = (code: ParsedCode, pair: NodeIndex): boolean =>
  TYPESCRIPT_FUNCTION_TYPE.test(code.type(code.child(pair, "value")));

const readJsxComponent = (code: ParsedCode, node: NodeIndex): string => {
  const name = code.compactField(node, "name");
  return /^[A-Z]|\./.test(name) ? name : "";
};

const stripSpecifierQuotes = (text: string): string => text.replace(/^(["'`])(.*)\1$/s, "$2");

const listTypescriptNames = (code: ParsedCode, node: NodeIndex): string[] =>
  code.children(node).flatMap((each) => stripSpecifierQuotes(code.fieldText(each, "name")) || []);

function listAssignedExports(code: ParsedCode, node: NodeIndex): string[] {
  if (code.type(node) !== "assignment_expression") return [];
  if (!/^(?:module\.)?exports(?:\.[\w$]+)?$/.test(code.compactField(node, "left"))) return [];
  const right = code.child(node, "right");
  if (code.type(right) === "identifier") return [code.said(right)];
  if (code.type(right) === "assignment_expression") return listAssignedExports(code, right);
  if (code.type(right) !== "object") return [];
  return code.children(right).flatMap((each) => {
    if (code.type(each) === "shorthand_property_identifier") return [code.said(each)];
    const value = code.child(each, "value");
    return code.type(value) === "identifier" ? [code.said(value)] : [];
  });
}

const isAssignedToExports = (code: ParsedCode, value: NodeIndex): boolean =>
  code.type(value) === "assignment_expression" &&
  (/^(?:module\.)?exports$/.test(code.compactField(value, "left")) ||
    isAssignedToExports(code, code.child(value, "right")));

export const typescriptOutline = defineLanguage("typescript", {
  named: typescriptRules,
  components: {
    // An overload is part of the function that follows it.
    function_signature: (code, node, around) => {
      const whole = findTypescriptStatement(code, node);
      if (isTypescriptOverload(code, whole, code.next(whole))) return undefined;
      return describeNamedAs("function", typescriptRules)(code, node, around);
    },
    type_alias_declaration: (code, node, around) => ({
      ...describeNamedAs("type", typescriptRules)(code, node, around),
      body: NO_NODE,
    }),
    module: describeNamedAs("module", {
      ...typescriptRules,
      name: (code, node) => readTypescriptName(code, code.child(node, "name")),
    }),
    export_statement: (code, node) => {
      if (!code.has(node, "default")) return undefined;
      const value = readTypescriptValue(code, node, "value");
      if (value === NO_NODE || code.type(value) === "identifier") return undefined;
      return {
        kind: classifyTypescriptValue(code, value),
        name: code.fieldText(value, "name") || "default",
        isExported: true,
        body: code.type(value) === "object" ? value : code.child(value, "body"),
        whole: node,
      };
    },
    method_definition: describeTypescriptMethod,
    method_signature: describeTypescriptMethod,
    abstract_method_signature: describeTypescriptMethod,
    public_field_definition: describeTypescriptField,
    field_definition: describeTypescriptField,
    pair: (code, node, around) => {
      const value = readTypescriptValue(code, node, "value");
      if (around.name === "" || !TYPESCRIPT_FUNCTION_TYPE.test(code.type(value))) return undefined;
      const kind = around.kind === "constant" ? "method" : "function";
      const name = readTypescriptName(code, code.child(node, "key"));
      return { kind, name, isExported: true, body: code.child(value, "body") };
    },
    variable_declarator: describeTypescriptVariable,
    assignment_expression: describeTypescriptAssignment,
    // `defineGetter(req, "ip", function ip() {…})`: a named function as an argument.
    function_expression: (code, node, around) => {
      const [list, name] = [code.parent(node), code.fieldText(node, "name")];
      const statement = code.parent(code.parent(list));
      if (around.name !== "" || name === "" || code.type(list) !== "arguments") return undefined;
      if (code.type(statement) !== "expression_statement" || !isTypescriptTopLevel(code, statement)) return undefined;
      const [object = NO_NODE, property = NO_NODE] = code.children(list);
      const isOf = code.type(object) === "identifier" && readTypescriptName(code, property) === name;
      const within = isOf ? { within: code.said(object) } : {};
      return { kind: "function", name, ...within, isExported: isOf, whole: statement, from: node };
    },
  },
  imports: {
    // `import a, { b as c } from "d"`: the default and `b`.
    import_statement: (code, node) => {
      const source = code.child(node, "source");
      const required = code.child(code.childOf(node, "import_require_clause"), "source");
      const specifier = stripSpecifierQuotes(code.said(source === NO_NODE ? required : source));
      if (specifier === "") return [];
      const names = code.children(code.childOf(node, "import_clause")).flatMap((each) => {
        if (code.type(each) === "identifier") return ["default"];
        return code.type(each) === "named_imports" ? listTypescriptNames(code, each) : [];
      });
      return [{ specifier, names }];
    },
    export_statement: (code, node) => {
      const specifier = stripSpecifierQuotes(code.fieldText(node, "source"));
      const names = listTypescriptNames(code, code.childOf(node, "export_clause"));
      return specifier === "" ? [] : [{ specifier, names }];
    },
    // `require("a")` and `import("a")`, with the names destructured in place.
    call_expression: (code, node) => {
      if (!/^(?:require|import)$/.test(code.fieldText(node, "function"))) return [];
      const [given] = code.children(code.child(node, "arguments"));
      if (given === undefined || code.type(given) !== "string") return [];
      let holder = code.parent(node);
      while (/^(?:await_expression|parenthesized_expression)$/.test(code.type(holder))) holder = code.parent(holder);
      const pattern = code.child(holder, "name");
      const taken = code.type(pattern) === "object_pattern" ? code.children(pattern) : [];
      const names = taken.flatMap((each) => {
        const key = code.child(each, "key");
        if (key !== NO_NODE) return [stripSpecifierQuotes(code.said(key))];
        return code.type(each) === "shorthand_property_identifier_pattern" ? [code.said(each)] : [];
      });
      const member = code.type(holder) === "member_expression" ? [code.fieldText(holder, "property")] : [];
      return [{ specifier: stripSpecifierQuotes(code.said(given)), names: [...names, ...member] }];
    },
  },
  calls: {
    // `new Audit(a).write()` calls `Audit.write`.
    call_expression: (code, node) => {
      const called = code.child(node, "function");
      const object = code.child(called, "object");
      if (code.type(object) !== "new_expression") return "";
      return `${code.compactField(object, "constructor")}.${code.fieldText(called, "property")}`;
    },
    new_expression: (code, node) => code.compactField(node, "constructor"),
    decorator: readPlainDecorator,
    jsx_opening_element: readJsxComponent,
    jsx_self_closing_element: readJsxComponent,
  },
  belongs: isTypescriptOverload,
  // The names in `export { a, b as c }`, `export default a`, `export = a` and `module.exports = { a }`.
  exports: (code) => {
    const names: string[] = [];
    for (let at = 1; at < code.count; at = code.next(at)) {
      const type = code.type(at);
      if (type === "export_statement" && code.child(at, "source") === NO_NODE) {
        names.push(...listTypescriptNames(code, code.childOf(at, "export_clause")));
        if (code.has(at, "default", "=")) names.push(code.said(code.childOf(at, "identifier")));
      }
      if (type === "expression_statement") names.push(...listAssignedExports(code, at + 1));
      // `var app = exports = module.exports = {}`
      if (/^(?:variable|lexical)_declaration$/.test(type))
        for (const each of code.children(at))
          if (isAssignedToExports(code, code.child(each, "value"))) names.push(code.fieldText(each, "name"));
    }
    return new Set(names);
  },
  normal: {
    as: {
      // Without its type, because a key may also be written as a string.
      property_identifier: (code, node) => code.said(node),
      // `"a": 1` is `a: 1`.
      string: (code, node) => {
        const said = code.said(node);
        const quoted = /^["']/.test(said) ? `"${unescapeQuotes(said.slice(1, -1))}"` : said;
        const isKey = code.isField(node, "key") || code.isField(node, "name");
        return isKey && /^"(?:[A-Za-z_$][\w$]*|0|[1-9]\d{0,14})"$/.test(quoted) ? quoted.slice(1, -1) : quoted;
      },
      // `0XFF` is `0xff`, `1.50` is `1.5`, `.5` is `0.5`: in this language `1.0` is `1`.
      number: (code, node) => {
        const lower = code.said(node).toLowerCase();
        if (/^0[xbo]/.test(lower)) return lower;
        const decimal = lower.replace(/^\./, "0.").replace(/(\.\d*?)0+(?=$|e)/, "$1");
        return decimal.replace(/\.(?=$|e)/, "").replace("e+", "e");
      },
      jsx_text: normalizeJsxText,
    },
    special: {
      parenthesized_expression: unwrapTypescriptParentheses,
      formal_parameters: unwrapArrowParameters,
      required_parameter: (code, node) =>
        code.children(node).length === 1 ? unwrapArrowParameters(code, code.parent(node)) : undefined,
      empty_statement: (code, node) =>
        /^(?:statement_block|program|class_body)$/.test(code.type(code.parent(node))) ? "skip" : undefined,
      arguments: (code, node) =>
        code.type(code.parent(node)) === "new_expression" && code.children(node, 1).length === 0 ? "skip" : undefined,
    },
  },
});
