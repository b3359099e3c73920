import { quote } from "../../quote.ts";
import type { SpecProblem } from "./conform.ts";
import { type LocatedNode, formatYamlPath, type YamlPath, iterateYamlScalars, readYamlText } from "./located.ts";

/** Markers of unfinished text. "todo" counts only in capitals or as a label, because "to-do list" is ordinary text. */
const UNFINISHED_MARKERS: readonly RegExp[] = [
  /\[\s?needs[ _-]clarification[^\]]{0,200}\]?/i,
  /\bNEEDS[ _-]CLARIFICATION\b/,
  /\bTBD\b/i,
  /\bFIXME\b/i,
  /\bTODO\b/,
  /^\s{0,10}todo\b\s{0,10}(?::|$)|[[(]todo\b/i,
  /\?{3}/,
  /(?:^|\s)(?:…|\.\.\.)(?=$|[\s.,;:)])/,
];

/** Checks values only, not keys or comments. */
export function checkUnfinishedMarkers(tree: LocatedNode): SpecProblem[] {
  return [...iterateYamlScalars(tree)].flatMap(({ node, place }) => {
    const found = findUnfinishedMarker(readYamlText(node) ?? "");
    return found === undefined ? [] : [createUnfinishedProblem(found, node.line, place)];
  });
}

function findUnfinishedMarker(text: string): string | undefined {
  for (const marker of UNFINISHED_MARKERS) {
    const found = marker.exec(text);
    if (found) return found[0].trim();
  }
  return undefined;
}

const createUnfinishedProblem = (marker: string, line: number, place: YamlPath): SpecProblem => ({
  problem: `${formatYamlPath(place)} is still open: it says ${quote(marker, 60)}.`,
  line,
  field: formatYamlPath(place),
});
