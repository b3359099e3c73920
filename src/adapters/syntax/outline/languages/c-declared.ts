import { plain } from "../../callee.ts";
import { type Code, NONE, type Place } from "../../code.ts";
import { declaredName } from "../../defined.ts";

/** What a declaration may stand in and still be at the top of its file. */
const AROUND = /^(?:preproc_\w+|declaration_list|linkage_specification|namespace_definition|template_declaration)$/;

export function isAtTop(code: Code, node: Place): boolean {
  let up = code.parent(node);
  while (AROUND.test(code.type(up))) up = code.parent(up);
  return code.type(up) === "translation_unit";
}

/** `static`, or in a namespace without a name: the file's own. */
export function isOwn(code: Code, node: Place): boolean {
  if (code.children(node).some((each) => code.said(each) === "static" && code.type(each) === "storage_class_specifier"))
    return true;
  for (let up = code.parent(node); up !== NONE; up = code.parent(up))
    if (code.type(up) === "namespace_definition" && code.child(up, "name") === NONE) return true;
  return false;
}

/** With the template around it. */
export function wholeOf(code: Code, node: Place): Place {
  let whole = node;
  while (code.type(code.parent(whole)) === "template_declaration") whole = code.parent(whole);
  return whole;
}

/** The function that a declarator is about, whatever stands around it: `*find(int)`; nothing for any other. */
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
  const said = plain(code, declaredName(code, declarator));
  const isOperator = /(?:^|::)operator\W/.exec(said);
  const path = isOperator === null ? said.replace(/<[^()]*>(?=::|$)/g, "") : said;
  const cut = isOperator === null ? path.lastIndexOf("::") : path.lastIndexOf("::", isOperator.index + 2);
  if (cut < 0) return { name: path, within: "" };
  return {
    name: path.slice(cut + 2),
    within: path
      .slice(0, cut)
      .replace(/<[^()]*>/g, "")
      .replaceAll("::", "."),
  };
}

const defined = new WeakMap<Code, ReadonlySet<string>>();

/** The functions that the file defines, with what they are within: those are not told a second time as declared. */
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

/** The members of a class that are private, by the words that stand before them. */
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
