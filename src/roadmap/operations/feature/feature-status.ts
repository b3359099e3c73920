import type * as z from "zod";
import { getFeatureDesignPath } from "#kernel/model/workspace-paths.ts";
import { listPlannedFeatures, mapFeatureDependents } from "../../model/dependency-graph.ts";
import { checkDesign } from "../../model/feature/design-check.ts";
import type { FeatureBlock, FeatureRecord, ReviewReference } from "../../model/feature/feature-record.ts";
import type { Lead } from "../../model/lead/lead-state.ts";
import { checkVersionAlignment, compareDesignVersions, listImpactConsequences } from "../../model/revision-impact.ts";
import type { RoadmapEngine } from "../engine.ts";
import { summarizePendingWork } from "../lead/action-view.ts";
import { describeEdits, findCodeEdits } from "../lead/held-files.ts";
import { getHeldEdits, getLeadView } from "../../model/lead/lead-view.ts";
import { listStoredBatches, loadLead, readLead } from "../lead/lead-store.ts";
import { createFeatureSummary, requireFeatureRecord } from "./feature-access.ts";
import type { FeatureStatusSchema } from "./schema.ts";

type FeatureStatus = z.infer<typeof FeatureStatusSchema>;

const MAX_SHOWN_CHANGES = 5;

export async function readFeatureStatus(engine: RoadmapEngine, name: string, isImpact: boolean) {
  const code = await findCodeEdits(engine, await readLead(engine));
  const { lead, record, batches, edits, edited } = await engine.store.read((tree) => {
    const now = loadLead(tree, engine, code);
    const found = requireFeatureRecord(now, name);
    const stored = listStoredBatches(tree, { of: "feature", feature: found.feature_name });
    const changed = getHeldEdits(getLeadView(now), found);
    return {
      lead: now,
      record: found,
      batches: stored,
      edits: changed,
      edited: describeEdits(tree, engine.checkout, found.feature_name, changed),
    };
  });
  const isDesignHeld = !edits.design && !edits.research && !edits.steering;
  const alignment = checkVersionAlignment(lead, record);
  const { version_refs: refs, roadmap, reviews, design, implementation, fix, blocked_info: info } = record;
  const { retry_count, spec_update_count, total_count } = record.orchestration;
  return {
    ...createFeatureSummary(record),
    version_refs: { ...refs },
    alignment: edited.length > 0 ? "changed since it was accepted" : alignment.state,
    edited,
    stale: [...alignment.stale],
    dependencies: [...(roadmap?.dependencies ?? [])],
    dependents: [...(mapFeatureDependents(listPlannedFeatures(lead.features.values())).get(record.feature_name) ?? [])],
    tasks: countFeatureTasks(record),
    files: implementation.files_created.length,
    ...(info === null ? {} : { blocked: createBlockView(info) }),
    ...(fix === null ? {} : { fix: { source: fix.source, detail: fix.detail } }),
    counters: { retries: retry_count, spec_updates: spec_update_count, total: total_count },
    reviewed: {
      design: createReviewView(reviews.design, isDesignHeld ? (design?.hash ?? null) : null),
      implementation: createReviewView(reviews.implementation, edits.code ? null : implementation.hash),
    },
    history: batches.map(({ batch, kind, at, verdict, findings }) => {
      const open = findings.filter(({ waived }) => waived === undefined).length;
      return { batch, kind, at, verdict, open };
    }),
    changelog: record.changelog.slice(-MAX_SHOWN_CHANGES).toReversed(),
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

function createBlockView({ blocked_by, reason, detail, blocked_at_phase, is_skipped }: FeatureBlock) {
  return { by: [...blocked_by], reason, detail, at_phase: blocked_at_phase, skipped: is_skipped };
}

const createReviewView = (ref: ReviewReference | null, hash: string | null): FeatureStatus["reviewed"]["design"] =>
  ref && { batch: ref.batch, verdict: ref.verdict, disposition: ref.disposition, is_current: ref.of === hash };

const MAX_COMPARED_VERSIONS = 20;

/** Compares the design with its latest different version in git and lists the affected features. */
async function measureDesignImpact(
  { store, source }: Pick<RoadmapEngine, "store" | "source">,
  lead: Lead,
  { feature_name: name }: FeatureRecord,
): Promise<NonNullable<FeatureStatus["impact"]>> {
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
    affected: listImpactConsequences(lead, name, impact),
  };
}
