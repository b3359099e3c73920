import type { CodeImport } from "../../model/index/code-outline.ts";
import { readCompactText } from "../syntax/call-and-definition-names.ts";
import { type ParsedCode, NO_NODE, type NodeIndex } from "../syntax/parsed-code.ts";
import { type FoundComponent, type LanguageOutline, describeSharedDeclaration } from "../outline/language-outline.ts";
import { normalizeInteger } from "../outline/normal-hash.ts";

function skipPhpAttributes(code: ParsedCode, node: NodeIndex): NodeIndex {
  let at = node + 1;
  while (code.type(at) === "attribute_list" || code.isComment(at)) at = code.next(at);
  return at;
}

/** Reads only the words before the name, because a list may be long. */
function isExportedPhp(code: ParsedCode, node: NodeIndex): boolean {
  for (let at = node + 1, after = code.next(node); at < after; at = code.next(at)) {
    if (code.type(at) === "visibility_modifier") return code.said(at) !== "private";
    if (/^(?:const_element|name)$/.test(code.type(at))) break;
  }
  return true;
}

const describePhpAs =
  (kind: FoundComponent["kind"]) =>
  (code: ParsedCode, node: NodeIndex): FoundComponent => ({
    kind,
    name: code.said(code.child(node, "name")),
    isExported: isExportedPhp(code, node),
    from: skipPhpAttributes(code, node),
  });

function describePhpConstant(code: ParsedCode, node: NodeIndex): FoundComponent {
  const declaration = code.parent(node);
  const isLong = code.end(node) - code.start(node) > 200;
  const from = skipPhpAttributes(code, declaration);
  const [name = NO_NODE, value = NO_NODE] = code.children(node);
  const first = code.childOf(declaration, "const_element");
  return {
    kind: "constant",
    name: code.said(name),
    isExported: isExportedPhp(code, declaration),
    ...(code.has(declaration, ",")
      ? describeSharedDeclaration(code, declaration, { node, first, from })
      : { whole: declaration, from }),
    body: isLong ? value : NO_NODE,
  };
}

function describePhpDefine(code: ParsedCode, node: NodeIndex): FoundComponent | undefined {
  if (code.said(code.child(node, "function")) !== "define") return undefined;
  const [given = NO_NODE] = code.children(code.child(node, "arguments"));
  const name = /^["']([\w\\]+)["']$/.exec(code.said(given))?.[1];
  return name === undefined ? undefined : { kind: "constant", name, isExported: true, whole: code.parent(node) };
}

/** `use A\B`, `use A\{B, C as D}`. A list takes its names from the shared namespace. */
function readPhpUse(code: ParsedCode, node: NodeIndex): Omit<CodeImport, "line">[] {
  const group = code.child(node, "body");
  const around = readCompactText(code, code.childOf(node, "namespace_name"));
  const named = (clause: NodeIndex): string =>
    readCompactText(
      code,
      code.children(clause).find((each) => /^(?:qualified_name|name|namespace_name)$/.test(code.type(each))) ?? NO_NODE,
    ).replace(/^\\/, "");
  const clauses = (holder: NodeIndex): string[] =>
    code
      .children(holder)
      .filter((each) => code.type(each) === "namespace_use_clause")
      .map(named)
      .filter((name) => name !== "");
  if (group !== NO_NODE) return [{ specifier: around.replace(/^\\/, ""), names: clauses(group) }];
  return clauses(node).map((specifier) => ({ specifier, names: [] }));
}

/** `require __DIR__ . '/a.php'` is `./a.php`. */
function readPhpInclude(code: ParsedCode, node: NodeIndex): Omit<CodeImport, "line">[] {
  const [, here, path] =
    /^\w+\s*\(?\s*(__DIR__\s*\.\s*|dirname\(__FILE__\)\s*\.\s*)?["']([^"'$]+)["']\s*\)?$/.exec(code.said(node)) ?? [];
  if (path === undefined) return [];
  return [{ specifier: here === undefined ? path : `./${path.replace(/^\/+/, "")}`, names: [] }];
}

/** A string without escapes or variables is the same in both kinds of quotes. */
function normalizePhpString(code: ParsedCode, node: NodeIndex): string | undefined {
  const inner = /^["']([^\\$"'{]*)["']$/.exec(code.said(node))?.[1];
  return inner === undefined ? undefined : `"${inner}"`;
}

const readPhpCreatedClass = (code: ParsedCode, node: NodeIndex): string => {
  const [first = NO_NODE] = code.children(node);
  return /^(?:name|qualified_name)$/.test(code.type(first)) ? readCompactText(code, first) : "";
};

export const phpOutline: LanguageOutline = {
  components: {
    class_declaration: describePhpAs("class"),
    trait_declaration: describePhpAs("class"),
    interface_declaration: describePhpAs("interface"),
    enum_declaration: describePhpAs("type"),
    function_definition: describePhpAs("function"),
    method_declaration: describePhpAs("method"),
    const_element: describePhpConstant,
    function_call_expression: describePhpDefine,
  },
  imports: {
    namespace_use_declaration: readPhpUse,
    require_expression: readPhpInclude,
    require_once_expression: readPhpInclude,
    include_expression: readPhpInclude,
    include_once_expression: readPhpInclude,
  },
  calls: {
    object_creation_expression: readPhpCreatedClass,
    use_declaration: (code, node) => readCompactText(code, code.children(node)[0] ?? NO_NODE),
  },
  heads: ["namespace_definition", "namespace_use_declaration", "declare_statement"],
  normal: {
    through: ["parenthesized_expression"],
    same: { encapsed_string: "string" },
    as: { string: normalizePhpString, encapsed_string: normalizePhpString, integer: normalizeInteger },
  },
};
