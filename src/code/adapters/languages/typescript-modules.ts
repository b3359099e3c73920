import { type ParsedCode, NO_NODE, type NodeIndex } from "../syntax/parsed-code.ts";
import type { ImportReader } from "../outline/language-outline.ts";

const stripSpecifierQuotes = (text: string): string => text.replace(/^(["'`])(.*)\1$/s, "$2");

/** `import a, { b as c } from "d"`: the default and `b`. */
export const readTypescriptImport: ImportReader = (code, node) => {
  const source = code.child(node, "source");
  const required = code.child(code.childOf(node, "import_require_clause"), "source");
  const specifier = stripSpecifierQuotes(code.said(source === NO_NODE ? required : source));
  if (specifier === "") return [];
  const clause = code.childOf(node, "import_clause");
  const names = code.children(clause).flatMap((each) => {
    if (code.type(each) === "identifier") return ["default"];
    return code.type(each) === "named_imports" ? listTypescriptNames(code, each) : [];
  });
  return [{ specifier, names }];
};

const listTypescriptNames = (code: ParsedCode, node: NodeIndex): string[] =>
  code.children(node).flatMap((each) => {
    const name = stripSpecifierQuotes(code.fieldText(each, "name"));
    return name === "" ? [] : [name];
  });

export const readTypescriptReExport: ImportReader = (code, node) => {
  const specifier = stripSpecifierQuotes(code.fieldText(node, "source"));
  return specifier === "" ? [] : [{ specifier, names: listTypescriptNames(code, code.childOf(node, "export_clause")) }];
};

/** `require("a")` and `import("a")`, with the names destructured in place. */
export const readTypescriptRequire: ImportReader = (code, node) => {
  const called = code.fieldText(node, "function");
  if (called !== "require" && called !== "import") return [];
  const [given] = code.children(code.child(node, "arguments"));
  if (given === undefined || code.type(given) !== "string") return [];
  let holder = code.parent(node);
  while (/^(?:await_expression|parenthesized_expression)$/.test(code.type(holder))) holder = code.parent(holder);
  const pattern = code.child(holder, "name");
  const taken = code.type(pattern) === "object_pattern" ? listDestructuredNames(code, pattern) : [];
  const member = code.type(holder) === "member_expression" ? [code.fieldText(holder, "property")] : [];
  return [{ specifier: stripSpecifierQuotes(code.said(given)), names: [...taken, ...member] }];
};

const listDestructuredNames = (code: ParsedCode, pattern: NodeIndex): string[] =>
  code.children(pattern).flatMap((each) => {
    const key = code.child(each, "key");
    if (key !== NO_NODE) return [stripSpecifierQuotes(code.said(key))];
    return code.type(each) === "shorthand_property_identifier_pattern" ? [code.said(each)] : [];
  });

/** The names in `export { a, b as c }`, `export default a`, `export = a` and `module.exports = { a }`. */
export function listTypescriptExports(code: ParsedCode): ReadonlySet<string> {
  const names = new Set<string>();
  for (let at = 1; at < code.count; at = code.next(at)) {
    const type = code.type(at);
    if (type === "export_statement" && code.child(at, "source") === NO_NODE) {
      for (const name of listTypescriptNames(code, code.childOf(at, "export_clause"))) names.add(name);
      if (code.has(at, "default", "=")) names.add(code.said(code.childOf(at, "identifier")));
    }
    if (type === "expression_statement") for (const name of listAssignedExports(code, at + 1)) names.add(name);
  }
  return names;
}

function listAssignedExports(code: ParsedCode, node: NodeIndex): string[] {
  if (code.type(node) !== "assignment_expression") return [];
  if (!/^(?:module\.)?exports(?:\.[\w$]+)?$/.test(code.compactField(node, "left"))) return [];
  const right = code.child(node, "right");
  if (code.type(right) === "identifier") return [code.said(right)];
  if (code.type(right) === "assignment_expression") return listAssignedExports(code, right);
  if (code.type(right) !== "object") return [];
  return code.children(right).flatMap((each) => {
    if (code.type(each) === "shorthand_property_identifier") return [code.said(each)];
    const value = code.child(each, "value");
    return code.type(value) === "identifier" ? [code.said(value)] : [];
  });
}
