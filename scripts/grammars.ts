import fs from "node:fs";

/** The packages whose files `copyGrammars` copies. */
export const GRAMMAR_PACKAGES = ["web-tree-sitter", "@vscode/tree-sitter-wasm", "tree-sitter-c"] as const;

const GRAMMAR_FILES = {
  bash: "bash",
  cpp: "cpp",
  csharp: "c-sharp",
  css: "css",
  go: "go",
  java: "java",
  javascript: "javascript",
  php: "php",
  python: "python",
  ruby: "ruby",
  rust: "rust",
  tsx: "tsx",
  typescript: "typescript",
};

export function copyGrammars(folder: string): void {
  const runtime = new URL(import.meta.resolve("web-tree-sitter/web-tree-sitter.wasm"));
  const grammars = import.meta.resolve("@vscode/tree-sitter-wasm");
  fs.mkdirSync(folder, { recursive: true });
  fs.copyFileSync(runtime, `${folder}/tree-sitter.wasm`);
  for (const [name, theirs] of Object.entries(GRAMMAR_FILES))
    fs.copyFileSync(new URL(`tree-sitter-${theirs}.wasm`, grammars), `${folder}/${name}.wasm`);
  // The package above has no grammar for C.
  fs.copyFileSync(new URL(import.meta.resolve("tree-sitter-c/tree-sitter-c.wasm")), `${folder}/c.wasm`);
}
