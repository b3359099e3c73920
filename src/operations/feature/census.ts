import { Fault } from "#domain/fault.ts";
import { type FeatureName, isFeatureName } from "#domain/feature/name.ts";
import type { FeatureRecord } from "#domain/feature/record.ts";
import { asFeatureRecord, asWaveRecord, featureRecordProblem, waveRecordProblem } from "#domain/feature/shape.ts";
import type { WaveRecord } from "#domain/roadmap/lead/state.ts";
import {
  FEATURE_FOLDER,
  getFeatureFolder,
  getFeatureRecordPath,
  joinFolderPath,
  type WorkspacePath,
  getWaveRecordPath,
  WAVES_FOLDER,
} from "#domain/workspace/path.ts";
import type { StoredRecordShape, RevisedRecord, StoreTree } from "../ports/store.ts";

export const featureShape = (name: FeatureName): StoredRecordShape<FeatureRecord> => ({
  schema: 1,
  problem: (value) => featureRecordProblem(value, name),
  trust: asFeatureRecord,
});

export const waveShape = (wave: number): StoredRecordShape<WaveRecord> => ({
  schema: 1,
  problem: (value) => waveRecordProblem(value, wave),
  trust: asWaveRecord,
});

export interface Records<K, T> {
  readonly found: ReadonlyMap<K, T>;
  readonly damaged: readonly Damaged[];
}

interface Damaged {
  readonly path: WorkspacePath;
  readonly why: string;
}

/** Damaged records are listed separately, never dropped. */
export function everyFeature(tree: StoreTree): Records<FeatureName, FeatureRecord> {
  const names = seen(tree, FEATURE_FOLDER);
  const strays = names.filter((name) => !isFeatureName(name));
  const { found, damaged } = opened(tree, names.filter(isFeatureName), getFeatureRecordPath, featureShape);
  const bare = names.filter(isFeatureName).filter((name) => isBare(tree, name));
  return {
    found,
    damaged: [
      ...strays.map((name) => ({
        path: joinFolderPath(FEATURE_FOLDER, name),
        why: "Its name is not that of a feature.",
      })),
      ...bare.map((name) => ({ path: getFeatureRecordPath(name), why: "It is missing." })),
      ...damaged,
    ],
  };
}

const isBare = (tree: StoreTree, name: FeatureName): boolean => {
  const inside = tree.names(getFeatureFolder(name));
  return inside.length > 0 && !inside.includes("spec.yaml");
};

export function everyWave(tree: StoreTree): Records<number, WaveRecord> {
  const names = seen(tree, WAVES_FOLDER);
  const strays = names.filter((name) => waveOf(name) === undefined);
  const waves = names.flatMap((name) => waveOf(name) ?? []).toSorted((a, b) => a - b);
  const { found, damaged } = opened(tree, waves, getWaveRecordPath, waveShape);
  return {
    found,
    damaged: [
      ...strays.map((name) => ({
        path: joinFolderPath(WAVES_FOLDER, name),
        why: "Its name is not that of a wave: 2.yaml.",
      })),
      ...damaged,
    ],
  };
}

export function waveOf(file: string): number | undefined {
  const wave = /^([1-9]\d{0,3})\.yaml$/.exec(file)?.[1];
  return wave === undefined ? undefined : Number(wave);
}

const seen = (tree: StoreTree, folder: WorkspacePath): string[] =>
  tree.names(folder).filter((name) => !name.startsWith("."));

function opened<K, T extends RevisedRecord>(
  tree: StoreTree,
  keys: readonly K[],
  pathOf: (key: K) => WorkspacePath,
  shapeOf: (key: K) => StoredRecordShape<T>,
): Records<K, T> {
  const found = new Map<K, T>();
  const damaged: Damaged[] = [];
  for (const key of keys) {
    try {
      const record = tree.record(pathOf(key), shapeOf(key));
      if (record) found.set(key, record);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      damaged.push({ path: pathOf(key), why: error.why });
    }
  }
  return { found, damaged };
}
