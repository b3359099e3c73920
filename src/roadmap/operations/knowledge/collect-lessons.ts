import { redactPrivateText } from "#kernel/model/private-text.ts";
import { maskDetectedSecrets } from "#kernel/model/secret-detection.ts";
import type { LedgerEntry, StorePlan, StoreTree } from "#store/operations/ports/store.ts";
import { isFeatureBuilt } from "../../model/feature-progress.ts";
import { type KnowledgeTag, parseKnowledgeTag, groupLessons } from "../../model/knowledge/lesson.ts";
import type { Lead, LeadEffect } from "../../model/lead/lead-state.ts";
import type { RoadmapEngine } from "../engine.ts";
import type { KnowledgeTemplates, PendingTags } from "./knowledge-folder.ts";
import { createTagEntry, KnowledgeDraft, loadPendingTags } from "./knowledge-folder.ts";

export interface KnowledgeChange {
  readonly after: Lead;
  readonly effects: readonly LeadEffect[];
  readonly at: string;
}

type LessonContext = Pick<RoadmapEngine, "checkout" | "digest"> & { readonly templates: KnowledgeTemplates };
type LessonPlan = Pick<StorePlan<void>, "steps" | "occurrences"> & { readonly keeps: readonly LedgerEntry[] };

/** New tags wait in the ledger and `buffer.md`. Tags of a finished wave or of a finished lone feature become files. */
export function createLessonPlan(tree: StoreTree, learning: LessonContext, change: KnowledgeChange): LessonPlan {
  const kept = loadPendingTags(tree, learning);
  const fresh = collectNewTags(learning, change, kept);
  const all = new Map([...kept, ...fresh]);
  const leaving = new Map([...all].filter(([, tag]) => isTagComplete(change, tag)));
  if (fresh.size + leaving.size === 0) return { steps: [], occurrences: [], keeps: [] };
  const draft = new KnowledgeDraft(tree, learning.templates, change.at);
  draft.takeAll(groupLessons(leaving));
  const left = new Map([...all].filter(([key]) => !leaving.has(key)));
  return {
    steps: [...draft.steps(), ...draft.bufferSteps(kept, left)],
    occurrences: [
      ...(fresh.size === 0 ? [] : [{ kind: "knowledge.learned", subject: "tags", data: { tags: fresh.size } }]),
      ...(leaving.size === 0 ? [] : [{ kind: "knowledge.flushed", subject: "tags", data: { tags: leaving.size } }]),
      ...draft.occurrences(),
    ],
    keeps: [
      ...[...fresh].filter(([key]) => left.has(key)).map(([key, value]) => createTagEntry(learning, key, value)),
      ...[...kept.keys()].filter((key) => leaving.has(key)).map((key) => createTagEntry(learning, key)),
    ],
  };
}

function collectNewTags({ digest }: LessonContext, { effects, at }: KnowledgeChange, kept: PendingTags): PendingTags {
  const fresh = new Map<string, KnowledgeTag>();
  for (const effect of effects) {
    if (effect.kind !== "tags") continue;
    const { feature, role, tasks = [] } = effect;
    for (const said of effect.tags) {
      const parsed = parseKnowledgeTag(said.toWellFormed());
      if (!parsed) continue;
      const tag = `[${parsed.type.toUpperCase()}] ${maskDetectedSecrets(redactPrivateText(parsed.text).text)}`;
      const key = digest(JSON.stringify([feature, role, tag])).slice(0, 16);
      if (!kept.has(key)) fresh.set(key, { feature, role, tag, ...(tasks.length > 0 ? { tasks } : {}), at });
    }
  }
  return fresh;
}

/** A finished wave completes all tags, except those of lone features, which complete their own when done. */
function isTagComplete({ after, effects }: KnowledgeChange, { feature }: KnowledgeTag): boolean {
  const record = [...after.features.values()].find(({ feature_name }) => feature_name === feature);
  if (!record || record.roadmap !== null) return effects.some(({ kind }) => kind === "wave-finished");
  const isActive = [...after.reviews.keys(), ...after.out.keys()].some((id) => id.startsWith(`${feature}/`));
  return isFeatureBuilt(record) && !isActive;
}
