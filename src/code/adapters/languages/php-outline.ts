import { type ParsedCode, NO_NODE, type NodeIndex } from "../syntax/parsed-code.ts";
import type { ImportReader } from "../outline/language-outline.ts";
import {
  defineLanguage,
  describeDeclarator,
  normalizePlainString,
  skipAnnotations,
} from "../outline/language-outline.ts";

/** Reads only the words before the name, because a list may be long. */
function isExportedPhp(code: ParsedCode, node: NodeIndex): boolean {
  for (let at = node + 1, after = code.next(node); at < after; at = code.next(at)) {
    if (code.type(at) === "visibility_modifier") return code.said(at) !== "private";
    if (/^(?:const_element|name)$/.test(code.type(at))) break;
  }
  return true;
}

const skipPhpAttributes = (code: ParsedCode, node: NodeIndex): NodeIndex =>
  skipAnnotations(code, node, "attribute_list");

/** `require __DIR__ . '/a.php'` is `./a.php`. */
const readPhpInclude: ImportReader = (code, node) => {
  const [, here, path] =
    /^\w+\s*\(?\s*(__DIR__\s*\.\s*|dirname\(__FILE__\)\s*\.\s*)?["']([^"'$]+)["']\s*\)?$/.exec(code.said(node)) ?? [];
  if (path === undefined) return [];
  return [{ specifier: here === undefined ? path : `./${path.replace(/^\/+/, "")}`, names: [] }];
};

const normalizePhpString = normalizePlainString(/^["']([^\\$"'{]*)["']$/);

export const phpOutline = defineLanguage("php", {
  named: { isExported: isExportedPhp, span: (code, node) => ({ from: skipPhpAttributes(code, node) }) },
  components: {
    const_element: (code, node) => {
      const declaration = code.parent(node);
      const [name = NO_NODE, value = NO_NODE] = code.children(node);
      const first = code.childOf(declaration, "const_element");
      return {
        kind: "constant",
        name: code.said(name),
        isExported: isExportedPhp(code, declaration),
        ...describeDeclarator(code, declaration, { node, first, from: skipPhpAttributes(code, declaration) }),
        body: code.longValue(node, value),
      };
    },
    function_call_expression: (code, node) => {
      if (code.fieldText(node, "function") !== "define") return undefined;
      const [given = NO_NODE] = code.children(code.child(node, "arguments"), 1);
      const name = /^["']([\w\\]+)["']$/.exec(code.said(given))?.[1];
      return name === undefined ? undefined : { kind: "constant", name, isExported: true, whole: code.parent(node) };
    },
  },
  imports: {
    // `use A\B`, `use A\{B, C as D}`. A list takes its names from the shared namespace.
    namespace_use_declaration: (code, node) => {
      const readClauses = (holder: NodeIndex): string[] =>
        code
          .children(holder)
          .filter((each) => code.type(each) === "namespace_use_clause")
          .map((clause) => code.compact(code.childOf(clause, "qualified_name", "name", "namespace_name")))
          .map((name) => name.replace(/^\\/, ""))
          .filter((name) => name !== "");
      const group = code.child(node, "body");
      if (group === NO_NODE) return readClauses(node).map((specifier) => ({ specifier, names: [] }));
      const around = code.compact(code.childOf(node, "namespace_name"));
      return [{ specifier: around.replace(/^\\/, ""), names: readClauses(group) }];
    },
    require_expression: readPhpInclude,
    require_once_expression: readPhpInclude,
    include_expression: readPhpInclude,
    include_once_expression: readPhpInclude,
  },
  calls: {
    object_creation_expression: (code, node) => {
      const [first = NO_NODE] = code.children(node, 1);
      return /^(?:name|qualified_name)$/.test(code.type(first)) ? code.compact(first) : "";
    },
    use_declaration: (code, node) => code.compact(code.children(node, 1)[0] ?? NO_NODE),
  },
  normal: { as: { string: normalizePhpString, encapsed_string: normalizePhpString } },
});
