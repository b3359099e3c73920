import { type Code, NONE, type Place } from "../../code.ts";
import { declaredName } from "../../defined.ts";

const AROUND = /^(?:preproc_\w+|declaration_list|linkage_specification|namespace_definition|template_declaration)$/;

export function isAtTop(code: Code, node: Place): boolean {
  let up = code.parent(node);
  while (AROUND.test(code.type(up))) up = code.parent(up);
  return code.type(up) === "translation_unit";
}

/**
 * The words before the declarator: `static`, `const`. Stops there: one declaration may declare a hundred thousand
 * names.
 */
export function wordsBefore(code: Code, node: Place): string[] {
  const words: string[] = [];
  for (let at = node + 1, after = code.next(node); at < after && !code.isField(at, "declarator"); at = code.next(at))
    if (/^(?:storage_class_specifier|type_qualifier)$/.test(code.type(at))) words.push(code.said(at));
  return words;
}

/** `static`, or in an unnamed namespace: visible in this file only. */
export function isOwn(code: Code, node: Place): boolean {
  if (wordsBefore(code, node).includes("static")) return true;
  for (let up = code.parent(node); up !== NONE; up = code.parent(up))
    if (code.type(up) === "namespace_definition" && code.child(up, "name") === NONE) return true;
  return false;
}

export function wholeOf(code: Code, node: Place): Place {
  let whole = node;
  while (code.type(code.parent(whole)) === "template_declaration") whole = code.parent(whole);
  return whole;
}

export function functionIn(code: Code, declarator: Place): Place {
  let at = declarator;
  while (/^(?:pointer|reference|attributed)_declarator$/.test(code.type(at)))
    at = [code.child(at, "declarator"), ...code.children(at)].find((each) => each !== NONE) ?? NONE;
  return code.type(at) === "function_declarator" &&
    code.type(code.child(at, "declarator")) !== "parenthesized_declarator"
    ? at
    : NONE;
}

/** `Shop<int>::total` is `total` within `Shop`. */
export interface Name {
  readonly name: string;
  readonly within: string;
}

export function nameIn(code: Code, declarator: Place): Name {
  const place = declaredName(code, declarator);
  const said = code.end(place) - code.start(place) > 300 ? "" : code.said(place).replace(/\s+/g, " ");
  const [, scope = "", operator] = /^(.*?)(?<![\w])operator\b(.*)$/.exec(said) ?? [];
  if (operator !== undefined) return { name: `operator${operatorIn(operator)}`, within: scopeIn(scope) };
  const path = withoutTypes(said);
  const cut = path.lastIndexOf("::");
  const name = path.slice(cut < 0 ? 0 : cut + 2).trim();
  return {
    name: /^~?[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name) ? name : "",
    within: cut < 0 ? "" : scopeIn(path.slice(0, cut)),
  };
}

function withoutTypes(path: string): string {
  let plain = path;
  for (let depth = 0; depth < 5 && plain.includes("<"); depth++) plain = plain.replace(/<[^<>]*>/g, "");
  return plain;
}

const scopeIn = (path: string): string =>
  withoutTypes(path.replace(/(?:::|\s)+$/, ""))
    .split("::")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join(".");

/** `==`, `()`, or the type of a conversion: ` bool`. */
function operatorIn(said: string): string {
  const sign = /^ ?(\(\)|[^\w\s(]+)/.exec(said)?.[1];
  return sign ?? ` ${said.split("(", 1)[0]?.trim() ?? ""}`;
}

const defined = new WeakMap<Code, ReadonlySet<string>>();

export function definedIn(code: Code): ReadonlySet<string> {
  const known = defined.get(code);
  if (known !== undefined) return known;
  const names = new Set<string>();
  for (let at = 0; at < code.count; at++)
    if (code.type(at) === "function_definition") {
      const { name, within } = nameIn(code, code.child(at, "declarator"));
      names.add(within === "" ? name : `${within}.${name}`);
    }
  defined.set(code, names);
  return names;
}

const hidden = new WeakMap<Code, Map<Place, ReadonlySet<Place>>>();

export function privateIn(code: Code, body: Place): ReadonlySet<Place> {
  const ofCode = hidden.get(code) ?? new Map<Place, ReadonlySet<Place>>();
  hidden.set(code, ofCode);
  const known = ofCode.get(body);
  if (known !== undefined) return known;
  const found = new Set<Place>();
  let isPrivate = code.type(code.parent(body)) === "class_specifier";
  for (const each of code.children(body))
    if (code.type(each) === "access_specifier") isPrivate = code.said(each).startsWith("private");
    else if (isPrivate) found.add(each);
  ofCode.set(body, found);
  return found;
}
