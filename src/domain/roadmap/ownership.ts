import { PathSet, samePath } from "../feature/file-path.ts";
import type { FeatureName } from "../feature/name.ts";
import type { FeatureRecord } from "../feature/record.ts";
import type { Finding } from "../review/finding.ts";
import { byText, type Dependents, dependentsIn, downstreamIn, levelsOf, type Planned } from "./graph.ts";
import { pathsIn } from "./location.ts";
import { isAccepted } from "./standing.ts";

/** Whose a file is. The group is none where only the design names the file, or it was made for tasks of earlier. */
export interface Owner {
  readonly feature: FeatureName;
  readonly group: string | null;
}

/** Who owns each file, by `samePath`. */
export interface Ownership {
  readonly files: ReadonlyMap<string, OwnedFile>;
  /** Files by their last name, for whoever says no more than that. */
  readonly named: ReadonlyMap<string, readonly string[]>;
}

interface OwnedFile {
  readonly path: string;
  /** Who came last is first. */
  readonly owners: readonly Owner[];
}

/** A file that two or more features of a wave claim, though none of them waits for the others. */
export interface Overlap {
  readonly wave: number;
  readonly file: string;
  /** In the order in which they may have it. */
  readonly features: readonly FeatureName[];
}

/** Where findings go: to the features and groups that own the files, or nowhere. */
export interface Routes {
  readonly owned: ReadonlyMap<FeatureName, Route>;
  /** Findings in files that nobody owns. */
  readonly unowned: readonly { readonly finding: Finding; readonly files: readonly string[] }[];
  /** Findings that name no file. */
  readonly placeless: readonly Finding[];
}

export interface Route {
  /** Nothing where a finding is in a file of the feature that no group has: then all of them are concerned. */
  readonly groups: readonly string[] | null;
  readonly findings: readonly Finding[];
}

/** The files that a feature claims, each once: those of its groups, and before there are any those of its design. */
export function claimsOf({ design, implementation: { groups, excluded } }: FeatureRecord): readonly string[] {
  const files = groups.length > 0 ? groups.flatMap((group) => group.files) : (design?.files ?? []);
  const known = new PathSet(groups.length > 0 ? [] : excluded);
  return files.filter((file) => {
    const isNew = !known.has(file);
    known.add(file);
    return isNew;
  });
}

export function ownershipOf(records: Iterable<FeatureRecord>): Ownership {
  const files = new Map<string, { path: string; owners: Owner[] }>();
  // Who comes later in the roadmap changed a file last.
  for (const record of [...records].toSorted(laterFirst)) {
    for (const [key, { path, group }] of filesOf(record)) {
      const own = { feature: record.feature_name, group };
      const known = files.get(key);
      if (known) known.owners.push(own);
      else files.set(key, { path, owners: [own] });
    }
  }
  return { files, named: Map.groupBy(files.keys(), lastName) };
}

/** Who owns what a finding names; of several features the one that is asked about, else the one that came last. */
export function ownersAt(
  ownership: Ownership,
  location: string,
  isMeant: (name: FeatureName) => boolean = () => true,
): { readonly files: readonly string[]; readonly owners: readonly Owner[] } {
  const files = pathsIn(location, (path) => fileNamed(ownership, path));
  const owners = files.flatMap((file) => {
    const known = ownership.files.get(samePath(file));
    return known?.owners.find(({ feature }) => isMeant(feature)) ?? [];
  });
  return { files, owners };
}

/** Sends each finding to who owns its files, among the features that are meant. */
export function routesOf(
  ownership: Ownership,
  findings: readonly Finding[],
  isMeant?: (name: FeatureName) => boolean,
): Routes {
  const owned = new Map<FeatureName, { groups: Set<string> | null; findings: Set<Finding> }>();
  const unowned: { finding: Finding; files: readonly string[] }[] = [];
  const placeless: Finding[] = [];
  for (const finding of findings) {
    const { files, owners } = ownersAt(ownership, finding.location, isMeant);
    if (files.length === 0) placeless.push(finding);
    else if (owners.length === 0) unowned.push({ finding, files });
    for (const { feature, group } of owners) {
      const route = owned.get(feature) ?? { groups: new Set<string>(), findings: new Set<Finding>() };
      route.findings.add(finding);
      if (group === null) route.groups = null;
      else route.groups?.add(group);
      owned.set(feature, route);
    }
  }
  const told = [...owned].map(([feature, { groups, findings: its }]): [FeatureName, Route] => [
    feature,
    { groups: groups === null ? null : [...groups].toSorted(byText), findings: [...its] },
  ]);
  return { owned: new Map(told), unowned, placeless };
}

/**
 * Files that features of one wave claim at once. Who is finished or blocked claims nothing; who waits for another by a
 * dependency is in order already.
 */
export function overlaps(records: Iterable<FeatureRecord>, isFinished = isAccepted): Overlap[] {
  const claiming = [...records].filter((record) => record.phase !== "blocked" && !isFinished(record));
  const inner = innerOrder(claiming);
  const found: Overlap[] = [];
  for (const [wave, inWave] of Map.groupBy(claiming, ({ roadmap }) => roadmap?.wave ?? null)) {
    if (wave === null) continue;
    const claimants = new Map<string, { file: string; names: FeatureName[] }>();
    for (const record of inWave.toSorted((a, b) => inner.compare(a.feature_name, b.feature_name))) {
      for (const file of claimsOf(record)) {
        const known = claimants.get(samePath(file));
        if (known) known.names.push(record.feature_name);
        else claimants.set(samePath(file), { file, names: [record.feature_name] });
      }
    }
    for (const { file, names } of claimants.values()) {
      const features = names.length > 1 ? inner.unordered(names) : [];
      if (features.length > 1) found.push({ wave, file, features });
    }
  }
  return found.toSorted((a, b) => a.wave - b.wave || byText(a.file, b.file));
}

/** For whom each feature waits so that no file is in two hands: for the one before it at each file. */
export function serialised(found: readonly Overlap[]): Map<FeatureName, FeatureName[]> {
  const waits = new Map<FeatureName, Set<FeatureName>>();
  for (const { features } of found) {
    for (const [i, name] of features.entries()) {
      const before = features[i - 1];
      if (before !== undefined) waits.set(name, (waits.get(name) ?? new Set()).add(before));
    }
  }
  return new Map([...waits].map(([name, before]) => [name, [...before].toSorted(byText)]));
}

/** The files that a feature's tasks have to do without, so that those who come before it have them alone. */
export function partitioned(found: readonly Overlap[]): Map<FeatureName, string[]> {
  const without = new Map<FeatureName, string[]>();
  for (const { features, file } of found) {
    for (const name of features.slice(1)) without.set(name, [...(without.get(name) ?? []), file]);
  }
  return without;
}

/** What groups do, what the design names besides and what was made earlier: each file once, by `samePath`. */
function filesOf({ design, implementation }: FeatureRecord): Map<string, { path: string; group: string | null }> {
  const files = new Map<string, { path: string; group: string | null }>();
  const take = (path: string, group: string | null): void => void files.set(samePath(path), { path, group });
  for (const path of [...(design?.files ?? []), ...implementation.files_created]) take(path, null);
  for (const path of implementation.excluded) files.delete(samePath(path));
  for (const { id, files: its } of implementation.groups) for (const path of its) take(path, id);
  return files;
}

function laterFirst(a: FeatureRecord, b: FeatureRecord): number {
  return (b.roadmap?.wave ?? 0) - (a.roadmap?.wave ?? 0) || byText(a.feature_name, b.feature_name);
}

const lastName = (file: string): string => file.slice(file.lastIndexOf("/") + 1);

/** The file that is meant by a path, or by the end of one where no two files end so. */
function fileNamed({ files, named }: Ownership, path: string): string | undefined {
  const key = samePath(path);
  const alike = files.has(key) ? [key] : (named.get(lastName(key)) ?? []).filter((file) => file.endsWith(`/${key}`));
  return alike.length === 1 ? files.get(alike[0] ?? "")?.path : undefined;
}

/** Which features of a wave wait for each other. As a rule none do, and names alone decide. */
function innerOrder(records: readonly FeatureRecord[]): {
  readonly compare: (a: FeatureName, b: FeatureName) => number;
  readonly unordered: (names: readonly FeatureName[]) => readonly FeatureName[];
} {
  const waveOf = new Map(records.map((record) => [record.feature_name, record.roadmap?.wave]));
  const within: Planned[] = records.map(({ feature_name: name, roadmap }) => ({
    name,
    dependencies: roadmap?.dependencies.filter((on) => waveOf.get(on) === roadmap.wave) ?? [],
  }));
  if (within.every(({ dependencies }) => dependencies.length === 0)) {
    return { compare: byText, unordered: (names) => names };
  }
  const levels = levelsOf(within);
  const dependents = dependentsIn(within);
  const reached = new Map<FeatureName, ReadonlySet<FeatureName>>();
  return {
    compare: (a, b) => (levels.get(a) ?? 0) - (levels.get(b) ?? 0) || byText(a, b),
    unordered: (names) => names.filter((name) => names.some((other) => !isOrdered(dependents, reached, name, other))),
  };
}

function isOrdered(
  dependents: Dependents,
  reached: Map<FeatureName, ReadonlySet<FeatureName>>,
  a: FeatureName,
  b: FeatureName,
): boolean {
  const downstream = (name: FeatureName): ReadonlySet<FeatureName> => {
    const known = reached.get(name) ?? new Set(downstreamIn(dependents, [name]));
    reached.set(name, known);
    return known;
  };
  return a === b || downstream(a).has(b) || downstream(b).has(a);
}
