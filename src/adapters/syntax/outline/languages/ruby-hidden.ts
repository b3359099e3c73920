import { type ParsedCode, NO_NODE, type NodeIndex } from "../../code.ts";

const privateMembersByBody = new WeakMap<ParsedCode, Map<NodeIndex, RubyPrivateMembers>>();

interface RubyPrivateMembers {
  readonly below: ReadonlySet<NodeIndex>;
  readonly names: ReadonlySet<string>;
}

/** Whether `private` above, around or after a definition hides it. */
export function isPrivateRubyMember(code: ParsedCode, node: NodeIndex, name: string): boolean {
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
