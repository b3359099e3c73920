import { readCompactText } from "../syntax/call-and-definition-names.ts";
import { type ParsedCode, NO_NODE, type NodeIndex } from "../syntax/parsed-code.ts";
import type { EnclosingComponent, FoundComponent, LanguageOutline } from "../outline/language-outline.ts";
import { normalizeInteger } from "../outline/normal-hash.ts";

function skipCsharpAttributes(code: ParsedCode, node: NodeIndex): NodeIndex {
  let at = node + 1;
  while (code.type(at) === "attribute_list" || code.isComment(at)) at = code.next(at);
  return at;
}

const listCsharpModifiers = (code: ParsedCode, node: NodeIndex): string[] =>
  code
    .children(node)
    .filter((each) => code.type(each) === "modifier")
    .map((each) => code.said(each));

/** Class members are private by default. Top-level types and interface members are public. */
function isExportedCsharp(code: ParsedCode, node: NodeIndex, around: EnclosingComponent): boolean {
  const modifiers = listCsharpModifiers(code, node);
  if (modifiers.some((each) => /^(?:public|internal|protected)$/.test(each))) return true;
  if (modifiers.includes("private")) return false;
  return around.kind !== "class" || code.has(node, "explicit_interface_specifier");
}

const describeCsharpAs =
  (kind: FoundComponent["kind"], nameOf = (code: ParsedCode, node: NodeIndex) => code.said(code.child(node, "name"))) =>
  (code: ParsedCode, node: NodeIndex, around: EnclosingComponent): FoundComponent => ({
    kind,
    name: nameOf(code, node),
    isExported: isExportedCsharp(code, node, around),
    from: skipCsharpAttributes(code, node),
  });

/** A computed property. A property that only holds a value counts as a field. */
function describeCsharpProperty(
  code: ParsedCode,
  node: NodeIndex,
  around: EnclosingComponent,
): FoundComponent | undefined {
  const accessors = code.childOf(node, "accessor_list");
  const value = code.child(node, "value");
  const isComputed =
    code.type(value) === "arrow_expression_clause" ||
    code.children(accessors).some((each) => code.child(each, "body") !== NO_NODE);
  if (!isComputed) return undefined;
  const isIndexer = code.type(node) === "indexer_declaration";
  return {
    ...describeCsharpAs("method", isIndexer ? () => "this" : undefined)(code, node, around),
    body: accessors === NO_NODE ? value : accessors,
  };
}

function describeCsharpConstant(
  code: ParsedCode,
  node: NodeIndex,
  around: EnclosingComponent,
): FoundComponent | undefined {
  const declaration = code.parent(node);
  const field = code.parent(declaration);
  if (code.type(field) !== "field_declaration") return undefined;
  const modifiers = listCsharpModifiers(code, field);
  if (!modifiers.includes("const") && !(modifiers.includes("static") && modifiers.includes("readonly")))
    return undefined;
  const shared = [...modifiers, code.said(code.child(declaration, "type"))].join(" ");
  const isFirst = code.childOf(declaration, "variable_declarator") === node;
  const isLong = code.end(node) - code.start(node) > 200;
  return {
    kind: "constant",
    name: code.said(code.child(node, "name")),
    isExported: isExportedCsharp(code, field, around),
    ...(code.has(declaration, ",")
      ? { whole: isFirst ? field : node, shared, from: node }
      : { whole: field, from: skipCsharpAttributes(code, field) }),
    body: isLong ? (code.children(node)[1] ?? NO_NODE) : NO_NODE,
  };
}

const readCsharpOperator = (code: ParsedCode, node: NodeIndex): string => {
  const head = code.text.slice(code.start(node), code.start(code.child(node, "parameters")));
  const said = /\boperator\s*(\S+)\s*$/.exec(head)?.[1] ?? "";
  return `operator${/^\w/.test(said) ? " " : ""}${said}`;
};

const stripCsharpTypeArguments = (name: string): string => name.replace(/<.*>$/s, "");

export const csharpOutline: LanguageOutline = {
  components: {
    class_declaration: describeCsharpAs("class"),
    struct_declaration: describeCsharpAs("class"),
    record_declaration: describeCsharpAs("class"),
    interface_declaration: describeCsharpAs("interface"),
    enum_declaration: describeCsharpAs("type"),
    delegate_declaration: describeCsharpAs("type"),
    method_declaration: describeCsharpAs("method"),
    constructor_declaration: describeCsharpAs("method"),
    destructor_declaration: describeCsharpAs("method", (code, node) => `~${code.said(code.child(node, "name"))}`),
    operator_declaration: describeCsharpAs("method", readCsharpOperator),
    local_function_statement: describeCsharpAs("function"),
    property_declaration: describeCsharpProperty,
    indexer_declaration: describeCsharpProperty,
    variable_declarator: describeCsharpConstant,
  },
  imports: {
    using_directive: (code, node) => {
      const specifier = readCompactText(code, code.children(node).at(-1) ?? NO_NODE);
      return specifier === "" ? [] : [{ specifier: specifier.replace(/^global::/, ""), names: [] }];
    },
  },
  calls: {
    object_creation_expression: (code, node) =>
      stripCsharpTypeArguments(readCompactText(code, code.child(node, "type"))),
  },
  heads: ["using_directive", "file_scoped_namespace_declaration"],
  doc: convertXmlDoc,
  normal: { through: ["parenthesized_expression"], as: { integer_literal: normalizeInteger } },
};

const XML_ENTITIES: Readonly<Partial<Record<string, string>>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** XML as plain text: `<param name="a">A.</param>` is `a: A.`, `<see cref="T:Shop.Order"/>` is `Order`. */
function convertXmlDoc(words: string): string {
  return words
    .replace(/<(?:see|seealso)\s[^<>]*?(?:cref|href|langword)="(?:[A-Z]:)?([^"<>]*)"[^<>]*?>/g, (_, of: string) =>
      of.replace(/^[\w.]*\.(?=\w+$)/, ""),
    )
    .replace(/<(?:param|typeparam)ref\s+name="([^"<>]*)"\s*\/>/g, "$1")
    .replace(/<(?:param|typeparam|exception)\s+(?:name|cref)="([^"<>]*)"\s*>\s*/g, "$1: ")
    .replace(/<returns>\s*/g, "Returns: ")
    .replace(/<\/?[a-z]\w*(?:\s[^<>]*)?>/gi, "")
    .replace(/&(\w+);/g, (whole, name: string) => XML_ENTITIES[name] ?? whole)
    .split("\n")
    .map((line) => line.trim())
    .join("\n")
    .replace(/\n{2,}/g, "\n")
    .trim();
}
