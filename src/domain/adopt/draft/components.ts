import { isTestPath } from "../../scan/test-path.ts";
import { stemOf } from "../code/tests.ts";
import { folderOf, languageOf } from "../select.ts";
import { type Known, ofKind, type Survey } from "../survey.ts";
import type { Drafted } from "./requirements.ts";

/** A folder that carries requirements or an entry point. */
export interface Part {
  readonly name: string;
  readonly files: number;
  readonly findings: readonly Known[];
  readonly carries: readonly string[];
  readonly tests: number;
}

/** More would be a list of folders, not a design. */
const MOST = 20;
export const ROOT = "Repository root";
const TELLING = new Set(["route", "command", "entity", "entry", "symbol"]);

/** The code's folders as components. Folders that are too deep join a parent. */
export function partsOf(survey: Survey, requirements: readonly Drafted[]): Part[] {
  const sources = survey.paths.filter((path) => languageOf(path) !== undefined && !isTestPath(path));
  const subjects = new Map(sources.toReversed().map((path) => [stemOf(path).toLowerCase(), path]));
  const placeOf = (path: string): string =>
    isTestPath(path) ? (subjects.get(stemOf(path).toLowerCase()) ?? path) : path;
  const telling = survey.findings.filter(({ kind }) => TELLING.has(kind));
  const carried = requirements.map(({ id, findings }) => ({
    id,
    places: new Set(findings.map(({ path }) => placeOf(path))),
  }));
  const places = [...telling.map(({ path }) => path), ...carried.flatMap((requirement) => [...requirement.places])];
  const depth = depthFor(places);
  const folders = sources.map((path) => cut(folderOf(path), depth));
  const home = folders.includes(ROOT) ? ROOT : homeOf(telling, folders, depth);
  const nameOf = (path: string): string => {
    const name = cut(folderOf(path), depth);
    return name === ROOT ? home : name;
  };
  const tests = ofKind(survey, "test").map(({ path }) => nameOf(placeOf(path)));
  return [...new Set(places.map(nameOf))].toSorted().map((name) => ({
    name,
    files: sources.filter((path) => nameOf(path) === name).length,
    findings: telling.filter(({ path }) => nameOf(path) === name),
    carries: carried
      .filter((requirement) => [...requirement.places].some((path) => nameOf(path) === name))
      .map(({ id }) => id),
    tests: tests.filter((each) => each === name).length,
  }));
}

/** Manifests are not a component. Their findings belong to the folder of the entry point, or to the largest folder. */
function homeOf(telling: readonly Known[], folders: readonly string[], depth: number): string {
  const sizes = new Map([...Map.groupBy(folders, (folder) => folder)].map(([name, own]) => [name, own.length]));
  const beginnings = telling.flatMap(({ kind, path }) => (kind === "entry" ? [cut(folderOf(path), depth)] : []));
  const known = telling.map(({ path }) => cut(folderOf(path), depth));
  for (const names of [beginnings, known]) {
    const [best] = [...new Set(names)]
      .filter((name) => sizes.has(name))
      .toSorted((one, other) => (sizes.get(other) ?? 0) - (sizes.get(one) ?? 0) || (one < other ? -1 : 1));
    if (best !== undefined) return best;
  }
  return ROOT;
}

function depthFor(places: readonly string[]): number {
  const folders = new Set(places.map(folderOf));
  for (let depth = 12; depth > 1; depth--) {
    if (new Set([...folders].map((folder) => cut(folder, depth))).size <= MOST) return depth;
  }
  return 1;
}

const cut = (folder: string, depth: number): string =>
  folder === "" ? ROOT : folder.split("/").slice(0, depth).join("/");
