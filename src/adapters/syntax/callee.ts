import { type Code, NONE, type Place } from "./code.ts";

export const CALL =
  /^(?:call|call_expression|function_call_expression|macro_invocation|method_invocation|invocation_expression|(?:member|nullsafe_member|scoped)_call_expression)$/;

export const SHORT = 300;

/** The called name without whitespace. A call that returns a function becomes `it.each()`. */
export function calleeOf(code: Code, node: Place, depth = 0): string {
  const called = code.child(node, "function");
  if (called !== NONE && CALL.test(code.type(called))) {
    if (depth > 3) return "";
    const given = code.child(called, "arguments");
    const isShort = given !== NONE && code.end(given) - code.start(given) <= SHORT;
    const words = isShort ? /^\(\s*(true|false)\s*\)$/.exec(code.said(given))?.[1] : undefined;
    return `${calleeOf(code, called, depth + 1)}(${words ?? ""})`;
  }
  const macro = code.child(node, "macro");
  if (macro !== NONE) return `${plain(code, macro)}!`;
  // Type arguments are not part of the name: `make<int>`.
  if (called !== NONE) return plain(code, called).replace(/(?:::)?<[^()]*>$/, "");
  const scope = code.child(node, "scope");
  if (scope !== NONE) return `${plain(code, scope)}::${plain(code, code.child(node, "name"))}`;
  const object = orElse(code.child(node, "receiver"), () => code.child(node, "object"));
  const method = orElse(code.child(node, "method"), () => code.child(node, "name"));
  // A method of an object created in place belongs to its class: `new Audit(1).write` is `Audit.write`.
  const made = code.type(object) === "object_creation_expression" ? code.child(object, "type") : NONE;
  const owner = made === NONE ? plain(code, object) : plain(code, made).replace(/<.*>$/, "");
  const parts = [...(object === NONE ? [] : [owner]), ...(method === NONE ? [] : [plain(code, method)])];
  return parts.join(/^(?:nullsafe_)?member_call_expression$/.test(code.type(node)) ? "->" : ".");
}

export function firstArguments(code: Code, node: Place): { readonly argument?: string; readonly options?: string } {
  const tokens = code.type(node) === "macro_invocation" ? (code.children(node).at(-1) ?? NONE) : NONE;
  const given = orElse(code.child(node, "arguments"), () => tokens);
  const [first, second] = firstTwo(code, given);
  const options = second !== NONE && code.type(second) === "object" ? code.said(second).slice(0, SHORT) : undefined;
  const isShort = first !== NONE && code.end(first) - code.start(first) <= SHORT;
  return {
    ...(isShort ? { argument: code.said(first) } : {}),
    ...(options === undefined ? {} : { options }),
  };
}

/** Does not list all children: a call may pass a hundred thousand arguments. */
function firstTwo(code: Code, node: Place): readonly [first: Place, second: Place] {
  let first = NONE;
  if (node === NONE) return [NONE, NONE];
  for (let at = node + 1, after = code.next(node); at < after; at = code.next(at)) {
    if (!code.isNamed(at) || code.isComment(at)) continue;
    if (first !== NONE) return [first, at];
    first = at;
  }
  return [first, NONE];
}

const orElse = (place: Place, other: () => Place): Place => (place === NONE ? other() : place);

/** The text of a node without whitespace; empty if it is long. */
export function plain(code: Code, node: Place): string {
  if (code.end(node) - code.start(node) > SHORT) return "";
  return code
    .said(node)
    .replace(/\s+/g, "")
    .replace(/\?(?=\.|->)/g, "");
}

/** A block after a macro belongs to the call, though the grammar separates them: `TEST_CASE("a") { }`. */
export function endOfCall(code: Code, node: Place): number {
  const statement = code.parent(node);
  const block = code.type(statement) === "expression_statement" ? code.next(statement) : NONE;
  const isCalledWith =
    block !== NONE &&
    code.type(block) === "compound_statement" &&
    code.parent(block) === code.parent(statement) &&
    !code.text.slice(code.end(node), code.start(block)).includes(";");
  return code.end(isCalledWith ? block : node);
}
