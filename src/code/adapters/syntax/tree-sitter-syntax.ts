import type { SyntaxParser } from "../../operations/ports/code-index.ts";
import { TreeSitterGrammars, TreeSitterReader } from "./tree-sitter-reader.ts";
import { streamOutlines, startOutlineThread } from "../outline/outline-worker-pool.ts";

/** A file of 1 MB needs 10,000 to 100,000 parser steps. */
const MAX_PARSE_STEPS = 150_000;
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
    sites: async (path, text) => reading.sites(path, text),
  };
}
