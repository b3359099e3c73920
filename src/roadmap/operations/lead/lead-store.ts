import { isFeatureName, type FeatureName } from "#kernel/model/ids/feature-name.ts";
import type { FeatureRecord, WaveRecord } from "../../model/feature/feature-record.ts";
import {
  createEmptyLead,
  type Lead,
  type ActionAssignment,
  type OpenReview,
  type RoadmapRun,
} from "../../model/lead/lead-state.ts";
import {
  FEATURE_FOLDER,
  getFeatureRecordPath,
  getWaveRecordPath,
  WAVES_FOLDER,
} from "#kernel/model/workspace-paths.ts";
import type { RoadmapEngine } from "../engine.ts";
import { createFeatureShape, parseWaveFileName, createWaveShape } from "../feature/feature-records.ts";
import type { SpendingTotals } from "../../model/cost-forecast.ts";
import type { StoreTree, LedgerSpace } from "#store/operations/ports/store.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import type { KnowledgeTag } from "../../model/knowledge/knowledge-kinds.ts";

/**
 * Loads the records of this checkout and its ledger state. Throws on a damaged record, because decisions without it
 * could be wrong.
 */
export function loadLead(tree: StoreTree, { checkout }: Pick<RoadmapEngine, "checkout">): Lead {
  return {
    features: loadFeatureMap(tree),
    waves: loadWaveMap(tree),
    run: tree.kept(RUN_SPACE).get(checkout) ?? createEmptyLead().run,
    reviews: loadCheckoutEntries(tree, OPEN_REVIEW_SPACE, checkout),
    out: loadCheckoutEntries(tree, ASSIGNMENT_SPACE, checkout),
  };
}

export const readLead = (engine: Pick<RoadmapEngine, "store" | "checkout">): Promise<Lead> =>
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

/** Keyed by checkout, because the records are files of that checkout. */
export const RUN_SPACE: LedgerSpace<RoadmapRun> = { name: "roadmap-run" };
/** Keyed by checkout and scope, separated by a space. */
export const OPEN_REVIEW_SPACE: LedgerSpace<OpenReview> = { name: "roadmap-review" };
export const ASSIGNMENT_SPACE: LedgerSpace<ActionAssignment> = { name: "roadmap-out" };

export const SPENDING_SPACE: LedgerSpace<SpendingTotals> = { name: "roadmap-spent" };

/**
 * Lessons from agents. The end of a wave turns them into knowledge. Keyed by checkout and content, so each is stored
 * once.
 */
export const TAG_SPACE: LedgerSpace<KnowledgeTag> = { name: "roadmap-tag" };

export interface ReportRejection {
  readonly action: string;
  readonly problems: readonly Problem[];
}
/** Keyed by checkout and work, without the run number. */
export const REJECTION_SPACE: LedgerSpace<ReportRejection> = { name: "roadmap-refused" };

/** The session must stop this action. It learns that with its next call. */
export interface StopRequest {
  readonly session: string;
  readonly at: string;
}
export const STOP_REQUEST_SPACE: LedgerSpace<StopRequest> = { name: "roadmap-dismissed" };

/** A group whose work ended. Changes in its files do not count against agents still at work. */
export interface FinishedGroup {
  readonly at: string;
  readonly files: readonly string[];
}
/** Keyed by checkout, feature and group. Deleted when no agent from that time is left. */
export const FINISHED_GROUP_SPACE: LedgerSpace<FinishedGroup> = { name: "roadmap-built" };

export const createCheckoutKey = (checkout: string, name: string): string => `${checkout} ${name}`;

/** Entries of one checkout, without the checkout in the key. */
export function loadCheckoutEntries<T>(tree: StoreTree, space: LedgerSpace<T>, checkout: string): Map<string, T> {
  const start = createCheckoutKey(checkout, "");
  const own = [...tree.kept(space)].filter(([key]) => key.startsWith(start));
  return new Map(own.map(([key, value]) => [key.slice(start.length), value]));
}
