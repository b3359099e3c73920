import { type Code, NONE, type Place } from "../../code.ts";

const known = new WeakMap<Code, Map<Place, Hidden>>();

interface Hidden {
  readonly below: ReadonlySet<Place>;
  readonly names: ReadonlySet<string>;
}

/** Whether `private` above, around or after a definition hides it. */
export function isPrivate(code: Code, node: Place, name: string): boolean {
  const holder = code.parent(node);
  const call = code.type(holder) === "argument_list" ? code.parent(holder) : NONE;
  if (call !== NONE && HIDES.test(code.said(code.child(call, "method")))) return true;
  const body = call === NONE ? holder : code.parent(call);
  if (!/^(?:body_statement|block_body)$/.test(code.type(body))) return false;
  const hidden = hiddenIn(code, body);
  return hidden.below.has(node) || hidden.names.has(name);
}

const HIDES = /^private(?:_class_method|_constant)?$/;

function hiddenIn(code: Code, body: Place): Hidden {
  const ofCode = known.get(code) ?? new Map<Place, Hidden>();
  known.set(code, ofCode);
  const found = ofCode.get(body) ?? read(code, body);
  ofCode.set(body, found);
  return found;
}

function read(code: Code, body: Place): Hidden {
  const [below, names] = [new Set<Place>(), new Set<string>()];
  let isBelow = false;
  for (const each of code.children(body)) {
    if (code.type(each) === "identifier" && /^(?:private|public|protected|module_function)$/.test(code.said(each)))
      isBelow = code.said(each) === "private";
    else if (code.type(each) === "call") {
      for (const name of namesAfter(code, each)) names.add(name);
    } else if (isBelow && code.type(each) === "method") below.add(each);
  }
  return { below, names };
}

function namesAfter(code: Code, call: Place): string[] {
  if (!HIDES.test(code.said(code.child(call, "method"))) || code.child(call, "receiver") !== NONE) return [];
  return code
    .children(code.child(call, "arguments"))
    .filter((each) => code.type(each) === "simple_symbol" || code.type(each) === "string")
    .map((each) => code.said(each).replace(/^:|^["']|["']$/g, ""));
}
