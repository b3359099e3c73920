import type * as z from "zod";
import type { FeatureRecord, ReviewReference } from "../../model/feature/feature-record.ts";
import { listPlannedFeatures, mapFeatureDependents } from "../../model/dependency-graph.ts";
import { checkVersionAlignment, listImpactConsequences, compareDesignVersions } from "../../model/revision-impact.ts";
import type { RoadmapEngine } from "../engine.ts";
import { listStoredBatches } from "../lead/review-batches.ts";
import { loadLead } from "../lead/lead-store.ts";
import { summarizePendingWork } from "../lead/action-view.ts";
import { requireFeatureRecord, createFeatureSummary } from "./feature-access.ts";
import type { FeatureStatusSchema } from "./schema.ts";
import { checkDesign } from "../../model/feature/design-check.ts";
import type { Lead } from "../../model/lead/lead-state.ts";
import { getFeatureDesignPath } from "#kernel/model/workspace-paths.ts";

type FeatureStatus = z.infer<typeof FeatureStatusSchema>;

const MAX_SHOWN_CHANGES = 5;

export async function readFeatureStatus(
  engine: RoadmapEngine,
  name: string,
  isImpact: boolean,
): Promise<FeatureStatus> {
  const { lead, record, batches } = await engine.store.read((tree) => {
    const now = loadLead(tree, engine);
    const found = requireFeatureRecord(now, name);
    return {
      lead: now,
      record: found,
      batches: listStoredBatches(tree, { of: "feature", feature: found.feature_name }),
    };
  });
  const alignment = checkVersionAlignment(lead, record);
  const { version_refs: refs, roadmap, reviews, design, implementation, orchestration, fix } = record;
  return {
    ...createFeatureSummary(record),
    version_refs: { ...refs },
    alignment: alignment.state,
    stale: [...alignment.stale],
    dependencies: [...(roadmap?.dependencies ?? [])],
    dependents: [...(mapFeatureDependents(listPlannedFeatures(lead.features.values())).get(record.feature_name) ?? [])],
    tasks: countFeatureTasks(record),
    files: implementation.files_created.length,
    ...createBlockView(record),
    ...(fix === null ? {} : { fix: { source: fix.source, detail: fix.detail } }),
    counters: {
      retries: orchestration.retry_count,
      spec_updates: orchestration.spec_update_count,
      total: orchestration.total_count,
    },
    reviewed: {
      design: createReviewView(reviews.design, design?.hash ?? null),
      implementation: createReviewView(reviews.implementation, implementation.hash),
    },
    history: batches.map(({ batch, kind, at, verdict, findings }) => ({
      batch,
      kind,
      at,
      verdict,
      open: findings.filter(({ waived }) => waived === undefined).length,
    })),
    changelog: record.changelog
      .slice(-MAX_SHOWN_CHANGES)
      .toReversed()
      .map((entry) => ({ ...entry })),
    ...(isImpact ? { impact: await measureDesignImpact(engine, lead, record) } : {}),
    ...summarizePendingWork(lead),
  };
}

/** Counted by group: a group is done as a whole. */
function countFeatureTasks({ implementation: { groups } }: FeatureRecord): FeatureStatus["tasks"] {
  if (groups.length === 0) return null;
  const sum = (sizes: readonly number[]): number => sizes.reduce((all, size) => all + size, 0);
  const total = sum(groups.map(({ tasks }) => tasks.length));
  const done = sum(groups.filter(({ status }) => status === "done").map(({ tasks }) => tasks.length));
  return { total, done, pending: total - done, optional: sum(groups.map(({ optional = [] }) => optional.length)) };
}

function createBlockView({ blocked_info: info }: FeatureRecord): Pick<FeatureStatus, "blocked"> {
  if (info === null) return {};
  const { blocked_by, reason, detail, blocked_at_phase, is_skipped } = info;
  return { blocked: { by: [...blocked_by], reason, detail, at_phase: blocked_at_phase, skipped: is_skipped } };
}

const createReviewView = (ref: ReviewReference | null, hash: string | null): FeatureStatus["reviewed"]["design"] =>
  ref && { batch: ref.batch, verdict: ref.verdict, disposition: ref.disposition, is_current: ref.of === hash };

type DesignImpactView = NonNullable<z.infer<typeof FeatureStatusSchema>["impact"]>;

const MAX_COMPARED_VERSIONS = 20;

/** Compares the design with its latest different version in git and lists the affected features. */
export async function measureDesignImpact(
  { store, source }: Pick<RoadmapEngine, "store" | "source">,
  lead: Lead,
  { feature_name: name }: FeatureRecord,
): Promise<DesignImpactView> {
  const path = getFeatureDesignPath(name);
  const now = await store.read((tree) => tree.text(path));
  const before =
    now === undefined ? undefined : (await source.past(path, MAX_COMPARED_VERSIONS)).find(({ text }) => text !== now);
  if (now === undefined || !before) return { class: "NONE", since: null, changes: [], affected: [] };
  const { impact, changes } = compareDesignVersions(checkDesign(before.text).specs, checkDesign(now).specs);
  return {
    class: impact ?? "NONE",
    since: before.commit,
    changes: changes.map(({ kind, id, impact: own }) => `${id} ${kind}, ${own}`),
    affected: listImpactConsequences(lead, name, impact).map(({ feature, reach, follows, why }) => ({
      feature,
      reach,
      follows,
      why,
    })),
  };
}
