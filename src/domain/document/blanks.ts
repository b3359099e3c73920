/** Lines of a guide's skeleton with a placeholder, such as `- <file>`. */
export function listGuidePlaceholders(guide: string): string[] {
  const skeletons = [...guide.matchAll(/^```markdown\n([\s\S]*?)^```/gm)].map(([, lines]) => lines ?? "");
  return skeletons
    .flatMap((skeleton) => skeleton.split("\n"))
    .map((line) => line.trim())
    .filter((line) => /<[^>]+>/.test(line));
}
