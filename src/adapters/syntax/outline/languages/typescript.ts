import { type Code, NONE, type Place } from "../../code.ts";
import { plain } from "../../callee.ts";
import type { Around, Found, LanguageOutline } from "../language.ts";
import { exportsOf, importsOf, reExports, requires } from "./typescript-modules.ts";
import { normal } from "./typescript-normal.ts";

const FUNCTION = /^(?:arrow_function|function_expression|generator_function|function)$/;
const CLASS = /^(?:class|class_expression)$/;

function wholeOf(code: Code, node: Place): Place {
  let whole = node;
  for (let up = code.parent(node); WRAPS.test(code.type(up)); up = code.parent(up)) whole = up;
  return whole;
}
const WRAPS = /^(?:export_statement|ambient_declaration|expression_statement)$/;

const isExported = (code: Code, node: Place): boolean => {
  for (let up = code.parent(node); WRAPS.test(code.type(up)); up = code.parent(up))
    if (code.type(up) === "export_statement") return true;
  return false;
};

const declared =
  (kind: Found["kind"]) =>
  (code: Code, node: Place): Found => ({
    kind,
    name: code.said(code.child(node, "name")),
    isExported: isExported(code, node),
    whole: wholeOf(code, node),
    from: afterDecorators(code, wholeOf(code, node)),
  });

function afterDecorators(code: Code, node: Place): Place {
  if (!code.has(node, "decorator")) return node;
  let at = node + 1;
  while (code.type(at) === "decorator" || code.isComment(at)) at = code.next(at);
  return at;
}

/** An overload is part of the function that follows it. */
function signature(code: Code, node: Place): Found | undefined {
  const whole = wholeOf(code, node);
  const next = code.next(whole);
  return isOverloadOf(code, whole, next) ? undefined : declared("function")(code, node);
}

function isOverloadOf(code: Code, sibling: Place, whole: Place): boolean {
  const [one, other] = [inside(code, sibling), inside(code, whole)];
  if (!/^(?:function|method)_signature$/.test(code.type(one)) || code.parent(sibling) !== code.parent(whole))
    return false;
  if (!/^(?:function_(?:signature|declaration)|method_(?:signature|definition))$/.test(code.type(other))) return false;
  // In an interface every overload is a component.
  if (code.type(code.parent(sibling)) === "interface_body") return false;
  return code.said(code.child(one, "name")) === code.said(code.child(other, "name"));
}

function inside(code: Code, whole: Place): Place {
  let node = whole;
  while (WRAPS.test(code.type(node)))
    node = code.childOf(node, "function_signature", "function_declaration", "ambient_declaration", "export_statement");
  return node;
}

function byDefault(code: Code, node: Place): Found | undefined {
  if (!code.has(node, "default")) return undefined;
  const value = given(code, node, "value");
  if (value === NONE || code.type(value) === "identifier") return undefined;
  const named = code.said(code.child(value, "name"));
  const kind = FUNCTION.test(code.type(value)) ? "function" : CLASS.test(code.type(value)) ? "class" : "constant";
  return { kind, name: named === "" ? "default" : named, isExported: true, body: bodyOf(code, value), whole: node };
}

function given(code: Code, node: Place, as: string): Place {
  let value = code.child(node, as);
  while (code.type(value) === "parenthesized_expression") value = code.children(value)[0] ?? NONE;
  return value;
}

const bodyOf = (code: Code, value: Place): Place => (code.type(value) === "object" ? value : code.child(value, "body"));

function method(code: Code, node: Place, around: Around): Found | undefined {
  const name = code.child(node, "name");
  const isInObject = code.type(code.parent(node)) === "object";
  if (isInObject && around.name === "") return undefined;
  if (code.type(node) === "method_signature" && isOverloadOf(code, node, nextOf(code, node))) return undefined;
  return {
    kind: isInObject && around.kind !== "constant" ? "function" : "method",
    name: nameOf(code, name),
    isExported: !isPrivate(code, node),
    from: afterDecorators(code, node),
  };
}

function nextOf(code: Code, node: Place): Place {
  const end = code.next(code.parent(node));
  for (let at = code.next(node); at < end; at = code.next(at)) if (code.isNamed(at) && !code.isComment(at)) return at;
  return NONE;
}

const isPrivate = (code: Code, node: Place): boolean =>
  code.said(code.childOf(node, "accessibility_modifier")) === "private" ||
  code.said(code.child(node, "name")).startsWith("#");

const nameOf = (code: Code, name: Place): string =>
  code.type(name) === "computed_property_name" ? "" : code.said(name).replace(/^(["'])(.*)\1$/s, "$2");

function field(code: Code, node: Place): Found | undefined {
  const value = given(code, node, "value");
  const name = [code.child(node, "name"), code.child(node, "property")].find((each) => each !== NONE) ?? NONE;
  const isFunction = FUNCTION.test(code.type(value));
  const isConstant = code.has(node, "static") && value !== NONE;
  if (!isFunction && !isConstant) return undefined;
  return {
    kind: isFunction ? "method" : "constant",
    name: nameOf(code, name),
    isExported: !isPrivate(code, node) && !code.said(name).startsWith("#"),
    body: isFunction ? code.child(value, "body") : NONE,
    from: afterDecorators(code, node),
  };
}

function pair(code: Code, node: Place, around: Around): Found | undefined {
  const value = given(code, node, "value");
  if (around.name === "" || !FUNCTION.test(code.type(value))) return undefined;
  const kind = around.kind === "constant" ? "method" : "function";
  return { kind, name: nameOf(code, code.child(node, "key")), isExported: true, body: code.child(value, "body") };
}

function variable(code: Code, node: Place): Found | undefined {
  const [name, value] = [code.child(node, "name"), given(code, node, "value")];
  const declaration = code.parent(node);
  const isLoop = code.type(declaration).startsWith("for_");
  if (code.type(name) !== "identifier" || isLoop) return undefined;
  const type = code.type(value);
  const kind = FUNCTION.test(type) ? "function" : CLASS.test(type) ? "class" : "constant";
  const whole = wholeOf(code, declaration);
  if (kind === "constant" && (!isAtTop(code, whole) || isRequired(code, value))) return undefined;
  const isFirst = code.childOf(declaration, "variable_declarator") === node;
  const words = [code.type(whole) === "export_statement" ? "export" : "", code.said(declaration + 1)];
  return {
    kind,
    name: code.said(name),
    isExported: isExported(code, declaration),
    whole: isFirst ? whole : node,
    shared: words.filter((word) => word !== "").join(" "),
    body: kind === "constant" ? longBody(code, node, value) : code.child(value, "body"),
  };
}

const longBody = (code: Code, node: Place, value: Place): Place =>
  value !== NONE && code.end(node) - code.start(node) > 200 ? value : NONE;

function isAtTop(code: Code, whole: Place): boolean {
  const around = code.parent(whole);
  return code.type(around) === "program" || /^(?:internal_)?module$/.test(code.type(code.parent(around)));
}

/** A `require` or `import` call is an import, not a constant. */
const isRequired = (code: Code, value: Place): boolean => {
  let called = value;
  while (/^(?:member_expression|await_expression)$/.test(code.type(called)))
    called =
      code.type(called) === "await_expression" ? (code.children(called)[0] ?? NONE) : code.child(called, "object");
  return (
    code.type(called) === "call_expression" && /^(?:require|import)$/.test(code.said(code.child(called, "function")))
  );
};

/** `exports.a = function`, `Session.prototype.login = function`. */
function assigned(code: Code, node: Place, around: Around): Found | undefined {
  const [left, right] = [code.child(node, "left"), given(code, node, "right")];
  const isFunction = FUNCTION.test(code.type(right));
  if (around.name !== "" || code.type(left) !== "member_expression") return undefined;
  if (!isFunction && !CLASS.test(code.type(right))) return undefined;
  const [object, property] = [plain(code, code.child(left, "object")), code.said(code.child(left, "property"))];
  const whole = wholeOf(code, node);
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
const plainName = (code: Code, node: Place): string => {
  const said = plain(code, node);
  return /^@[\w$.]+$/.test(said) ? said.slice(1) : "";
};

/** `new Audit(a).write()` calls `Audit.write`. */
const ofMade = (code: Code, node: Place): string => {
  const called = code.child(node, "function");
  const object = code.child(called, "object");
  if (code.type(object) !== "new_expression") return "";
  return `${plain(code, code.child(object, "constructor"))}.${code.said(code.child(called, "property"))}`;
};

/** `defineGetter(req, "ip", function ip() {…})`: a named function as an argument. */
function handedOver(code: Code, node: Place, around: Around): Found | undefined {
  const [list, name] = [code.parent(node), code.said(code.child(node, "name"))];
  const call = code.parent(list);
  if (around.name !== "" || name === "" || code.type(list) !== "arguments") return undefined;
  if (code.type(code.parent(call)) !== "expression_statement" || !isAtTop(code, code.parent(call))) return undefined;
  const [object = NONE, property = NONE] = code.children(list);
  const isOf = code.type(object) === "identifier" && nameOf(code, property) === name;
  return {
    kind: "function",
    name,
    ...(isOf ? { within: code.said(object) } : {}),
    isExported: isOf,
    whole: code.parent(call),
    from: node,
  };
}

const element = (code: Code, node: Place): string => {
  const name = plain(code, code.child(node, "name"));
  return /^[A-Z]|\./.test(name) ? name : "";
};

export const typescript: LanguageOutline = {
  components: {
    function_declaration: declared("function"),
    generator_function_declaration: declared("function"),
    function_signature: signature,
    class_declaration: declared("class"),
    abstract_class_declaration: declared("class"),
    interface_declaration: declared("interface"),
    type_alias_declaration: (code, node) => ({ ...declared("type")(code, node), body: NONE }),
    enum_declaration: declared("type"),
    internal_module: declared("module"),
    module: (code, node) => ({ ...declared("module")(code, node), name: nameOf(code, code.child(node, "name")) }),
    export_statement: byDefault,
    method_definition: method,
    method_signature: method,
    abstract_method_signature: method,
    public_field_definition: field,
    field_definition: field,
    pair,
    variable_declarator: variable,
    assignment_expression: assigned,
    function_expression: handedOver,
  },
  imports: { import_statement: importsOf, export_statement: reExports, call_expression: requires },
  calls: {
    call_expression: ofMade,
    new_expression: (code, node) => plain(code, code.child(node, "constructor")),
    decorator: plainName,
    jsx_opening_element: element,
    jsx_self_closing_element: element,
  },
  marks: ["decorator"],
  belongs: isOverloadOf,
  exports: exportsOf,
  normal,
};
