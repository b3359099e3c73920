import { quote } from "../../quote.ts";
import type { SpecProblem } from "./conform.ts";
import { type Located, nameOf, type Place, scalars, textOf } from "./located.ts";

/** Markers of unfinished text. "todo" counts only in capitals or as a label, because "to-do list" is ordinary text. */
const MARKERS: readonly RegExp[] = [
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
export function markerProblems(tree: Located): SpecProblem[] {
  return [...scalars(tree)].flatMap(({ node, place }) => {
    const found = markerIn(textOf(node) ?? "");
    return found === undefined ? [] : [markerProblem(found, node.line, place)];
  });
}

function markerIn(text: string): string | undefined {
  for (const marker of MARKERS) {
    const found = marker.exec(text);
    if (found) return found[0].trim();
  }
  return undefined;
}

const markerProblem = (marker: string, line: number, place: Place): SpecProblem => ({
  problem: `${nameOf(place)} is still open: it says ${quote(marker, 60)}.`,
  line,
  field: nameOf(place),
});
