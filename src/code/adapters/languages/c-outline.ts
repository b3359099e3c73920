import { readDefinitionName, findDeclaredName } from "../syntax/call-and-definition-names.ts";
import { memoizeByNode, memoizeByObject, type ParsedCode, NO_NODE, type NodeIndex } from "../syntax/parsed-code.ts";
import {
  type ComponentReader,
  type EnclosingComponent,
  type FoundComponent,
  type ImportReader,
  type LanguageOutline,
  type NameReader,
  describeDeclarator,
  normalizeInteger,
} from "../outline/language-outline.ts";

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
    isExported: !isCFileLocalDeclaration(code, node, around) && !isPrivateCMember(code, whole),
    whole,
  };
};

/** A static class member is public; a static function belongs to its file. */
const isCFileLocalDeclaration = (code: ParsedCode, node: NodeIndex, around: EnclosingComponent): boolean =>
  !isCClassMember(around) && isCFileLocal(code, node);

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

const describeCTypedef: ComponentReader = (code, node) => {
  const { name } = readScopedCName(code, code.child(node, "declarator"));
  const body = code.longValue(node, code.child(code.child(node, "type"), "body"));
  return { kind: "type", name, isExported: !isPrivateCMember(code, node), body };
};

const describeCNamedAs =
  (kind: FoundComponent["kind"]) =>
  (code: ParsedCode, node: NodeIndex): FoundComponent => {
    const whole = findCTemplate(code, node);
    const name = code.fieldText(node, "name");
    return { kind, name, isExported: !isCFileLocal(code, node) && !isPrivateCMember(code, whole), whole };
  };

const C_CONSTANT_WORD = /^(?:const|constexpr|constinit|consteval)$/;

const isCConstant = (code: ParsedCode, declaration: NodeIndex): boolean =>
  listCSpecifiers(code, declaration).some((word) => C_CONSTANT_WORD.test(word));

const describeCConstant: ComponentReader = (code, node) => {
  const declaration = code.parent(node);
  if (code.type(declaration) !== "declaration" || !isCConstant(code, declaration) || !isCTopLevel(code, declaration))
    return undefined;
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
};

const describeCMember: ComponentReader = (code, node, around) => {
  const method = isCClassMember(around) ? describeCPrototype(code, node, around) : undefined;
  if (method !== undefined) return method;
  const value = code.child(node, "default_value");
  if (value === NO_NODE || !isCConstant(code, node) || !isCClassMember(around)) return undefined;
  const { name } = readScopedCName(code, code.child(node, "declarator"));
  return { kind: "constant", name, isExported: !isPrivateCMember(code, node) };
};

/** `#define MAX 3`. A macro without a value is only a flag. */
const describeCMacro: ComponentReader = (code, node) => {
  const value = code.child(node, "value");
  if (value === NO_NODE || code.said(value).trim() === "") return undefined;
  const name = code.fieldText(node, "name");
  const isFunction = code.type(node) === "preproc_function_def";
  return {
    kind: isFunction ? "function" : "constant",
    name,
    isExported: true,
    body: isFunction ? value : code.longValue(node, value),
  };
};

/** `#include "a.h"` is `a.h`, `#include <a.h>` is `<a.h>`. */
const readCInclude: ImportReader = (code, node) => {
  const path = code.child(node, "path");
  const specifier = code.compact(path).replace(/^"(.*)"$/, "$1");
  return /^(?:string_literal|system_lib_string)$/.test(code.type(path)) ? [{ specifier, names: [] }] : [];
};

const stripDoxygenCommands = (words: string): string =>
  words.replace(/[\\@](?:brief\s+|file\b[^\n]*\n?)/g, "").replace(/\\(?=(?:param|return|note)\b)/g, "@");

const normalizeCMacro: NameReader = (code, node) =>
  code
    .said(node)
    .replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, " ")
    .replace(/\\?\s+/g, " ")
    .trim();

const cSharedOutline: Pick<LanguageOutline, "imports" | "heads" | "doc" | "normal"> = {
  imports: { preproc_include: readCInclude },
  heads: ["preproc_include", "preproc_ifdef", "preproc_call", "preproc_def"],
  doc: stripDoxygenCommands,
  normal: {
    through: ["parenthesized_expression"],
    as: { preproc_arg: normalizeCMacro, number_literal: normalizeInteger },
  },
};

const cSharedComponents: LanguageOutline["components"] = {
  function_definition: describeCFunction,
  declaration: describeCPrototype,
  init_declarator: describeCConstant,
  type_definition: describeCTypedef,
  enum_specifier: describeCTypeAs("type"),
  preproc_def: describeCMacro,
  preproc_function_def: describeCMacro,
};

export const cOutline: LanguageOutline = {
  ...cSharedOutline,
  components: {
    ...cSharedComponents,
    struct_specifier: describeCTypeAs("class"),
    union_specifier: describeCTypeAs("class"),
  },
};

export const cppOutline: LanguageOutline = {
  ...cSharedOutline,
  components: {
    ...cSharedComponents,
    class_specifier: describeCTypeAs("class"),
    struct_specifier: describeCTypeAs("class"),
    union_specifier: describeCTypeAs("class"),
    field_declaration: describeCMember,
    alias_declaration: describeCNamedAs("type"),
    concept_definition: describeCNamedAs("type"),
  },
  calls: { new_expression: (code, node) => code.compactField(node, "type").replace(/<.*>$/, "") },
};

const C_TOP_LEVEL_PARENT =
  /^(?:preproc_\w+|declaration_list|linkage_specification|namespace_definition|template_declaration)$/;

function isCTopLevel(code: ParsedCode, node: NodeIndex): boolean {
  let up = code.parent(node);
  while (C_TOP_LEVEL_PARENT.test(code.type(up))) up = code.parent(up);
  return code.type(up) === "translation_unit";
}

/**
 * The words before the declarator: `static`, `const`. Stops there: one declaration may declare a hundred thousand
 * names.
 */
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
interface ScopedCName {
  readonly name: string;
  readonly within: string;
}

function readScopedCName(code: ParsedCode, declarator: NodeIndex): ScopedCName {
  const place = findDeclaredName(code, declarator);
  const said = code.end(place) - code.start(place) > 300 ? "" : code.said(place).replace(/\s+/g, " ");
  const [, scope = "", operator] = /^(.*?)(?<![\w])operator\b(.*)$/.exec(said) ?? [];
  if (operator !== undefined) return { name: `operator${readCOperator(operator)}`, within: formatCScope(scope) };
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

/** `==`, `()`, or the type of a conversion: ` bool`. */
function readCOperator(said: string): string {
  const sign = /^ ?(\(\)|[^\w\s(]+)/.exec(said)?.[1];
  return sign ?? ` ${said.split("(", 1)[0]?.trim() ?? ""}`;
}

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
