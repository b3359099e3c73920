import type { Node, Tree } from "web-tree-sitter";
import type { Call, Definition, Look, Sign, Span } from "#domain/scan/look.ts";
import { lineCounter } from "#domain/scan/lines.ts";
import { DEEPEST, type Step, walk } from "./walk.ts";

const COMMENT = /^(?:line_|block_|html_)?comment$/;
const CALL = /^(?:call|call_expression|function_call_expression|macro_invocation|method_invocation)$/;
const MARK = /^(?:decorator|attribute_item|inner_attribute_item)$/;
const SIGNS: Readonly<Partial<Record<string, Sign["kind"]>>> = {
  debugger_statement: "debugger",
  throw_statement: "throw",
  throw_expression: "throw",
  raise_statement: "throw",
};
const DEFINITIONS: Readonly<Partial<Record<string, Definition["kind"]>>> = {
  function_declaration: "function",
  generator_function_declaration: "function",
  function_definition: "function",
  function_item: "function",
  method_definition: "function",
  method_declaration: "function",
  constructor_declaration: "function",
  method: "function",
  singleton_method: "function",
  class_declaration: "class",
  abstract_class_declaration: "class",
  class_definition: "class",
  interface_declaration: "class",
  impl_item: "class",
  struct_item: "class",
  trait_item: "class",
  class: "class",
  mod_item: "module",
  internal_module: "module",
  module: "module",
};

/** What is longer is no name and no message. */
const SHORT = 300;

interface Marks {
  readonly texts: string[];
  readonly start: number;
}

/** What gates ask of a tree; nothing when time ran out. */
export function lookAt(language: string, tree: Tree, text: string, deadline: number): Look | undefined {
  const lines = lineCounter(text);
  const span = (start: number, end: number, said = text.slice(start, end)): Span => ({
    start,
    end,
    line: lines(start),
    lastLine: lines(Math.max(start, end - 1)),
    text: said,
  });
  const comments: Span[] = [];
  const calls: Call[] = [];
  const definitions: Definition[] = [];
  const signs: Sign[] = [];
  // Marks stand before what they mark, as its siblings; each parent holds those that wait.
  const waiting = new WeakMap<Step, Marks>();
  const isDone = walk(tree, text, deadline, (step) => {
    const { type, start, end } = step;
    if (!step.isNamed) return false;
    if (COMMENT.test(type) || isDocstring(step, text)) {
      comments.push(span(start, start + text.slice(start, end).trimEnd().length));
      return false;
    }
    if (MARK.test(type) && step.parent !== undefined) {
      const marks = waiting.get(step.parent) ?? { texts: [], start };
      marks.texts.push(cut(text, start, end));
      waiting.set(step.parent, marks);
      return true;
    }
    const before = takeMarks(step, waiting);
    if (step.depth > DEEPEST) return true;
    if (CALL.test(type)) calls.push(callAt(step, text, span));
    const kind = DEFINITIONS[type] ?? (isNamedFunction(step) ? "function" : undefined);
    if (kind !== undefined && step.parent !== undefined)
      definitions.push({
        ...span(before?.start ?? start, end, nameOf(step.node(), text)),
        kind,
        marks: before?.texts ?? [],
      });
    const sign = signAt(step, text);
    if (sign !== undefined) signs.push({ ...span(start, end, cut(text, start, end)), kind: sign });
    return true;
  });
  const isWhole = !tree.rootNode.hasError;
  return isDone ? { language, by: "grammar", isWhole, comments, calls, definitions, signs } : undefined;
}

const cut = (text: string, start: number, end: number): string => text.slice(start, Math.min(end, start + SHORT));

function takeMarks(step: Step, waiting: WeakMap<Step, Marks>): Marks | undefined {
  const marks = step.parent === undefined ? undefined : waiting.get(step.parent);
  if (marks !== undefined && step.parent !== undefined) waiting.delete(step.parent);
  return marks;
}

/** The string that a Python module, class or function begins with. */
function isDocstring(step: Step, text: string): boolean {
  if (step.type !== "string" || step.parent?.type !== "expression_statement") return false;
  const around = step.parent.parent;
  const isBody = around?.type === "module" || /^(?:function|class)_definition$/.test(around?.parent?.type ?? "");
  if (!isBody || around === undefined || !/^[rRuU]?["']/.test(text.slice(step.start, step.start + 2))) return false;
  // Only comments and blank lines may stand before it.
  const before = text.slice(around.type === "module" ? 0 : around.start, step.parent.start);
  return before.length < 20_000 && before.split("\n").every((line) => /^\s*(?:#.*)?$/.test(line));
}

const isNamedFunction = ({ type, parent, field }: Step): boolean =>
  field === "value" &&
  /^(?:arrow_function|function_expression|generator_function)$/.test(type) &&
  /^(?:variable_declarator|public_field_definition|field_definition|pair)$/.test(parent?.type ?? "");

function nameOf(node: Node, text: string): string {
  const own = node.childForFieldName("name") ?? node.childForFieldName("type");
  const name = own ?? node.parent?.childForFieldName("name") ?? node.parent?.childForFieldName("property") ?? null;
  return name === null ? "" : cut(text, name.startIndex, name.endIndex);
}

function callAt(step: Step, text: string, span: (start: number, end: number, said: string) => Span): Call {
  const node = step.node();
  const given = (node.childForFieldName("arguments") ?? lastTokens(node))?.namedChildren.filter(
    (each) => !COMMENT.test(each.type),
  );
  const [first, second] = given ?? [];
  const isShort = first !== undefined && first.endIndex - first.startIndex <= SHORT;
  return {
    ...span(step.start, step.end, calleeOf(node, text, 0)),
    ...(isShort ? { argument: text.slice(first.startIndex, first.endIndex) } : {}),
    ...(second?.type === "object" ? { options: cut(text, second.startIndex, second.endIndex) } : {}),
    isConditional: step.isConditional,
  };
}

const lastTokens = (node: Node): Node | null => (node.type === "macro_invocation" ? node.lastNamedChild : null);

/** What is called, without blanks; a call that gives a function is shown as `it.each()`. */
function calleeOf(node: Node, text: string, depth: number): string {
  const called = node.childForFieldName("function");
  if (called !== null && CALL.test(called.type)) {
    if (depth > 3) return "";
    const given = called.childForFieldName("arguments");
    const words =
      given === null ? "" : /^\(\s*(true|false)\s*\)$/.exec(cut(text, given.startIndex, given.endIndex))?.[1];
    return `${calleeOf(called, text, depth + 1)}(${words ?? ""})`;
  }
  const macro = node.childForFieldName("macro");
  if (macro !== null) return `${plain(macro, text)}!`;
  if (called !== null) return plain(called, text);
  const object = node.childForFieldName("receiver") ?? node.childForFieldName("object");
  const method = node.childForFieldName("method") ?? node.childForFieldName("name");
  return [object, method].flatMap((part) => (part === null ? [] : [plain(part, text)])).join(".");
}

function plain(node: Node, text: string): string {
  if (node.endIndex - node.startIndex > SHORT) return "";
  return text.slice(node.startIndex, node.endIndex).replace(/\s+/g, "").replaceAll("?.", ".");
}

function signAt({ type, start, end }: Step, text: string): Sign["kind"] | undefined {
  if (type === "predefined_type") return text.slice(start, end) === "any" ? "any" : undefined;
  if (type === "assignment")
    return /^(?:pytestmark|__test__)\b/.test(text.slice(start, start + 12)) ? "assignment" : undefined;
  return SIGNS[type];
}
