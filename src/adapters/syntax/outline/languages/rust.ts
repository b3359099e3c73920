import { readCompactText } from "../../callee.ts";
import { type ParsedCode, NO_NODE, type NodeIndex } from "../../code.ts";
import type { EnclosingComponent, FoundComponent, LanguageOutline, ComponentScope } from "../language.ts";
import { readRustExternCrate, readRustModule, readRustUses } from "./rust-modules.ts";
import { rustNormalForm } from "./rust-normal.ts";

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
