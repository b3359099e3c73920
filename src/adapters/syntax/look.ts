import { lineCounter } from "#domain/scan/lines.ts";
import type { Call, Definition, Look, Sign, Span } from "#domain/scan/look.ts";
import { calleeOf, CALL, endOfCall, SHORT, firstArguments } from "./callee.ts";
import { type Code, NONE, type Place } from "./code.ts";
import { definedAt, isOnlyNamed } from "./defined.ts";
import type { Vocabulary } from "./vocabulary.ts";

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
  class_specifier: "class",
  record_declaration: "class",
  struct_declaration: "class",
  struct_specifier: "class",
  trait_declaration: "class",
  mod_item: "module",
  internal_module: "module",
  module: "module",
};
const NAMED_FUNCTION = /^(?:arrow_function|function_expression|generator_function)$/;
const NAMES_FUNCTION = /^(?:variable_declarator|public_field_definition|field_definition|pair)$/;

const FUNCTION = /function|method|lambda|^func_literal$|^closure_expression$|^(?:class|mod|module)(?:_|$)/;
const BRANCH =
  /^(?:if|elif|else|unless|while|for|until|switch|case|match|try|catch|except|conditional|ternary|rescue)(?:_|$)|_case$|^(?:type_)?switch|_arm$|^boolean_operator$|^for_in_statement$/;
const ALWAYS = /^\(?\s*(?:true|True|1)\s*\)?$/;

export const DEEPEST = 100;
const NESTS = /^(?:call|call_expression|macro_invocation|method_invocation)$|_item$|_definition$|_declaration$/;

interface Telling {
  readonly nests: boolean;
  readonly isFunction: boolean;
  readonly isBranch: boolean;
  readonly isMark: boolean;
  readonly isCall: boolean;
  readonly mayBeNamed: boolean;
  readonly definition: Definition["kind"] | undefined;
  readonly mayBeSign: boolean;
  readonly isString: boolean;
}

const tellings = new WeakMap<Vocabulary, readonly (Telling | undefined)[]>();

function tellingOf(words: Vocabulary): readonly (Telling | undefined)[] {
  const known = tellings.get(words);
  if (known !== undefined) return known;
  const made = words.types.map((type, id) => (words.isNamed[id] === 1 ? toldBy(type) : undefined));
  tellings.set(words, made);
  return made;
}

const toldBy = (type: string): Telling => ({
  nests: NESTS.test(type),
  isFunction: FUNCTION.test(type),
  isBranch: BRANCH.test(type),
  isMark: MARK.test(type),
  isCall: CALL.test(type),
  mayBeNamed: NAMED_FUNCTION.test(type),
  definition: DEFINITIONS[type],
  mayBeSign: type === "predefined_type" || type === "assignment" || type in SIGNS,
  isString: type === "string",
});

export interface Seen {
  readonly look: Look;
  readonly callPlaces: readonly Place[];
  readonly docstrings: ReadonlySet<Place>;
}

export function lookAt(language: string, code: Code): Seen {
  const lines = lineCounter(code.text);
  const span = (start: number, end: number, text: string): Span => ({
    start,
    end,
    line: lines(start),
    lastLine: lines(Math.max(start, end - 1)),
    text,
  });
  const found = { comments: [] as Span[], calls: [] as Call[], definitions: [] as Definition[], signs: [] as Sign[] };
  const [callPlaces, docstrings]: [Place[], Set<Place>] = [[], new Set()];
  const telling = tellingOf(code.words);
  const around = new Surroundings(code);
  // Annotations are siblings before the node they annotate. Each parent holds the ones that wait for it.
  const waiting = new Map<Place, { readonly texts: string[]; readonly start: number }>();
  for (let at = 0; at < code.count; at++) {
    const told = telling[code.typeId(at)];
    if (told === undefined) continue;
    const [start, end] = [code.start(at), code.end(at)];
    const isDocstring = told.isString && isDocstringAt(code, at);
    if (isDocstring || code.isComment(at)) {
      const text = code.text.slice(start, end).trimEnd();
      found.comments.push(span(start, start + text.length, text));
      if (isDocstring) docstrings.add(at);
      at = code.next(at) - 1;
      continue;
    }
    const parent = code.parent(at);
    const { depth, isConditional } = around.at(at, told);
    if (told.isMark && parent !== NONE) {
      const marks = waiting.get(parent) ?? { texts: [], start };
      marks.texts.push(cut(code, at));
      waiting.set(parent, marks);
      continue;
    }
    const before = waiting.size === 0 ? undefined : waiting.get(parent);
    if (before !== undefined) waiting.delete(parent);
    if (depth > DEEPEST) continue;
    if (told.isCall) {
      found.calls.push({
        ...span(start, endOfCall(code, at), calleeOf(code, at)),
        ...firstArguments(code, at),
        isConditional,
      });
      callPlaces.push(at);
    }
    const kind = told.definition ?? (told.mayBeNamed && isNamedFunction(code, at) ? "function" : undefined);
    if (kind !== undefined && parent !== NONE && !isOnlyNamed(code, at)) {
      const { name, marks } = definedAt(code, at);
      found.definitions.push({
        ...span(before?.start ?? start, end, name),
        kind,
        marks: [...(before?.texts ?? []), ...marks],
      });
    }
    const sign = told.mayBeSign ? signAt(code, at) : undefined;
    if (sign !== undefined) found.signs.push({ ...span(start, end, cut(code, at)), kind: sign });
  }
  return { look: { language, by: "grammar", isWhole: code.isWhole, ...found }, callPlaces, docstrings };
}

class Surroundings {
  readonly #code: Code;
  readonly #open: { readonly end: Place; readonly depth: number; readonly isConditional: boolean }[] = [];

  constructor(code: Code) {
    this.#code = code;
  }

  at(node: Place, told: Telling): { readonly depth: number; readonly isConditional: boolean } {
    const open = this.#open;
    while (open.length > 0 && (open.at(-1)?.end ?? 0) <= node) open.pop();
    const outer = open.at(-1) ?? TOP;
    if (!told.nests && !told.isFunction && !told.isBranch) return outer;
    const depth = outer.depth + Number(told.nests);
    const isConditional = !told.isFunction && (outer.isConditional || (told.isBranch && !isAlways(this.#code, node)));
    const here = { end: this.#code.next(node), depth, isConditional };
    open.push(here);
    return here;
  }
}

const TOP = { depth: 0, isConditional: false };

function isAlways(code: Code, node: Place): boolean {
  if (!code.type(node).startsWith("if_")) return false;
  const condition = code.child(node, "condition");
  if (condition === NONE) return false;
  const start = code.start(condition);
  return ALWAYS.test(code.text.slice(start, Math.min(code.end(condition), start + 20)));
}

const cut = (code: Code, node: Place): string =>
  code.text.slice(code.start(node), Math.min(code.end(node), code.start(node) + SHORT));

function isDocstringAt(code: Code, node: Place): boolean {
  const statement = code.parent(node);
  if (code.type(statement) !== "expression_statement") return false;
  const body = code.parent(statement);
  const isModule = code.type(body) === "module";
  const isBody = isModule || /^(?:function|class)_definition$/.test(code.type(code.parent(body)));
  const start = code.start(node);
  if (!isBody || !/^[rRuU]?["']/.test(code.text.slice(start, start + 2))) return false;
  const before = code.text.slice(isModule ? 0 : code.start(body), code.start(statement));
  return before.length < 20_000 && before.split("\n").every((line) => /^\s*(?:#.*)?$/.test(line));
}

const isNamedFunction = (code: Code, node: Place): boolean =>
  code.isField(node, "value") && NAMES_FUNCTION.test(code.type(code.parent(node)));

function signAt(code: Code, node: Place): Sign["kind"] | undefined {
  const type = code.type(node);
  if (type === "predefined_type") return code.said(node) === "any" ? "any" : undefined;
  const start = code.start(node);
  if (type === "assignment")
    return /^(?:pytestmark|__test__)\b/.test(code.text.slice(start, start + 12)) ? "assignment" : undefined;
  return SIGNS[type];
}
