import fs from "node:fs";

/** C# and C++ are as large as all of these together, and no profile is about them: their comments are read without. */
const GRAMMARS = ["bash", "css", "go", "java", "javascript", "php", "python", "ruby", "rust", "tsx", "typescript"];

/** Puts the parser and the grammars that ship where the bundle looks for them. */
export function copyGrammars(folder: string): void {
  const runtime = new URL(import.meta.resolve("web-tree-sitter/web-tree-sitter.wasm"));
  const grammars = import.meta.resolve("@vscode/tree-sitter-wasm");
  fs.mkdirSync(folder, { recursive: true });
  fs.copyFileSync(runtime, `${folder}/tree-sitter.wasm`);
  for (const name of GRAMMARS) fs.copyFileSync(new URL(`tree-sitter-${name}.wasm`, grammars), `${folder}/${name}.wasm`);
}
