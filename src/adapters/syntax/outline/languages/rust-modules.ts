import type { CodeImport } from "#domain/indexing/outline.ts";
import { readCompactText } from "../../callee.ts";
import { type ParsedCode, NO_NODE, type NodeIndex } from "../../code.ts";

type RustImport = Omit<CodeImport, "line">;

const DEEPEST_RUST_USE = 20;

/** `use a::{b, c::d as e}` takes `b` from `a` and `d` from `a::c`. */
export function readRustUses(code: ParsedCode, node: NodeIndex): RustImport[] {
  const found = new Map<string, string[]>();
  const put = (path: string, ...names: readonly string[]): void => {
    found.set(path, [...(found.get(path) ?? []), ...names]);
  };
  collectRustUses(code, code.child(node, "argument"), "", put, 0);
  return [...found].map(([specifier, names]) => ({ specifier, names }));
}

type AddRustImport = (path: string, ...names: readonly string[]) => void;

function collectRustUses(code: ParsedCode, node: NodeIndex, around: string, put: AddRustImport, depth: number): void {
  if (node === NO_NODE || depth > DEEPEST_RUST_USE) return;
  const joined = (path: string): string => [around, path].filter((part) => part !== "").join("::");
  switch (code.type(node)) {
    case "scoped_use_list": {
      const path = joined(readCompactText(code, code.child(node, "path")));
      collectRustUses(code, code.child(node, "list"), path, put, depth + 1);
      return;
    }
    case "use_list":
      for (const each of code.children(node)) collectRustUses(code, each, around, put, depth + 1);
      return;
    case "use_wildcard":
      put(joined(readCompactText(code, code.children(node)[0] ?? NO_NODE)));
      return;
    case "use_as_clause":
      collectRustUses(code, code.child(node, "path"), around, put, depth + 1);
      return;
    case "scoped_identifier":
      put(joined(readCompactText(code, code.child(node, "path"))), readCompactText(code, code.child(node, "name")));
      return;
    case "self":
      put(joined(around === "" ? "self" : ""));
      return;
    default:
      if (around === "") put(readCompactText(code, node));
      else put(around, readCompactText(code, node));
  }
}

export const readRustExternCrate = (code: ParsedCode, node: NodeIndex): RustImport[] => [
  { specifier: code.said(code.child(node, "name")), names: [] },
];

/** `mod session;` imports the file of that module. */
export const readRustModule = (code: ParsedCode, node: NodeIndex): RustImport[] =>
  code.child(node, "body") === NO_NODE
    ? [{ specifier: `self::${code.said(code.child(node, "name"))}`, names: [] }]
    : [];
