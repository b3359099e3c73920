import type { FolderStack } from "../stack/check.ts";
import { getPathFolder, isFolderWithin, getPathBelowFolder } from "../stack/folder.ts";
import { matchesPathGlob } from "../workflow/glob.ts";
import { type CodeScan, type ScanSpan } from "./look.ts";

type StackFileGlobs = Pick<FolderStack, "directory" | "test_files" | "source_files">;

export const isTestFile = (path: string, stacks: readonly StackFileGlobs[]): boolean =>
  matchesStackGlobs(path, stacks, (stack) => stack.test_files);

export const isSourceFile = (path: string, stacks: readonly StackFileGlobs[]): boolean =>
  matchesStackGlobs(path, stacks, (stack) => stack.source_files) && !isTestFile(path, stacks);

function matchesStackGlobs(
  path: string,
  stacks: readonly StackFileGlobs[],
  globs: (stack: StackFileGlobs) => readonly string[],
): boolean {
  const stack = findFileStack(path, stacks);
  if (stack === undefined) return false;
  const inside = getPathBelowFolder(stack.directory, path) ?? path;
  return globs(stack).some((glob) => matchesPathGlob(glob, inside));
}

/** The stack of the innermost folder around the file. */
export function findFileStack<T extends Pick<FolderStack, "directory">>(
  path: string,
  stacks: readonly T[],
): T | undefined {
  return stacks
    .filter(({ directory }) => isFolderWithin(getPathFolder(path), directory))
    .toSorted((one, other) => countFolderDepth(other.directory) - countFolderDepth(one.directory))[0];
}

const countFolderDepth = (directory: string): number => (directory === "." ? 0 : directory.split("/").length);

/** Test code inside a source file, such as Rust's `#[cfg(test)]` modules. */
export function findTestSections(look: CodeScan): readonly ScanSpan[] {
  if (look.language !== "rust") return [];
  return look.definitions.filter(
    ({ marks }) => marks.some((mark) => /^#!?\[cfg\((?:test|all\(test\b.*)\)\]/.test(mark)) || marks.some(isRustTest),
  );
}

/** `#[test]`, `#[tokio::test]`, `#[rstest]`. */
export const isRustTest = (mark: string): boolean => /^#\[(?:\w+::)*(?:test|rstest|test_case)\b/.test(mark);

export const isTestLine = (parts: readonly Pick<ScanSpan, "line" | "lastLine">[], line: number): boolean =>
  parts.some((part) => line >= part.line && line <= part.lastLine);
