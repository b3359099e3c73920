import { isTestPath } from "../../scan/test-path.ts";
import { getTestSubject } from "../code/tests.ts";
import { getParentFolder, detectFileLanguage } from "../select.ts";
import { type RatedFinding, selectFindings, type RepositorySurvey } from "../survey.ts";
import type { DraftedRequirement } from "./requirements.ts";

/** A folder that carries requirements or an entry point. */
export interface FolderComponent {
  readonly name: string;
  readonly files: number;
  readonly findings: readonly RatedFinding[];
  readonly carries: readonly string[];
  readonly tests: number;
}

/** More would be a list of folders, not a design. */
const MAX_COMPONENTS = 20;
export const ROOT_COMPONENT = "Repository root";
const COMPONENT_FINDING_KINDS = new Set(["route", "command", "entity", "entry", "symbol"]);

/** The code's folders as components. Folders that are too deep join a parent. */
export function groupFolderComponents(
  survey: RepositorySurvey,
  requirements: readonly DraftedRequirement[],
): FolderComponent[] {
  const sources = survey.paths.filter((path) => detectFileLanguage(path) !== undefined && !isTestPath(path));
  const subjects = new Map(sources.toReversed().map((path) => [getTestSubject(path).toLowerCase(), path]));
  const placeOf = (path: string): string =>
    isTestPath(path) ? (subjects.get(getTestSubject(path).toLowerCase()) ?? path) : path;
  const telling = survey.findings.filter(({ kind }) => COMPONENT_FINDING_KINDS.has(kind));
  const carried = requirements.map(({ id, findings }) => ({
    id,
    places: new Set(findings.map(({ path }) => placeOf(path))),
  }));
  const places = [...telling.map(({ path }) => path), ...carried.flatMap((requirement) => [...requirement.places])];
  const depth = chooseFolderDepth(places);
  const folders = sources.map((path) => truncateFolder(getParentFolder(path), depth));
  const home = folders.includes(ROOT_COMPONENT) ? ROOT_COMPONENT : findHomeComponent(telling, folders, depth);
  const nameOf = (path: string): string => {
    const name = truncateFolder(getParentFolder(path), depth);
    return name === ROOT_COMPONENT ? home : name;
  };
  const tests = selectFindings(survey, "test").map(({ path }) => nameOf(placeOf(path)));
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
function findHomeComponent(telling: readonly RatedFinding[], folders: readonly string[], depth: number): string {
  const sizes = new Map([...Map.groupBy(folders, (folder) => folder)].map(([name, own]) => [name, own.length]));
  const beginnings = telling.flatMap(({ kind, path }) =>
    kind === "entry" ? [truncateFolder(getParentFolder(path), depth)] : [],
  );
  const known = telling.map(({ path }) => truncateFolder(getParentFolder(path), depth));
  for (const names of [beginnings, known]) {
    const [best] = [...new Set(names)]
      .filter((name) => sizes.has(name))
      .toSorted((one, other) => (sizes.get(other) ?? 0) - (sizes.get(one) ?? 0) || (one < other ? -1 : 1));
    if (best !== undefined) return best;
  }
  return ROOT_COMPONENT;
}

function chooseFolderDepth(places: readonly string[]): number {
  const folders = new Set(places.map(getParentFolder));
  for (let depth = 12; depth > 1; depth--) {
    if (new Set([...folders].map((folder) => truncateFolder(folder, depth))).size <= MAX_COMPONENTS) return depth;
  }
  return 1;
}

const truncateFolder = (folder: string, depth: number): string =>
  folder === "" ? ROOT_COMPONENT : folder.split("/").slice(0, depth).join("/");
