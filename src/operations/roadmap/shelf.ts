import { isFeatureName, type FeatureName } from "#domain/feature/name.ts";
import type { FeatureRecord } from "#domain/feature/record.ts";
import { noLead } from "#domain/roadmap/lead/lead.ts";
import type { Lead, WaveRecord } from "#domain/roadmap/lead/state.ts";
import { FEATURE_FOLDER, getFeatureRecordPath, getWaveRecordPath, WAVES_FOLDER } from "#domain/workspace/path.ts";
import type { Engine } from "../engine.ts";
import { featureShape, waveOf, waveShape } from "../feature/census.ts";
import type { StoreTree } from "../ports/store.ts";
import { keptOf, OPEN_REVIEWS, OUT, RUN } from "./spaces.ts";

/**
 * Loads the records of this checkout and its ledger state. Throws on a damaged record, because decisions without it
 * could be wrong.
 */
export function leadIn(tree: StoreTree, { checkout }: Pick<Engine, "checkout">): Lead {
  return {
    features: featuresIn(tree),
    waves: wavesIn(tree),
    run: tree.kept(RUN).get(checkout) ?? noLead().run,
    reviews: keptOf(tree, OPEN_REVIEWS, checkout),
    out: keptOf(tree, OUT, checkout),
  };
}

export const readLead = (engine: Pick<Engine, "store" | "checkout">): Promise<Lead> =>
  engine.store.read((tree) => leadIn(tree, engine));

/** Skips folders without a record. */
function featuresIn(tree: StoreTree): Map<FeatureName, FeatureRecord> {
  const names = tree.names(FEATURE_FOLDER).filter(isFeatureName);
  const records = names.map((name) => tree.record(getFeatureRecordPath(name), featureShape(name)));
  return new Map(records.flatMap((record) => (record ? [[record.feature_name, record] as const] : [])));
}

function wavesIn(tree: StoreTree): Map<number, WaveRecord> {
  const waves = tree.names(WAVES_FOLDER).flatMap((name) => waveOf(name) ?? []);
  const records = waves.toSorted((a, b) => a - b).map((wave) => tree.record(getWaveRecordPath(wave), waveShape(wave)));
  return new Map(records.flatMap((record) => (record ? [[record.wave, record] as const] : [])));
}
