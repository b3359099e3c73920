import { plain } from "../../callee.ts";
import { type Code, NONE, type Place } from "../../code.ts";
import type { Around, Found, LanguageOutline, NormalForm } from "../language.ts";

const isExported = (name: string): boolean => /^\p{Lu}/u.test(name);

function declared(code: Code, node: Place): Found {
  const name = code.said(code.child(node, "name"));
  return { kind: "function", name, isExported: isExported(name) };
}

/** A method belongs to the type of its receiver: `func (s *Session[T]) Login()`. */
function method(code: Code, node: Place): Found {
  const name = code.said(code.child(node, "name"));
  const receiver = plain(code, code.child(code.childOf(code.child(node, "receiver"), "parameter_declaration"), "type"));
  const within = /^\(?\**([\p{L}\w]+)/u.exec(receiver)?.[1] ?? "";
  return { kind: "method", name, within, isExported: isExported(name) };
}

const signature = (code: Code, node: Place, around: Around): Found | undefined => {
  const name = code.said(code.child(node, "name"));
  return around.kind === "interface" ? { kind: "method", name, isExported: isExported(name) } : undefined;
};

const TYPES: Readonly<Partial<Record<string, Found["kind"]>>> = { struct_type: "class", interface_type: "interface" };

function type(code: Code, node: Place, around: Around): Found | undefined {
  if (around.kind !== undefined) return undefined;
  const [name, of] = [code.said(code.child(node, "name")), code.child(node, "type")];
  return {
    kind: TYPES[code.type(of)] ?? "type",
    name,
    isExported: isExported(name),
    ...inDeclaration(code, node, "type"),
    body: code.childOf(of, "field_declaration_list", "{"),
  };
}

function inDeclaration(code: Code, node: Place, word: string): Pick<Found, "shared" | "whole"> {
  const declaration = code.parent(node);
  const isAlone = code.type(declaration) === `${word}_declaration` && !code.has(declaration, "(");
  return { shared: word, whole: isAlone ? declaration : node };
}

const values =
  (word: "const" | "var") =>
  (code: Code, node: Place): readonly Found[] => {
    const above = code.parent(node);
    const declaration = code.type(above) === "var_spec_list" ? code.parent(above) : above;
    if (code.type(code.parent(declaration)) !== "source_file") return [];
    const value = code.child(node, "value");
    const literal = code.childOf(value, "func_literal");
    const isLong = code.end(node) - code.start(node) > 200;
    // A constant without a value depends on the ones before it.
    const isCounted = word === "const" && (value === NONE || /\biota\b/.test(plain(code, value)));
    return namesOf(code, node).map((name) => ({
      kind: literal === NONE ? "constant" : "function",
      name,
      isExported: isExported(name),
      ...inDeclaration(code, node, word),
      ...(isCounted ? { hashed: declaration } : {}),
      body: literal === NONE ? (isLong ? value : NONE) : code.child(literal, "body"),
    }));
  };

const namesOf = (code: Code, node: Place): string[] =>
  code
    .children(node)
    .filter((each) => code.type(each) === "identifier" && code.isField(each, "name"))
    .map((each) => code.said(each))
    .filter((name) => name !== "_");

/** `func f() (error)` is `func f() error`. */
function result(code: Code, node: Place): "through" | undefined {
  if (!code.isField(node, "result")) return undefined;
  const [only = NONE, ...others] = code.children(node);
  return others.length === 0 && code.child(only, "name") === NONE ? "through" : undefined;
}

const lower = (code: Code, node: Place): string => code.said(node).toLowerCase();

const normal: NormalForm = {
  through: ["parenthesized_expression", "parenthesized_type"],
  loose: [";", "\n", "\0"],
  keepsLoose: ["for_clause", "if_statement", "expression_switch_statement", "type_switch_statement"],
  as: { int_literal: lower, float_literal: lower, imaginary_literal: lower },
  special: {
    parameter_list: result,
    parameter_declaration: (code, node) => result(code, code.parent(node)),
  },
};

export const go: LanguageOutline = {
  components: {
    function_declaration: declared,
    method_declaration: method,
    method_elem: signature,
    method_spec: signature,
    type_spec: type,
    type_alias: type,
    const_spec: values("const"),
    var_spec: values("var"),
  },
  imports: {
    import_spec: (code, node) => [{ specifier: code.said(code.child(node, "path")).slice(1, -1), names: [] }],
  },
  heads: ["package_clause"],
  normal,
};
