import { plain } from "../../callee.ts";
import { type Code, NONE, type Place } from "../../code.ts";
import type { Around, Found, LanguageOutline } from "../language.ts";
import { integerInOneForm } from "../literals.ts";

function afterAttributes(code: Code, node: Place): Place {
  let at = node + 1;
  while (code.type(at) === "attribute_list" || code.isComment(at)) at = code.next(at);
  return at;
}

const modifiersOf = (code: Code, node: Place): string[] =>
  code
    .children(node)
    .filter((each) => code.type(each) === "modifier")
    .map((each) => code.said(each));

/** Class members are private by default. Top-level types and interface members are public. */
function isExported(code: Code, node: Place, around: Around): boolean {
  const modifiers = modifiersOf(code, node);
  if (modifiers.some((each) => /^(?:public|internal|protected)$/.test(each))) return true;
  if (modifiers.includes("private")) return false;
  return around.kind !== "class" || code.has(node, "explicit_interface_specifier");
}

const declared =
  (kind: Found["kind"], nameOf = (code: Code, node: Place) => code.said(code.child(node, "name"))) =>
  (code: Code, node: Place, around: Around): Found => ({
    kind,
    name: nameOf(code, node),
    isExported: isExported(code, node, around),
    from: afterAttributes(code, node),
  });

/** A computed property. A property that only holds a value counts as a field. */
function property(code: Code, node: Place, around: Around): Found | undefined {
  const accessors = code.childOf(node, "accessor_list");
  const value = code.child(node, "value");
  const isComputed =
    code.type(value) === "arrow_expression_clause" ||
    code.children(accessors).some((each) => code.child(each, "body") !== NONE);
  if (!isComputed) return undefined;
  const isIndexer = code.type(node) === "indexer_declaration";
  return {
    ...declared("method", isIndexer ? () => "this" : undefined)(code, node, around),
    body: accessors === NONE ? value : accessors,
  };
}

function constant(code: Code, node: Place, around: Around): Found | undefined {
  const declaration = code.parent(node);
  const field = code.parent(declaration);
  if (code.type(field) !== "field_declaration") return undefined;
  const modifiers = modifiersOf(code, field);
  if (!modifiers.includes("const") && !(modifiers.includes("static") && modifiers.includes("readonly")))
    return undefined;
  const shared = [...modifiers, code.said(code.child(declaration, "type"))].join(" ");
  const isFirst = code.childOf(declaration, "variable_declarator") === node;
  const isLong = code.end(node) - code.start(node) > 200;
  return {
    kind: "constant",
    name: code.said(code.child(node, "name")),
    isExported: isExported(code, field, around),
    ...(code.has(declaration, ",")
      ? { whole: isFirst ? field : node, shared, from: node }
      : { whole: field, from: afterAttributes(code, field) }),
    body: isLong ? (code.children(node)[1] ?? NONE) : NONE,
  };
}

const operator = (code: Code, node: Place): string => {
  const head = code.text.slice(code.start(node), code.start(code.child(node, "parameters")));
  const said = /\boperator\s*(\S+)\s*$/.exec(head)?.[1] ?? "";
  return `operator${/^\w/.test(said) ? " " : ""}${said}`;
};

const withoutTypes = (name: string): string => name.replace(/<.*>$/s, "");

export const csharp: LanguageOutline = {
  components: {
    class_declaration: declared("class"),
    struct_declaration: declared("class"),
    record_declaration: declared("class"),
    interface_declaration: declared("interface"),
    enum_declaration: declared("type"),
    delegate_declaration: declared("type"),
    method_declaration: declared("method"),
    constructor_declaration: declared("method"),
    destructor_declaration: declared("method", (code, node) => `~${code.said(code.child(node, "name"))}`),
    operator_declaration: declared("method", operator),
    local_function_statement: declared("function"),
    property_declaration: property,
    indexer_declaration: property,
    variable_declarator: constant,
  },
  imports: {
    using_directive: (code, node) => {
      const specifier = plain(code, code.children(node).at(-1) ?? NONE);
      return specifier === "" ? [] : [{ specifier: specifier.replace(/^global::/, ""), names: [] }];
    },
  },
  calls: { object_creation_expression: (code, node) => withoutTypes(plain(code, code.child(node, "type"))) },
  heads: ["using_directive", "file_scoped_namespace_declaration"],
  doc: xmlDoc,
  normal: { through: ["parenthesized_expression"], as: { integer_literal: integerInOneForm } },
};

const ENTITIES: Readonly<Partial<Record<string, string>>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** XML as plain text: `<param name="a">A.</param>` is `a: A.`, `<see cref="T:Shop.Order"/>` is `Order`. */
function xmlDoc(words: string): string {
  return words
    .replace(/<(?:see|seealso)\s[^<>]*?(?:cref|href|langword)="(?:[A-Z]:)?([^"<>]*)"[^<>]*?>/g, (_, of: string) =>
      of.replace(/^[\w.]*\.(?=\w+$)/, ""),
    )
    .replace(/<(?:param|typeparam)ref\s+name="([^"<>]*)"\s*\/>/g, "$1")
    .replace(/<(?:param|typeparam|exception)\s+(?:name|cref)="([^"<>]*)"\s*>\s*/g, "$1: ")
    .replace(/<returns>\s*/g, "Returns: ")
    .replace(/<\/?[a-z]\w*(?:\s[^<>]*)?>/gi, "")
    .replace(/&(\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole)
    .split("\n")
    .map((line) => line.trim())
    .join("\n")
    .replace(/\n{2,}/g, "\n")
    .trim();
}
