import { groupLessons } from "../../model/knowledge/lesson.ts";
import { type KnowledgeTag, parseKnowledgeTag } from "../../model/knowledge/knowledge-kinds.ts";
import { redactPrivateText } from "#kernel/model/private-text.ts";
import { maskDetectedSecrets } from "#kernel/model/secret-detection.ts";
import type { LeadEffect } from "../../model/lead/lead-events.ts";
import type { Lead } from "../../model/lead/lead-state.ts";
import { isFeatureBuilt } from "../../model/feature-progress.ts";
import type { RoadmapEngine } from "../engine.ts";
import type { LedgerEntry, StorePlan, StoreTree } from "#store/operations/ports/store.ts";
import { createCheckoutKey, TAG_SPACE } from "../lead/lead-store.ts";
import {
  KnowledgeDraft,
  type KnowledgeTemplates,
  createBufferSteps,
  loadKnowledgeFolder,
  loadPendingTags,
  findPendingKnowledge,
} from "./knowledge-folder.ts";

export interface KnowledgeChange {
  readonly after: Lead;
  readonly effects: readonly LeadEffect[];
  readonly at: string;
}

type LessonContext = Pick<RoadmapEngine, "checkout" | "digest"> & { readonly templates: KnowledgeTemplates };
type LessonPlan = Pick<StorePlan<void>, "steps" | "occurrences"> & { readonly keeps: readonly LedgerEntry[] };

const EMPTY_LESSON_PLAN: LessonPlan = { steps: [], occurrences: [], keeps: [] };

/**
 * Plans the knowledge files for a change of the Lead. New tags wait in the ledger and appear in `buffer.md`. Tags of a
 * finished wave, or of a finished feature outside the roadmap, become knowledge.
 */
export function createLessonPlan(tree: StoreTree, learning: LessonContext, change: KnowledgeChange): LessonPlan {
  const kept = loadPendingTags(tree, learning);
  const fresh = collectNewTags(learning, change, kept);
  const all = new Map([...kept, ...fresh]);
  const leaving = new Map([...all].filter(([, tag]) => isTagComplete(change, tag)));
  if (fresh.size + leaving.size === 0) return EMPTY_LESSON_PLAN;
  const draft = new KnowledgeDraft(tree, learning.templates, change.at);
  const before = findPendingKnowledge(kept, draft.shelf);
  draft.takeAll(groupLessons(leaving));
  const left = new Map([...all].filter(([key]) => !leaving.has(key)));
  const after = findPendingKnowledge(left, draft.shelf);
  return {
    steps: [...draft.steps(), ...createBufferSteps(tree, before, after, change.at)],
    occurrences: [
      ...(fresh.size === 0 ? [] : [{ kind: "knowledge.learned", subject: "tags", data: { tags: fresh.size } }]),
      ...(leaving.size === 0 ? [] : [{ kind: "knowledge.flushed", subject: "tags", data: { tags: leaving.size } }]),
      ...draft.occurrences(),
    ],
    keeps: [
      ...[...fresh].filter(([key]) => left.has(key)).map(([key, value]) => createTagKeeping(learning, key, value)),
      ...[...kept.keys()].filter((key) => leaving.has(key)).map((key) => createTagKeeping(learning, key)),
    ],
  };
}

const createTagKeeping = (
  { checkout }: Pick<LessonContext, "checkout">,
  key: string,
  value?: KnowledgeTag,
): LedgerEntry => ({
  space: TAG_SPACE.name,
  key: createCheckoutKey(checkout, key),
  ...(value ? { value } : {}),
});

function collectNewTags(
  { digest }: LessonContext,
  { effects, at }: KnowledgeChange,
  kept: ReadonlyMap<string, KnowledgeTag>,
): ReadonlyMap<string, KnowledgeTag> {
  const fresh = new Map<string, KnowledgeTag>();
  for (const effect of effects) {
    if (effect.kind !== "tags") continue;
    const { feature, role, tasks = [] } = effect;
    for (const said of effect.tags) {
      const tag = cleanKnowledgeTag(said);
      if (tag === undefined) continue;
      const key = digest(JSON.stringify([feature, role, tag])).slice(0, 16);
      if (!kept.has(key)) fresh.set(key, { feature, role, tag, ...(tasks.length > 0 ? { tasks } : {}), at });
    }
  }
  return fresh;
}

function cleanKnowledgeTag(tag: string): string | undefined {
  const said = parseKnowledgeTag(tag.toWellFormed());
  if (!said) return undefined;
  const { text } = redactPrivateText(said.text);
  return `[${said.type.toUpperCase()}] ${maskDetectedSecrets(text)}`;
}

/**
 * A finished wave completes all tags except those of features outside the roadmap. Such a feature completes its own
 * when it is built, fixed and reviewed.
 */
function isTagComplete({ after, effects }: KnowledgeChange, { feature }: KnowledgeTag): boolean {
  const record = [...after.features.values()].find(({ feature_name }) => feature_name === feature);
  if (!record || record.roadmap !== null) return effects.some(({ kind }) => kind === "wave-finished");
  return isFeatureBuilt(record) && !isFeatureActive(after, feature);
}

const isFeatureActive = ({ reviews, out }: Lead, feature: string): boolean =>
  [...reviews.keys(), ...out.keys()].some((id) => id.startsWith(`${feature}/`));

/** Updates the buffer after files changed, without the tags in `gone`. */
export function planBufferUpdate(
  tree: StoreTree,
  engine: Pick<RoadmapEngine, "checkout">,
  draft: KnowledgeDraft,
  at: string,
  gone: ReadonlySet<string> = new Set(),
): Pick<LessonPlan, "steps" | "keeps"> {
  const kept = loadPendingTags(tree, engine);
  const left = new Map([...kept].filter(([key]) => !gone.has(key)));
  return {
    steps: createBufferSteps(
      tree,
      findPendingKnowledge(kept, loadKnowledgeFolder(tree)),
      findPendingKnowledge(left, draft.shelf),
      at,
    ),
    keeps: [...gone].map((key) => createTagKeeping(engine, key)),
  };
}
