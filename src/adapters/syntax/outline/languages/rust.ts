import { plain } from "../../callee.ts";
import { type Code, NONE, type Place } from "../../code.ts";
import type { Around, Found, LanguageOutline, Scope } from "../language.ts";
import { crates, modules, uses } from "./rust-modules.ts";
import { normal } from "./rust-normal.ts";

const isPublic = (code: Code, node: Place): boolean => code.has(node, "visibility_modifier");

const item =
  (kind: Found["kind"]) =>
  (code: Code, node: Place): Found => ({
    kind,
    name: code.said(code.child(node, "name")),
    isExported: isPublic(code, node),
  });

/** The members of a trait, or of an `impl` of one, are as public as the trait. */
function isOfTrait(code: Code, node: Place): boolean {
  const holder = code.parent(code.parent(node));
  return /^(?:trait_item|foreign_mod_item)$/.test(code.type(holder)) || code.child(holder, "trait") !== NONE;
}

function callable(code: Code, node: Place, around: Around): Found {
  const isMethod = around.kind === "class" || around.kind === "interface";
  return {
    kind: isMethod ? "method" : "function",
    name: code.said(code.child(node, "name")),
    isExported: isPublic(code, node) || isOfTrait(code, node),
  };
}

function constant(code: Code, node: Place, { kind }: Around): Found | undefined {
  if (kind === "function" || kind === "method") return undefined;
  const value = code.child(node, "value");
  const isLong = code.end(node) - code.start(node) > 200;
  const isExported = isPublic(code, node) || isOfTrait(code, node);
  return { ...item("constant")(code, node), isExported, body: isLong ? value : NONE };
}

/** `impl fmt::Display for Session<T>` puts its contents within `Session`. */
function implementation(code: Code, node: Place): Scope {
  const type = plain(code, code.child(node, "type")).replace(/^[&*]?(?:'\w+)?(?:mut|const|dyn)?\b/, "");
  const name = /^(?:\w+::)*(\w+)/.exec(type)?.[1] ?? plain(code, code.child(node, "type"));
  return { scope: name, kind: "class" };
}

const module = (code: Code, node: Place): Found | undefined =>
  code.child(node, "body") === NONE ? undefined : item("module")(code, node);

const macro = (code: Code, node: Place): Found => {
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

export const rust: LanguageOutline = {
  components: {
    function_item: callable,
    function_signature_item: callable,
    struct_item: (code, node) => ({ ...item("class")(code, node), body: code.childOf(node, "field_declaration_list") }),
    union_item: item("class"),
    enum_item: item("type"),
    type_item: item("type"),
    trait_item: item("interface"),
    impl_item: implementation,
    mod_item: module,
    const_item: constant,
    static_item: constant,
    macro_definition: macro,
  },
  imports: { use_declaration: uses, extern_crate_declaration: crates, mod_item: modules },
  marks: ["attribute_item"],
  normal,
};
