import type { CodeImport } from "#domain/indexing/outline.ts";
import { plain } from "../../callee.ts";
import { type Code, NONE, type Place } from "../../code.ts";

type Asked = Omit<CodeImport, "line">;

const DEEPEST = 20;

/** `use a::{b, c::d as e}` takes `b` from `a` and `d` from `a::c`. */
export function uses(code: Code, node: Place): Asked[] {
  const found = new Map<string, string[]>();
  const put = (path: string, ...names: readonly string[]): void => {
    found.set(path, [...(found.get(path) ?? []), ...names]);
  };
  gather(code, code.child(node, "argument"), "", put, 0);
  return [...found].map(([specifier, names]) => ({ specifier, names }));
}

type Put = (path: string, ...names: readonly string[]) => void;

function gather(code: Code, node: Place, around: string, put: Put, depth: number): void {
  if (node === NONE || depth > DEEPEST) return;
  const joined = (path: string): string => [around, path].filter((part) => part !== "").join("::");
  switch (code.type(node)) {
    case "scoped_use_list": {
      const path = joined(plain(code, code.child(node, "path")));
      gather(code, code.child(node, "list"), path, put, depth + 1);
      return;
    }
    case "use_list":
      for (const each of code.children(node)) gather(code, each, around, put, depth + 1);
      return;
    case "use_wildcard":
      put(joined(plain(code, code.children(node)[0] ?? NONE)));
      return;
    case "use_as_clause":
      gather(code, code.child(node, "path"), around, put, depth + 1);
      return;
    case "scoped_identifier":
      put(joined(plain(code, code.child(node, "path"))), plain(code, code.child(node, "name")));
      return;
    case "self":
      put(joined(around === "" ? "self" : ""));
      return;
    default:
      if (around === "") put(plain(code, node));
      else put(around, plain(code, node));
  }
}

export const crates = (code: Code, node: Place): Asked[] => [
  { specifier: code.said(code.child(node, "name")), names: [] },
];

/** `mod session;` imports the file of that module. */
export const modules = (code: Code, node: Place): Asked[] =>
  code.child(node, "body") === NONE ? [{ specifier: `self::${code.said(code.child(node, "name"))}`, names: [] }] : [];
