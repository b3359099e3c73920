import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import { compareTexts } from "#kernel/model/text-format.ts";
import type { PlannedFeature } from "./dependency-graph.ts";
import { collectDownstreamFeatures, computeDependencyLevels, mapFeatureDependents } from "./dependency-graph.ts";
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

type FileOwnership = ReturnType<typeof mapFileOwnership>;

/** A file that two or more features of a wave claim, without a dependency between them. */
interface FileOverlap {
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
export function mapFileOwnership(records: Iterable<FeatureRecord>) {
  const files = new Map<string, OwnedFile>();
  const inOrder = [...records].toSorted(
    (a, b) => (a.roadmap?.wave ?? 0) - (b.roadmap?.wave ?? 0) || compareTexts(b.feature_name, a.feature_name),
  );
  for (const { feature_name: feature, design, implementation } of inOrder) {
    const { files_created, excluded, groups } = implementation;
    const without = new PathSet(excluded);
    const planned = [...(design?.files ?? []), ...files_created].filter((path) => !without.has(path));
    for (const path of planned) files.set(normalizePathKey(path), { path, feature, group: null });
    for (const { id: group, files: its } of groups)
      for (const path of its) files.set(normalizePathKey(path), { path, feature, group });
  }
  // Normalized paths by file name resolve a location without folders.
  return { files, named: Map.groupBy(files.keys(), getFileName) };
}

const getFileName = (file: string): string => file.slice(file.lastIndexOf("/") + 1);

export function findLocationOwners({ files: owned, named }: FileOwnership, location: string) {
  const files = extractFilePaths(location, (path) => {
    // A path, or an unambiguous end of one.
    const key = normalizePathKey(path);
    const ends = (named.get(getFileName(key)) ?? []).filter((file) => file.endsWith(`/${key}`));
    const [found, ...others] = owned.has(key) ? [key] : ends;
    return others.length === 0 ? owned.get(found ?? "")?.path : undefined;
  });
  return { files, owners: files.flatMap((file) => owned.get(normalizePathKey(file)) ?? []) };
}

/** The owning groups of each feature's findings. Null if no group owns a file: then all groups check it. */
export function routeFindings(records: Iterable<FeatureRecord>, findings: readonly Pick<ReviewFinding, "location">[]) {
  const ownership = mapFileOwnership(records);
  const owned = findings.flatMap(({ location }) => findLocationOwners(ownership, location).owners);
  const routes = [...Map.groupBy(owned, ({ feature }) => feature)].map(([feature, its]) => {
    const groups = its.flatMap(({ group }) => group ?? []);
    return [feature, groups.length < its.length ? null : [...new Set(groups)].toSorted()] as const;
  });
  return new Map(routes);
}

/** Files that unfinished features of one wave claim. Features connected by a dependency are already in order. */
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
  return found.toSorted((a, b) => a.wave - b.wave || compareTexts(a.file, b.file));
}

/** Each feature waits for the one before it in every overlap, so a file has one writer at a time. */
export function serializeOverlaps(found: readonly FileOverlap[]): Map<FeatureName, FeatureName[]> {
  const waits = new Map<FeatureName, Set<FeatureName>>();
  for (const { features } of found)
    for (const [i, before] of features.slice(0, -1).entries()) {
      const name = features[i + 1];
      if (name !== undefined) waits.set(name, (waits.get(name) ?? new Set()).add(before));
    }
  return new Map([...waits].map(([name, before]) => [name, [...before].toSorted()]));
}

export function partitionOverlaps(found: readonly FileOverlap[]): Map<FeatureName, string[]> {
  const without = new Map<FeatureName, string[]>();
  for (const { features, file } of found)
    for (const name of features.slice(1)) without.set(name, [...(without.get(name) ?? []), file]);
  return without;
}

/** By dependencies inside one wave, which are rare, then by name. */
function createWaveOrder(records: readonly FeatureRecord[]) {
  const waveOf = new Map(records.map((record) => [record.feature_name, record.roadmap?.wave]));
  const within: PlannedFeature[] = records.map(({ feature_name: name, roadmap }) => ({
    name,
    dependencies: roadmap?.dependencies.filter((on) => waveOf.get(on) === roadmap.wave) ?? [],
  }));
  const levels = computeDependencyLevels(within);
  const dependents = mapFeatureDependents(within);
  const downstream = new Map(
    within.map(({ name }) => [name, new Set(collectDownstreamFeatures(dependents, [name]))] as const),
  );
  const isOrdered = (a: FeatureName, b: FeatureName): boolean =>
    a === b || downstream.get(a)?.has(b) === true || downstream.get(b)?.has(a) === true;
  return {
    compare: (a: FeatureName, b: FeatureName): number =>
      (levels.get(a) ?? 0) - (levels.get(b) ?? 0) || compareTexts(a, b),
    unordered: (names: readonly FeatureName[]): readonly FeatureName[] =>
      names.filter((name) => names.some((other) => !isOrdered(name, other))),
  };
}

/** `Spec 1.AC2`, `user-login.S1.AC2`, `2.1`: a criterion or a task, not a file. */
const CRITERION_REFERENCE = /^(?:[\w-]+\.)?S?\d+(?:\.(?:AC)?\d+)*$|\.AC\d+$/i;
/** A name without a folder counts as a file only with a known extension: `AuthService.login` is not a file. */
const KNOWN_FILE_NAME =
  /^[\w.@-]+\.(?:[cm]?[jt]sx?|json|ya?ml|toml|md|py|go|rs|rb|java|kts?|cs|c|h|cc|cpp|hpp|php|swift|vue|svelte|css|s[ac]ss|html?|sql|sh|proto|graphql|lock|txt|xml|ini|env|gradle)$/i;

/** Of a location such as `src/a.ts:12`, but not of `Spec 1.AC2`. `known` maps a path to its canonical name. */
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
  // A line, a range of lines or a symbol may follow a path.
  const path = bare.replace(/[#:].*$/, "").replace(/[`'"*]+$/, "");
  return path.replaceAll("\\", "/").replace(/^(?:\.\/)+/, "");
}

/** `GET /users` is a route and `and/or` is prose. A path has a folder and an extension, or a known extension. */
function isLikelyFilePath(path: string): boolean {
  if (path.startsWith("/") || path.split("/").includes("..")) return false;
  return path.includes("/") ? /\/[^/]*\.[a-z][\w-]*$/i.test(path) : KNOWN_FILE_NAME.test(path);
}
