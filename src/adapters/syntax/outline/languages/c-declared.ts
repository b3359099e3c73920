import { type ParsedCode, NO_NODE, type NodeIndex } from "../../code.ts";
import { findDeclaredName } from "../../defined.ts";

const C_TOP_LEVEL_PARENT =
  /^(?:preproc_\w+|declaration_list|linkage_specification|namespace_definition|template_declaration)$/;

export function isCTopLevel(code: ParsedCode, node: NodeIndex): boolean {
  let up = code.parent(node);
  while (C_TOP_LEVEL_PARENT.test(code.type(up))) up = code.parent(up);
  return code.type(up) === "translation_unit";
}

/**
 * The words before the declarator: `static`, `const`. Stops there: one declaration may declare a hundred thousand
 * names.
 */
export function listCSpecifiers(code: ParsedCode, node: NodeIndex): string[] {
  const words: string[] = [];
  for (let at = node + 1, after = code.next(node); at < after && !code.isField(at, "declarator"); at = code.next(at))
    if (/^(?:storage_class_specifier|type_qualifier)$/.test(code.type(at))) words.push(code.said(at));
  return words;
}

/** `static`, or in an unnamed namespace: visible in this file only. */
export function isCFileLocal(code: ParsedCode, node: NodeIndex): boolean {
  if (listCSpecifiers(code, node).includes("static")) return true;
  for (let up = code.parent(node); up !== NO_NODE; up = code.parent(up))
    if (code.type(up) === "namespace_definition" && code.child(up, "name") === NO_NODE) return true;
  return false;
}

export function findCTemplate(code: ParsedCode, node: NodeIndex): NodeIndex {
  let whole = node;
  while (code.type(code.parent(whole)) === "template_declaration") whole = code.parent(whole);
  return whole;
}

export function findCFunctionDeclarator(code: ParsedCode, declarator: NodeIndex): NodeIndex {
  let at = declarator;
  while (/^(?:pointer|reference|attributed)_declarator$/.test(code.type(at)))
    at = [code.child(at, "declarator"), ...code.children(at)].find((each) => each !== NO_NODE) ?? NO_NODE;
  return code.type(at) === "function_declarator" &&
    code.type(code.child(at, "declarator")) !== "parenthesized_declarator"
    ? at
    : NO_NODE;
}

/** `Shop<int>::total` is `total` within `Shop`. */
export interface ScopedCName {
  readonly name: string;
  readonly within: string;
}

export function readScopedCName(code: ParsedCode, declarator: NodeIndex): ScopedCName {
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

const definedNamesByCode = new WeakMap<ParsedCode, ReadonlySet<string>>();

export function listDefinedCFunctions(code: ParsedCode): ReadonlySet<string> {
  const known = definedNamesByCode.get(code);
  if (known !== undefined) return known;
  const names = new Set<string>();
  for (let at = 0; at < code.count; at++)
    if (code.type(at) === "function_definition") {
      const { name, within } = readScopedCName(code, code.child(at, "declarator"));
      names.add(within === "" ? name : `${within}.${name}`);
    }
  definedNamesByCode.set(code, names);
  return names;
}

const privateMembersByCode = new WeakMap<ParsedCode, Map<NodeIndex, ReadonlySet<NodeIndex>>>();

export function listPrivateCMembers(code: ParsedCode, body: NodeIndex): ReadonlySet<NodeIndex> {
  const ofCode = privateMembersByCode.get(code) ?? new Map<NodeIndex, ReadonlySet<NodeIndex>>();
  privateMembersByCode.set(code, ofCode);
  const known = ofCode.get(body);
  if (known !== undefined) return known;
  const found = new Set<NodeIndex>();
  let isPrivate = code.type(code.parent(body)) === "class_specifier";
  for (const each of code.children(body))
    if (code.type(each) === "access_specifier") isPrivate = code.said(each).startsWith("private");
    else if (isPrivate) found.add(each);
  ofCode.set(body, found);
  return found;
}
