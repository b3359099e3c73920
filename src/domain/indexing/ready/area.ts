/** A file as far as areas are made of files. */
export interface Sized {
  readonly path: string;
  /** What it offers to others. */
  readonly components: number;
  /** Files that import it. */
  readonly importers: number;
}

/** A part of the project that has a name of its own: a folder, or a file where there are few folders. */
export interface Area {
  /** As a question calls it: `auth`, `store sqlite`. */
  readonly name: string;
  /** Where it stands: `src/auth`, `src/auth.ts`. */
  readonly place: string;
  /** The files of it, those that others lean on first. */
  readonly files: readonly Sized[];
  readonly components: number;
}

/** With fewer folders, files are what a project is made of. */
const FEWEST_FOLDERS = 3;
const FEWEST_COMPONENTS = 2;
/** Folders that every project has; the one above tells more. */
const COMMON =
  /^(?:src|lib|libs|source|app|apps|packages|pkg|internal|cmd|main|java|kotlin|python|com|org|core|common|shared)$/;

/** The areas that a question may be about, largest first: many components, and many files that lean on them. */
export function areasOf(files: readonly Sized[], most: number): Area[] {
  const folders = [...Map.groupBy(files, ({ path }) => folderOf(path))].filter(([folder]) => folder !== "");
  const named = folders.filter(([folder]) => nameOf(folder) !== "");
  const groups =
    named.length >= FEWEST_FOLDERS ? named : files.map((file): [string, Sized[]] => [withoutEnding(file.path), [file]]);
  const areas = groups
    .map(([stem, group]): Area => {
      const ordered = group.toSorted((a, b) => weightOf(b) - weightOf(a) || (a.path < b.path ? -1 : 1));
      const place = group.length === 1 && stem !== folderOf(group[0]?.path ?? "") ? (group[0]?.path ?? stem) : stem;
      return { name: nameOf(stem), place, files: ordered, components: sum(group.map((file) => file.components)) };
    })
    .filter(({ name, components }) => name !== "" && components >= FEWEST_COMPONENTS);
  const largest = areas.toSorted(
    (a, b) => sum(b.files.map(weightOf)) - sum(a.files.map(weightOf)) || (a.place < b.place ? -1 : 1),
  );
  return withOwnNames(largest.slice(0, most));
}

/** Two folders of one name are told apart by the one above. */
function withOwnNames(areas: readonly Area[]): Area[] {
  const count = Map.groupBy(areas, ({ name }) => name);
  return areas.map((area) => {
    if ((count.get(area.name)?.length ?? 0) < 2) return area;
    return { ...area, name: partsOf(withoutEnding(area.place)).slice(-2).join(" ") };
  });
}

/** What it is called: the last part of it that says something. */
function nameOf(stem: string): string {
  const name = partsOf(stem).findLast((part) => !COMMON.test(part) && !/^(?:index|__init__|mod|\W*)$/.test(part)) ?? "";
  return name.length > 40 ? "" : name;
}

const partsOf = (stem: string): string[] => stem.split("/");
const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));
const withoutEnding = (path: string): string => path.replace(/(?:\.[^./]*)+$/, "");
const weightOf = ({ components, importers }: Sized): number => components + 3 * importers;
const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
