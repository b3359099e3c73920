import { type ParsedCode, NO_NODE, type NodeIndex } from "./code.ts";

export const CALL_NODE_TYPE =
  /^(?:call|call_expression|function_call_expression|macro_invocation|method_invocation|invocation_expression|(?:member|nullsafe_member|scoped)_call_expression)$/;

export const LONGEST_NODE_NAME = 300;

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
  if (macro !== NO_NODE) return `${readCompactText(code, macro)}!`;
  // Type arguments are not part of the name: `make<int>`.
  if (called !== NO_NODE) return readCompactText(code, called).replace(/(?:::)?<[^()]*>$/, "");
  const scope = code.child(node, "scope");
  if (scope !== NO_NODE) return `${readCompactText(code, scope)}::${readCompactText(code, code.child(node, "name"))}`;
  const object = nodeOrFallback(code.child(node, "receiver"), () => code.child(node, "object"));
  const method = nodeOrFallback(code.child(node, "method"), () => code.child(node, "name"));
  // A method of an object created in place belongs to its class: `new Audit(1).write` is `Audit.write`.
  const made = code.type(object) === "object_creation_expression" ? code.child(object, "type") : NO_NODE;
  const owner = made === NO_NODE ? readCompactText(code, object) : readCompactText(code, made).replace(/<.*>$/, "");
  const parts = [
    ...(object === NO_NODE ? [] : [owner]),
    ...(method === NO_NODE ? [] : [readCompactText(code, method)]),
  ];
  return parts.join(/^(?:nullsafe_)?member_call_expression$/.test(code.type(node)) ? "->" : ".");
}

export function readFirstArguments(
  code: ParsedCode,
  node: NodeIndex,
): { readonly argument?: string; readonly options?: string } {
  const tokens = code.type(node) === "macro_invocation" ? (code.children(node).at(-1) ?? NO_NODE) : NO_NODE;
  const given = nodeOrFallback(code.child(node, "arguments"), () => tokens);
  const [first, second] = findFirstTwoArguments(code, given);
  const options =
    second !== NO_NODE && code.type(second) === "object" ? code.said(second).slice(0, LONGEST_NODE_NAME) : undefined;
  const isShort = first !== NO_NODE && code.end(first) - code.start(first) <= LONGEST_NODE_NAME;
  return {
    ...(isShort ? { argument: code.said(first) } : {}),
    ...(options === undefined ? {} : { options }),
  };
}

/** Does not list all children: a call may pass a hundred thousand arguments. */
function findFirstTwoArguments(code: ParsedCode, node: NodeIndex): readonly [first: NodeIndex, second: NodeIndex] {
  let first = NO_NODE;
  if (node === NO_NODE) return [NO_NODE, NO_NODE];
  for (let at = node + 1, after = code.next(node); at < after; at = code.next(at)) {
    if (!code.isNamed(at) || code.isComment(at)) continue;
    if (first !== NO_NODE) return [first, at];
    first = at;
  }
  return [first, NO_NODE];
}

const nodeOrFallback = (place: NodeIndex, other: () => NodeIndex): NodeIndex => (place === NO_NODE ? other() : place);

/** The text of a node without whitespace; empty if it is long. */
export function readCompactText(code: ParsedCode, node: NodeIndex): string {
  if (code.end(node) - code.start(node) > LONGEST_NODE_NAME) return "";
  return code
    .said(node)
    .replace(/\s+/g, "")
    .replace(/\?(?=\.|->)/g, "");
}

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
