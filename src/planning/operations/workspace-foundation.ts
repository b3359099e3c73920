import { CONFIG_PATH, GITIGNORE_PATH, type WorkspacePath } from "#kernel/model/workspace-paths.ts";
import type { StoreStep, StoreTree } from "#store/operations/ports/store.ts";

type DocumentWriteStep = Extract<StoreStep, { kind: "document" }>;
/** A file without a text is kept as it is. */
export type WantedFile = readonly [path: WorkspacePath, text: string | undefined];

export function listFoundationFiles(tree: StoreTree, config: string): readonly WantedFile[] {
  const ignored = tree.text(GITIGNORE_PATH);
  return [
    [GITIGNORE_PATH, isFolderIgnored(ignored, ".sdd") ? undefined : appendMissingLines(ignored, [".sdd/"])],
    [CONFIG_PATH, tree.has(CONFIG_PATH) ? undefined : config],
  ];
}

/** Whether git ignores a folder at the root: by its name, or with all others, as lists of allowed files do. */
export function isFolderIgnored(gitignore: string | undefined, folder: string): boolean {
  const lines = (gitignore ?? "").split(/\r?\n/).map((line) => line.trim());
  const last = lines.findLast((line) => /^!?\/?\*$/.test(line) || line.replace(/^!?\/?|\/$/g, "") === folder);
  return last !== undefined && !last.startsWith("!");
}

export function describeIgnoredFolders(gitignore: string | undefined): { found: string; fix?: string } {
  if (isFolderIgnored(gitignore, "sdd"))
    return { found: "git ignores sdd/, so nobody else gets the specs", fix: "Add this line to .gitignore: !/sdd/" };
  const isHidden = isFolderIgnored(gitignore, ".sdd");
  return { found: isHidden ? ".sdd/ is ignored" : ".sdd/ has its own .gitignore; tenon init adds it to yours" };
}

export const planFoundationSteps = (tree: StoreTree, config: string): DocumentWriteStep[] =>
  createFoundationSteps(listFoundationFiles(tree, config));

export const createFoundationSteps = (wanted: readonly WantedFile[]): DocumentWriteStep[] =>
  wanted.flatMap(([path, text]): DocumentWriteStep[] => (text === undefined ? [] : [{ kind: "document", path, text }]));

export function appendMissingLines(text: string | undefined, lines: readonly string[]): string | undefined {
  const present = new Set(text?.split(/\r?\n/).map((line) => line.trim()));
  const missing = lines.filter((line) => !present.has(line));
  if (missing.length === 0) return undefined;
  const newline = text?.includes("\r\n") ? "\r\n" : "\n";
  const before = text === undefined || text === "" || text.endsWith("\n") ? (text ?? "") : `${text}${newline}`;
  return `${before}${missing.map((line) => `${line}${newline}`).join("")}`;
}
