import { CONFIG_PATH, GITIGNORE_PATH, type WorkspacePath } from "#kernel/model/workspace-paths.ts";
import type { StoreStep, StoreTree } from "#store/operations/ports/store.ts";

type DocumentWriteStep = Extract<StoreStep, { kind: "document" }>;
/** A file without a text is kept as it is. */
export type WantedFile = readonly [path: WorkspacePath, text: string | undefined];

export function listFoundationFiles(tree: StoreTree, config: string): readonly WantedFile[] {
  const ignored = tree.text(GITIGNORE_PATH);
  const isIgnored = ignored?.split(/\r?\n/).some((line) => /^\/?\.sdd\/?$/.test(line.trim())) ?? false;
  return [
    [GITIGNORE_PATH, isIgnored ? undefined : appendMissingLines(ignored, [".sdd/"])],
    [CONFIG_PATH, tree.has(CONFIG_PATH) ? undefined : config],
  ];
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
