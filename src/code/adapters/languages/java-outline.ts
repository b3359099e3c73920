import { type ParsedCode, NO_NODE, type NodeIndex } from "../syntax/parsed-code.ts";
import { defineLanguage, describeDeclarator, readCreatedType } from "../outline/language-outline.ts";

const findJavaModifiers = (code: ParsedCode, node: NodeIndex): NodeIndex =>
  code.type(node + 1) === "modifiers" ? node + 1 : NO_NODE;

function skipJavaAnnotations(code: ParsedCode, node: NodeIndex): NodeIndex {
  const modifiers = findJavaModifiers(code, node);
  if (modifiers === NO_NODE) return node;
  const end = code.next(modifiers);
  let at = modifiers + 1;
  while (at < end && (code.type(at).endsWith("annotation") || code.isComment(at))) at = code.next(at);
  return at;
}

/** Code in the same package can use every member that is not private. */
const isExportedJava = (code: ParsedCode, node: NodeIndex): boolean =>
  !code.has(findJavaModifiers(code, node), "private");

export const javaOutline = defineLanguage("java", {
  named: { isExported: isExportedJava, span: (code, node) => ({ from: skipJavaAnnotations(code, node) }) },
  components: {
    variable_declarator: (code, node) => {
      const field = code.parent(node);
      const modifiers = findJavaModifiers(code, field);
      const isConstant = code.has(modifiers, "static") && code.has(modifiers, "final");
      if (code.type(field) !== "constant_declaration" && !(code.type(field) === "field_declaration" && isConstant))
        return undefined;
      const first = code.childOf(field, "variable_declarator");
      return {
        kind: "constant",
        name: code.fieldText(node, "name"),
        isExported: isExportedJava(code, field),
        ...describeDeclarator(code, field, { node, first, from: skipJavaAnnotations(code, field) }),
        body: code.longValue(node, code.child(node, "value")),
      };
    },
  },
  imports: {
    // `import a.b.C`, `import a.b.*`; `import static a.B.c` takes `c` from `a.B`.
    import_declaration: (code, node) => {
      const path = code.compact(code.childOf(node, "scoped_identifier", "identifier"));
      const takesAll = code.has(node, "asterisk");
      if (!code.has(node, "static")) return [{ specifier: takesAll ? `${path}.*` : path, names: [] }];
      if (takesAll) return [{ specifier: path, names: [] }];
      const dot = path.lastIndexOf(".");
      return [{ specifier: path.slice(0, dot), names: [path.slice(dot + 1)] }];
    },
  },
  calls: { object_creation_expression: readCreatedType, method_reference: (code, node) => code.compact(node) },
  doc: (words) =>
    words
      .replace(/\{@(?:link|linkplain|code|literal|value)\s+([^{}]*)\}/g, (_, inner: string) => inner.trim())
      .replace(/<\/?(?:p|br|ul|ol|li|code|pre|b|i|em|strong|tt|h\d)\b[^<>]*>/gi, ""),
});
