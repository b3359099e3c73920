import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import {
  collectDownstreamFeatures,
  compareCodeUnits,
  computeDependencyLevels,
  mapFeatureDependents,
  type PlannedFeature,
} from "./dependency-graph.ts";
import { normalizePathKey, PathSet } from "./feature/claimed-path.ts";
import type { FeatureRecord } from "./feature/feature-record.ts";
import { isFeatureAccepted } from "./feature-progress.ts";
import type { ReviewFinding } from "./review/review-finding.ts";

/** The group is null if only the design names the file, or if an earlier plan created it. */
interface OwnedFile {
  readonly path: string;
  readonly feature: FeatureName;
  readonly group: string | null;
}

/** Keys are normalized paths. */
interface FileOwnership {
  readonly files: ReadonlyMap<string, OwnedFile>;
  /** Normalized paths by file name, to resolve a location without folders. */
  readonly named: ReadonlyMap<string, readonly string[]>;
}

/** A file that two or more features of a wave claim, without a dependency between them. */
export interface FileOverlap {
  readonly wave: number;
  readonly file: string;
  readonly features: readonly FeatureName[];
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

/** If several features name a file, the last one in the roadmap owns it, because that one changed it last. */
export function mapFileOwnership(records: Iterable<FeatureRecord>): FileOwnership {
  const files = new Map<string, OwnedFile>();
  for (const record of [...records].toSorted(compareEarlierWaveFirst))
    for (const [key, owned] of mapFeatureFiles(record)) files.set(key, owned);
  return { files, named: Map.groupBy(files.keys(), getFileName) };
}

const compareEarlierWaveFirst = (a: FeatureRecord, b: FeatureRecord): number =>
  (a.roadmap?.wave ?? 0) - (b.roadmap?.wave ?? 0) || compareCodeUnits(b.feature_name, a.feature_name);

function mapFeatureFiles({ feature_name: feature, design, implementation }: FeatureRecord): Map<string, OwnedFile> {
  const files = new Map<string, OwnedFile>();
  const take = (path: string, group: string | null): void =>
    void files.set(normalizePathKey(path), { path, feature, group });
  for (const path of [...(design?.files ?? []), ...implementation.files_created]) take(path, null);
  for (const path of implementation.excluded) files.delete(normalizePathKey(path));
  for (const { id, files: its } of implementation.groups) for (const path of its) take(path, id);
  return files;
}

const getFileName = (file: string): string => file.slice(file.lastIndexOf("/") + 1);

export function findLocationOwners(
  ownership: FileOwnership,
  location: string,
): { readonly files: readonly string[]; readonly owners: readonly OwnedFile[] } {
  const files = extractFilePaths(location, (path) => resolveOwnedFile(ownership, path));
  return { files, owners: files.flatMap((file) => ownership.files.get(normalizePathKey(file)) ?? []) };
}

/** Resolves a path, or an unambiguous end of one. */
function resolveOwnedFile({ files, named }: FileOwnership, path: string): string | undefined {
  const key = normalizePathKey(path);
  const alike = files.has(key) ? [key] : (named.get(getFileName(key)) ?? []).filter((file) => file.endsWith(`/${key}`));
  return alike.length === 1 ? files.get(alike[0] ?? "")?.path : undefined;
}

/**
 * The groups that own the files of the findings, by feature. Null if a finding is in a file that no group owns: then
 * all groups must check it.
 */
export function routeFindings(
  records: Iterable<FeatureRecord>,
  findings: readonly ReviewFinding[],
): Map<FeatureName, string[] | null> {
  const ownership = mapFileOwnership(records);
  const owned = findings.flatMap(({ location }) => findLocationOwners(ownership, location).owners);
  const routes = [...Map.groupBy(owned, ({ feature }) => feature)].map(([feature, its]) => {
    const groups = its.flatMap(({ group }) => group ?? []);
    return [feature, groups.length < its.length ? null : [...new Set(groups)].toSorted()] as const;
  });
  return new Map(routes);
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
  return new Map([...waits].map(([name, before]) => [name, [...before].toSorted()]));
}

export function partitionOverlaps(found: readonly FileOverlap[]): Map<FeatureName, string[]> {
  const without = new Map<FeatureName, string[]>();
  for (const { features, file } of found) {
    for (const name of features.slice(1)) without.set(name, [...(without.get(name) ?? []), file]);
  }
  return without;
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
  const downstream = new Map(
    within.map(({ name }) => [name, new Set(collectDownstreamFeatures(dependents, [name]))] as const),
  );
  const isOrdered = (a: FeatureName, b: FeatureName): boolean =>
    a === b || downstream.get(a)?.has(b) === true || downstream.get(b)?.has(a) === true;
  return {
    compare: (a, b) => (levels.get(a) ?? 0) - (levels.get(b) ?? 0) || compareCodeUnits(a, b),
    unordered: (names) => names.filter((name) => names.some((other) => !isOrdered(name, other))),
  };
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
