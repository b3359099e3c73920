import type { CodeImport } from "#domain/indexing/outline.ts";
import { plain } from "../../callee.ts";
import { type Code, NONE, type Place } from "../../code.ts";
import type { Found, LanguageOutline } from "../language.ts";
import { integerInOneForm } from "../literals.ts";
import { oneOf } from "../several.ts";

function afterAttributes(code: Code, node: Place): Place {
  let at = node + 1;
  while (code.type(at) === "attribute_list" || code.isComment(at)) at = code.next(at);
  return at;
}

/** Reads only the words before the name, because a list may be long. */
function isExported(code: Code, node: Place): boolean {
  for (let at = node + 1, after = code.next(node); at < after; at = code.next(at)) {
    if (code.type(at) === "visibility_modifier") return code.said(at) !== "private";
    if (/^(?:const_element|name)$/.test(code.type(at))) break;
  }
  return true;
}

const declared =
  (kind: Found["kind"]) =>
  (code: Code, node: Place): Found => ({
    kind,
    name: code.said(code.child(node, "name")),
    isExported: isExported(code, node),
    from: afterAttributes(code, node),
  });

function constant(code: Code, node: Place): Found {
  const declaration = code.parent(node);
  const isLong = code.end(node) - code.start(node) > 200;
  const from = afterAttributes(code, declaration);
  const [name = NONE, value = NONE] = code.children(node);
  const first = code.childOf(declaration, "const_element");
  return {
    kind: "constant",
    name: code.said(name),
    isExported: isExported(code, declaration),
    ...(code.has(declaration, ",") ? oneOf(code, declaration, { node, first, from }) : { whole: declaration, from }),
    body: isLong ? value : NONE,
  };
}

function define(code: Code, node: Place): Found | undefined {
  if (code.said(code.child(node, "function")) !== "define") return undefined;
  const [given = NONE] = code.children(code.child(node, "arguments"));
  const name = /^["']([\w\\]+)["']$/.exec(code.said(given))?.[1];
  return name === undefined ? undefined : { kind: "constant", name, isExported: true, whole: code.parent(node) };
}

/** `use A\B`, `use A\{B, C as D}`. A list takes its names from the shared namespace. */
function uses(code: Code, node: Place): Omit<CodeImport, "line">[] {
  const group = code.child(node, "body");
  const around = plain(code, code.childOf(node, "namespace_name"));
  const named = (clause: Place): string =>
    plain(
      code,
      code.children(clause).find((each) => /^(?:qualified_name|name|namespace_name)$/.test(code.type(each))) ?? NONE,
    ).replace(/^\\/, "");
  const clauses = (holder: Place): string[] =>
    code
      .children(holder)
      .filter((each) => code.type(each) === "namespace_use_clause")
      .map(named)
      .filter((name) => name !== "");
  if (group !== NONE) return [{ specifier: around.replace(/^\\/, ""), names: clauses(group) }];
  return clauses(node).map((specifier) => ({ specifier, names: [] }));
}

/** `require __DIR__ . '/a.php'` is `./a.php`. */
function includes(code: Code, node: Place): Omit<CodeImport, "line">[] {
  const [, here, path] =
    /^\w+\s*\(?\s*(__DIR__\s*\.\s*|dirname\(__FILE__\)\s*\.\s*)?["']([^"'$]+)["']\s*\)?$/.exec(code.said(node)) ?? [];
  if (path === undefined) return [];
  return [{ specifier: here === undefined ? path : `./${path.replace(/^\/+/, "")}`, names: [] }];
}

/** A string without escapes or variables is the same in both kinds of quotes. */
function string(code: Code, node: Place): string | undefined {
  const inner = /^["']([^\\$"'{]*)["']$/.exec(code.said(node))?.[1];
  return inner === undefined ? undefined : `"${inner}"`;
}

const created = (code: Code, node: Place): string => {
  const [first = NONE] = code.children(node);
  return /^(?:name|qualified_name)$/.test(code.type(first)) ? plain(code, first) : "";
};

export const php: LanguageOutline = {
  components: {
    class_declaration: declared("class"),
    trait_declaration: declared("class"),
    interface_declaration: declared("interface"),
    enum_declaration: declared("type"),
    function_definition: declared("function"),
    method_declaration: declared("method"),
    const_element: constant,
    function_call_expression: define,
  },
  imports: {
    namespace_use_declaration: uses,
    require_expression: includes,
    require_once_expression: includes,
    include_expression: includes,
    include_once_expression: includes,
  },
  calls: {
    object_creation_expression: created,
    use_declaration: (code, node) => plain(code, code.children(node)[0] ?? NONE),
  },
  heads: ["namespace_definition", "namespace_use_declaration", "declare_statement"],
  normal: {
    through: ["parenthesized_expression"],
    same: { encapsed_string: "string" },
    as: { string, encapsed_string: string, integer: integerInOneForm },
  },
};
