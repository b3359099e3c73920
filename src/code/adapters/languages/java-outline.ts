import type { CodeImport } from "../../model/index/code-outline.ts";
import { readCompactText } from "../syntax/call-and-definition-names.ts";
import { type ParsedCode, NO_NODE, type NodeIndex } from "../syntax/parsed-code.ts";
import { type FoundComponent, type LanguageOutline, describeSharedDeclaration } from "../outline/language-outline.ts";
import { normalizeInteger } from "../outline/normal-hash.ts";

function skipJavaAnnotations(code: ParsedCode, node: NodeIndex): NodeIndex {
  const modifiers = node + 1;
  if (code.type(modifiers) !== "modifiers") return node;
  const end = code.next(modifiers);
  let at = modifiers + 1;
  while (at < end && (code.type(at).endsWith("annotation") || code.isComment(at))) at = code.next(at);
  return at;
}

/** Code in the same package can use every member that is not private. */
const isExportedJava = (code: ParsedCode, node: NodeIndex): boolean =>
  !code.has(findJavaModifiers(code, node), "private");

const findJavaModifiers = (code: ParsedCode, node: NodeIndex): NodeIndex =>
  code.type(node + 1) === "modifiers" ? node + 1 : NO_NODE;

const describeJavaAs =
  (kind: FoundComponent["kind"]) =>
  (code: ParsedCode, node: NodeIndex): FoundComponent => ({
    kind,
    name: code.said(code.child(node, "name")),
    isExported: isExportedJava(code, node),
    from: skipJavaAnnotations(code, node),
  });

function describeJavaConstant(code: ParsedCode, node: NodeIndex): FoundComponent | undefined {
  const field = code.parent(node);
  const modifiers = findJavaModifiers(code, field);
  const isConstant = code.has(modifiers, "static") && code.has(modifiers, "final");
  if (code.type(field) !== "constant_declaration" && !(code.type(field) === "field_declaration" && isConstant))
    return undefined;
  const from = skipJavaAnnotations(code, field);
  const first = code.childOf(field, "variable_declarator");
  const value = code.child(node, "value");
  const isLong = code.end(node) - code.start(node) > 200;
  return {
    kind: "constant",
    name: code.said(code.child(node, "name")),
    isExported: isExportedJava(code, field),
    ...(code.has(field, ",") ? describeSharedDeclaration(code, field, { node, first, from }) : { whole: field, from }),
    body: isLong ? value : NO_NODE,
  };
}

/** `import a.b.C`, `import a.b.*`; `import static a.B.c` takes `c` from `a.B`. */
function readJavaImport(code: ParsedCode, node: NodeIndex): Omit<CodeImport, "line">[] {
  const path = readCompactText(code, code.childOf(node, "scoped_identifier", "identifier"));
  const takesAll = code.has(node, "asterisk");
  if (!code.has(node, "static")) return [{ specifier: takesAll ? `${path}.*` : path, names: [] }];
  if (takesAll) return [{ specifier: path, names: [] }];
  const dot = path.lastIndexOf(".");
  return [{ specifier: path.slice(0, dot), names: [path.slice(dot + 1)] }];
}

const stripJavaTypeArguments = (name: string): string => name.replace(/<.*>$/s, "");

export const javaOutline: LanguageOutline = {
  components: {
    class_declaration: describeJavaAs("class"),
    record_declaration: describeJavaAs("class"),
    interface_declaration: describeJavaAs("interface"),
    annotation_type_declaration: describeJavaAs("interface"),
    enum_declaration: describeJavaAs("type"),
    method_declaration: describeJavaAs("method"),
    constructor_declaration: describeJavaAs("method"),
    compact_constructor_declaration: describeJavaAs("method"),
    variable_declarator: describeJavaConstant,
  },
  imports: { import_declaration: readJavaImport },
  calls: {
    object_creation_expression: (code, node) => stripJavaTypeArguments(readCompactText(code, code.child(node, "type"))),
    method_reference: (code, node) => readCompactText(code, node),
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
