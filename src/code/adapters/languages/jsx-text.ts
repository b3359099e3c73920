import type { NodeIndex, ParsedCode } from "../syntax/parsed-code.ts";

/** JSX text as rendered: without indentation, and without whitespace that contains a line break. */
export function normalizeJsxText(code: ParsedCode, node: NodeIndex): string {
  const lines = code.said(node).split(/\r?\n/);
  if (lines.length === 1) return lines[0]?.replace(/[ \t]+/g, " ") ?? "";
  const inner = lines.map((line, at) =>
    at === 0 ? line.trimEnd() : at === lines.length - 1 ? line.trimStart() : line.trim(),
  );
  return inner
    .filter((line) => line !== "")
    .join(" ")
    .replace(/[ \t]+/g, " ");
}
