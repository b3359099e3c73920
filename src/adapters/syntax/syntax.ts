import type { Look } from "#domain/scan/look.ts";
import { plainLook } from "#domain/scan/plain.ts";
import type { Syntax } from "#operations/ports/syntax.ts";
import { type Code, codeOf } from "./code.ts";
import { grammarOf, Grammars } from "./grammars.ts";
import { lookAt } from "./look.ts";
import { outlineOf, plainOutline } from "./outline/outline.ts";
import { sitesAt } from "./sites.ts";

/** In letters. What is larger was not written by hand. */
const LARGEST = 1024 * 1024;
const MOST_MS = 5000;

/** Syntax trees by the grammars in a folder. Nothing is loaded before the first question. */
export function syntaxIn(folder: URL, mostMs = MOST_MS): Syntax {
  const grammars = new Grammars(folder);
  /** What is made of a file's code; nothing where no grammar knows it or it takes too long. */
  const made = async <T>(
    path: string,
    text: string,
    use: (grammar: string, code: Code) => T,
  ): Promise<T | undefined> => {
    const grammar = grammarOf(path, text);
    if (grammar === undefined) return undefined;
    const deadline = performance.now() + mostMs;
    return grammars.withTree(grammar, text, deadline, (tree) => {
      const code = codeOf(tree, text, deadline);
      return code && use(grammar, code);
    });
  };
  const outline: Syntax["outline"] = async (path, text) => {
    if (text.length > LARGEST) return undefined;
    const seen = await made(path, text, outlineOf);
    const plain = seen === undefined ? commentsAlone(path, text) : undefined;
    return seen ?? (plain && plainOutline(plain, text));
  };
  return {
    async look(path, text) {
      if (text.length > LARGEST) return undefined;
      return (await made(path, text, lookAt))?.look ?? commentsAlone(path, text);
    },
    outline,
    async *outlines(files) {
      for await (const { path, text } of files) yield { path, outline: await outline(path, text) };
    },
    async sites(path, text) {
      const grammar = grammarOf(path, text);
      if (grammar === undefined || text.length > LARGEST) return [];
      const deadline = performance.now() + mostMs;
      return (await grammars.withTree(grammar, text, deadline, (tree) => sitesAt(tree, text, deadline))) ?? [];
    },
  };
}

/** What can be told without a tree. */
function commentsAlone(path: string, text: string): Look | undefined {
  const plain = plainLook(path, text);
  const grammar = grammarOf(path, text);
  return plain === undefined || grammar === undefined ? plain : { ...plain, language: grammar, isWhole: false };
}
