import { memoizeByNode, type ParsedCode, NO_NODE, type NodeIndex } from "../syntax/parsed-code.ts";
import { type ComponentReader, defineLanguage, normalizePlainString } from "../outline/language-outline.ts";

const findRubyBody = (code: ParsedCode, node: NodeIndex): NodeIndex => {
  const body = code.child(node, "body");
  return body === NO_NODE ? code.childOf(node, "end") : body;
};

/** `class Acme::Shop` is `Shop` within `Acme`. */
const describeRubyContainerAs =
  (kind: "class" | "module"): ComponentReader =>
  (code, node, around) => {
    const path = code.compactField(node, "name").replace(/^::/, "").split("::");
    const name = path.at(-1) ?? "";
    return {
      kind,
      name,
      within: [around.name, ...path.slice(0, -1)].filter((part) => part !== "").join("."),
      isExported: !isPrivateRubyMember(code, node, name),
      body: findRubyBody(code, node),
    };
  };

/** The call around a definition: `private def total`. */
const findRubyCall = (code: ParsedCode, node: NodeIndex): NodeIndex => {
  const holder = code.parent(node);
  return code.type(holder) === "argument_list" ? code.parent(holder) : NO_NODE;
};

const describeRubyMethod: ComponentReader = (code, node, around) => {
  const name = code.fieldText(node, "name");
  const call = findRubyCall(code, node);
  return {
    kind: around.name === "" ? "function" : "method",
    name,
    isExported: !isPrivateRubyMember(code, node, name),
    ...(call === NO_NODE ? {} : { whole: call }),
    body: findRubyBody(code, node),
  };
};

export const rubyOutline = defineLanguage("ruby", {
  components: {
    module: describeRubyContainerAs("module"),
    class: describeRubyContainerAs("class"),
    method: describeRubyMethod,
    singleton_method: describeRubyMethod,
    assignment: (code, node) => {
      const [left, right] = [code.child(node, "left"), code.child(node, "right")];
      if (code.type(left) !== "constant") return undefined;
      const name = code.said(left);
      const called = `${code.compactField(right, "receiver")}.${code.compactField(right, "method")}`;
      const isClass = code.type(right) === "call" && /^(?:Struct\.new|Class\.new|Data\.define)$/.test(called);
      const block = code.child(right, "block");
      return {
        kind: isClass ? "class" : "constant",
        name,
        isExported: !isPrivateRubyMember(code, node, name),
        body: block === NO_NODE ? code.longValue(node, right) : block,
      };
    },
  },
  imports: {
    // `require_relative "order"` is `./order`, relative to the file.
    call: (code, node) => {
      const word = code.child(node, "receiver") === NO_NODE ? code.fieldText(node, "method") : "";
      if (!/^(?:require|require_relative|load|autoload)$/.test(word)) return [];
      const given = code.children(code.child(node, "arguments"))[word === "autoload" ? 1 : 0] ?? NO_NODE;
      const path = /^["']([^"'#]+)["']$/.exec(code.type(given) === "string" ? code.said(given) : "")?.[1];
      if (path === undefined) return [];
      return [{ specifier: word === "require_relative" && !path.startsWith(".") ? `./${path}` : path, names: [] }];
    },
  },
  normal: { as: { string: normalizePlainString(/^["']([^\\#"']*)["']$/) } },
});

/** Whether `private` above, around or after a definition hides it. */
function isPrivateRubyMember(code: ParsedCode, node: NodeIndex, name: string): boolean {
  const call = findRubyCall(code, node);
  if (call !== NO_NODE && RUBY_PRIVATE_WORD.test(code.fieldText(call, "method"))) return true;
  const body = code.parent(call === NO_NODE ? node : call);
  if (!/^(?:body_statement|block_body)$/.test(code.type(body))) return false;
  const hidden = readRubyPrivateMembers(code, body);
  return hidden.below.has(node) || hidden.names.has(name);
}

const RUBY_PRIVATE_WORD = /^private(?:_class_method|_constant)?$/;

const readRubyPrivateMembers = memoizeByNode((code, body) => {
  const [below, names] = [new Set<NodeIndex>(), new Set<string>()];
  let isBelow = false;
  for (const each of code.children(body)) {
    if (code.type(each) === "identifier" && /^(?:private|public|protected|module_function)$/.test(code.said(each)))
      isBelow = code.said(each) === "private";
    else if (code.type(each) === "call") {
      if (!RUBY_PRIVATE_WORD.test(code.fieldText(each, "method")) || code.child(each, "receiver") !== NO_NODE) continue;
      for (const given of code.children(code.child(each, "arguments")))
        if (/^(?:simple_symbol|string)$/.test(code.type(given)))
          names.add(code.said(given).replace(/^:|^["']|["']$/g, ""));
    } else if (isBelow && code.type(each) === "method") below.add(each);
  }
  return { below, names };
});
