import { type ParsedCode, NO_NODE, type NodeIndex } from "../syntax/parsed-code.ts";
import {
  type ComponentReader,
  type ImportReader,
  type LanguageOutline,
  type NodeRule,
  describeNamedAs,
  listNamedComponents,
  lowerNumber,
  unwrapSingleChild,
} from "../outline/language-outline.ts";

const DEEPEST_RUST_USE = 20;

/** `use a::{b, c::d as e}` takes `b` from `a` and `d` from `a::c`. */
const readRustUses: ImportReader = (code, node) => {
  const found = new Map<string, string[]>();
  const put = (path: string, ...names: readonly string[]): void => {
    found.set(path, [...(found.get(path) ?? []), ...names]);
  };
  collectRustUses(code, code.child(node, "argument"), "", put, 0);
  return [...found].map(([specifier, names]) => ({ specifier, names }));
};

type AddRustImport = (path: string, ...names: readonly string[]) => void;

function collectRustUses(code: ParsedCode, node: NodeIndex, around: string, put: AddRustImport, depth: number): void {
  if (node === NO_NODE || depth > DEEPEST_RUST_USE) return;
  const joined = (path: string): string => [around, path].filter((part) => part !== "").join("::");
  switch (code.type(node)) {
    case "scoped_use_list": {
      const path = joined(code.compactField(node, "path"));
      collectRustUses(code, code.child(node, "list"), path, put, depth + 1);
      return;
    }
    case "use_list":
      for (const each of code.children(node)) collectRustUses(code, each, around, put, depth + 1);
      return;
    case "use_wildcard":
      put(joined(code.compact(code.children(node)[0] ?? NO_NODE)));
      return;
    case "use_as_clause":
      collectRustUses(code, code.child(node, "path"), around, put, depth + 1);
      return;
    case "scoped_identifier":
      put(joined(code.compactField(node, "path")), code.compactField(node, "name"));
      return;
    case "self":
      put(joined(around === "" ? "self" : ""));
      return;
    default:
      if (around === "") put(code.compact(node));
      else put(around, code.compact(node));
  }
}

/** `mod session;` imports the file of that module. */
const readRustModule: ImportReader = (code, node) =>
  code.child(node, "body") === NO_NODE ? [{ specifier: `self::${code.fieldText(node, "name")}`, names: [] }] : [];

/** `|a| { a }` is `|a| a`, and the same after `=>`: rustfmt adds braces where a line would get too long. */
const unwrapRustBlock: NodeRule = (code, node) => {
  const isArm = code.type(code.parent(node)) === "match_arm" && code.isField(node, "value");
  const isClosure = code.type(code.parent(node)) === "closure_expression";
  if (!isArm && !isClosure) return undefined;
  const [only, ...others] = code.children(node);
  if (only === undefined || others.length > 0) return undefined;
  const isStatement = /_(?:item|declaration|definition)$|^empty_statement$|^label$/.test(code.type(only));
  return isStatement || code.has(only, ";") ? undefined : "through";
};

/** A statement without a semicolon is an expression. `return a` ends a function with or without one. */
const unwrapRustStatement: NodeRule = (code, node) => {
  const [only] = code.children(node);
  const isLeaving = only !== undefined && RUST_EXIT_EXPRESSION.test(code.type(only));
  return isLeaving || !code.has(node, ";") ? "through" : undefined;
};
const RUST_EXIT_EXPRESSION = /^(?:return|break|continue)_expression$/;

const isPublicRustItem = (code: ParsedCode, node: NodeIndex): boolean => code.has(node, "visibility_modifier");

const rustRules = { isExported: isPublicRustItem };

/** The members of a trait, or of an `impl` of one, are as public as the trait. */
function isRustTraitMember(code: ParsedCode, node: NodeIndex): boolean {
  const holder = code.parent(code.parent(node));
  return /^(?:trait_item|foreign_mod_item)$/.test(code.type(holder)) || code.child(holder, "trait") !== NO_NODE;
}

const describeRustCallable: ComponentReader = (code, node, around) => {
  const isMethod = around.kind === "class" || around.kind === "interface";
  return {
    kind: isMethod ? "method" : "function",
    name: code.fieldText(node, "name"),
    isExported: isPublicRustItem(code, node) || isRustTraitMember(code, node),
  };
};

const describeRustConstant: ComponentReader = (code, node, around) => {
  if (around.kind === "function" || around.kind === "method") return undefined;
  return {
    kind: "constant",
    name: code.fieldText(node, "name"),
    isExported: isPublicRustItem(code, node) || isRustTraitMember(code, node),
    body: code.longValue(node, code.child(node, "value")),
  };
};

/** `impl fmt::Display for Session<T>` puts its contents within `Session`. */
const describeRustImpl: ComponentReader = (code, node) => {
  const type = code.compactField(node, "type").replace(/^[&*]?(?:'\w+)?(?:mut|const|dyn)?\b/, "");
  const name = /^(?:\w+::)*(\w+)/.exec(type)?.[1] ?? code.compactField(node, "type");
  return { scope: name, kind: "class" };
};

const describeRustModule: ComponentReader = (code, node, around) =>
  code.child(node, "body") === NO_NODE ? undefined : describeNamedAs("module", rustRules)(code, node, around);

const describeRustMacro: ComponentReader = (code, node) => {
  let above = node - 1;
  while (code.parent(above) > code.parent(node)) above = code.parent(above);
  const isExported = code.type(above) === "attribute_item" && code.said(above).includes("macro_export");
  return {
    kind: "function",
    name: code.fieldText(node, "name"),
    isExported,
    body: code.childOf(node, "{", "(", "["),
  };
};

export const rustOutline: LanguageOutline = {
  components: {
    function_item: describeRustCallable,
    function_signature_item: describeRustCallable,
    ...listNamedComponents(rustRules, { class: "union_item", type: "enum_item type_item", interface: "trait_item" }),
    struct_item: (code, node, around) => ({
      ...describeNamedAs("class", rustRules)(code, node, around),
      body: code.childOf(node, "field_declaration_list"),
    }),
    impl_item: describeRustImpl,
    mod_item: describeRustModule,
    const_item: describeRustConstant,
    static_item: describeRustConstant,
    macro_definition: describeRustMacro,
  },
  imports: {
    use_declaration: readRustUses,
    extern_crate_declaration: (code, node) => [{ specifier: code.fieldText(node, "name"), names: [] }],
    mod_item: readRustModule,
  },
  marks: ["attribute_item"],
  normal: {
    through: ["parenthesized_expression"],
    keepsComma: ["tuple_type", "tuple_pattern"],
    as: { integer_literal: lowerNumber, float_literal: lowerNumber },
    special: { block: unwrapRustBlock, expression_statement: unwrapRustStatement, or_pattern: unwrapSingleChild },
  },
};
