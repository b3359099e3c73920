export interface Sized {
  readonly path: string;
  readonly components: number;
  readonly importers: number;
}

/** A part of the project with its own name: folders of one name, or a file if there are few folders. */
export interface Area {
  readonly name: string;
  /** Folders or files, most important first: `src/auth`, `src/api/auth`; `src/auth.ts`. */
  readonly places: readonly string[];
  readonly files: readonly Sized[];
  readonly components: number;
}

/** With fewer folders, single files become areas too. */
const FEWEST_FOLDERS = 3;
const FEWEST_COMPONENTS = 2;
const LONGEST_NAME = 40;
const COMMON =
  /^(?:src|lib|libs|source|app|apps|packages|pkg|internal|cmd|main|java|kotlin|python|com|org|core|common|shared|index|__init__|mod|\W*)$/;

export function areasOf(files: readonly Sized[], most: number): Area[] {
  const folders = Map.groupBy(files, ({ path }) => nameOf(folderOf(path)));
  folders.delete("");
  const groups = new Map(
    folders.size >= FEWEST_FOLDERS ? [] : Map.groupBy(files, ({ path }) => nameOf(withoutEnding(path))),
  );
  for (const [name, group] of folders) groups.set(name, group);
  return [...groups]
    .map(([name, group]): Area => {
      const ordered = group.toSorted((a, b) => weightOf(b) - weightOf(a) || (a.path < b.path ? -1 : 1));
      const components = sum(group.map((file) => file.components));
      const places = ordered.map(({ path }) => (folders.has(name) ? folderOf(path) : path));
      return { name, places: [...new Set(places)], files: ordered, components };
    })
    .filter(({ name, components }) => name !== "" && components >= FEWEST_COMPONENTS)
    .toSorted((a, b) => sum(b.files.map(weightOf)) - sum(a.files.map(weightOf)) || (a.name < b.name ? -1 : 1))
    .slice(0, most);
}

function nameOf(stem: string): string {
  const name = stem.split("/").findLast((part) => !COMMON.test(part)) ?? "";
  return name.length > LONGEST_NAME ? "" : name;
}

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));
const withoutEnding = (path: string): string => path.replace(/(?:\.[^./]*)+$/, "");
const weightOf = ({ components, importers }: Sized): number => components + 3 * importers;
const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
