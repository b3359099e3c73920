import type { SyntaxParser } from "../../operations/ports/code-index.ts";
import { detectGrammar, TreeSitterGrammars, LARGEST_PARSED_FILE, TreeSitterReader } from "./tree-sitter-reader.ts";
import { streamOutlines, startOutlineThread } from "../outline/outline-worker-pool.ts";
import { findMutationSites } from "./mutation-sites.ts";

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
