import type { CodeImport } from "#domain/indexing/outline.ts";
import { plain } from "../../callee.ts";
import { type Code, NONE, type Place } from "../../code.ts";
import type { Found, LanguageOutline } from "../language.ts";
import { integerInOneForm } from "../literals.ts";
import { oneOf } from "../several.ts";

function afterAnnotations(code: Code, node: Place): Place {
  const modifiers = node + 1;
  if (code.type(modifiers) !== "modifiers") return node;
  const end = code.next(modifiers);
  let at = modifiers + 1;
  while (at < end && (code.type(at).endsWith("annotation") || code.isComment(at))) at = code.next(at);
  return at;
}

/** Code in the same package can use every member that is not private. */
const isExported = (code: Code, node: Place): boolean => !code.has(modifiersOf(code, node), "private");

const modifiersOf = (code: Code, node: Place): Place => (code.type(node + 1) === "modifiers" ? node + 1 : NONE);

const declared =
  (kind: Found["kind"]) =>
  (code: Code, node: Place): Found => ({
    kind,
    name: code.said(code.child(node, "name")),
    isExported: isExported(code, node),
    from: afterAnnotations(code, node),
  });

function constant(code: Code, node: Place): Found | undefined {
  const field = code.parent(node);
  const modifiers = modifiersOf(code, field);
  const isConstant = code.has(modifiers, "static") && code.has(modifiers, "final");
  if (code.type(field) !== "constant_declaration" && !(code.type(field) === "field_declaration" && isConstant))
    return undefined;
  const from = afterAnnotations(code, field);
  const first = code.childOf(field, "variable_declarator");
  const value = code.child(node, "value");
  const isLong = code.end(node) - code.start(node) > 200;
  return {
    kind: "constant",
    name: code.said(code.child(node, "name")),
    isExported: isExported(code, field),
    ...(code.has(field, ",") ? oneOf(code, field, { node, first, from }) : { whole: field, from }),
    body: isLong ? value : NONE,
  };
}

/** `import a.b.C`, `import a.b.*`; `import static a.B.c` takes `c` from `a.B`. */
function imports(code: Code, node: Place): Omit<CodeImport, "line">[] {
  const path = plain(code, code.childOf(node, "scoped_identifier", "identifier"));
  const takesAll = code.has(node, "asterisk");
  if (!code.has(node, "static")) return [{ specifier: takesAll ? `${path}.*` : path, names: [] }];
  if (takesAll) return [{ specifier: path, names: [] }];
  const dot = path.lastIndexOf(".");
  return [{ specifier: path.slice(0, dot), names: [path.slice(dot + 1)] }];
}

const withoutTypes = (name: string): string => name.replace(/<.*>$/s, "");

export const java: LanguageOutline = {
  components: {
    class_declaration: declared("class"),
    record_declaration: declared("class"),
    interface_declaration: declared("interface"),
    annotation_type_declaration: declared("interface"),
    enum_declaration: declared("type"),
    method_declaration: declared("method"),
    constructor_declaration: declared("method"),
    compact_constructor_declaration: declared("method"),
    variable_declarator: constant,
  },
  imports: { import_declaration: imports },
  calls: {
    object_creation_expression: (code, node) => withoutTypes(plain(code, code.child(node, "type"))),
    method_reference: (code, node) => plain(code, node),
  },
  heads: ["package_declaration", "import_declaration"],
  doc: javadoc,
  normal: {
    through: ["parenthesized_expression"],
    as: {
      decimal_integer_literal: integerInOneForm,
      hex_integer_literal: integerInOneForm,
      octal_integer_literal: integerInOneForm,
      binary_integer_literal: integerInOneForm,
    },
  },
};

function javadoc(words: string): string {
  return words
    .replace(/\{@(?:link|linkplain|code|literal|value)\s+([^{}]*)\}/g, (_, inner: string) => inner.trim())
    .replace(/<\/?(?:p|br|ul|ol|li|code|pre|b|i|em|strong|tt|h\d)\b[^<>]*>/gi, "");
}
