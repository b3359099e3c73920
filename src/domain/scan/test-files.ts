import type { StackUse } from "../stack/check.ts";
import { folderOf, isWithin, seenFrom } from "../stack/folder.ts";
import { matchesPathGlob } from "../workflow/glob.ts";
import { type Look, type Span } from "./look.ts";

type Globs = Pick<StackUse, "directory" | "test_files" | "source_files">;

export const isTestFile = (path: string, stacks: readonly Globs[]): boolean =>
  isMatched(path, stacks, (stack) => stack.test_files);

export const isSourceFile = (path: string, stacks: readonly Globs[]): boolean =>
  isMatched(path, stacks, (stack) => stack.source_files) && !isTestFile(path, stacks);

function isMatched(path: string, stacks: readonly Globs[], globs: (stack: Globs) => readonly string[]): boolean {
  const stack = stackOf(path, stacks);
  if (stack === undefined) return false;
  const inside = seenFrom(stack.directory, path) ?? path;
  return globs(stack).some((glob) => matchesPathGlob(glob, inside));
}

/** The stack of the innermost folder around the file. */
export function stackOf<T extends Pick<StackUse, "directory">>(path: string, stacks: readonly T[]): T | undefined {
  return stacks
    .filter(({ directory }) => isWithin(folderOf(path), directory))
    .toSorted((one, other) => depth(other.directory) - depth(one.directory))[0];
}

const depth = (directory: string): number => (directory === "." ? 0 : directory.split("/").length);

/** Test code inside a source file, such as Rust's `#[cfg(test)]` modules. */
export function testPartsIn(look: Look): readonly Span[] {
  if (look.language !== "rust") return [];
  return look.definitions.filter(
    ({ marks }) => marks.some((mark) => /^#!?\[cfg\((?:test|all\(test\b.*)\)\]/.test(mark)) || marks.some(isRustTest),
  );
}

/** `#[test]`, `#[tokio::test]`, `#[rstest]`. */
export const isRustTest = (mark: string): boolean => /^#\[(?:\w+::)*(?:test|rstest|test_case)\b/.test(mark);

export const isTestLine = (parts: readonly Pick<Span, "line" | "lastLine">[], line: number): boolean =>
  parts.some((part) => line >= part.line && line <= part.lastLine);
