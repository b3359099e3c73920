import { Fault } from "#kernel/model/fault.ts";
import { type FeatureName, isFeatureName } from "#kernel/model/ids/feature-name.ts";
import {
  type FeatureRecord,
  type WaveRecord,
  findFeatureRecordProblem,
  findWaveRecordProblem,
} from "../../model/feature/feature-record.ts";
import {
  FEATURE_FOLDER,
  getFeatureFolder,
  getFeatureRecordPath,
  joinFolderPath,
  type WorkspacePath,
  getWaveRecordPath,
  WAVES_FOLDER,
} from "#kernel/model/workspace-paths.ts";
import type { StoredRecordShape, RevisedRecord, StoreTree } from "#store/operations/ports/store.ts";

// The store caches opened records by this function, so it must be the same one for all of them.
const asFeatureRecord = (value: unknown): FeatureRecord => value as FeatureRecord;
const asWaveRecord = (value: unknown): WaveRecord => value as WaveRecord;

export const createFeatureShape = (name: FeatureName): StoredRecordShape<FeatureRecord> => ({
  schema: 1,
  problem: (value) => findFeatureRecordProblem(value, name),
  trust: asFeatureRecord,
});

export const createWaveShape = (wave: number): StoredRecordShape<WaveRecord> => ({
  schema: 1,
  problem: (value) => findWaveRecordProblem(value, wave),
  trust: asWaveRecord,
});

export interface LoadedRecords<K, T> {
  readonly found: ReadonlyMap<K, T>;
  readonly damaged: readonly DamagedRecord[];
}

interface DamagedRecord {
  readonly path: WorkspacePath;
  readonly why: string;
}

/** Damaged records are listed separately, never dropped. */
export function loadFeatureRecords(tree: StoreTree): LoadedRecords<FeatureName, FeatureRecord> {
  const names = listVisibleNames(tree, FEATURE_FOLDER);
  const strays = names.filter((name) => !isFeatureName(name));
  const { found, damaged } = openStoredRecords(
    tree,
    names.filter(isFeatureName),
    getFeatureRecordPath,
    createFeatureShape,
  );
  const bare = names.filter(isFeatureName).filter((name) => isRecordMissing(tree, name));
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

const isRecordMissing = (tree: StoreTree, name: FeatureName): boolean => {
  const inside = tree.names(getFeatureFolder(name));
  return inside.length > 0 && !inside.includes("spec.yaml");
};

export function loadWaveRecords(tree: StoreTree): LoadedRecords<number, WaveRecord> {
  const names = listVisibleNames(tree, WAVES_FOLDER);
  const strays = names.filter((name) => parseWaveFileName(name) === undefined);
  const waves = names.flatMap((name) => parseWaveFileName(name) ?? []).toSorted((a, b) => a - b);
  const { found, damaged } = openStoredRecords(tree, waves, getWaveRecordPath, createWaveShape);
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

export function parseWaveFileName(file: string): number | undefined {
  const wave = /^([1-9]\d{0,3})\.yaml$/.exec(file)?.[1];
  return wave === undefined ? undefined : Number(wave);
}

const listVisibleNames = (tree: StoreTree, folder: WorkspacePath): string[] =>
  tree.names(folder).filter((name) => !name.startsWith("."));

function openStoredRecords<K, T extends RevisedRecord>(
  tree: StoreTree,
  keys: readonly K[],
  pathOf: (key: K) => WorkspacePath,
  shapeOf: (key: K) => StoredRecordShape<T>,
): LoadedRecords<K, T> {
  const found = new Map<K, T>();
  const damaged: DamagedRecord[] = [];
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
