import { pathToFileURL } from "node:url";
import { createTreeSitterSyntax } from "#code/adapters/syntax/tree-sitter-syntax.ts";
import type { CodeScan } from "#code/model/scan/code-scan.ts";

/** The grammars as they ship. */
const GRAMMARS = pathToFileURL(`${process.cwd()}/dist/grammars/`);

export const syntax = createTreeSitterSyntax(GRAMMARS);
/** One that has no time at all. */
export const hastySyntax = createTreeSitterSyntax(GRAMMARS, -1);

export async function lookAt(path: string, text: string): Promise<CodeScan> {
  const look = await syntax.look(path, text);
  if (look === undefined) throw new Error(`${path} is no code.`);
  return look;
}
