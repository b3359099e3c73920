import type { SyntaxParser } from "../../operations/ports/code-index.ts";
import { MAX_PARSE_STEPS, ParseBudget } from "./parse-budget.ts";
import { detectGrammar, TreeSitterGrammars, LARGEST_PARSED_FILE, TreeSitterReader } from "./tree-sitter-reader.ts";
import { streamOutlines, startOutlineThread } from "../outline/outline-worker-pool.ts";
import { findMutationSites } from "./mutation-sites.ts";

/** How long a thread may make no progress before it counts as hung. */
const THREAD_PATIENCE_MS = 60_000;

/** Syntax trees from the grammars in a folder. Loads nothing before the first call. */
export function createTreeSitterSyntax(folder: URL, maxSteps = MAX_PARSE_STEPS): SyntaxParser {
  const grammars = new TreeSitterGrammars(folder);
  const reading = new TreeSitterReader(grammars, maxSteps);
  return {
    look: async (path, text) => reading.look(path, text),
    outline: async (path, text) => reading.outline(path, text),
    outlines: (files) =>
      streamOutlines(files, {
        read: (path, text) => reading.outline(path, text),
        start: () => startOutlineThread(folder, maxSteps),
        patienceMs: THREAD_PATIENCE_MS,
        little: 500_000,
      }),
    async sites(path, text) {
      const grammar = detectGrammar(path, text);
      if (grammar === undefined || text.length > LARGEST_PARSED_FILE) return [];
      const budget = new ParseBudget(maxSteps);
      return (await grammars.withTree(grammar, text, budget, (tree) => findMutationSites(tree, text, budget))) ?? [];
    },
  };
}
