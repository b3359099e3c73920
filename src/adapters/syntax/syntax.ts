import type { SyntaxParser } from "#operations/ports/syntax.ts";
import { detectGrammar, TreeSitterGrammars } from "./grammars.ts";
import { streamOutlines } from "./outline/many.ts";
import { startOutlineThread } from "./outline/thread.ts";
import { LARGEST_PARSED_FILE, TreeSitterReader } from "./reading.ts";
import { findMutationSites } from "./sites.ts";

const PARSE_TIMEOUT_MS = 5000;

/** Syntax trees from the grammars in a folder. Loads nothing before the first call. */
export function createTreeSitterSyntax(folder: URL, mostMs = PARSE_TIMEOUT_MS): SyntaxParser {
  const grammars = new TreeSitterGrammars(folder);
  const reading = new TreeSitterReader(grammars, mostMs);
  return {
    look: async (path, text) => reading.look(path, text),
    outline: async (path, text) => reading.outline(path, text),
    outlines: (files) =>
      streamOutlines(files, {
        read: (path, text) => reading.outline(path, text),
        start: () => startOutlineThread(folder, mostMs),
        patienceMs: Math.max(0, mostMs) * 4,
        little: 500_000,
      }),
    async sites(path, text) {
      const grammar = detectGrammar(path, text);
      if (grammar === undefined || text.length > LARGEST_PARSED_FILE) return [];
      const deadline = performance.now() + mostMs;
      return (
        (await grammars.withTree(grammar, text, deadline, (tree) => findMutationSites(tree, text, deadline))) ?? []
      );
    },
  };
}
