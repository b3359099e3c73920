import { type ParsedCode, NO_NODE, type NodeIndex } from "../syntax/parsed-code.ts";
import {
  type ComponentReader,
  type ImportReader,
  type LanguageOutline,
  describeDeclarator,
  listNamedComponents,
  normalizeInteger,
  stripTypeArguments,
} from "../outline/language-outline.ts";

function skipJavaAnnotations(code: ParsedCode, node: NodeIndex): NodeIndex {
  const modifiers = node + 1;
  if (code.type(modifiers) !== "modifiers") return node;
  const end = code.next(modifiers);
  let at = modifiers + 1;
  while (at < end && (code.type(at).endsWith("annotation") || code.isComment(at))) at = code.next(at);
  return at;
}

const findJavaModifiers = (code: ParsedCode, node: NodeIndex): NodeIndex =>
  code.type(node + 1) === "modifiers" ? node + 1 : NO_NODE;

/** Code in the same package can use every member that is not private. */
const isExportedJava = (code: ParsedCode, node: NodeIndex): boolean =>
  !code.has(findJavaModifiers(code, node), "private");

const describeJavaConstant: ComponentReader = (code, node) => {
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
};

/** `import a.b.C`, `import a.b.*`; `import static a.B.c` takes `c` from `a.B`. */
const readJavaImport: ImportReader = (code, node) => {
  const path = code.compact(code.childOf(node, "scoped_identifier", "identifier"));
  const takesAll = code.has(node, "asterisk");
  if (!code.has(node, "static")) return [{ specifier: takesAll ? `${path}.*` : path, names: [] }];
  if (takesAll) return [{ specifier: path, names: [] }];
  const dot = path.lastIndexOf(".");
  return [{ specifier: path.slice(0, dot), names: [path.slice(dot + 1)] }];
};

export const javaOutline: LanguageOutline = {
  components: {
    ...listNamedComponents(
      { isExported: isExportedJava, span: (code, node) => ({ from: skipJavaAnnotations(code, node) }) },
      {
        class: "class_declaration record_declaration",
        interface: "interface_declaration annotation_type_declaration",
        type: "enum_declaration",
        method: "method_declaration constructor_declaration compact_constructor_declaration",
      },
    ),
    variable_declarator: describeJavaConstant,
  },
  imports: { import_declaration: readJavaImport },
  calls: {
    object_creation_expression: (code, node) => stripTypeArguments(code.compactField(node, "type")),
    method_reference: (code, node) => code.compact(node),
  },
  heads: ["package_declaration", "import_declaration"],
  doc: convertJavadoc,
  normal: {
    through: ["parenthesized_expression"],
    as: {
      decimal_integer_literal: normalizeInteger,
      hex_integer_literal: normalizeInteger,
      octal_integer_literal: normalizeInteger,
      binary_integer_literal: normalizeInteger,
    },
  },
};

function convertJavadoc(words: string): string {
  return words
    .replace(/\{@(?:link|linkplain|code|literal|value)\s+([^{}]*)\}/g, (_, inner: string) => inner.trim())
    .replace(/<\/?(?:p|br|ul|ol|li|code|pre|b|i|em|strong|tt|h\d)\b[^<>]*>/gi, "");
}
