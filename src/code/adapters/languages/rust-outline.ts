import { type ParsedCode, NO_NODE, type NodeIndex } from "../syntax/parsed-code.ts";
import { type ComponentReader, defineLanguage, describeNamedAs } from "../outline/language-outline.ts";

const DEEPEST_RUST_USE = 20;

/** `use a::{b, c::d as e}` takes `b` from `a` and `d` from `a::c`. Adds the names of each path. */
function collectRustUses(
  code: ParsedCode,
  node: NodeIndex,
  around: string,
  found: Map<string, string[]>,
  depth = 0,
): void {
  if (node === NO_NODE || depth > DEEPEST_RUST_USE) return;
  const joined = (path: string): string => [around, path].filter((part) => part !== "").join("::");
  const follow = (inner: NodeIndex, path = around): void => collectRustUses(code, inner, path, found, depth + 1);
  const put = (path: string, ...names: readonly string[]): void =>
    void found.set(path, [...(found.get(path) ?? []), ...names]);
  switch (code.type(node)) {
    case "scoped_use_list":
      return follow(code.child(node, "list"), joined(code.compactField(node, "path")));
    case "use_list":
      return code.children(node).forEach((each) => follow(each));
    case "use_wildcard":
      return put(joined(code.compact(code.children(node)[0] ?? NO_NODE)));
    case "use_as_clause":
      return follow(code.child(node, "path"));
    case "scoped_identifier":
      return put(joined(code.compactField(node, "path")), code.compactField(node, "name"));
    case "self":
      return put(joined(around === "" ? "self" : ""));
    default:
      return around === "" ? put(code.compact(node)) : put(around, code.compact(node));
  }
}

const isPublicRustItem = (code: ParsedCode, node: NodeIndex): boolean => code.has(node, "visibility_modifier");

const rustRules = { isExported: isPublicRustItem };

/** The members of a trait, or of an `impl` of one, are as public as the trait. */
function isExportedRustMember(code: ParsedCode, node: NodeIndex): boolean {
  const holder = code.parent(code.parent(node));
  const isOfTrait = /^(?:trait_item|foreign_mod_item)$/.test(code.type(holder));
  return isPublicRustItem(code, node) || isOfTrait || code.child(holder, "trait") !== NO_NODE;
}

const describeRustCallable: ComponentReader = (code, node, around) => ({
  kind: around.kind === "class" || around.kind === "interface" ? "method" : "function",
  name: code.fieldText(node, "name"),
  isExported: isExportedRustMember(code, node),
});

const describeRustConstant: ComponentReader = (code, node, around) => {
  if (around.kind === "function" || around.kind === "method") return undefined;
  return {
    kind: "constant",
    name: code.fieldText(node, "name"),
    isExported: isExportedRustMember(code, node),
    body: code.longValue(node, code.child(node, "value")),
  };
};

export const rustOutline = defineLanguage("rust", {
  named: rustRules,
  components: {
    function_item: describeRustCallable,
    function_signature_item: describeRustCallable,
    struct_item: (code, node, around) => ({
      ...describeNamedAs("class", rustRules)(code, node, around),
      body: code.childOf(node, "field_declaration_list"),
    }),
    // `impl fmt::Display for Session<T>` puts its contents within `Session`.
    impl_item: (code, node) => {
      const type = code.compactField(node, "type").replace(/^[&*]?(?:'\w+)?(?:mut|const|dyn)?\b/, "");
      const name = /^(?:\w+::)*(\w+)/.exec(type)?.[1] ?? code.compactField(node, "type");
      return { scope: name, kind: "class" };
    },
    mod_item: (code, node, around) =>
      code.child(node, "body") === NO_NODE ? undefined : describeNamedAs("module", rustRules)(code, node, around),
    const_item: describeRustConstant,
    static_item: describeRustConstant,
    macro_definition: (code, node) => {
      let above = node - 1;
      while (code.parent(above) > code.parent(node)) above = code.parent(above);
      const isExported = code.type(above) === "attribute_item" && code.said(above).includes("macro_export");
      const body = code.childOf(node, "{", "(", "[");
      return { kind: "function", name: code.fieldText(node, "name"), isExported, body };
    },
  },
  imports: {
    use_declaration: (code, node) => {
      const found = new Map<string, string[]>();
      collectRustUses(code, code.child(node, "argument"), "", found);
      return [...found].map(([specifier, names]) => ({ specifier, names }));
    },
    extern_crate_declaration: (code, node) => [{ specifier: code.fieldText(node, "name"), names: [] }],
    // `mod session;` imports the file of that module.
    mod_item: (code, node) =>
      code.child(node, "body") === NO_NODE ? [{ specifier: `self::${code.fieldText(node, "name")}`, names: [] }] : [],
  },
  normal: {
    special: {
      // `|a| { a }` is `|a| a`, and the same after `=>`: rustfmt adds braces where a line would get too long.
      block: (code, node) => {
        const isArm = code.type(code.parent(node)) === "match_arm" && code.isField(node, "value");
        const isClosure = code.type(code.parent(node)) === "closure_expression";
        if (!isArm && !isClosure) return undefined;
        const [only, ...others] = code.children(node);
        if (only === undefined || others.length > 0) return undefined;
        const isStatement = /_(?:item|declaration|definition)$|^empty_statement$|^label$/.test(code.type(only));
        return isStatement || code.has(only, ";") ? undefined : "through";
      },
      // A statement without a semicolon is an expression. `return a` ends a function with or without one.
      expression_statement: (code, node) => {
        const [only = NO_NODE] = code.children(node);
        const isLeaving = /^(?:return|break|continue)_expression$/.test(code.type(only));
        return isLeaving || !code.has(node, ";") ? "through" : undefined;
      },
    },
  },
});
