import type { CodeScan } from "#code/model/scan/code-scan.ts";
import { getPathFolder, joinFolderAndPath, resolveFolderPath } from "#kernel/model/folder-path.ts";

const CHECKING_WORD = /\b\w*(?:assert|expect|should|verif|check|same|equal|raise|throw|match|fail|must|snapshot)\w*/gi;
const TOKEN = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|[\p{L}_$][\p{L}\p{N}_$]*|\d[\d._]*|[^\s]/gu;

/** How often a test checks something, by its words. */
export const countCheckingWords = (code: string): number => code.match(CHECKING_WORD)?.length ?? 0;

export function readTestCode(
  text: string,
  { comments }: Pick<CodeScan, "comments">,
  { line, lastLine }: { readonly line: number; readonly lastLine: number },
): string {
  const blank = comments.reduce(
    (rest, { start, end }) => rest.slice(0, start) + rest.slice(start, end).replace(/[^\n]/g, " ") + rest.slice(end),
    text,
  );
  return blank
    .split("\n")
    .slice(line - 1, lastLine)
    .join("\n");
}

/** Every literal, assertion and operator is the same. A relative import must not move between test files. */
export function isRenamedOnly(
  before: { readonly path: string; readonly text: string },
  after: { readonly path: string; readonly text: string },
  isTest: (path: string) => boolean,
): boolean {
  const read = ({ path, text }: typeof before): string =>
    (text.match(TOKEN) ?? [])
      .map((token) => {
        if (/^[\p{L}_$]/u.test(token)) return "name";
        const [, target] = /^["'](\.{1,2}\/[^"']*)["']$/.exec(token) ?? [];
        const resolved = target && resolveFolderPath(joinFolderAndPath(getPathFolder(path), target));
        return resolved && !isTest(resolved) ? "import" : token;
      })
      .join(" ");
  return read(before) === read(after);
}
