import { SHORT } from "./callee.ts";
import { type Code, NONE, type Place } from "./code.ts";

/** In C and C++ the use of a type has the same node type as its definition, but no body. */
export const isOnlyNamed = (code: Code, node: Place): boolean =>
  code.type(node).endsWith("_specifier") && code.child(node, "body") === NONE;

export function definedAt(code: Code, node: Place): { readonly name: string; readonly marks: readonly string[] } {
  const declarator = code.child(node, "declarator");
  if (declarator !== NONE && code.child(node, "name") === NONE) return declared(code, node, declarator);
  return { name: nameOf(code, node), marks: marksIn(code, node) };
}

function nameOf(code: Code, node: Place): string {
  const parent = code.parent(node);
  for (const [of, field] of [
    [node, "name"],
    [node, "type"],
    [parent, "name"],
    [parent, "property"],
  ] as const) {
    const name = code.child(of, field);
    if (name !== NONE) return cut(code, name);
  }
  return "";
}

/** Java keeps annotations among the modifiers; C# and PHP keep attributes in lists. */
function marksIn(code: Code, node: Place): string[] {
  const marks: string[] = [];
  const modifiers = code.childOf(node, "modifiers");
  for (const each of modifiers === NONE ? code.children(node).slice(0, MOST_MARKS) : code.children(modifiers))
    if (/^(?:marker_annotation|annotation|attribute_list)$/.test(code.type(each))) marks.push(cut(code, each));
  return marks;
}

const MOST_MARKS = 20;

/** The name that a C declarator declares, without the syntax around it: `*find(int)`. */
export function declaredName(code: Code, declarator: Place): Place {
  let at = declarator;
  for (let inner = at; inner !== NONE; inner = innerDeclarator(code, at)) at = inner;
  return at;
}

function innerDeclarator(code: Code, node: Place): Place {
  // All of `operator bool()` is the name.
  if (code.type(node) === "operator_cast") return NONE;
  const own = code.child(node, "declarator");
  if (own !== NONE || !/^(?:parenthesized|reference|attributed)_declarator$/.test(code.type(node))) return own;
  return code.children(node)[0] ?? NONE;
}

/** A test macro parses as a function without a type: `TEST(Shop, Adds) { }` is `Shop.Adds`. */
function declared(code: Code, node: Place, declarator: Place): { name: string; marks: string[] } {
  const name = cut(code, declaredName(code, declarator));
  if (code.child(node, "type") !== NONE || !TEST_MACRO.test(name)) return { name, marks: [] };
  const given = code.children(code.child(declarator, "parameters")).map((each) => cut(code, each));
  return { name: given.join("."), marks: [name] };
}

const TEST_MACRO = /^(?:TYPED_)?TEST(?:_[FP])?$|^BOOST_(?:AUTO|FIXTURE)_TEST_CASE$/;

const cut = (code: Code, node: Place): string =>
  code.text.slice(code.start(node), Math.min(code.end(node), code.start(node) + SHORT));
