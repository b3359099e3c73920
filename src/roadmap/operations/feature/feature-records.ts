import { catchFault } from "#kernel/model/fault.ts";
import { type FeatureName, isFeatureName } from "#kernel/model/ids/feature-name.ts";
import type { FeatureRecord, WaveRecord } from "../../model/feature/feature-record.ts";
import { findFeatureRecordProblem, findWaveRecordProblem } from "../../model/feature/feature-record.ts";
import * as paths from "#kernel/model/workspace-paths.ts";
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

interface LoadedRecords<K, T> {
  readonly found: ReadonlyMap<K, T>;
  readonly damaged: readonly DamagedRecord[];
}

interface DamagedRecord {
  readonly path: paths.WorkspacePath;
  readonly why: string;
}

export function loadFeatureRecords(tree: StoreTree): LoadedRecords<FeatureName, FeatureRecord> {
  const all = listVisibleNames(tree, paths.FEATURE_FOLDER);
  const names = all.filter(isFeatureName);
  const bare = names.filter((name) => {
    const inside = tree.names(paths.getFeatureFolder(name));
    return inside.length > 0 && !inside.includes("spec.yaml");
  });
  const strays = all
    .filter((name) => !isFeatureName(name))
    .map((name) => paths.joinFolderPath(paths.FEATURE_FOLDER, name));
  const known = [
    ...strays.map((path) => ({ path, why: "Its name is not that of a feature." })),
    ...bare.map((name) => ({ path: paths.getFeatureRecordPath(name), why: "It is missing." })),
  ];
  return openStoredRecords(tree, names, paths.getFeatureRecordPath, createFeatureShape, known);
}

export function loadWaveRecords(tree: StoreTree): LoadedRecords<number, WaveRecord> {
  const names = listVisibleNames(tree, paths.WAVES_FOLDER);
  const strays = names.filter((name) => parseWaveFileName(name) === undefined);
  const waves = names.flatMap((name) => parseWaveFileName(name) ?? []).toSorted((a, b) => a - b);
  const known = strays.map((name) => {
    return { path: paths.joinFolderPath(paths.WAVES_FOLDER, name), why: "Its name is not that of a wave: 2.yaml." };
  });
  return openStoredRecords(tree, waves, paths.getWaveRecordPath, createWaveShape, known);
}

export function parseWaveFileName(file: string): number | undefined {
  const wave = /^([1-9]\d{0,3})\.yaml$/.exec(file)?.[1];
  return wave === undefined ? undefined : Number(wave);
}

const listVisibleNames = (tree: StoreTree, folder: paths.WorkspacePath): string[] =>
  tree.names(folder).filter((name) => !name.startsWith("."));

function openStoredRecords<K, T extends RevisedRecord>(
  tree: StoreTree,
  keys: readonly K[],
  pathOf: (key: K) => paths.WorkspacePath,
  shapeOf: (key: K) => StoredRecordShape<T>,
  known: readonly DamagedRecord[],
): LoadedRecords<K, T> {
  const found = new Map<K, T>();
  const damaged = [...known];
  for (const key of keys) {
    const path = pathOf(key);
    const record = catchFault(
      () => tree.record(path, shapeOf(key)),
      ({ why }) => void damaged.push({ path, why }),
    );
    if (record) found.set(key, record);
  }
  return { found, damaged };
}
