import type { CodeImport } from "#domain/indexing/outline.ts";
import { plain } from "../../callee.ts";
import { type Code, NONE, type Place } from "../../code.ts";
import { definedAt } from "../../defined.ts";
import type { Around, Found, LanguageOutline, NormalForm } from "../language.ts";
import { integerInOneForm } from "../literals.ts";
import { definedIn, functionIn, isAtTop, isOwn, nameIn, privateIn, wholeOf, wordsBefore } from "./c-declared.ts";
import { oneOf } from "../several.ts";

const isPrivate = (code: Code, whole: Place): boolean => {
  const body = code.parent(whole);
  return code.type(body) === "field_declaration_list" && privateIn(code, body).has(whole);
};

const isMember = ({ kind }: Around): boolean => kind === "class";

function defined(code: Code, node: Place, around: Around): Found {
  const whole = wholeOf(code, node);
  const { name, marks } = definedAt(code, node);
  const isExported = !isOwn(code, node) && !isPrivate(code, whole);
  if (marks.length > 0) {
    const dot = name.lastIndexOf(".");
    return { kind: "function", name: name.slice(dot + 1), within: name.slice(0, Math.max(0, dot)), isExported, whole };
  }
  const own = nameIn(code, code.child(node, "declarator"));
  const initial = code.childOf(node, "field_initializer_list");
  const body = initial === NONE ? code.child(node, "body") : initial;
  const isFree = own.within === "";
  if (isFree) return { kind: isMember(around) ? "method" : "function", name: own.name, isExported, whole, body };
  // A namespace looks like a class. Classes begin with a capital letter or have a constructor of the same name.
  const last = own.within.slice(own.within.lastIndexOf(".") + 1);
  const isMethod = /^[A-Z]/.test(last) || own.name.replace(/^~/, "") === last || isMember(around);
  const within = around.name === "" ? own.within : `${around.name}.${own.within}`;
  return { kind: isMethod ? "method" : "function", name: own.name, within, isExported, whole, body };
}

function prototype(code: Code, node: Place, around: Around): Found | undefined {
  const declarator = functionIn(code, code.child(node, "declarator"));
  if (declarator === NONE || (!isMember(around) && !isAtTop(code, node))) return undefined;
  const { name, within } = nameIn(code, declarator);
  const inner = isMember(around) ? around.name : within;
  if (definedIn(code).has(inner === "" ? name : `${inner}.${name}`)) return undefined;
  const whole = wholeOf(code, node);
  return {
    kind: isMember(around) ? "method" : "function",
    name,
    ...(within === "" ? {} : { within }),
    isExported: !isOwnDeclaration(code, node, around) && !isPrivate(code, whole),
    whole,
  };
}

/** A static class member is public; a static function belongs to its file. */
const isOwnDeclaration = (code: Code, node: Place, around: Around): boolean => !isMember(around) && isOwn(code, node);

/** A type with a name and a body. A typedef names the type inside it. */
const type =
  (kind: Found["kind"]) =>
  (code: Code, node: Place): Found | undefined => {
    const name = plain(code, code.child(node, "name")).replace(/<.*>$/, "");
    if (name === "" || code.child(node, "body") === NONE || code.type(code.parent(node)) === "type_definition")
      return undefined;
    const whole = wholeOf(code, node);
    const field = code.parent(whole);
    const isNested = code.type(field) === "field_declaration";
    return { kind, name, isExported: !isOwn(code, node) && !isPrivate(code, isNested ? field : whole), whole };
  };

function typedef(code: Code, node: Place): Found {
  const { name } = nameIn(code, code.child(node, "declarator"));
  const isLong = code.end(node) - code.start(node) > 200;
  const body = isLong ? code.child(code.child(node, "type"), "body") : NONE;
  return { kind: "type", name, isExported: !isPrivate(code, node), body };
}

const named =
  (kind: Found["kind"]) =>
  (code: Code, node: Place): Found => {
    const whole = wholeOf(code, node);
    const name = code.said(code.child(node, "name"));
    return { kind, name, isExported: !isOwn(code, node) && !isPrivate(code, whole), whole };
  };

const CONSTANT = /^(?:const|constexpr|constinit|consteval)$/;

const isConstant = (code: Code, declaration: Place): boolean =>
  wordsBefore(code, declaration).some((word) => CONSTANT.test(word));

function constant(code: Code, node: Place): Found | undefined {
  const declaration = code.parent(node);
  if (code.type(declaration) !== "declaration" || !isConstant(code, declaration) || !isAtTop(code, declaration))
    return undefined;
  const isLong = code.end(node) - code.start(node) > 200;
  const first = code.child(declaration, "declarator");
  return {
    kind: "constant",
    name: nameIn(code, code.child(node, "declarator")).name,
    isExported: !isOwn(code, declaration),
    ...(code.has(declaration, ",")
      ? oneOf(code, declaration, { node, first, from: declaration })
      : { whole: wholeOf(code, declaration) }),
    body: isLong ? code.child(node, "value") : NONE,
  };
}

function member(code: Code, node: Place, around: Around): Found | undefined {
  const method = isMember(around) ? prototype(code, node, around) : undefined;
  if (method !== undefined) return method;
  const value = code.child(node, "default_value");
  if (value === NONE || !isConstant(code, node) || !isMember(around)) return undefined;
  const { name } = nameIn(code, code.child(node, "declarator"));
  return { kind: "constant", name, isExported: !isPrivate(code, node) };
}

/** `#define MAX 3`. A macro without a value is only a flag. */
function macro(code: Code, node: Place): Found | undefined {
  const value = code.child(node, "value");
  if (value === NONE || code.said(value).trim() === "") return undefined;
  const name = code.said(code.child(node, "name"));
  const isFunction = code.type(node) === "preproc_function_def";
  const isLong = code.end(node) - code.start(node) > 200;
  return {
    kind: isFunction ? "function" : "constant",
    name,
    isExported: true,
    body: isFunction || isLong ? value : NONE,
  };
}

/** `#include "a.h"` is `a.h`, `#include <a.h>` is `<a.h>`. */
function includes(code: Code, node: Place): Omit<CodeImport, "line">[] {
  const path = code.child(node, "path");
  const specifier = plain(code, path).replace(/^"(.*)"$/, "$1");
  return /^(?:string_literal|system_lib_string)$/.test(code.type(path)) ? [{ specifier, names: [] }] : [];
}

const doxygen = (words: string): string =>
  words.replace(/[\\@](?:brief\s+|file\b[^\n]*\n?)/g, "").replace(/\\(?=(?:param|return|note)\b)/g, "@");

const replaced = (code: Code, node: Place): string =>
  code
    .said(node)
    .replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, " ")
    .replace(/\\?\s+/g, " ")
    .trim();

const normal: NormalForm = {
  through: ["parenthesized_expression"],
  as: { preproc_arg: replaced, number_literal: integerInOneForm },
};

const common: Pick<LanguageOutline, "imports" | "heads" | "doc" | "normal"> = {
  imports: { preproc_include: includes },
  heads: ["preproc_include", "preproc_ifdef", "preproc_call", "preproc_def"],
  doc: doxygen,
  normal,
};

const components: LanguageOutline["components"] = {
  function_definition: defined,
  declaration: prototype,
  init_declarator: constant,
  type_definition: typedef,
  enum_specifier: type("type"),
  preproc_def: macro,
  preproc_function_def: macro,
};

export const c: LanguageOutline = {
  ...common,
  components: { ...components, struct_specifier: type("class"), union_specifier: type("class") },
};

export const cpp: LanguageOutline = {
  ...common,
  components: {
    ...components,
    class_specifier: type("class"),
    struct_specifier: type("class"),
    union_specifier: type("class"),
    field_declaration: member,
    alias_declaration: named("type"),
    concept_definition: named("type"),
  },
  calls: { new_expression: (code, node) => plain(code, code.child(node, "type")).replace(/<.*>$/, "") },
};
