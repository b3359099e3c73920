import {
  listAncestorFolders,
  getPathFolder,
  isFolderWithin,
  joinFolderAndPath,
  getPathName,
} from "#kernel/model/folder-path.ts";
import { readTreeSection } from "#kernel/model/data-tree.ts";
import { type ProjectManifest, EMPTY_MANIFEST } from "./project-manifest.ts";
import { CI_FILE, parseProjectCommands, type ProjectCommand, runsCommand } from "./project-commands.ts";
import { findScriptCalls } from "./script-calls.ts";
import type { PythonTestStyle } from "./python-test-style.ts";
import type { FolderCondition, FolderConditions } from "./profile-condition.ts";

type Reach = "here" | "above";

export class ProjectFiles {
  readonly paths: readonly string[];
  readonly #commands = new Map<string, readonly ProjectCommand[]>();
  readonly #names: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #styles: ReadonlyMap<string, PythonTestStyle>;
  readonly #manifests: ReadonlyMap<string, ProjectManifest>;
  readonly #manifestsBy: ReadonlyMap<string, readonly ProjectManifest[]>;

  constructor(
    paths: readonly string[],
    manifests: ReadonlyMap<string, ProjectManifest>,
    styles: ReadonlyMap<string, PythonTestStyle> = new Map(),
  ) {
    this.paths = paths;
    this.#styles = styles;
    this.#manifests = manifests;
    const grouped = Map.groupBy(manifests, ([path]) => getPathFolder(path));
    this.#manifestsBy = new Map([...grouped].map(([folder, entries]) => [folder, entries.map(([, one]) => one)]));
    const folders = Map.groupBy(paths, getPathFolder);
    this.#names = new Map([...folders].map(([folder, files]) => [folder, new Set(files.map(getPathName))]));
  }

  get folders(): Iterable<string> {
    return this.#names.keys();
  }

  /** The pattern may start with folders. */
  matching(directory: string, pattern: string): string[] {
    const folder = getPathFolder(joinFolderAndPath(directory, pattern));
    const names = this.#names.get(folder);
    const wanted = getPathName(pattern);
    if (!names) return [];
    if (!wanted.includes("*")) return names.has(wanted) ? [joinFolderAndPath(folder, wanted)] : [];
    return [...names].filter((name) => matchesNamePattern(wanted, name)).map((name) => joinFolderAndPath(folder, name));
  }

  manifest(directory: string, name: string): ProjectManifest {
    return this.#manifests.get(joinFolderAndPath(directory, name)) ?? EMPTY_MANIFEST;
  }

  manifestsIn(directory: string): readonly ProjectManifest[] {
    return this.#manifestsBy.get(directory) ?? [];
  }

  /** Commands of CI come first, then those of the folder's own files. */
  commandsIn(directory: string): readonly ProjectCommand[] {
    const known = this.#commands.get(directory);
    if (known) return known;
    const paths = [...this.#manifests.keys()].filter((path) =>
      CI_FILE.test(path) ? directory === "." : getPathFolder(path) === directory,
    );
    const ordered = paths.toSorted((a, b) => Number(CI_FILE.test(b)) - Number(CI_FILE.test(a)));
    const found = ordered.flatMap((path) => parseProjectCommands(path, this.#manifests.get(path)?.lines ?? []));
    this.#commands.set(directory, found);
    return found;
  }

  /** A `sources` condition holds if `endings` has one of its extensions. */
  holds(conditions: FolderConditions, directory: string, reach: Reach, endings?: ReadonlySet<string>): boolean {
    return conditions.length === 0 || conditions.some((one) => this.#holds(one, directory, reach, endings));
  }

  #holds(condition: FolderCondition, directory: string, reach: Reach, endings?: ReadonlySet<string>): boolean {
    const folders = reach === "here" ? [directory] : [directory, ...listAncestorFolders(directory)];
    const anywhere = (test: (folder: string) => boolean): boolean => folders.some(test);
    const { dependency, file, config, section: sections, script, runs, target, sources, command, not } = condition;
    const style = condition.test_style;
    return (
      (!dependency ||
        anywhere((folder) =>
          this.manifestsIn(folder).some(({ dependencies }) => dependency.some((name) => dependencies.has(name))),
        )) &&
      (!file || file.some((pattern) => this.matching(directory, pattern).length > 0)) &&
      (!config || anywhere((folder) => config.some((pattern) => this.matching(folder, pattern).length > 0))) &&
      (!sections || anywhere((folder) => sections.some((name) => this.#hasSection(folder, name)))) &&
      (!script || script.some((words) => this.#hasScript(directory, words))) &&
      (!runs ||
        runs.some(
          (program) => findScriptCalls(this.manifest(directory, "package.json").scripts, program).length > 0,
        )) &&
      (!target || this.manifestsIn(directory).some(({ targets }) => target.some((name) => targets.has(name)))) &&
      (!command || command.some((name) => this.commandsIn(directory).some((one) => runsCommand(one, name)))) &&
      (!style || style.includes(this.#findTestStyle(directory) ?? "")) &&
      (!sources || sources.some((ending) => endings?.has(ending))) &&
      (!condition.above ||
        listAncestorFolders(directory).some((folder) => this.holds(condition.above ?? [], folder, "here"))) &&
      (!not || !this.holds(not, directory, reach, endings))
    );
  }

  #findTestStyle(directory: string): PythonTestStyle | undefined {
    const own = [...this.#styles].filter(([path]) => isFolderWithin(getPathFolder(path), directory));
    return own.find(([, style]) => style === "pytest")?.[1] ?? own[0]?.[1];
  }

  #hasScript(folder: string, words: string): boolean {
    const [, name = words, line] = /^(\S+): +(.+)$/.exec(words) ?? [];
    const said = this.manifest(folder, "package.json").scripts.get(name);
    return said !== undefined && (line === undefined || said.trim().split(/\s+/).join(" ") === line);
  }

  #hasSection(folder: string, name: string): boolean {
    const hash = name.indexOf("#");
    return readTreeSection(this.manifest(folder, name.slice(0, hash)).tree, name.slice(hash + 1)) !== undefined;
  }
}

/** Each star matches any text. Does not backtrack. */
export function matchesNamePattern(pattern: string, name: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return pattern === name;
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  const end = name.length - last.length;
  let place = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, place);
    if (found < 0 || found + part.length > end) return false;
    place = found + part.length;
  }
  return true;
}
