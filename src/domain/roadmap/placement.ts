import type { FeatureName } from "../feature/name.ts";
import { sortFeaturesByWave, type PlannedFeature, assignFeatureWaves } from "./graph.ts";
import type { Lead } from "./lead/state.ts";

/**
 * Assigns waves in an existing roadmap. A placed feature keeps its wave if that is later than all its dependencies. A
 * new feature goes into the last open wave, a foundation into the first. If all waves are finished, it gets a new wave.
 */
export function assignExistingWaves(lead: Lead, features: readonly PlannedFeature[]): Map<FeatureName, number> {
  const had = new Map<FeatureName, number>();
  for (const { feature_name: name, roadmap } of lead.features.values()) if (roadmap) had.set(name, roadmap.wave);
  if (had.size === 0) return assignFeatureWaves(features);
  const open = findOpenWaves(lead, had.values());
  const byName = new Map(features.map((feature) => [feature.name, feature]));
  const waves = new Map<FeatureName, number>();
  for (const name of sortFeaturesByWave(features)) {
    const { dependencies = [], foundation = false } = byName.get(name) ?? {};
    const earliest = Math.max(0, ...dependencies.map((on) => waves.get(on) ?? 0)) + 1;
    const own = had.get(name);
    const isBackfilled = dependencies.length === 0 && !foundation;
    const place = own ?? (isBackfilled ? open.last : open.first);
    waves.set(name, Math.max(place, earliest));
  }
  return waves;
}

function findOpenWaves({ waves }: Lead, planned: Iterable<number>): { readonly first: number; readonly last: number } {
  const all = new Set(planned);
  const open = [...all].filter((wave) => waves.get(wave)?.step !== "done");
  const next = Math.max(0, ...all) + 1;
  return open.length > 0 ? { first: Math.min(...open), last: Math.max(...open) } : { first: next, last: next };
}
