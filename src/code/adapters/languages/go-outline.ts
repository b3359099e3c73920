import { type ParsedCode, NO_NODE, type NodeIndex } from "../syntax/parsed-code.ts";
import type { ComponentReader, FoundComponent, NodeRule } from "../outline/language-outline.ts";
import { defineLanguage } from "../outline/language-outline.ts";

const describeGoName = (name: string): Pick<FoundComponent, "name" | "isExported"> => ({
  name,
  isExported: /^\p{Lu}/u.test(name),
});

const readGoName = (code: ParsedCode, node: NodeIndex) => describeGoName(code.fieldText(node, "name"));

const describeGoInterfaceMethod: ComponentReader = (code, node, around) =>
  around.kind === "interface" ? { kind: "method", ...readGoName(code, node) } : undefined;

const describeGoType: ComponentReader = (code, node, around) => {
  if (around.kind !== undefined) return undefined;
  const of = code.child(node, "type");
  const kinds: Partial<Record<string, FoundComponent["kind"]>> = { struct_type: "class", interface_type: "interface" };
  return {
    kind: kinds[code.type(of)] ?? "type",
    ...readGoName(code, node),
    ...describeGoDeclaration(code, node, "type"),
    body: code.childOf(of, "field_declaration_list", "{"),
  };
};

function describeGoDeclaration(code: ParsedCode, node: NodeIndex, word: string) {
  const declaration = code.parent(node);
  const isAlone = code.type(declaration) === `${word}_declaration` && !code.has(declaration, "(");
  return { shared: word, whole: isAlone ? declaration : node };
}

const describeGoValuesAs =
  (word: "const" | "var"): ComponentReader =>
  (code, node) => {
    const above = code.parent(node);
    const declaration = code.type(above) === "var_spec_list" ? code.parent(above) : above;
    if (code.type(code.parent(declaration)) !== "source_file") return [];
    const value = code.child(node, "value");
    const literal = code.childOf(value, "func_literal");
    // A constant without a value depends on the ones before it.
    const isCounted = word === "const" && (value === NO_NODE || /\biota\b/.test(code.compact(value)));
    return code
      .children(node)
      .filter((each) => code.type(each) === "identifier" && code.isField(each, "name") && code.said(each) !== "_")
      .map((each) => ({
        kind: literal === NO_NODE ? "constant" : "function",
        ...describeGoName(code.said(each)),
        ...describeGoDeclaration(code, node, word),
        ...(isCounted ? { hashed: declaration } : {}),
        body: literal === NO_NODE ? code.longValue(node, value) : code.child(literal, "body"),
      }));
  };

/** `func f() (error)` is `func f() error`. */
const unwrapGoResult: NodeRule = (code, node) => {
  if (!code.isField(node, "result")) return undefined;
  const [only = NO_NODE, ...others] = code.children(node, 2);
  return others.length === 0 && code.child(only, "name") === NO_NODE ? "through" : undefined;
};

export const goOutline = defineLanguage("go", {
  components: {
    function_declaration: (code, node) => ({ kind: "function", ...readGoName(code, node) }),
    // A method belongs to the type of its receiver: `func (s *Session[T]) Login()`.
    method_declaration: (code, node) => {
      const receiver = code.compactField(code.childOf(code.child(node, "receiver"), "parameter_declaration"), "type");
      const within = /^\(?\**([\p{L}\w]+)/u.exec(receiver)?.[1] ?? "";
      return { kind: "method", ...readGoName(code, node), within };
    },
    method_elem: describeGoInterfaceMethod,
    method_spec: describeGoInterfaceMethod,
    type_spec: describeGoType,
    type_alias: describeGoType,
    const_spec: describeGoValuesAs("const"),
    var_spec: describeGoValuesAs("var"),
  },
  imports: { import_spec: (code, node) => [{ specifier: code.fieldText(node, "path").slice(1, -1), names: [] }] },
  normal: {
    special: {
      parameter_list: unwrapGoResult,
      parameter_declaration: (code, node) => unwrapGoResult(code, code.parent(node)),
    },
  },
});
