import type { FeatureRecord } from "../../../feature/record.ts";
import { type Overlap, overlaps, partitioned, serialised } from "../../ownership.ts";
import type { Lead } from "../state.ts";
import { aimOf, type View, waveOf } from "../view.ts";
import { isDone } from "./done.ts";

/** What features of one wave, on which somebody works, claim at once. */
export interface Claims {
  /** For whom each feature waits, so that no file is in two hands. */
  readonly waits: ReadonlyMap<string, readonly string[]>;
  /** Which files of earlier ones it has to do without. */
  readonly without: ReadonlyMap<string, readonly string[]>;
}

interface Known {
  readonly run: Lead["run"];
  readonly waves: Lead["waves"];
  readonly byWave: Map<number, Claims>;
}

const NO_CLAIMS: Claims = { waits: new Map(), without: new Map() };
/** Handing out changes nothing of this, and many are handed out at once. */
const known = new WeakMap<Lead["features"], Known>();

export function claimsIn(view: View, record: FeatureRecord): Claims {
  const wave = waveOf(record);
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
  const sharing = whoShare(claiming);
  return sharing.length === 0 ? NO_CLAIMS : claimsAmong(overlaps(sharing, () => false));
}

const claimsAmong = (found: readonly Overlap[]): Claims => ({ waits: serialised(found), without: partitioned(found) });

function isClaiming(view: View, record: FeatureRecord): boolean {
  const aim = aimOf(view.lead, record);
  return (aim === "implementation" || aim === "done") && !isDone(view, record);
}

/** Those who claim a file that another claims too. Mostly there are none, and each file is looked at once. */
function whoShare(records: readonly FeatureRecord[]): FeatureRecord[] {
  const holders = new Map<string, FeatureRecord>();
  const sharing = new Set<FeatureRecord>();
  const claim = (record: FeatureRecord, file: string): void => {
    const holder = holders.get(file);
    if (holder === undefined) holders.set(file, record);
    else if (holder !== record) sharing.add(holder).add(record);
  };
  for (const record of records) {
    const { groups } = record.implementation;
    for (const { files } of groups) for (const file of files) claim(record, file);
    if (groups.length === 0) for (const file of record.design?.files ?? []) claim(record, file);
  }
  return records.filter((record) => sharing.has(record));
}
