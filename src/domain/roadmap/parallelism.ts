import { formatCount } from "../count.ts";
import type { FeatureName } from "../feature/name.ts";
import type { FeatureRecord } from "../feature/record.ts";
import {
  compareCodeUnits,
  findFoundationFeatures,
  computeDependencyLevels,
  type PlannedFeature,
  listPlannedFeatures,
} from "./graph.ts";
import { type FileOverlap, findFileOverlaps } from "./ownership.ts";

export interface WaveParallelism {
  readonly wave: number;
  readonly isFoundation: boolean;
  readonly features: readonly FeatureName[];
  readonly waits: readonly { readonly feature: FeatureName; readonly for: FeatureName; readonly file: string }[];
}

const MAX_LISTED_NAMES = 12;

export function analyzeWaveParallelism(records: Iterable<FeatureRecord>): WaveParallelism[] {
  const all = [...records];
  const foundations = findFoundationFeatures(listPlannedFeatures(all));
  const planned = all.filter(({ roadmap }) => roadmap !== null);
  const shared = Map.groupBy(
    findFileOverlaps(planned, () => false),
    ({ wave }) => wave,
  );
  return [...Map.groupBy(planned, ({ roadmap }) => roadmap?.wave ?? 0)]
    .toSorted(([a], [b]) => a - b)
    .map(([wave, inWave]) => {
      const features = inWave.map((record) => record.feature_name).toSorted(compareCodeUnits);
      const isFoundation = features.some((name) => foundations.has(name));
      return { wave, isFoundation, features, waits: (shared.get(wave) ?? []).flatMap(listOverlapWaits) };
    });
}

export function findCriticalPath(features: readonly PlannedFeature[]): FeatureName[] {
  const levels = computeDependencyLevels(features);
  const byName = new Map(features.map((feature) => [feature.name, feature]));
  const at = (names: Iterable<FeatureName>, level: number): FeatureName | undefined =>
    [...names].filter((name) => levels.get(name) === level).toSorted(compareCodeUnits)[0];
  const path: FeatureName[] = [];
  let level = Math.max(0, ...new Set(levels.values()));
  for (
    let name = at(levels.keys(), level);
    name !== undefined;
    name = at(getPlannedDependencies(byName, name), --level)
  ) {
    path.unshift(name);
  }
  return path;
}

export function formatParallelismReport(records: Iterable<FeatureRecord>): string[] {
  const all = [...records];
  return formatParallelismLines(analyzeWaveParallelism(all), all);
}

export function formatParallelismLines(waves: readonly WaveParallelism[], records: Iterable<FeatureRecord>): string[] {
  if (waves.length === 0) return [];
  const path = findCriticalPath(listPlannedFeatures(records));
  return [
    ...waves.map(formatWaveLine),
    `Critical path: ${formatCount(waves.length, "wave")} (${truncateNameList(path).join(" → ")})`,
  ];
}

function formatWaveLine({ wave, isFoundation, features, waits }: WaveParallelism): string {
  const head = `Wave ${wave}${isFoundation ? " (foundation)" : ""}`;
  const body = `${formatCount(features.length, "feature")} [${truncateNameList(features).join(", ")}]`;
  const told = waits.map(({ feature, for: other, file }) => `${feature} waits for ${other} (${file})`);
  return `${head}: ${body}: ${waits.length > 0 ? truncateNameList(told).join(", ") : "all parallel"}`;
}

function truncateNameList(names: readonly string[]): readonly string[] {
  const rest = names.length - MAX_LISTED_NAMES;
  return rest > 0 ? [...names.slice(0, MAX_LISTED_NAMES), `${rest} more`] : names;
}

function listOverlapWaits({ file, features }: FileOverlap): WaveParallelism["waits"] {
  return features.flatMap((feature, i) => {
    const before = features[i - 1];
    return before === undefined ? [] : [{ feature, for: before, file }];
  });
}

const getPlannedDependencies = (
  byName: ReadonlyMap<FeatureName, PlannedFeature>,
  name: FeatureName,
): readonly FeatureName[] => byName.get(name)?.dependencies ?? [];
