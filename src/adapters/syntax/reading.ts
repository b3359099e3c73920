import type { CodeOutline } from "#domain/indexing/outline.ts";
import type { CodeScan } from "#domain/scan/look.ts";
import { scanPlainComments } from "#domain/scan/plain.ts";
import { type ParsedCode, readParsedCode } from "./code.ts";
import { detectGrammar, type TreeSitterGrammars } from "./grammars.ts";
import { scanParsedCode } from "./look.ts";
import { outlineParsedCode, outlineScanOnly } from "./outline/outline.ts";

export const LARGEST_PARSED_FILE = 1024 * 1024;

/** Reads files through their syntax trees, or through their comments alone when no tree is ready in time. */
export class TreeSitterReader {
  readonly #grammars: TreeSitterGrammars;
  readonly #mostMs: number;

  constructor(grammars: TreeSitterGrammars, mostMs: number) {
    this.#grammars = grammars;
    this.#mostMs = mostMs;
  }

  async look(path: string, text: string): Promise<CodeScan | undefined> {
    if (text.length > LARGEST_PARSED_FILE) return undefined;
    return (await this.#made(path, text, scanParsedCode))?.look ?? scanCommentsOnly(path, text);
  }

  async outline(path: string, text: string): Promise<CodeOutline | undefined> {
    if (text.length > LARGEST_PARSED_FILE) return undefined;
    return (await this.#made(path, text, outlineParsedCode)) ?? outlineCommentsOnly(path, text);
  }

  async #made<T>(
    path: string,
    text: string,
    make: (grammar: string, code: ParsedCode, path: string) => T,
  ): Promise<T | undefined> {
    const grammar = detectGrammar(path, text);
    if (grammar === undefined) return undefined;
    const deadline = performance.now() + this.#mostMs;
    return this.#grammars.withTree(grammar, text, deadline, (tree) => {
      const code = readParsedCode(tree, text, deadline);
      return code && make(grammar, code, path);
    });
  }
}

function scanCommentsOnly(path: string, text: string): CodeScan | undefined {
  const plain = scanPlainComments(path, text);
  const grammar = detectGrammar(path, text);
  return plain === undefined || grammar === undefined ? plain : { ...plain, language: grammar, isWhole: false };
}

export function outlineCommentsOnly(path: string, text: string): CodeOutline | undefined {
  const look = text.length > LARGEST_PARSED_FILE ? undefined : scanCommentsOnly(path, text);
  return look && outlineScanOnly(look, text);
}
