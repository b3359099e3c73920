import { formatCount } from "../count.ts";
import type { FeatureName } from "../feature/name.ts";
import type { FeatureRecord } from "../feature/record.ts";
import { byText, foundationsOf, levelsOf, type Planned, plannedIn } from "./graph.ts";
import { type Overlap, overlaps } from "./ownership.ts";

export interface WaveParallelism {
  readonly wave: number;
  readonly isFoundation: boolean;
  readonly features: readonly FeatureName[];
  readonly waits: readonly { readonly feature: FeatureName; readonly for: FeatureName; readonly file: string }[];
}

const MOST_NAMED = 12;

export function parallelismOf(records: Iterable<FeatureRecord>): WaveParallelism[] {
  const all = [...records];
  const foundations = foundationsOf(plannedIn(all));
  const planned = all.filter(({ roadmap }) => roadmap !== null);
  const shared = Map.groupBy(
    overlaps(planned, () => false),
    ({ wave }) => wave,
  );
  return [...Map.groupBy(planned, ({ roadmap }) => roadmap?.wave ?? 0)]
    .toSorted(([a], [b]) => a - b)
    .map(([wave, inWave]) => {
      const features = inWave.map((record) => record.feature_name).toSorted(byText);
      const isFoundation = features.some((name) => foundations.has(name));
      return { wave, isFoundation, features, waits: (shared.get(wave) ?? []).flatMap(waitsAt) };
    });
}

export function criticalPath(features: readonly Planned[]): FeatureName[] {
  const levels = levelsOf(features);
  const byName = new Map(features.map((feature) => [feature.name, feature]));
  const at = (names: Iterable<FeatureName>, level: number): FeatureName | undefined =>
    [...names].filter((name) => levels.get(name) === level).toSorted(byText)[0];
  const path: FeatureName[] = [];
  let level = Math.max(0, ...new Set(levels.values()));
  for (let name = at(levels.keys(), level); name !== undefined; name = at(dependenciesOf(byName, name), --level)) {
    path.unshift(name);
  }
  return path;
}

export function parallelismReport(records: Iterable<FeatureRecord>): string[] {
  const all = [...records];
  return parallelismLines(parallelismOf(all), all);
}

export function parallelismLines(waves: readonly WaveParallelism[], records: Iterable<FeatureRecord>): string[] {
  if (waves.length === 0) return [];
  const path = criticalPath(plannedIn(records));
  return [
    ...waves.map(waveLine),
    `Critical path: ${formatCount(waves.length, "wave")} (${shortened(path).join(" → ")})`,
  ];
}

function waveLine({ wave, isFoundation, features, waits }: WaveParallelism): string {
  const head = `Wave ${wave}${isFoundation ? " (foundation)" : ""}`;
  const body = `${formatCount(features.length, "feature")} [${shortened(features).join(", ")}]`;
  const told = waits.map(({ feature, for: other, file }) => `${feature} waits for ${other} (${file})`);
  return `${head}: ${body}: ${waits.length > 0 ? shortened(told).join(", ") : "all parallel"}`;
}

function shortened(names: readonly string[]): readonly string[] {
  const rest = names.length - MOST_NAMED;
  return rest > 0 ? [...names.slice(0, MOST_NAMED), `${rest} more`] : names;
}

function waitsAt({ file, features }: Overlap): WaveParallelism["waits"] {
  return features.flatMap((feature, i) => {
    const before = features[i - 1];
    return before === undefined ? [] : [{ feature, for: before, file }];
  });
}

const dependenciesOf = (byName: ReadonlyMap<FeatureName, Planned>, name: FeatureName): readonly FeatureName[] =>
  byName.get(name)?.dependencies ?? [];
