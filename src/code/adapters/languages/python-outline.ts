import { type ParsedCode, type NodeIndex, NO_NODE } from "../syntax/parsed-code.ts";
import type { NormalForm, EnclosingComponent, FoundComponent, LanguageOutline } from "../outline/language-outline.ts";
import { unescapeQuotes } from "../outline/normal-hash.ts";
import type { CodeImport } from "../../model/index/code-outline.ts";
import { readCompactText } from "../syntax/call-and-definition-names.ts";

/** `u"a"` and `'''a'''` are `'a'`. An f-string is compared by its parts. */
function normalizePythonString(code: ParsedCode, node: NodeIndex): string | undefined {
  if (code.has(node, "interpolation")) return undefined;
  const match = /^([a-zA-Z]*)("""|'''|"|')([\s\S]*)\2$/.exec(code.said(node));
  if (match === null) return undefined;
  const [, prefix = "", , inner = ""] = match;
  return `${normalizePythonPrefix(prefix)}"${isRawPythonPrefix(prefix) ? inner : unescapeQuotes(inner)}"`;
}

const normalizePythonPrefix = (prefix: string): string => prefix.toLowerCase().replace("u", "");
const isRawPythonPrefix = (prefix: string): boolean => /r/i.test(prefix);

const normalizePythonStringStart = (code: ParsedCode, node: NodeIndex): string =>
  `${normalizePythonPrefix(/^[a-zA-Z]*/.exec(code.said(node))?.[0] ?? "")}"`;

const normalizePythonStringContent = (code: ParsedCode, node: NodeIndex): string => {
  const prefix = code.said(code.childOf(code.parent(node), "string_start"));
  return isRawPythonPrefix(prefix.replace(/["']/g, "")) ? code.said(node) : unescapeQuotes(code.said(node));
};

/** `(a) = 1` is `a = 1`. */
const unwrapPythonPattern = (code: ParsedCode, node: NodeIndex): "through" | undefined =>
  code.children(node).length === 1 && !code.has(node, ",") ? "through" : undefined;

/** `class A():` is `class A:`. */
const skipEmptyPythonBases = (code: ParsedCode, node: NodeIndex): "skip" | undefined =>
  code.type(code.parent(node)) === "class_definition" && code.children(node).length === 0 ? "skip" : undefined;

const lowerPythonNumber = (code: ParsedCode, node: NodeIndex): string => code.said(node).toLowerCase();

const pythonNormalForm: NormalForm = {
  through: ["parenthesized_expression"],
  loose: [";"],
  bare: ["tuple", "tuple_pattern", "with_clause", "import_from_statement"],
  same: { tuple: "expression_list", tuple_pattern: "pattern_list" },
  keepsComma: ["subscript"],
  as: {
    string: normalizePythonString,
    string_start: normalizePythonStringStart,
    string_content: normalizePythonStringContent,
    string_end: () => "",
    integer: lowerPythonNumber,
    float: lowerPythonNumber,
  },
  special: { tuple_pattern: unwrapPythonPattern, argument_list: skipEmptyPythonBases, line_continuation: () => "skip" },
};

/** `_a` is private; `__init__` is public. */
const isPublicPythonName = (name: string): boolean => !name.startsWith("_") || /^__\w+__$/.test(name);

function findPythonDecorated(code: ParsedCode, node: NodeIndex): NodeIndex {
  const parent = code.parent(node);
  return code.type(parent) === "decorated_definition" ? parent : node;
}

function findPythonDocstring(code: ParsedCode, node: NodeIndex): NodeIndex {
  const [first = NO_NODE] = findFirstPythonChild(code, code.child(node, "body"));
  if (code.type(first) !== "expression_statement") return NO_NODE;
  const [said = NO_NODE] = findFirstPythonChild(code, first);
  return code.type(said) === "string" && /^[rRuU]?["']/.test(code.said(said)) ? said : NO_NODE;
}

/** Does not list all children: a body may be long. */
function findFirstPythonChild(code: ParsedCode, node: NodeIndex): NodeIndex[] {
  if (node === NO_NODE) return [];
  for (let at = node + 1, after = code.next(node); at < after; at = code.next(at))
    if (code.isNamed(at) && !code.isComment(at)) return [at];
  return [];
}

const describePythonAs =
  (kindOf: (around: EnclosingComponent) => FoundComponent["kind"]) =>
  (code: ParsedCode, node: NodeIndex, around: EnclosingComponent): FoundComponent => {
    const name = code.said(code.child(node, "name"));
    return {
      kind: kindOf(around),
      name,
      isExported: isPublicPythonName(name),
      whole: findPythonDecorated(code, node),
      from: node,
      docstring: findPythonDocstring(code, node),
    };
  };

const PYTHON_CONSTANT_NAME = /^_{0,2}[A-Z][A-Z0-9_]*$/;
const PYTHON_TYPE_FACTORY =
  /^(?:typing\.|typing_extensions\.|collections\.)?(?:TypeVar|ParamSpec|TypeVarTuple|NewType|namedtuple|NamedTuple|TypedDict)$/;

/** A name in capitals, a type created by a call, or a named lambda, in a module or a class. */
function describePythonAssignment(
  code: ParsedCode,
  node: NodeIndex,
  around: EnclosingComponent,
): FoundComponent | undefined {
  const [left, right, statement] = [code.child(node, "left"), code.child(node, "right"), code.parent(node)];
  if (code.type(left) !== "identifier" || code.type(statement) !== "expression_statement") return undefined;
  if (around.kind !== undefined && around.kind !== "class") return undefined;
  const name = code.said(left);
  const isType =
    /\bTypeAlias\b/.test(readCompactText(code, code.child(node, "type"))) ||
    (code.type(right) === "call" && PYTHON_TYPE_FACTORY.test(readCompactText(code, code.child(right, "function"))));
  const isFunction = code.type(right) === "lambda" && around.kind === undefined;
  if (!isType && !isFunction && !PYTHON_CONSTANT_NAME.test(name)) return undefined;
  const isLong = code.end(node) - code.start(node) > 200;
  return {
    kind: isType ? "type" : isFunction ? "function" : "constant",
    name,
    isExported: isPublicPythonName(name),
    whole: statement,
    body: isFunction ? code.child(right, "body") : isLong ? right : NO_NODE,
  };
}

const describePythonTypeAlias = (code: ParsedCode, node: NodeIndex): FoundComponent => {
  const name = /^\w+/.exec(code.said(code.child(node, "left")))?.[0] ?? "";
  return { kind: "type", name, isExported: isPublicPythonName(name) };
};

const readPythonImport = (code: ParsedCode, node: NodeIndex): Omit<CodeImport, "line">[] =>
  code.children(node).map((each) => ({ specifier: readPythonImportName(code, each), names: [] }));

function readPythonFromImport(code: ParsedCode, node: NodeIndex): Omit<CodeImport, "line">[] {
  const from = code.child(node, "module_name");
  const names = code.children(node).filter((each) => each !== from && code.type(each) !== "wildcard_import");
  return [{ specifier: readCompactText(code, from), names: names.map((each) => readPythonImportName(code, each)) }];
}

const readPythonImportName = (code: ParsedCode, node: NodeIndex): string =>
  readCompactText(code, code.type(node) === "aliased_import" ? code.child(node, "name") : node);

function readPythonDynamicImport(code: ParsedCode, node: NodeIndex): Omit<CodeImport, "line">[] {
  if (
    !/^(?:importlib\.import_module|import_module|__import__)$/.test(readCompactText(code, code.child(node, "function")))
  )
    return [];
  const [given = NO_NODE] = findFirstPythonChild(code, code.child(node, "arguments"));
  const specifier = /^["']([\w.]+)["']$/.exec(code.type(given) === "string" ? code.said(given) : "")?.[1];
  return specifier === undefined ? [] : [{ specifier, names: [] }];
}

function listPythonAllNames(code: ParsedCode): ReadonlySet<string> {
  const names = new Set<string>();
  for (let at = 1; at < code.count; at = code.next(at)) {
    if (code.type(at) !== "expression_statement" || code.said(code.child(at + 1, "left")) !== "__all__") continue;
    const list = code.said(code.child(at + 1, "right"));
    for (const [, , name = ""] of list.matchAll(/(["'])(\w+)\1/g)) names.add(name);
  }
  return names;
}

const readPythonDecorator = (code: ParsedCode, node: NodeIndex): string => {
  const said = readCompactText(code, node);
  return /^@[\w.]+$/.test(said) ? said.slice(1) : "";
};

export const pythonOutline: LanguageOutline = {
  components: {
    function_definition: describePythonAs(({ kind }) => (kind === "class" ? "method" : "function")),
    class_definition: describePythonAs(() => "class"),
    assignment: describePythonAssignment,
    type_alias_statement: describePythonTypeAlias,
  },
  imports: {
    import_statement: readPythonImport,
    import_from_statement: readPythonFromImport,
    call: readPythonDynamicImport,
  },
  calls: { decorator: readPythonDecorator },
  exports: listPythonAllNames,
  isListAll: true,
  normal: pythonNormalForm,
};
