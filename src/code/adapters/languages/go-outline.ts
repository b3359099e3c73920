import { readCompactText } from "../syntax/call-and-definition-names.ts";
import { type ParsedCode, NO_NODE, type NodeIndex } from "../syntax/parsed-code.ts";
import type { EnclosingComponent, FoundComponent, LanguageOutline, NormalForm } from "../outline/language-outline.ts";

const isExportedGoName = (name: string): boolean => /^\p{Lu}/u.test(name);

function describeGoFunction(code: ParsedCode, node: NodeIndex): FoundComponent {
  const name = code.said(code.child(node, "name"));
  return { kind: "function", name, isExported: isExportedGoName(name) };
}

/** A method belongs to the type of its receiver: `func (s *Session[T]) Login()`. */
function describeGoMethod(code: ParsedCode, node: NodeIndex): FoundComponent {
  const name = code.said(code.child(node, "name"));
  const receiver = readCompactText(
    code,
    code.child(code.childOf(code.child(node, "receiver"), "parameter_declaration"), "type"),
  );
  const within = /^\(?\**([\p{L}\w]+)/u.exec(receiver)?.[1] ?? "";
  return { kind: "method", name, within, isExported: isExportedGoName(name) };
}

const describeGoInterfaceMethod = (
  code: ParsedCode,
  node: NodeIndex,
  around: EnclosingComponent,
): FoundComponent | undefined => {
  const name = code.said(code.child(node, "name"));
  return around.kind === "interface" ? { kind: "method", name, isExported: isExportedGoName(name) } : undefined;
};

const GO_TYPE_KINDS: Readonly<Partial<Record<string, FoundComponent["kind"]>>> = {
  struct_type: "class",
  interface_type: "interface",
};

function describeGoType(code: ParsedCode, node: NodeIndex, around: EnclosingComponent): FoundComponent | undefined {
  if (around.kind !== undefined) return undefined;
  const [name, of] = [code.said(code.child(node, "name")), code.child(node, "type")];
  return {
    kind: GO_TYPE_KINDS[code.type(of)] ?? "type",
    name,
    isExported: isExportedGoName(name),
    ...describeGoDeclaration(code, node, "type"),
    body: code.childOf(of, "field_declaration_list", "{"),
  };
}

function describeGoDeclaration(
  code: ParsedCode,
  node: NodeIndex,
  word: string,
): Pick<FoundComponent, "shared" | "whole"> {
  const declaration = code.parent(node);
  const isAlone = code.type(declaration) === `${word}_declaration` && !code.has(declaration, "(");
  return { shared: word, whole: isAlone ? declaration : node };
}

const describeGoValuesAs =
  (word: "const" | "var") =>
  (code: ParsedCode, node: NodeIndex): readonly FoundComponent[] => {
    const above = code.parent(node);
    const declaration = code.type(above) === "var_spec_list" ? code.parent(above) : above;
    if (code.type(code.parent(declaration)) !== "source_file") return [];
    const value = code.child(node, "value");
    const literal = code.childOf(value, "func_literal");
    const isLong = code.end(node) - code.start(node) > 200;
    // A constant without a value depends on the ones before it.
    const isCounted = word === "const" && (value === NO_NODE || /\biota\b/.test(readCompactText(code, value)));
    return listGoNames(code, node).map((name) => ({
      kind: literal === NO_NODE ? "constant" : "function",
      name,
      isExported: isExportedGoName(name),
      ...describeGoDeclaration(code, node, word),
      ...(isCounted ? { hashed: declaration } : {}),
      body: literal === NO_NODE ? (isLong ? value : NO_NODE) : code.child(literal, "body"),
    }));
  };

const listGoNames = (code: ParsedCode, node: NodeIndex): string[] =>
  code
    .children(node)
    .filter((each) => code.type(each) === "identifier" && code.isField(each, "name"))
    .map((each) => code.said(each))
    .filter((name) => name !== "_");

/** `func f() (error)` is `func f() error`. */
function unwrapGoResult(code: ParsedCode, node: NodeIndex): "through" | undefined {
  if (!code.isField(node, "result")) return undefined;
  const [only = NO_NODE, ...others] = code.children(node);
  return others.length === 0 && code.child(only, "name") === NO_NODE ? "through" : undefined;
}

const lowerGoNumber = (code: ParsedCode, node: NodeIndex): string => code.said(node).toLowerCase();

const goNormalForm: NormalForm = {
  through: ["parenthesized_expression", "parenthesized_type"],
  loose: [";", "\n", "\0"],
  keepsLoose: ["for_clause", "if_statement", "expression_switch_statement", "type_switch_statement"],
  as: { int_literal: lowerGoNumber, float_literal: lowerGoNumber, imaginary_literal: lowerGoNumber },
  special: {
    parameter_list: unwrapGoResult,
    parameter_declaration: (code, node) => unwrapGoResult(code, code.parent(node)),
  },
};

export const goOutline: LanguageOutline = {
  components: {
    function_declaration: describeGoFunction,
    method_declaration: describeGoMethod,
    method_elem: describeGoInterfaceMethod,
    method_spec: describeGoInterfaceMethod,
    type_spec: describeGoType,
    type_alias: describeGoType,
    const_spec: describeGoValuesAs("const"),
    var_spec: describeGoValuesAs("var"),
  },
  imports: {
    import_spec: (code, node) => [{ specifier: code.said(code.child(node, "path")).slice(1, -1), names: [] }],
  },
  heads: ["package_clause"],
  normal: goNormalForm,
};
