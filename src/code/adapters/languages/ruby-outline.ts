import type { CodeImport } from "../../model/index/code-outline.ts";
import { readCompactText } from "../syntax/call-and-definition-names.ts";
import { type ParsedCode, NO_NODE, type NodeIndex } from "../syntax/parsed-code.ts";
import type { EnclosingComponent, FoundComponent, LanguageOutline } from "../outline/language-outline.ts";
import { normalizeInteger } from "../outline/normal-hash.ts";

const findRubyBody = (code: ParsedCode, node: NodeIndex): NodeIndex => {
  const body = code.child(node, "body");
  return body === NO_NODE ? code.childOf(node, "end") : body;
};

/** `class Acme::Shop` is `Shop` within `Acme`. */
const describeRubyContainerAs =
  (kind: "class" | "module") =>
  (code: ParsedCode, node: NodeIndex, around: EnclosingComponent): FoundComponent => {
    const path = readCompactText(code, code.child(node, "name")).replace(/^::/, "").split("::");
    const name = path.at(-1) ?? "";
    const outer = [around.name, ...path.slice(0, -1)].filter((part) => part !== "").join(".");
    return {
      kind,
      name,
      within: outer,
      isExported: !isPrivateRubyMember(code, node, name),
      body: findRubyBody(code, node),
    };
  };

function describeRubyMethod(code: ParsedCode, node: NodeIndex, around: EnclosingComponent): FoundComponent {
  const name = code.said(code.child(node, "name"));
  const holder = code.parent(node);
  // In `private def total` the complete call is the definition.
  const call = code.type(holder) === "argument_list" ? code.parent(holder) : NO_NODE;
  return {
    kind: around.name === "" ? "function" : "method",
    name,
    isExported: !isPrivateRubyMember(code, node, name),
    ...(call === NO_NODE ? {} : { whole: call }),
    body: findRubyBody(code, node),
  };
}

const RUBY_CLASS_FACTORY = /^(?:Struct\.new|Class\.new|Data\.define)$/;

function describeRubyConstant(code: ParsedCode, node: NodeIndex): FoundComponent | undefined {
  const [left, right] = [code.child(node, "left"), code.child(node, "right")];
  if (code.type(left) !== "constant") return undefined;
  const name = code.said(left);
  const isCall = code.type(right) === "call";
  const made = isCall
    ? `${readCompactText(code, code.child(right, "receiver"))}.${readCompactText(code, code.child(right, "method"))}`
    : "";
  const block = code.child(right, "block");
  const isLong = code.end(node) - code.start(node) > 200;
  return {
    kind: RUBY_CLASS_FACTORY.test(made) ? "class" : "constant",
    name,
    isExported: !isPrivateRubyMember(code, node, name),
    body: block === NO_NODE ? (isLong ? right : NO_NODE) : block,
  };
}

/** `require_relative "order"` is `./order`, relative to the file. */
function readRubyRequire(code: ParsedCode, node: NodeIndex): Omit<CodeImport, "line">[] {
  const word = code.child(node, "receiver") === NO_NODE ? code.said(code.child(node, "method")) : "";
  if (!/^(?:require|require_relative|load|autoload)$/.test(word)) return [];
  const given = code.children(code.child(node, "arguments"))[word === "autoload" ? 1 : 0] ?? NO_NODE;
  const path = /^["']([^"'#]+)["']$/.exec(code.type(given) === "string" ? code.said(given) : "")?.[1];
  if (path === undefined) return [];
  return [{ specifier: word === "require_relative" && !path.startsWith(".") ? `./${path}` : path, names: [] }];
}

/** A string without escapes or interpolation is the same in both kinds of quotes. */
function normalizeRubyString(code: ParsedCode, node: NodeIndex): string | undefined {
  const inner = /^["']([^\\#"']*)["']$/.exec(code.said(node))?.[1];
  return inner === undefined ? undefined : `"${inner}"`;
}

/** `(a)` is `a`; `(a; b)` is not. */
const unwrapSingleRubyStatement = (code: ParsedCode, node: NodeIndex): "through" | undefined =>
  code.children(node).length === 1 ? "through" : undefined;

export const rubyOutline: LanguageOutline = {
  components: {
    module: describeRubyContainerAs("module"),
    class: describeRubyContainerAs("class"),
    method: describeRubyMethod,
    singleton_method: describeRubyMethod,
    assignment: describeRubyConstant,
  },
  imports: { call: readRubyRequire },
  heads: ["call"],
  bodies: ["body_statement", "block_body"],
  normal: {
    loose: ["then", ";"],
    bare: ["argument_list", "method_parameters"],
    as: { string: normalizeRubyString, integer: normalizeInteger },
    special: { parenthesized_statements: unwrapSingleRubyStatement },
  },
};

const privateMembersByBody = new WeakMap<ParsedCode, Map<NodeIndex, RubyPrivateMembers>>();

interface RubyPrivateMembers {
  readonly below: ReadonlySet<NodeIndex>;
  readonly names: ReadonlySet<string>;
}

/** Whether `private` above, around or after a definition hides it. */
function isPrivateRubyMember(code: ParsedCode, node: NodeIndex, name: string): boolean {
  const holder = code.parent(node);
  const call = code.type(holder) === "argument_list" ? code.parent(holder) : NO_NODE;
  if (call !== NO_NODE && RUBY_PRIVATE_WORD.test(code.said(code.child(call, "method")))) return true;
  const body = call === NO_NODE ? holder : code.parent(call);
  if (!/^(?:body_statement|block_body)$/.test(code.type(body))) return false;
  const hidden = getRubyPrivateMembers(code, body);
  return hidden.below.has(node) || hidden.names.has(name);
}

const RUBY_PRIVATE_WORD = /^private(?:_class_method|_constant)?$/;

function getRubyPrivateMembers(code: ParsedCode, body: NodeIndex): RubyPrivateMembers {
  const ofCode = privateMembersByBody.get(code) ?? new Map<NodeIndex, RubyPrivateMembers>();
  privateMembersByBody.set(code, ofCode);
  const found = ofCode.get(body) ?? readRubyPrivateMembers(code, body);
  ofCode.set(body, found);
  return found;
}

function readRubyPrivateMembers(code: ParsedCode, body: NodeIndex): RubyPrivateMembers {
  const [below, names] = [new Set<NodeIndex>(), new Set<string>()];
  let isBelow = false;
  for (const each of code.children(body)) {
    if (code.type(each) === "identifier" && /^(?:private|public|protected|module_function)$/.test(code.said(each)))
      isBelow = code.said(each) === "private";
    else if (code.type(each) === "call") {
      for (const name of listRubyPrivateNames(code, each)) names.add(name);
    } else if (isBelow && code.type(each) === "method") below.add(each);
  }
  return { below, names };
}

function listRubyPrivateNames(code: ParsedCode, call: NodeIndex): string[] {
  if (!RUBY_PRIVATE_WORD.test(code.said(code.child(call, "method"))) || code.child(call, "receiver") !== NO_NODE)
    return [];
  return code
    .children(code.child(call, "arguments"))
    .filter((each) => code.type(each) === "simple_symbol" || code.type(each) === "string")
    .map((each) => code.said(each).replace(/^:|^["']|["']$/g, ""));
}
