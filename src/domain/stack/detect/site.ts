import { above, folderOf, fromTop, nameOf } from "../folder.ts";
import { type Manifest, NO_MANIFEST, section } from "../manifest/manifest.ts";
import type { Condition, Conditions } from "../profile/condition.ts";
import { nameMatches } from "./name-pattern.ts";

export type Reach = "here" | "above";

export class Site {
  readonly paths: readonly string[];
  readonly #names = new Map<string, Set<string>>();
  readonly #manifests: ReadonlyMap<string, Manifest>;
  readonly #manifestsBy: ReadonlyMap<string, readonly Manifest[]>;

  constructor(paths: readonly string[], manifests: ReadonlyMap<string, Manifest>) {
    this.paths = paths;
    this.#manifests = manifests;
    const grouped = Map.groupBy(manifests, ([path]) => folderOf(path));
    this.#manifestsBy = new Map([...grouped].map(([folder, entries]) => [folder, entries.map(([, one]) => one)]));
    for (const path of paths) {
      const names = this.#names.get(folderOf(path));
      if (names) names.add(nameOf(path));
      else this.#names.set(folderOf(path), new Set([nameOf(path)]));
    }
  }

  get folders(): Iterable<string> {
    return this.#names.keys();
  }

  /** The pattern may start with folders. */
  matching(directory: string, pattern: string): string[] {
    const folder = folderOf(fromTop(directory, pattern));
    const names = this.#names.get(folder);
    const wanted = nameOf(pattern);
    if (!names) return [];
    if (!wanted.includes("*")) return names.has(wanted) ? [fromTop(folder, wanted)] : [];
    return [...names].filter((name) => nameMatches(wanted, name)).map((name) => fromTop(folder, name));
  }

  manifest(directory: string, name: string): Manifest {
    return this.#manifests.get(fromTop(directory, name)) ?? NO_MANIFEST;
  }

  manifestsIn(directory: string): readonly Manifest[] {
    return this.#manifestsBy.get(directory) ?? [];
  }

  /** A `sources` condition holds if `endings` has one of its extensions. */
  holds(conditions: Conditions, directory: string, reach: Reach, endings?: ReadonlySet<string>): boolean {
    return conditions.length === 0 || conditions.some((one) => this.#holds(one, directory, reach, endings));
  }

  #holds(condition: Condition, directory: string, reach: Reach, endings?: ReadonlySet<string>): boolean {
    const folders = reach === "here" ? [directory] : [directory, ...above(directory)];
    const anywhere = (test: (folder: string) => boolean): boolean => folders.some(test);
    const { dependency, file, config, section: sections, script, target, sources, not } = condition;
    return (
      (!dependency || anywhere((folder) => this.#dependsOn(folder, dependency))) &&
      (!file || file.some((pattern) => this.matching(directory, pattern).length > 0)) &&
      (!config || anywhere((folder) => config.some((pattern) => this.matching(folder, pattern).length > 0))) &&
      (!sections || anywhere((folder) => sections.some((name) => this.#hasSection(folder, name)))) &&
      (!script || script.some((words) => this.#hasScript(directory, words))) &&
      (!target || this.manifestsIn(directory).some(({ targets }) => target.some((name) => targets.has(name)))) &&
      (!sources || sources.some((ending) => endings?.has(ending))) &&
      (!condition.above || above(directory).some((folder) => this.holds(condition.above ?? [], folder, "here"))) &&
      (!not || !this.holds(not, directory, reach, endings))
    );
  }

  #dependsOn(folder: string, names: readonly string[]): boolean {
    return this.manifestsIn(folder).some(({ dependencies }) => names.some((name) => dependencies.has(name)));
  }

  #hasScript(folder: string, words: string): boolean {
    const [, name = words, line] = /^(\S+): +(.+)$/.exec(words) ?? [];
    const said = this.manifest(folder, "package.json").scripts.get(name);
    return said !== undefined && (line === undefined || said.trim().split(/\s+/).join(" ") === line);
  }

  #hasSection(folder: string, name: string): boolean {
    const hash = name.indexOf("#");
    return section(this.manifest(folder, name.slice(0, hash)).tree, name.slice(hash + 1)) !== undefined;
  }
}
