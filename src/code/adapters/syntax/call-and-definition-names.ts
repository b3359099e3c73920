import { LONGEST_NODE_NAME, type ParsedCode, NO_NODE, type NodeIndex } from "./parsed-code.ts";

export const CALL_NODE_TYPE =
  /^(?:call|call_expression|function_call_expression|macro_invocation|method_invocation|invocation_expression|(?:member|nullsafe_member|scoped)_call_expression)$/;

/** The called name without whitespace. A call that returns a function becomes `it.each()`. */
export function formatCalleeName(code: ParsedCode, node: NodeIndex, depth = 0): string {
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

export function readFirstArguments(
  code: ParsedCode,
  node: NodeIndex,
): { readonly argument?: string; readonly options?: string } {
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
export function findCallEnd(code: ParsedCode, node: NodeIndex): number {
  const statement = code.parent(node);
  const block = code.type(statement) === "expression_statement" ? code.next(statement) : NO_NODE;
  const isCalledWith =
    block !== NO_NODE &&
    code.type(block) === "compound_statement" &&
    code.parent(block) === code.parent(statement) &&
    !code.text.slice(code.end(node), code.start(block)).includes(";");
  return code.end(isCalledWith ? block : node);
}

/** In C and C++ the use of a type has the same node type as its definition, but no body. */
export const isTypeReferenceOnly = (code: ParsedCode, node: NodeIndex): boolean =>
  code.type(node).endsWith("_specifier") && code.child(node, "body") === NO_NODE;

export function readDefinitionName(
  code: ParsedCode,
  node: NodeIndex,
): { readonly name: string; readonly marks: readonly string[] } {
  const declarator = code.child(node, "declarator");
  if (declarator !== NO_NODE && code.child(node, "name") === NO_NODE) return readDeclaratorName(code, node, declarator);
  return { name: readDefinitionNameField(code, node), marks: listDefinitionAnnotations(code, node) };
}

function readDefinitionNameField(code: ParsedCode, node: NodeIndex): string {
  const parent = code.parent(node);
  for (const [of, field] of [
    [node, "name"],
    [node, "type"],
    [parent, "name"],
    [parent, "property"],
  ] as const) {
    const name = code.child(of, field);
    if (name !== NO_NODE) return code.short(name);
  }
  return "";
}

/** Java keeps annotations among the modifiers; C# and PHP keep attributes in lists. */
function listDefinitionAnnotations(code: ParsedCode, node: NodeIndex): string[] {
  const marks: string[] = [];
  const modifiers = code.childOf(node, "modifiers");
  for (const each of modifiers === NO_NODE ? code.children(node).slice(0, MOST_ANNOTATIONS) : code.children(modifiers))
    if (/^(?:marker_annotation|annotation|attribute_list)$/.test(code.type(each))) marks.push(code.short(each));
  return marks;
}

const MOST_ANNOTATIONS = 20;

/** The name that a C declarator declares, without the syntax around it: `*find(int)`. */
export function findDeclaredName(code: ParsedCode, declarator: NodeIndex): NodeIndex {
  let at = declarator;
  for (let inner = at; inner !== NO_NODE; inner = findInnerDeclarator(code, at)) at = inner;
  return at;
}

function findInnerDeclarator(code: ParsedCode, node: NodeIndex): NodeIndex {
  // All of `operator bool()` is the name.
  if (code.type(node) === "operator_cast") return NO_NODE;
  const own = code.child(node, "declarator");
  if (own !== NO_NODE || !/^(?:parenthesized|reference|attributed)_declarator$/.test(code.type(node))) return own;
  return code.children(node)[0] ?? NO_NODE;
}

/** A test macro parses as a function without a type: `TEST(Shop, Adds) { }` is `Shop.Adds`. */
function readDeclaratorName(
  code: ParsedCode,
  node: NodeIndex,
  declarator: NodeIndex,
): { name: string; marks: string[] } {
  const name = code.short(findDeclaredName(code, declarator));
  if (code.child(node, "type") !== NO_NODE || !TEST_MACRO_NAME.test(name)) return { name, marks: [] };
  const given = code.children(code.child(declarator, "parameters")).map((each) => code.short(each));
  return { name: given.join("."), marks: [name] };
}

const TEST_MACRO_NAME = /^(?:TYPED_)?TEST(?:_[FP])?$|^BOOST_(?:AUTO|FIXTURE)_TEST_CASE$/;
