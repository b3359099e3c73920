import { CONFIG_PATH, GITIGNORE_PATH, type WorkspacePath } from "#kernel/model/workspace-paths.ts";
import type { StoreStep, StoreTree } from "#store/operations/ports/store.ts";

const IGNORED_FOLDER = ".sdd/";

type DocumentWriteStep = Extract<StoreStep, { kind: "document" }>;
/** A file without a text is kept as it is. */
export type WantedFile = readonly [path: WorkspacePath, text: string | undefined];

export const listFoundationFiles = (tree: StoreTree, config: string): readonly WantedFile[] => [
  [GITIGNORE_PATH, updateGitignore(tree)],
  [CONFIG_PATH, tree.has(CONFIG_PATH) ? undefined : config],
];

export const planFoundationSteps = (tree: StoreTree, config: string): DocumentWriteStep[] =>
  createFoundationSteps(listFoundationFiles(tree, config));

export function createFoundationSteps(wanted: readonly WantedFile[]): DocumentWriteStep[] {
  return wanted.flatMap(([path, text]): DocumentWriteStep[] =>
    text === undefined ? [] : [{ kind: "document", path, text }],
  );
}

function updateGitignore(tree: StoreTree): string | undefined {
  const ignored = tree.text(GITIGNORE_PATH);
  const isIgnored = ignored?.split(/\r?\n/).some((line) => /^\/?\.sdd\/?$/.test(line.trim())) ?? false;
  return isIgnored ? undefined : appendMissingLines(ignored, [IGNORED_FOLDER]);
}

export function appendMissingLines(text: string | undefined, lines: readonly string[]): string | undefined {
  const present = new Set(text?.split(/\r?\n/).map((line) => line.trim()));
  const missing = lines.filter((line) => !present.has(line));
  if (missing.length === 0) return undefined;
  const newline = text?.includes("\r\n") ? "\r\n" : "\n";
  const before = text === undefined || text === "" || text.endsWith("\n") ? (text ?? "") : `${text}${newline}`;
  return `${before}${missing.map((line) => `${line}${newline}`).join("")}`;
}
