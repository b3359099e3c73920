export interface FileUsage {
  readonly path: string;
  readonly components: number;
  readonly importers: number;
}

/** A part of the project with its own name: folders of one name, or a file if there are few folders. */
export interface ProjectArea {
  readonly name: string;
  /** Folders or files, most important first: `src/auth`, `src/api/auth`; `src/auth.ts`. */
  readonly places: readonly string[];
  readonly files: readonly FileUsage[];
  readonly components: number;
}

/** With fewer folders, single files become areas too. */
const MIN_AREA_FOLDERS = 3;
const MIN_AREA_COMPONENTS = 2;
const MAX_AREA_NAME = 40;
const GENERIC_AREA_NAME =
  /^(?:src|lib|libs|source|app|apps|packages|pkg|internal|cmd|main|java|kotlin|python|com|org|core|common|shared|index|__init__|mod|\W*)$/;

export function groupProjectAreas(files: readonly FileUsage[], most: number): ProjectArea[] {
  const folders = Map.groupBy(files, ({ path }) => chooseAreaName(stripFileName(path)));
  folders.delete("");
  const groups = new Map(
    folders.size >= MIN_AREA_FOLDERS ? [] : Map.groupBy(files, ({ path }) => chooseAreaName(stripFileEnding(path))),
  );
  for (const [name, group] of folders) groups.set(name, group);
  return [...groups]
    .map(([name, group]): ProjectArea => {
      const ordered = group.toSorted((a, b) => weighFileUsage(b) - weighFileUsage(a) || (a.path < b.path ? -1 : 1));
      const components = sumAreaNumbers(group.map((file) => file.components));
      const places = ordered.map(({ path }) => (folders.has(name) ? stripFileName(path) : path));
      return { name, places: [...new Set(places)], files: ordered, components };
    })
    .filter(({ name, components }) => name !== "" && components >= MIN_AREA_COMPONENTS)
    .toSorted(
      (a, b) =>
        sumAreaNumbers(b.files.map(weighFileUsage)) - sumAreaNumbers(a.files.map(weighFileUsage)) ||
        (a.name < b.name ? -1 : 1),
    )
    .slice(0, most);
}

function chooseAreaName(stem: string): string {
  const name = stem.split("/").findLast((part) => !GENERIC_AREA_NAME.test(part)) ?? "";
  return name.length > MAX_AREA_NAME ? "" : name;
}

const stripFileName = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));
const stripFileEnding = (path: string): string => path.replace(/(?:\.[^./]*)+$/, "");
const weighFileUsage = ({ components, importers }: FileUsage): number => components + 3 * importers;
const sumAreaNumbers = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
