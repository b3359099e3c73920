import { PathSet, samePath } from "../../../feature/file-path.ts";
import type { FeatureRecord } from "../../../feature/record.ts";
import { claimsOf, overlaps, partitioned, serialised } from "../../ownership.ts";
import type { Lead } from "../state.ts";
import { aimOf, STANDING_ALONE, type View, waveOf } from "../view.ts";
import { isDone } from "./done.ts";

export interface Claims {
  /** The features each feature waits for, so that a file has one writer at a time. */
  readonly waits: ReadonlyMap<string, readonly string[]>;
  readonly without: ReadonlyMap<string, readonly string[]>;
  /** True if no file is claimed twice, not even by two groups of one feature. */
  readonly isApart: boolean;
}

interface Known {
  readonly run: Lead["run"];
  readonly waves: Lead["waves"];
  readonly byWave: Map<number, Claims>;
}

const APART: Claims = { waits: new Map(), without: new Map(), isApart: true };
/** A feature without a wave waits for no other. Its own groups may still share files. */
const ALONE: Claims = { ...APART, isApart: false };
/** Cached because assignments do not change claims, and many actions are assigned in one call. */
const known = new WeakMap<Lead["features"], Known>();

export function claimsIn(view: View, record: FeatureRecord): Claims {
  const wave = waveOf(record);
  if (wave === STANDING_ALONE) return ALONE;
  const { byWave } = knownIn(view.lead);
  const found = byWave.get(wave) ?? findClaims(view, view.byWave.get(wave) ?? []);
  byWave.set(wave, found);
  return found;
}

function knownIn({ features, run, waves }: Lead): Known {
  const before = known.get(features);
  if (before?.run === run && before.waves === waves) return before;
  const next = { run, waves, byWave: new Map<number, Claims>() };
  known.set(features, next);
  return next;
}

function findClaims(view: View, records: readonly FeatureRecord[]): Claims {
  const claiming = records.filter((record) => record.phase !== "blocked" && isClaiming(view, record));
  if (isApart(claiming)) return APART;
  const found = overlaps(withoutCircles(whoShare(claiming)), () => false);
  return { waits: serialised(found), without: partitioned(found), isApart: false };
}

function isClaiming(view: View, record: FeatureRecord): boolean {
  const aim = aimOf(view.lead, record);
  return (aim === "implementation" || aim === "done") && !isDone(view, record);
}

/** Fast path: usually no file is shared. */
function isApart(records: readonly FeatureRecord[]): boolean {
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

function whoShare(records: readonly FeatureRecord[]): FeatureRecord[] {
  const holders = new Map<string, FeatureRecord>();
  const sharing = new Set<FeatureRecord>();
  for (const record of records) {
    for (const file of claimsOf(record)) {
      const holder = holders.get(samePath(file));
      if (holder) sharing.add(holder).add(record);
      else holders.set(samePath(file), record);
    }
  }
  return records.filter((record) => sharing.has(record));
}

/** Merged records can contain a dependency cycle. Then names decide the order. */
function withoutCircles(records: readonly FeatureRecord[]): readonly FeatureRecord[] {
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
