import { readDefinitionName, findDeclaredName } from "../syntax/code-scan.ts";
import { memoizeByNode, memoizeByObject, type ParsedCode, NO_NODE, type NodeIndex } from "../syntax/parsed-code.ts";
import type { ComponentReader, EnclosingComponent, FoundComponent } from "../outline/language-outline.ts";
import { defineLanguage, describeDeclarator, readCreatedType } from "../outline/language-outline.ts";

const isPrivateCMember = (code: ParsedCode, whole: NodeIndex): boolean => {
  const body = code.parent(whole);
  return code.type(body) === "field_declaration_list" && listPrivateCMembers(code, body).has(whole);
};

const isCClassMember = ({ kind }: EnclosingComponent): boolean => kind === "class";

const describeCFunction: ComponentReader = (code, node, around) => {
  const whole = findCTemplate(code, node);
  const { name, marks } = readDefinitionName(code, node);
  const isExported = !isCFileLocal(code, node) && !isPrivateCMember(code, whole);
  if (marks.length > 0) {
    const dot = name.lastIndexOf(".");
    return { kind: "function", name: name.slice(dot + 1), within: name.slice(0, Math.max(0, dot)), isExported, whole };
  }
  const own = readScopedCName(code, code.child(node, "declarator"));
  const initial = code.childOf(node, "field_initializer_list");
  const body = initial === NO_NODE ? code.child(node, "body") : initial;
  const isFree = own.within === "";
  if (isFree) return { kind: isCClassMember(around) ? "method" : "function", name: own.name, isExported, whole, body };
  // A namespace looks like a class. Classes begin with a capital letter or have a constructor of the same name.
  const last = own.within.slice(own.within.lastIndexOf(".") + 1);
  const isMethod = /^[A-Z]/.test(last) || own.name.replace(/^~/, "") === last || isCClassMember(around);
  const within = around.name === "" ? own.within : `${around.name}.${own.within}`;
  return { kind: isMethod ? "method" : "function", name: own.name, within, isExported, whole, body };
};

const describeCPrototype: ComponentReader = (code, node, around) => {
  const declarator = findCFunctionDeclarator(code, code.child(node, "declarator"));
  if (declarator === NO_NODE || (!isCClassMember(around) && !isCTopLevel(code, node))) return undefined;
  const { name, within } = readScopedCName(code, declarator);
  const inner = isCClassMember(around) ? around.name : within;
  if (listDefinedCFunctions(code).has(inner === "" ? name : `${inner}.${name}`)) return undefined;
  const whole = findCTemplate(code, node);
  return {
    kind: isCClassMember(around) ? "method" : "function",
    name,
    ...(within === "" ? {} : { within }),
    // A static class member is public; a static function belongs to its file.
    isExported: (isCClassMember(around) || !isCFileLocal(code, node)) && !isPrivateCMember(code, whole),
    whole,
  };
};

/** A type with a name and a body. A typedef names the type inside it. */
const describeCTypeAs =
  (kind: FoundComponent["kind"]) =>
  (code: ParsedCode, node: NodeIndex): FoundComponent | undefined => {
    const name = code.compactField(node, "name").replace(/<.*>$/, "");
    if (name === "" || code.child(node, "body") === NO_NODE || code.type(code.parent(node)) === "type_definition")
      return undefined;
    const whole = findCTemplate(code, node);
    const field = code.parent(whole);
    const isNested = code.type(field) === "field_declaration";
    return {
      kind,
      name,
      isExported: !isCFileLocal(code, node) && !isPrivateCMember(code, isNested ? field : whole),
      whole,
    };
  };

const describeCNamedType: ComponentReader = (code, node) => {
  const whole = findCTemplate(code, node);
  const isExported = !isCFileLocal(code, node) && !isPrivateCMember(code, whole);
  return { kind: "type", name: code.fieldText(node, "name"), isExported, whole };
};

const isCConstant = (code: ParsedCode, declaration: NodeIndex): boolean =>
  listCSpecifiers(code, declaration).some((word) => /^(?:const|constexpr|constinit|consteval)$/.test(word));

/** `#define MAX 3`. A macro without a value is only a flag. */
const describeCMacro: ComponentReader = (code, node) => {
  const value = code.child(node, "value");
  if (value === NO_NODE || code.said(value).trim() === "") return undefined;
  const isFunction = code.type(node) === "preproc_function_def";
  return {
    kind: isFunction ? "function" : "constant",
    name: code.fieldText(node, "name"),
    isExported: true,
    body: isFunction ? value : code.longValue(node, value),
  };
};

export const cOutline = defineLanguage("c", {
  components: {
    function_definition: describeCFunction,
    declaration: describeCPrototype,
    init_declarator: (code, node) => {
      const declaration = code.parent(node);
      const isDeclared = code.type(declaration) === "declaration" && isCTopLevel(code, declaration);
      if (!isDeclared || !isCConstant(code, declaration)) return undefined;
      const first = code.child(declaration, "declarator");
      return {
        kind: "constant",
        name: readScopedCName(code, code.child(node, "declarator")).name,
        isExported: !isCFileLocal(code, declaration),
        ...(code.has(declaration, ",")
          ? describeDeclarator(code, declaration, { node, first, from: declaration })
          : { whole: findCTemplate(code, declaration) }),
        body: code.longValue(node, code.child(node, "value")),
      };
    },
    type_definition: (code, node) => {
      const { name } = readScopedCName(code, code.child(node, "declarator"));
      const body = code.longValue(node, code.child(code.child(node, "type"), "body"));
      return { kind: "type", name, isExported: !isPrivateCMember(code, node), body };
    },
    enum_specifier: describeCTypeAs("type"),
    struct_specifier: describeCTypeAs("class"),
    union_specifier: describeCTypeAs("class"),
    preproc_def: describeCMacro,
    preproc_function_def: describeCMacro,
  },
  imports: {
    // `#include "a.h"` is `a.h`, `#include <a.h>` is `<a.h>`.
    preproc_include: (code, node) => {
      const path = code.child(node, "path");
      const specifier = code.compact(path).replace(/^"(.*)"$/, "$1");
      return /^(?:string_literal|system_lib_string)$/.test(code.type(path)) ? [{ specifier, names: [] }] : [];
    },
  },
  doc: (words) =>
    words.replace(/[\\@](?:brief\s+|file\b[^\n]*\n?)/g, "").replace(/\\(?=(?:param|return|note)\b)/g, "@"),
  normal: {
    as: {
      preproc_arg: (code, node) => {
        const said = code.said(node).replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, " ");
        return said.replace(/\\?\s+/g, " ").trim();
      },
    },
  },
});

export const cppOutline: typeof cOutline = {
  ...cOutline,
  components: {
    ...cOutline.components,
    class_specifier: describeCTypeAs("class"),
    field_declaration: (code, node, around) => {
      if (!isCClassMember(around)) return undefined;
      const method = describeCPrototype(code, node, around);
      if (method !== undefined) return method;
      if (code.child(node, "default_value") === NO_NODE || !isCConstant(code, node)) return undefined;
      const { name } = readScopedCName(code, code.child(node, "declarator"));
      return { kind: "constant", name, isExported: !isPrivateCMember(code, node) };
    },
    alias_declaration: describeCNamedType,
    concept_definition: describeCNamedType,
  },
  calls: { new_expression: readCreatedType },
};

const C_TOP_LEVEL_PARENT =
  /^(?:preproc_\w+|declaration_list|linkage_specification|namespace_definition|template_declaration)$/;

function isCTopLevel(code: ParsedCode, node: NodeIndex): boolean {
  let up = code.parent(node);
  while (C_TOP_LEVEL_PARENT.test(code.type(up))) up = code.parent(up);
  return code.type(up) === "translation_unit";
}

/** Stops at the declarator: one declaration may declare a hundred thousand names. */
function listCSpecifiers(code: ParsedCode, node: NodeIndex): string[] {
  const words: string[] = [];
  for (let at = node + 1, after = code.next(node); at < after && !code.isField(at, "declarator"); at = code.next(at))
    if (/^(?:storage_class_specifier|type_qualifier)$/.test(code.type(at))) words.push(code.said(at));
  return words;
}

/** `static`, or in an unnamed namespace: visible in this file only. */
function isCFileLocal(code: ParsedCode, node: NodeIndex): boolean {
  if (listCSpecifiers(code, node).includes("static")) return true;
  for (let up = code.parent(node); up !== NO_NODE; up = code.parent(up))
    if (code.type(up) === "namespace_definition" && code.child(up, "name") === NO_NODE) return true;
  return false;
}

function findCTemplate(code: ParsedCode, node: NodeIndex): NodeIndex {
  let whole = node;
  while (code.type(code.parent(whole)) === "template_declaration") whole = code.parent(whole);
  return whole;
}

function findCFunctionDeclarator(code: ParsedCode, declarator: NodeIndex): NodeIndex {
  let at = declarator;
  while (/^(?:pointer|reference|attributed)_declarator$/.test(code.type(at)))
    at = [code.child(at, "declarator"), ...code.children(at)].find((each) => each !== NO_NODE) ?? NO_NODE;
  return code.type(at) === "function_declarator" &&
    code.type(code.child(at, "declarator")) !== "parenthesized_declarator"
    ? at
    : NO_NODE;
}

/** `Shop<int>::total` is `total` within `Shop`. */
function readScopedCName(code: ParsedCode, declarator: NodeIndex): Required<Pick<FoundComponent, "name" | "within">> {
  const place = findDeclaredName(code, declarator);
  const said = code.end(place) - code.start(place) > 300 ? "" : code.said(place).replace(/\s+/g, " ");
  const [, scope = "", operator] = /^(.*?)(?<![\w])operator\b(.*)$/.exec(said) ?? [];
  if (operator !== undefined) {
    // `==`, `()`, or the type of a conversion: ` bool`.
    const sign = /^ ?(\(\)|[^\w\s(]+)/.exec(operator)?.[1] ?? ` ${operator.split("(", 1)[0]?.trim() ?? ""}`;
    return { name: `operator${sign}`, within: formatCScope(scope) };
  }
  const path = stripCTypeArguments(said);
  const cut = path.lastIndexOf("::");
  const name = path.slice(cut < 0 ? 0 : cut + 2).trim();
  return {
    name: /^~?[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name) ? name : "",
    within: cut < 0 ? "" : formatCScope(path.slice(0, cut)),
  };
}

function stripCTypeArguments(path: string): string {
  let plain = path;
  for (let depth = 0; depth < 5 && plain.includes("<"); depth++) plain = plain.replace(/<[^<>]*>/g, "");
  return plain;
}

const formatCScope = (path: string): string =>
  stripCTypeArguments(path.replace(/(?:::|\s)+$/, ""))
    .split("::")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join(".");

const listDefinedCFunctions = memoizeByObject((code: ParsedCode): ReadonlySet<string> => {
  const names = new Set<string>();
  for (let at = 0; at < code.count; at++)
    if (code.type(at) === "function_definition") {
      const { name, within } = readScopedCName(code, code.child(at, "declarator"));
      names.add(within === "" ? name : `${within}.${name}`);
    }
  return names;
});

const listPrivateCMembers = memoizeByNode((code, body): ReadonlySet<NodeIndex> => {
  const found = new Set<NodeIndex>();
  let isPrivate = code.type(code.parent(body)) === "class_specifier";
  for (const each of code.children(body))
    if (code.type(each) === "access_specifier") isPrivate = code.said(each).startsWith("private");
    else if (isPrivate) found.add(each);
  return found;
});
