import { plainLook } from "#domain/scan/plain.ts";
import type { Syntax } from "#operations/ports/syntax.ts";
import { grammarOf, Grammars } from "./grammars.ts";
import { lookAt } from "./look.ts";
import { outlineOf } from "./outline/outline.ts";
import { sitesAt } from "./sites.ts";

/** In letters. What is larger was not written by hand. */
const LARGEST = 1024 * 1024;
const MOST_MS = 5000;

/** Syntax trees by the grammars in a folder. Nothing is loaded before the first question. */
export function syntaxIn(folder: URL, mostMs = MOST_MS): Syntax {
  const grammars = new Grammars(folder);
  const look: Syntax["look"] = async (path, text) => {
    if (text.length > LARGEST) return undefined;
    const grammar = grammarOf(path);
    if (grammar === undefined) return plainLook(path, text);
    const deadline = performance.now() + mostMs;
    const seen = await grammars.withTree(grammar, text, deadline, (tree) => lookAt(grammar, tree, text, deadline));
    const plain = seen === undefined ? plainLook(path, text) : undefined;
    return seen ?? (plain && { ...plain, language: grammar, isWhole: false });
  };
  const outline: Syntax["outline"] = async (path, text) => {
    const seen = await look(path, text);
    return seen && outlineOf(seen, text);
  };
  return {
    look,
    outline,
    async *outlines(files) {
      for await (const { path, text } of files) yield { path, outline: await outline(path, text) };
    },
    async sites(path, text) {
      const grammar = grammarOf(path);
      if (grammar === undefined || text.length > LARGEST) return [];
      const deadline = performance.now() + mostMs;
      return (await grammars.withTree(grammar, text, deadline, (tree) => sitesAt(tree, text, deadline))) ?? [];
    },
  };
}
