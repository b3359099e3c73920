import { PathSet, normalizePathKey } from "../../../feature/file-path.ts";
import type { FeatureRecord } from "../../../feature/record.ts";
import { listClaimedFiles, findFileOverlaps, partitionOverlaps, serializeOverlaps } from "../../ownership.ts";
import type { Lead } from "../state.ts";
import { getFeatureGoal, NO_WAVE, type LeadView, getFeatureWave } from "../view.ts";
import { isReadyForGate } from "./done.ts";

export interface FileClaims {
  /** The features each feature waits for, so that a file has one writer at a time. */
  readonly waits: ReadonlyMap<string, readonly string[]>;
  readonly without: ReadonlyMap<string, readonly string[]>;
  /** True if no file is claimed twice, not even by two groups of one feature. */
  readonly isApart: boolean;
}

interface ClaimsCacheEntry {
  readonly run: Lead["run"];
  readonly waves: Lead["waves"];
  readonly byWave: Map<number, FileClaims>;
}

const NO_SHARED_CLAIMS: FileClaims = { waits: new Map(), without: new Map(), isApart: true };
/** A feature without a wave waits for no other. Its own groups may still share files. */
const UNPLACED_CLAIMS: FileClaims = { ...NO_SHARED_CLAIMS, isApart: false };
/** Cached because assignments do not change claims, and many actions are assigned in one call. */
const claimsCache = new WeakMap<Lead["features"], ClaimsCacheEntry>();

export function getFileClaims(view: LeadView, record: FeatureRecord): FileClaims {
  const wave = getFeatureWave(record);
  if (wave === NO_WAVE) return UNPLACED_CLAIMS;
  const { byWave } = getClaimsCacheEntry(view.lead);
  const found = byWave.get(wave) ?? computeFileClaims(view, view.byWave.get(wave) ?? []);
  byWave.set(wave, found);
  return found;
}

function getClaimsCacheEntry({ features, run, waves }: Lead): ClaimsCacheEntry {
  const before = claimsCache.get(features);
  if (before?.run === run && before.waves === waves) return before;
  const next = { run, waves, byWave: new Map<number, FileClaims>() };
  claimsCache.set(features, next);
  return next;
}

function computeFileClaims(view: LeadView, records: readonly FeatureRecord[]): FileClaims {
  const claiming = records.filter((record) => record.phase !== "blocked" && isClaimingFiles(view, record));
  if (hasDistinctFiles(claiming)) return NO_SHARED_CLAIMS;
  const found = findFileOverlaps(breakDependencyCycles(listSharingFeatures(claiming)), () => false);
  return { waits: serializeOverlaps(found), without: partitionOverlaps(found), isApart: false };
}

function isClaimingFiles(view: LeadView, record: FeatureRecord): boolean {
  const aim = getFeatureGoal(view.lead, record);
  return (aim === "implementation" || aim === "done") && !isReadyForGate(view, record);
}

/** Fast path: usually no file is shared. */
function hasDistinctFiles(records: readonly FeatureRecord[]): boolean {
  const files = new PathSet();
  let named = 0;
  for (const { design, implementation } of records) {
    for (const group of implementation.groups) {
      for (const file of group.files) files.add(file);
      named += group.files.length;
    }
    if (implementation.groups.length > 0 || !design) continue;
    for (const file of design.files) files.add(file);
    named += design.files.length;
  }
  return files.size === named;
}

function listSharingFeatures(records: readonly FeatureRecord[]): FeatureRecord[] {
  const holders = new Map<string, FeatureRecord>();
  const sharing = new Set<FeatureRecord>();
  for (const record of records) {
    for (const file of listClaimedFiles(record)) {
      const holder = holders.get(normalizePathKey(file));
      if (holder) sharing.add(holder).add(record);
      else holders.set(normalizePathKey(file), record);
    }
  }
  return records.filter((record) => sharing.has(record));
}

/** Merged records can contain a dependency cycle. Then names decide the order. */
function breakDependencyCycles(records: readonly FeatureRecord[]): readonly FeatureRecord[] {
  const left = new Map(records.map((record) => [record.feature_name, record]));
  for (let before = left.size + 1; left.size < before;) {
    before = left.size;
    for (const [name, { roadmap }] of left) if (!roadmap?.dependencies.some((on) => left.has(on))) left.delete(name);
  }
  if (left.size === 0) return records;
  return records.map((record) =>
    record.roadmap ? { ...record, roadmap: { ...record.roadmap, dependencies: [] } } : record,
  );
}
