import { type ParsedCode, NO_NODE, type NodeIndex } from "../syntax/parsed-code.ts";
import type { ComponentReader, EnclosingComponent, NamedComponentRules } from "../outline/language-outline.ts";
import { defineLanguage, describeNamedAs, readCreatedType, skipAnnotations } from "../outline/language-outline.ts";

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

const csharpRules: NamedComponentRules = {
  isExported: isExportedCsharp,
  span: (code, node) => ({ from: skipAnnotations(code, node, "attribute_list") }),
};

/** A computed property. A property that only holds a value counts as a field. */
const describeCsharpProperty: ComponentReader = (code, node, around) => {
  const accessors = code.childOf(node, "accessor_list");
  const value = code.child(node, "value");
  const isComputed =
    code.type(value) === "arrow_expression_clause" ||
    code.children(accessors).some((each) => code.child(each, "body") !== NO_NODE);
  if (!isComputed) return undefined;
  const isIndexer = code.type(node) === "indexer_declaration";
  return {
    ...describeNamedAs("method", { ...csharpRules, ...(isIndexer ? { name: () => "this" } : {}) })(code, node, around),
    body: accessors === NO_NODE ? value : accessors,
  };
};

export const csharpOutline = defineLanguage("csharp", {
  named: csharpRules,
  components: {
    destructor_declaration: describeNamedAs("method", {
      ...csharpRules,
      name: (code, node) => `~${code.fieldText(node, "name")}`,
    }),
    operator_declaration: describeNamedAs("method", {
      ...csharpRules,
      name: (code, node) => {
        const head = code.text.slice(code.start(node), code.start(code.child(node, "parameters")));
        const said = /\boperator\s*(\S+)\s*$/.exec(head)?.[1] ?? "";
        return `operator${/^\w/.test(said) ? " " : ""}${said}`;
      },
    }),
    property_declaration: describeCsharpProperty,
    indexer_declaration: describeCsharpProperty,
    variable_declarator: (code, node, around) => {
      const declaration = code.parent(node);
      const field = code.parent(declaration);
      if (code.type(field) !== "field_declaration") return undefined;
      const modifiers = listCsharpModifiers(code, field);
      if (!modifiers.includes("const") && !(modifiers.includes("static") && modifiers.includes("readonly")))
        return undefined;
      const shared = [...modifiers, code.fieldText(declaration, "type")].join(" ");
      const isFirst = code.childOf(declaration, "variable_declarator") === node;
      return {
        kind: "constant",
        name: code.fieldText(node, "name"),
        isExported: isExportedCsharp(code, field, around),
        ...(code.has(declaration, ",")
          ? { whole: isFirst ? field : node, shared, from: node }
          : { whole: field, ...csharpRules.span?.(code, field) }),
        body: code.longValue(node, code.children(node, 2)[1] ?? NO_NODE),
      };
    },
  },
  imports: {
    using_directive: (code, node) => {
      const specifier = code.compact(code.children(node).at(-1) ?? NO_NODE);
      return specifier === "" ? [] : [{ specifier: specifier.replace(/^global::/, ""), names: [] }];
    },
  },
  calls: { object_creation_expression: readCreatedType },
  doc: convertXmlDoc,
});

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
