import type { CodeImport } from "#domain/indexing/outline.ts";
import { plain } from "../../callee.ts";
import { type Code, NONE, type Place } from "../../code.ts";
import type { Around, Found, LanguageOutline } from "../language.ts";
import { integerInOneForm } from "../literals.ts";
import { isPrivate } from "./ruby-hidden.ts";

const bodyOf = (code: Code, node: Place): Place => {
  const body = code.child(node, "body");
  return body === NONE ? code.childOf(node, "end") : body;
};

/** `class Acme::Shop` is `Shop` within `Acme`. */
const held =
  (kind: "class" | "module") =>
  (code: Code, node: Place, around: Around): Found => {
    const path = plain(code, code.child(node, "name")).replace(/^::/, "").split("::");
    const name = path.at(-1) ?? "";
    const outer = [around.name, ...path.slice(0, -1)].filter((part) => part !== "").join(".");
    return { kind, name, within: outer, isExported: !isPrivate(code, node, name), body: bodyOf(code, node) };
  };

function method(code: Code, node: Place, around: Around): Found {
  const name = code.said(code.child(node, "name"));
  const holder = code.parent(node);
  // In `private def total` the complete call is the definition.
  const call = code.type(holder) === "argument_list" ? code.parent(holder) : NONE;
  return {
    kind: around.name === "" ? "function" : "method",
    name,
    isExported: !isPrivate(code, node, name),
    ...(call === NONE ? {} : { whole: call }),
    body: bodyOf(code, node),
  };
}

const MAKES_CLASS = /^(?:Struct\.new|Class\.new|Data\.define)$/;

function assigned(code: Code, node: Place): Found | undefined {
  const [left, right] = [code.child(node, "left"), code.child(node, "right")];
  if (code.type(left) !== "constant") return undefined;
  const name = code.said(left);
  const isCall = code.type(right) === "call";
  const made = isCall
    ? `${plain(code, code.child(right, "receiver"))}.${plain(code, code.child(right, "method"))}`
    : "";
  const block = code.child(right, "block");
  const isLong = code.end(node) - code.start(node) > 200;
  return {
    kind: MAKES_CLASS.test(made) ? "class" : "constant",
    name,
    isExported: !isPrivate(code, node, name),
    body: block === NONE ? (isLong ? right : NONE) : block,
  };
}

/** `require_relative "order"` is `./order`, relative to the file. */
function requires(code: Code, node: Place): Omit<CodeImport, "line">[] {
  const word = code.child(node, "receiver") === NONE ? code.said(code.child(node, "method")) : "";
  if (!/^(?:require|require_relative|load|autoload)$/.test(word)) return [];
  const given = code.children(code.child(node, "arguments"))[word === "autoload" ? 1 : 0] ?? NONE;
  const path = /^["']([^"'#]+)["']$/.exec(code.type(given) === "string" ? code.said(given) : "")?.[1];
  if (path === undefined) return [];
  return [{ specifier: word === "require_relative" && !path.startsWith(".") ? `./${path}` : path, names: [] }];
}

/** A string without escapes or interpolation is the same in both kinds of quotes. */
function string(code: Code, node: Place): string | undefined {
  const inner = /^["']([^\\#"']*)["']$/.exec(code.said(node))?.[1];
  return inner === undefined ? undefined : `"${inner}"`;
}

/** `(a)` is `a`; `(a; b)` is not. */
const alone = (code: Code, node: Place): "through" | undefined =>
  code.children(node).length === 1 ? "through" : undefined;

export const ruby: LanguageOutline = {
  components: {
    module: held("module"),
    class: held("class"),
    method,
    singleton_method: method,
    assignment: assigned,
  },
  imports: { call: requires },
  heads: ["call"],
  bodies: ["body_statement", "block_body"],
  normal: {
    loose: ["then", ";"],
    bare: ["argument_list", "method_parameters"],
    as: { string, integer: integerInOneForm },
    special: { parenthesized_statements: alone },
  },
};
