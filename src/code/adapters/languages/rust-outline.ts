import type { CodeImport } from "../../model/index/code-outline.ts";
import { readCompactText } from "../syntax/call-and-definition-names.ts";
import { type ParsedCode, NO_NODE, type NodeIndex } from "../syntax/parsed-code.ts";
import type {
  NormalForm,
  EnclosingComponent,
  FoundComponent,
  LanguageOutline,
  ComponentScope,
} from "../outline/language-outline.ts";

type RustImport = Omit<CodeImport, "line">;

const DEEPEST_RUST_USE = 20;

/** `use a::{b, c::d as e}` takes `b` from `a` and `d` from `a::c`. */
function readRustUses(code: ParsedCode, node: NodeIndex): RustImport[] {
  const found = new Map<string, string[]>();
  const put = (path: string, ...names: readonly string[]): void => {
    found.set(path, [...(found.get(path) ?? []), ...names]);
  };
  collectRustUses(code, code.child(node, "argument"), "", put, 0);
  return [...found].map(([specifier, names]) => ({ specifier, names }));
}

type AddRustImport = (path: string, ...names: readonly string[]) => void;

function collectRustUses(code: ParsedCode, node: NodeIndex, around: string, put: AddRustImport, depth: number): void {
  if (node === NO_NODE || depth > DEEPEST_RUST_USE) return;
  const joined = (path: string): string => [around, path].filter((part) => part !== "").join("::");
  switch (code.type(node)) {
    case "scoped_use_list": {
      const path = joined(readCompactText(code, code.child(node, "path")));
      collectRustUses(code, code.child(node, "list"), path, put, depth + 1);
      return;
    }
    case "use_list":
      for (const each of code.children(node)) collectRustUses(code, each, around, put, depth + 1);
      return;
    case "use_wildcard":
      put(joined(readCompactText(code, code.children(node)[0] ?? NO_NODE)));
      return;
    case "use_as_clause":
      collectRustUses(code, code.child(node, "path"), around, put, depth + 1);
      return;
    case "scoped_identifier":
      put(joined(readCompactText(code, code.child(node, "path"))), readCompactText(code, code.child(node, "name")));
      return;
    case "self":
      put(joined(around === "" ? "self" : ""));
      return;
    default:
      if (around === "") put(readCompactText(code, node));
      else put(around, readCompactText(code, node));
  }
}

const readRustExternCrate = (code: ParsedCode, node: NodeIndex): RustImport[] => [
  { specifier: code.said(code.child(node, "name")), names: [] },
];

/** `mod session;` imports the file of that module. */
const readRustModule = (code: ParsedCode, node: NodeIndex): RustImport[] =>
  code.child(node, "body") === NO_NODE
    ? [{ specifier: `self::${code.said(code.child(node, "name"))}`, names: [] }]
    : [];

/** `|a| { a }` is `|a| a`, and the same after `=>`: rustfmt adds braces where a line would get too long. */
function unwrapRustBlock(code: ParsedCode, node: NodeIndex): "through" | undefined {
  const isArm = code.type(code.parent(node)) === "match_arm" && code.isField(node, "value");
  const isClosure = code.type(code.parent(node)) === "closure_expression";
  if (!isArm && !isClosure) return undefined;
  const [only, ...others] = code.children(node);
  if (only === undefined || others.length > 0) return undefined;
  const isStatement = /_(?:item|declaration|definition)$|^empty_statement$|^label$/.test(code.type(only));
  return isStatement || code.has(only, ";") ? undefined : "through";
}

/** A statement without a semicolon is an expression. `return a` ends a function with or without one. */
function unwrapRustStatement(code: ParsedCode, node: NodeIndex): "through" | undefined {
  const [only] = code.children(node);
  const isLeaving = only !== undefined && RUST_EXIT_EXPRESSION.test(code.type(only));
  return isLeaving || !code.has(node, ";") ? "through" : undefined;
}
const RUST_EXIT_EXPRESSION = /^(?:return|break|continue)_expression$/;

const unwrapSingleRustPattern = (code: ParsedCode, node: NodeIndex): "through" | undefined =>
  code.children(node).length === 1 ? "through" : undefined;

const lowerRustNumber = (code: ParsedCode, node: NodeIndex): string => code.said(node).toLowerCase();

const rustNormalForm: NormalForm = {
  through: ["parenthesized_expression"],
  keepsComma: ["tuple_type", "tuple_pattern"],
  as: { integer_literal: lowerRustNumber, float_literal: lowerRustNumber },
  special: { block: unwrapRustBlock, expression_statement: unwrapRustStatement, or_pattern: unwrapSingleRustPattern },
};

const isPublicRustItem = (code: ParsedCode, node: NodeIndex): boolean => code.has(node, "visibility_modifier");

const describeRustItemAs =
  (kind: FoundComponent["kind"]) =>
  (code: ParsedCode, node: NodeIndex): FoundComponent => ({
    kind,
    name: code.said(code.child(node, "name")),
    isExported: isPublicRustItem(code, node),
  });

/** The members of a trait, or of an `impl` of one, are as public as the trait. */
function isRustTraitMember(code: ParsedCode, node: NodeIndex): boolean {
  const holder = code.parent(code.parent(node));
  return /^(?:trait_item|foreign_mod_item)$/.test(code.type(holder)) || code.child(holder, "trait") !== NO_NODE;
}

function describeRustCallable(code: ParsedCode, node: NodeIndex, around: EnclosingComponent): FoundComponent {
  const isMethod = around.kind === "class" || around.kind === "interface";
  return {
    kind: isMethod ? "method" : "function",
    name: code.said(code.child(node, "name")),
    isExported: isPublicRustItem(code, node) || isRustTraitMember(code, node),
  };
}

function describeRustConstant(
  code: ParsedCode,
  node: NodeIndex,
  { kind }: EnclosingComponent,
): FoundComponent | undefined {
  if (kind === "function" || kind === "method") return undefined;
  const value = code.child(node, "value");
  const isLong = code.end(node) - code.start(node) > 200;
  const isExported = isPublicRustItem(code, node) || isRustTraitMember(code, node);
  return { ...describeRustItemAs("constant")(code, node), isExported, body: isLong ? value : NO_NODE };
}

/** `impl fmt::Display for Session<T>` puts its contents within `Session`. */
function describeRustImpl(code: ParsedCode, node: NodeIndex): ComponentScope {
  const type = readCompactText(code, code.child(node, "type")).replace(/^[&*]?(?:'\w+)?(?:mut|const|dyn)?\b/, "");
  const name = /^(?:\w+::)*(\w+)/.exec(type)?.[1] ?? readCompactText(code, code.child(node, "type"));
  return { scope: name, kind: "class" };
}

const describeRustModule = (code: ParsedCode, node: NodeIndex): FoundComponent | undefined =>
  code.child(node, "body") === NO_NODE ? undefined : describeRustItemAs("module")(code, node);

const describeRustMacro = (code: ParsedCode, node: NodeIndex): FoundComponent => {
  let above = node - 1;
  while (code.parent(above) > code.parent(node)) above = code.parent(above);
  const isExported = code.type(above) === "attribute_item" && code.said(above).includes("macro_export");
  return {
    kind: "function",
    name: code.said(code.child(node, "name")),
    isExported,
    body: code.childOf(node, "{", "(", "["),
  };
};

export const rustOutline: LanguageOutline = {
  components: {
    function_item: describeRustCallable,
    function_signature_item: describeRustCallable,
    struct_item: (code, node) => ({
      ...describeRustItemAs("class")(code, node),
      body: code.childOf(node, "field_declaration_list"),
    }),
    union_item: describeRustItemAs("class"),
    enum_item: describeRustItemAs("type"),
    type_item: describeRustItemAs("type"),
    trait_item: describeRustItemAs("interface"),
    impl_item: describeRustImpl,
    mod_item: describeRustModule,
    const_item: describeRustConstant,
    static_item: describeRustConstant,
    macro_definition: describeRustMacro,
  },
  imports: { use_declaration: readRustUses, extern_crate_declaration: readRustExternCrate, mod_item: readRustModule },
  marks: ["attribute_item"],
  normal: rustNormalForm,
};
