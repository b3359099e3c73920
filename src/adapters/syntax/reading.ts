import type { CodeOutline } from "#domain/indexing/outline.ts";
import type { Look } from "#domain/scan/look.ts";
import { plainLook } from "#domain/scan/plain.ts";
import { type Code, codeOf } from "./code.ts";
import { grammarOf, type Grammars } from "./grammars.ts";
import { lookAt } from "./look.ts";
import { outlineOf, plainOutline } from "./outline/outline.ts";

export const LARGEST = 1024 * 1024;

/** Reads files through their syntax trees, or through their comments alone when no tree is ready in time. */
export class Reading {
  readonly #grammars: Grammars;
  readonly #mostMs: number;

  constructor(grammars: Grammars, mostMs: number) {
    this.#grammars = grammars;
    this.#mostMs = mostMs;
  }

  async look(path: string, text: string): Promise<Look | undefined> {
    if (text.length > LARGEST) return undefined;
    return (await this.#made(path, text, lookAt))?.look ?? commentsAlone(path, text);
  }

  async outline(path: string, text: string): Promise<CodeOutline | undefined> {
    if (text.length > LARGEST) return undefined;
    return (await this.#made(path, text, outlineOf)) ?? outlineByComments(path, text);
  }

  async #made<T>(
    path: string,
    text: string,
    make: (grammar: string, code: Code, path: string) => T,
  ): Promise<T | undefined> {
    const grammar = grammarOf(path, text);
    if (grammar === undefined) return undefined;
    const deadline = performance.now() + this.#mostMs;
    return this.#grammars.withTree(grammar, text, deadline, (tree) => {
      const code = codeOf(tree, text, deadline);
      return code && make(grammar, code, path);
    });
  }
}

function commentsAlone(path: string, text: string): Look | undefined {
  const plain = plainLook(path, text);
  const grammar = grammarOf(path, text);
  return plain === undefined || grammar === undefined ? plain : { ...plain, language: grammar, isWhole: false };
}

export function outlineByComments(path: string, text: string): CodeOutline | undefined {
  const look = text.length > LARGEST ? undefined : commentsAlone(path, text);
  return look && plainOutline(look, text);
}
