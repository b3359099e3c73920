import { type ParsedCode, type NodeIndex, NO_NODE } from "../syntax/parsed-code.ts";
import type { EnclosingComponent, FoundComponent, NameReader } from "../outline/language-outline.ts";
import { defineLanguage, readPlainDecorator } from "../outline/language-outline.ts";
import { unescapeQuotes } from "../outline/normal-hash.ts";

const normalizePythonPrefix = (prefix: string): string => prefix.toLowerCase().replace("u", "");
const isRawPythonPrefix = (prefix: string): boolean => /r/i.test(prefix);

/** `_a` is private; `__init__` is public. */
const isPublicPythonName = (name: string): boolean => !name.startsWith("_") || /^__\w+__$/.test(name);

const describePythonAs =
  (kindOf: (around: EnclosingComponent) => FoundComponent["kind"]) =>
  (code: ParsedCode, node: NodeIndex, around: EnclosingComponent): FoundComponent => {
    const name = code.fieldText(node, "name");
    const parent = code.parent(node);
    const [first = NO_NODE] = code.children(code.child(node, "body"), 1);
    const [said = NO_NODE] = code.type(first) === "expression_statement" ? code.children(first, 1) : [];
    const isDocstring = code.type(said) === "string" && /^[rRuU]?["']/.test(code.said(said));
    return {
      kind: kindOf(around),
      name,
      isExported: isPublicPythonName(name),
      whole: code.type(parent) === "decorated_definition" ? parent : node,
      from: node,
      docstring: isDocstring ? said : NO_NODE,
    };
  };

const PYTHON_CONSTANT_NAME = /^_{0,2}[A-Z][A-Z0-9_]*$/;
const PYTHON_TYPE_FACTORY =
  /^(?:typing\.|typing_extensions\.|collections\.)?(?:TypeVar|ParamSpec|TypeVarTuple|NewType|namedtuple|NamedTuple|TypedDict)$/;

const readPythonImportName: NameReader = (code, node) =>
  code.compact(code.type(node) === "aliased_import" ? code.child(node, "name") : node);

export const pythonOutline = defineLanguage("python", {
  components: {
    function_definition: describePythonAs(({ kind }) => (kind === "class" ? "method" : "function")),
    class_definition: describePythonAs(() => "class"),
    // A name in capitals, a type created by a call, or a named lambda, in a module or a class.
    assignment: (code, node, around) => {
      const [left, right, statement] = [code.child(node, "left"), code.child(node, "right"), code.parent(node)];
      if (code.type(left) !== "identifier" || code.type(statement) !== "expression_statement") return undefined;
      if (around.kind !== undefined && around.kind !== "class") return undefined;
      const name = code.said(left);
      const isType =
        /\bTypeAlias\b/.test(code.compactField(node, "type")) ||
        (code.type(right) === "call" && PYTHON_TYPE_FACTORY.test(code.compactField(right, "function")));
      const isFunction = code.type(right) === "lambda" && around.kind === undefined;
      if (!isType && !isFunction && !PYTHON_CONSTANT_NAME.test(name)) return undefined;
      return {
        kind: isType ? "type" : isFunction ? "function" : "constant",
        name,
        isExported: isPublicPythonName(name),
        whole: statement,
        body: isFunction ? code.child(right, "body") : code.longValue(node, right),
      };
    },
    type_alias_statement: (code, node) => {
      const name = /^\w+/.exec(code.fieldText(node, "left"))?.[0] ?? "";
      return { kind: "type", name, isExported: isPublicPythonName(name) };
    },
  },
  imports: {
    import_statement: (code, node) =>
      code.children(node).map((each) => ({ specifier: readPythonImportName(code, each), names: [] })),
    import_from_statement: (code, node) => {
      const from = code.child(node, "module_name");
      const names = code.children(node).filter((each) => each !== from && code.type(each) !== "wildcard_import");
      return [{ specifier: code.compact(from), names: names.map((each) => readPythonImportName(code, each)) }];
    },
    call: (code, node) => {
      const called = code.compactField(node, "function");
      if (!/^(?:importlib\.import_module|import_module|__import__)$/.test(called)) return [];
      const [given = NO_NODE] = code.children(code.child(node, "arguments"), 1);
      const specifier = /^["']([\w.]+)["']$/.exec(code.type(given) === "string" ? code.said(given) : "")?.[1];
      return specifier === undefined ? [] : [{ specifier, names: [] }];
    },
  },
  calls: { decorator: readPlainDecorator },
  exports: (code) => {
    const names = new Set<string>();
    for (let at = 1; at < code.count; at = code.next(at)) {
      if (code.type(at) !== "expression_statement" || code.fieldText(at + 1, "left") !== "__all__") continue;
      const list = code.fieldText(at + 1, "right");
      for (const [, , name = ""] of list.matchAll(/(["'])(\w+)\1/g)) names.add(name);
    }
    return names;
  },
  normal: {
    as: {
      // `u"a"` and `'''a'''` are `'a'`. An f-string is compared by its parts.
      string: (code, node) => {
        if (code.has(node, "interpolation")) return undefined;
        const match = /^([a-zA-Z]*)("""|'''|"|')([\s\S]*)\2$/.exec(code.said(node));
        if (match === null) return undefined;
        const [, prefix = "", , inner = ""] = match;
        return `${normalizePythonPrefix(prefix)}"${isRawPythonPrefix(prefix) ? inner : unescapeQuotes(inner)}"`;
      },
      string_start: (code, node) => `${normalizePythonPrefix(/^[a-zA-Z]*/.exec(code.said(node))?.[0] ?? "")}"`,
      string_content: (code, node) => {
        const prefix = code.said(code.childOf(code.parent(node), "string_start"));
        return isRawPythonPrefix(prefix.replace(/["']/g, "")) ? code.said(node) : unescapeQuotes(code.said(node));
      },
      string_end: () => "",
    },
    special: {
      // `(a) = 1` is `a = 1`.
      tuple_pattern: (code, node) => (code.children(node).length === 1 && !code.has(node, ",") ? "through" : undefined),
      // `class A():` is `class A:`.
      argument_list: (code, node) =>
        code.type(code.parent(node)) === "class_definition" && code.children(node).length === 0 ? "skip" : undefined,
      line_continuation: () => "skip",
    },
  },
});
