import type { SyntaxParser } from "#operations/ports/syntax.ts";
import { grammarOf, Grammars } from "./grammars.ts";
import { outlinesOf } from "./outline/many.ts";
import { startThread } from "./outline/thread.ts";
import { LARGEST, Reading } from "./reading.ts";
import { sitesAt } from "./sites.ts";

const MOST_MS = 5000;

/** Syntax trees from the grammars in a folder. Loads nothing before the first call. */
export function syntaxIn(folder: URL, mostMs = MOST_MS): SyntaxParser {
  const grammars = new Grammars(folder);
  const reading = new Reading(grammars, mostMs);
  return {
    look: async (path, text) => reading.look(path, text),
    outline: async (path, text) => reading.outline(path, text),
    outlines: (files) =>
      outlinesOf(files, {
        read: (path, text) => reading.outline(path, text),
        start: () => startThread(folder, mostMs),
        patienceMs: Math.max(0, mostMs) * 4,
        little: 500_000,
      }),
    async sites(path, text) {
      const grammar = grammarOf(path, text);
      if (grammar === undefined || text.length > LARGEST) return [];
      const deadline = performance.now() + mostMs;
      return (await grammars.withTree(grammar, text, deadline, (tree) => sitesAt(tree, text, deadline))) ?? [];
    },
  };
}
