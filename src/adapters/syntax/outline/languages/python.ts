import type { CodeImport } from "#domain/indexing/outline.ts";
import { plain } from "../../callee.ts";
import { type Code, NONE, type Place } from "../../code.ts";
import type { Around, Found, LanguageOutline } from "../language.ts";
import { normal } from "./python-normal.ts";

/** `_a` is private; `__init__` is public. */
const isPublic = (name: string): boolean => !name.startsWith("_") || /^__\w+__$/.test(name);

function wholeOf(code: Code, node: Place): Place {
  const parent = code.parent(node);
  return code.type(parent) === "decorated_definition" ? parent : node;
}

function docstringOf(code: Code, node: Place): Place {
  const [first = NONE] = firstChild(code, code.child(node, "body"));
  if (code.type(first) !== "expression_statement") return NONE;
  const [said = NONE] = firstChild(code, first);
  return code.type(said) === "string" && /^[rRuU]?["']/.test(code.said(said)) ? said : NONE;
}

/** Does not list all children: a body may be long. */
function firstChild(code: Code, node: Place): Place[] {
  if (node === NONE) return [];
  for (let at = node + 1, after = code.next(node); at < after; at = code.next(at))
    if (code.isNamed(at) && !code.isComment(at)) return [at];
  return [];
}

const defined =
  (kindOf: (around: Around) => Found["kind"]) =>
  (code: Code, node: Place, around: Around): Found => {
    const name = code.said(code.child(node, "name"));
    return {
      kind: kindOf(around),
      name,
      isExported: isPublic(name),
      whole: wholeOf(code, node),
      from: node,
      docstring: docstringOf(code, node),
    };
  };

const CAPITALS = /^_{0,2}[A-Z][A-Z0-9_]*$/;
const MAKES_TYPE =
  /^(?:typing\.|typing_extensions\.|collections\.)?(?:TypeVar|ParamSpec|TypeVarTuple|NewType|namedtuple|NamedTuple|TypedDict)$/;

/** A name in capitals, a type created by a call, or a named lambda, in a module or a class. */
function assigned(code: Code, node: Place, around: Around): Found | undefined {
  const [left, right, statement] = [code.child(node, "left"), code.child(node, "right"), code.parent(node)];
  if (code.type(left) !== "identifier" || code.type(statement) !== "expression_statement") return undefined;
  if (around.kind !== undefined && around.kind !== "class") return undefined;
  const name = code.said(left);
  const isType =
    /\bTypeAlias\b/.test(plain(code, code.child(node, "type"))) ||
    (code.type(right) === "call" && MAKES_TYPE.test(plain(code, code.child(right, "function"))));
  const isFunction = code.type(right) === "lambda" && around.kind === undefined;
  if (!isType && !isFunction && !CAPITALS.test(name)) return undefined;
  const isLong = code.end(node) - code.start(node) > 200;
  return {
    kind: isType ? "type" : isFunction ? "function" : "constant",
    name,
    isExported: isPublic(name),
    whole: statement,
    body: isFunction ? code.child(right, "body") : isLong ? right : NONE,
  };
}

const alias = (code: Code, node: Place): Found => {
  const name = /^\w+/.exec(code.said(code.child(node, "left")))?.[0] ?? "";
  return { kind: "type", name, isExported: isPublic(name) };
};

const imported = (code: Code, node: Place): Omit<CodeImport, "line">[] =>
  code.children(node).map((each) => ({ specifier: nameIn(code, each), names: [] }));

function importedFrom(code: Code, node: Place): Omit<CodeImport, "line">[] {
  const from = code.child(node, "module_name");
  const names = code.children(node).filter((each) => each !== from && code.type(each) !== "wildcard_import");
  return [{ specifier: plain(code, from), names: names.map((each) => nameIn(code, each)) }];
}

const nameIn = (code: Code, node: Place): string =>
  plain(code, code.type(node) === "aliased_import" ? code.child(node, "name") : node);

function importedByCall(code: Code, node: Place): Omit<CodeImport, "line">[] {
  if (!/^(?:importlib\.import_module|import_module|__import__)$/.test(plain(code, code.child(node, "function"))))
    return [];
  const [given = NONE] = firstChild(code, code.child(node, "arguments"));
  const specifier = /^["']([\w.]+)["']$/.exec(code.type(given) === "string" ? code.said(given) : "")?.[1];
  return specifier === undefined ? [] : [{ specifier, names: [] }];
}

function listed(code: Code): ReadonlySet<string> {
  const names = new Set<string>();
  for (let at = 1; at < code.count; at = code.next(at)) {
    if (code.type(at) !== "expression_statement" || code.said(code.child(at + 1, "left")) !== "__all__") continue;
    const list = code.said(code.child(at + 1, "right"));
    for (const [, , name = ""] of list.matchAll(/(["'])(\w+)\1/g)) names.add(name);
  }
  return names;
}

const decorator = (code: Code, node: Place): string => {
  const said = plain(code, node);
  return /^@[\w.]+$/.test(said) ? said.slice(1) : "";
};

export const python: LanguageOutline = {
  components: {
    function_definition: defined(({ kind }) => (kind === "class" ? "method" : "function")),
    class_definition: defined(() => "class"),
    assignment: assigned,
    type_alias_statement: alias,
  },
  imports: { import_statement: imported, import_from_statement: importedFrom, call: importedByCall },
  calls: { decorator },
  exports: listed,
  isListAll: true,
  normal,
};
