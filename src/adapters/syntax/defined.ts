import { LONGEST_NODE_NAME } from "./callee.ts";
import { type ParsedCode, NO_NODE, type NodeIndex } from "./code.ts";

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
    if (name !== NO_NODE) return readShortText(code, name);
  }
  return "";
}

/** Java keeps annotations among the modifiers; C# and PHP keep attributes in lists. */
function listDefinitionAnnotations(code: ParsedCode, node: NodeIndex): string[] {
  const marks: string[] = [];
  const modifiers = code.childOf(node, "modifiers");
  for (const each of modifiers === NO_NODE ? code.children(node).slice(0, MOST_ANNOTATIONS) : code.children(modifiers))
    if (/^(?:marker_annotation|annotation|attribute_list)$/.test(code.type(each)))
      marks.push(readShortText(code, each));
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
  const name = readShortText(code, findDeclaredName(code, declarator));
  if (code.child(node, "type") !== NO_NODE || !TEST_MACRO_NAME.test(name)) return { name, marks: [] };
  const given = code.children(code.child(declarator, "parameters")).map((each) => readShortText(code, each));
  return { name: given.join("."), marks: [name] };
}

const TEST_MACRO_NAME = /^(?:TYPED_)?TEST(?:_[FP])?$|^BOOST_(?:AUTO|FIXTURE)_TEST_CASE$/;

const readShortText = (code: ParsedCode, node: NodeIndex): string =>
  code.text.slice(code.start(node), Math.min(code.end(node), code.start(node) + LONGEST_NODE_NAME));
