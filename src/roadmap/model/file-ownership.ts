import { PathSet, normalizePathKey } from "./feature/claimed-path.ts";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import type { FeatureRecord } from "./feature/feature-record.ts";
import type { ReviewFinding } from "./review/review-finding.ts";
import {
  compareCodeUnits,
  type FeatureDependents,
  mapFeatureDependents,
  collectDownstreamFeatures,
  computeDependencyLevels,
  type PlannedFeature,
} from "./dependency-graph.ts";
import { isFeatureAccepted } from "./feature-progress.ts";

/** The group is null if only the design names the file, or if an earlier plan created it. */
export interface FileOwner {
  readonly feature: FeatureName;
  readonly group: string | null;
}

/** Keys are normalized paths. */
export interface FileOwnership {
  readonly files: ReadonlyMap<string, OwnedFileEntry>;
  /** Normalized paths by file name, to resolve a location without folders. */
  readonly named: ReadonlyMap<string, readonly string[]>;
}

interface OwnedFileEntry {
  readonly path: string;
  readonly owners: readonly FileOwner[];
}

/** A file that two or more features of a wave claim, without a dependency between them. */
export interface FileOverlap {
  readonly wave: number;
  readonly file: string;
  readonly features: readonly FeatureName[];
}

export interface FindingRoutes {
  readonly owned: ReadonlyMap<FeatureName, FindingRoute>;
  readonly unowned: readonly { readonly finding: ReviewFinding; readonly files: readonly string[] }[];
  readonly placeless: readonly ReviewFinding[];
}

export interface FindingRoute {
  /** Null if a finding is in a file that no group owns: then all groups must check it. */
  readonly groups: readonly string[] | null;
  readonly findings: readonly ReviewFinding[];
}

/** The files of the feature's groups; before there are groups, the files of its design. */
export function listClaimedFiles({ design, implementation: { groups, excluded } }: FeatureRecord): readonly string[] {
  const files = groups.length > 0 ? groups.flatMap((group) => group.files) : (design?.files ?? []);
  const known = new PathSet(groups.length > 0 ? [] : excluded);
  return files.filter((file) => {
    const isNew = !known.has(file);
    known.add(file);
    return isNew;
  });
}

export function mapFileOwnership(records: Iterable<FeatureRecord>): FileOwnership {
  const files = new Map<string, { path: string; owners: FileOwner[] }>();
  // The last feature in the roadmap changed the file last.
  for (const record of [...records].toSorted(compareLaterWaveFirst)) {
    for (const [key, { path, group }] of mapFeatureFiles(record)) {
      const own = { feature: record.feature_name, group };
      const known = files.get(key);
      if (known) known.owners.push(own);
      else files.set(key, { path, owners: [own] });
    }
  }
  return { files, named: Map.groupBy(files.keys(), getFileName) };
}

/**
 * Finds the owners of the files in a location. If several features own a file, takes the first that `isMeant` accepts.
 */
export function findLocationOwners(
  ownership: FileOwnership,
  location: string,
  isMeant: (name: FeatureName) => boolean = () => true,
): { readonly files: readonly string[]; readonly owners: readonly FileOwner[] } {
  const files = extractFilePaths(location, (path) => resolveOwnedFile(ownership, path));
  const owners = files.flatMap((file) => {
    const known = ownership.files.get(normalizePathKey(file));
    return known?.owners.find(({ feature }) => isMeant(feature)) ?? [];
  });
  return { files, owners };
}

export function routeFindings(
  ownership: FileOwnership,
  findings: readonly ReviewFinding[],
  isMeant?: (name: FeatureName) => boolean,
): FindingRoutes {
  const owned = new Map<FeatureName, { groups: Set<string> | null; findings: Set<ReviewFinding> }>();
  const unowned: { finding: ReviewFinding; files: readonly string[] }[] = [];
  const placeless: ReviewFinding[] = [];
  for (const finding of findings) {
    const { files, owners } = findLocationOwners(ownership, finding.location, isMeant);
    if (files.length === 0) placeless.push(finding);
    else if (owners.length === 0) unowned.push({ finding, files });
    for (const { feature, group } of owners) {
      const route = owned.get(feature) ?? { groups: new Set<string>(), findings: new Set<ReviewFinding>() };
      route.findings.add(finding);
      if (group === null) route.groups = null;
      else route.groups?.add(group);
      owned.set(feature, route);
    }
  }
  const told = [...owned].map(([feature, { groups, findings: its }]): [FeatureName, FindingRoute] => [
    feature,
    { groups: groups === null ? null : [...groups].toSorted(compareCodeUnits), findings: [...its] },
  ]);
  return { owned: new Map(told), unowned, placeless };
}

/**
 * Files claimed by several features of one wave. Finished and blocked features claim nothing. Features connected by a
 * dependency are already in order.
 */
export function findFileOverlaps(records: Iterable<FeatureRecord>, isFinished = isFeatureAccepted): FileOverlap[] {
  const claiming = [...records].filter((record) => record.phase !== "blocked" && !isFinished(record));
  const inner = createWaveOrder(claiming);
  const found: FileOverlap[] = [];
  for (const [wave, inWave] of Map.groupBy(claiming, ({ roadmap }) => roadmap?.wave ?? null)) {
    if (wave === null) continue;
    const claimants = new Map<string, { file: string; names: FeatureName[] }>();
    for (const record of inWave.toSorted((a, b) => inner.compare(a.feature_name, b.feature_name))) {
      for (const file of listClaimedFiles(record)) {
        const known = claimants.get(normalizePathKey(file));
        if (known) known.names.push(record.feature_name);
        else claimants.set(normalizePathKey(file), { file, names: [record.feature_name] });
      }
    }
    for (const { file, names } of claimants.values()) {
      const features = names.length > 1 ? inner.unordered(names) : [];
      if (features.length > 1) found.push({ wave, file, features });
    }
  }
  return found.toSorted((a, b) => a.wave - b.wave || compareCodeUnits(a.file, b.file));
}

/** Each feature waits for the one before it in every overlap, so a file has one writer at a time. */
export function serializeOverlaps(found: readonly FileOverlap[]): Map<FeatureName, FeatureName[]> {
  const waits = new Map<FeatureName, Set<FeatureName>>();
  for (const { features } of found) {
    for (const [i, name] of features.entries()) {
      const before = features[i - 1];
      if (before !== undefined) waits.set(name, (waits.get(name) ?? new Set()).add(before));
    }
  }
  return new Map([...waits].map(([name, before]) => [name, [...before].toSorted(compareCodeUnits)]));
}

export function partitionOverlaps(found: readonly FileOverlap[]): Map<FeatureName, string[]> {
  const without = new Map<FeatureName, string[]>();
  for (const { features, file } of found) {
    for (const name of features.slice(1)) without.set(name, [...(without.get(name) ?? []), file]);
  }
  return without;
}

function mapFeatureFiles({
  design,
  implementation,
}: FeatureRecord): Map<string, { path: string; group: string | null }> {
  const files = new Map<string, { path: string; group: string | null }>();
  const take = (path: string, group: string | null): void => void files.set(normalizePathKey(path), { path, group });
  for (const path of [...(design?.files ?? []), ...implementation.files_created]) take(path, null);
  for (const path of implementation.excluded) files.delete(normalizePathKey(path));
  for (const { id, files: its } of implementation.groups) for (const path of its) take(path, id);
  return files;
}

function compareLaterWaveFirst(a: FeatureRecord, b: FeatureRecord): number {
  return (b.roadmap?.wave ?? 0) - (a.roadmap?.wave ?? 0) || compareCodeUnits(a.feature_name, b.feature_name);
}

const getFileName = (file: string): string => file.slice(file.lastIndexOf("/") + 1);

/** Resolves a path, or an unambiguous end of one. */
function resolveOwnedFile({ files, named }: FileOwnership, path: string): string | undefined {
  const key = normalizePathKey(path);
  const alike = files.has(key) ? [key] : (named.get(getFileName(key)) ?? []).filter((file) => file.endsWith(`/${key}`));
  return alike.length === 1 ? files.get(alike[0] ?? "")?.path : undefined;
}

/** Dependencies inside one wave are rare. Without any, features sort by name. */
function createWaveOrder(records: readonly FeatureRecord[]): {
  readonly compare: (a: FeatureName, b: FeatureName) => number;
  readonly unordered: (names: readonly FeatureName[]) => readonly FeatureName[];
} {
  const waveOf = new Map(records.map((record) => [record.feature_name, record.roadmap?.wave]));
  const within: PlannedFeature[] = records.map(({ feature_name: name, roadmap }) => ({
    name,
    dependencies: roadmap?.dependencies.filter((on) => waveOf.get(on) === roadmap.wave) ?? [],
  }));
  if (within.every(({ dependencies }) => dependencies.length === 0)) {
    return { compare: compareCodeUnits, unordered: (names) => names };
  }
  const levels = computeDependencyLevels(within);
  const dependents = mapFeatureDependents(within);
  const reached = new Map<FeatureName, ReadonlySet<FeatureName>>();
  return {
    compare: (a, b) => (levels.get(a) ?? 0) - (levels.get(b) ?? 0) || compareCodeUnits(a, b),
    unordered: (names) =>
      names.filter((name) => names.some((other) => !isDependencyOrdered(dependents, reached, name, other))),
  };
}

function isDependencyOrdered(
  dependents: FeatureDependents,
  reached: Map<FeatureName, ReadonlySet<FeatureName>>,
  a: FeatureName,
  b: FeatureName,
): boolean {
  const downstream = (name: FeatureName): ReadonlySet<FeatureName> => {
    const known = reached.get(name) ?? new Set(collectDownstreamFeatures(dependents, [name]));
    reached.set(name, known);
    return known;
  };
  return a === b || downstream(a).has(b) || downstream(b).has(a);
}

/** Text after a path in a finding: a line, a range of lines, a symbol. */
const LOCATION_SUFFIX = /[#:].*$/;
/** `Spec 1.AC2`, `user-login.S1.AC2`, `2.1`: a criterion or a task, not a file. */
const CRITERION_REFERENCE = /^(?:[\w-]+\.)?S?\d+(?:\.(?:AC)?\d+)*$|\.AC\d+$/i;
/** A name without a folder counts as a file only with a known extension: `AuthService.login` is not a file. */
const KNOWN_FILE_NAME =
  /^[\w.@-]+\.(?:[cm]?[jt]sx?|json|ya?ml|toml|md|py|go|rs|rb|java|kts?|cs|c|h|cc|cpp|hpp|php|swift|vue|svelte|css|s[ac]ss|html?|sql|sh|proto|graphql|lock|txt|xml|ini|env|gradle)$/i;

/**
 * Extracts the files from the location of a finding: `src/a.ts:12`, `src/a.ts#login`, `` `src/a.ts`, `src/b.ts` ``.
 * `Spec 1.AC2` contains none. `known` maps a path to its canonical name; other words count if they look like paths.
 */
export function extractFilePaths(location: string, known: (path: string) => string | undefined): string[] {
  const whole = known(location) ?? known(cleanLocationPath(location));
  if (whole !== undefined) return [whole];
  const files = location.split(/[\s,;()<>[\]{}|]+/).flatMap((word) => {
    const path = cleanLocationPath(word);
    if (path === "" || CRITERION_REFERENCE.test(path)) return [];
    return known(path) ?? (isLikelyFilePath(path) ? path : []);
  });
  return [...new Set(files)];
}

function cleanLocationPath(word: string): string {
  const bare = word.trim().replace(/^[`'"*]+|[`'"*.]+$/g, "");
  return bare
    .replace(LOCATION_SUFFIX, "")
    .replace(/[`'"*]+$/, "")
    .replaceAll("\\", "/")
    .replace(/^(?:\.\/)+/, "");
}

/** `GET /users` is a route and `and/or` is prose. A path has a folder and an extension, or a known extension. */
function isLikelyFilePath(path: string): boolean {
  if (path.startsWith("/") || path.split("/").includes("..")) return false;
  return path.includes("/") ? /\/[^/]*\.[a-z][\w-]*$/i.test(path) : KNOWN_FILE_NAME.test(path);
}
