import { isFeatureName, type FeatureName } from "#domain/feature/name.ts";
import type { FeatureRecord } from "#domain/feature/record.ts";
import { createEmptyLead } from "#domain/roadmap/lead/lead.ts";
import type { Lead, WaveRecord } from "#domain/roadmap/lead/state.ts";
import { FEATURE_FOLDER, getFeatureRecordPath, getWaveRecordPath, WAVES_FOLDER } from "#domain/workspace/path.ts";
import type { Engine } from "../engine.ts";
import { createFeatureShape, parseWaveFileName, createWaveShape } from "../feature/census.ts";
import type { StoreTree } from "../ports/store.ts";
import { loadCheckoutEntries, OPEN_REVIEW_SPACE, ASSIGNMENT_SPACE, RUN_SPACE } from "./spaces.ts";

/**
 * Loads the records of this checkout and its ledger state. Throws on a damaged record, because decisions without it
 * could be wrong.
 */
export function loadLead(tree: StoreTree, { checkout }: Pick<Engine, "checkout">): Lead {
  return {
    features: loadFeatureMap(tree),
    waves: loadWaveMap(tree),
    run: tree.kept(RUN_SPACE).get(checkout) ?? createEmptyLead().run,
    reviews: loadCheckoutEntries(tree, OPEN_REVIEW_SPACE, checkout),
    out: loadCheckoutEntries(tree, ASSIGNMENT_SPACE, checkout),
  };
}

export const readLead = (engine: Pick<Engine, "store" | "checkout">): Promise<Lead> =>
  engine.store.read((tree) => loadLead(tree, engine));

/** Skips folders without a record. */
function loadFeatureMap(tree: StoreTree): Map<FeatureName, FeatureRecord> {
  const names = tree.names(FEATURE_FOLDER).filter(isFeatureName);
  const records = names.map((name) => tree.record(getFeatureRecordPath(name), createFeatureShape(name)));
  return new Map(records.flatMap((record) => (record ? [[record.feature_name, record] as const] : [])));
}

function loadWaveMap(tree: StoreTree): Map<number, WaveRecord> {
  const waves = tree.names(WAVES_FOLDER).flatMap((name) => parseWaveFileName(name) ?? []);
  const records = waves
    .toSorted((a, b) => a - b)
    .map((wave) => tree.record(getWaveRecordPath(wave), createWaveShape(wave)));
  return new Map(records.flatMap((record) => (record ? [[record.wave, record] as const] : [])));
}
