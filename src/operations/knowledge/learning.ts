import { lessonsOf } from "#domain/knowledge/lesson.ts";
import { type KeptTag, saidBy } from "#domain/knowledge/tag.ts";
import { redactPrivate } from "#domain/memory/private.ts";
import { maskDetectedSecrets } from "#domain/secret.ts";
import type { LeadEffect } from "#domain/roadmap/lead/event.ts";
import type { Lead } from "#domain/roadmap/lead/state.ts";
import { isFeatureBuilt } from "#domain/roadmap/standing.ts";
import type { Engine } from "../engine.ts";
import type { LedgerEntry, StorePlan, StoreTree } from "../ports/store.ts";
import { createCheckoutKey, TAG_SPACE } from "../roadmap/spaces.ts";
import { KnowledgeDraft, type Templates } from "./draft.ts";
import { bufferSteps, knowledgeIn, tagsIn, waitingOf } from "./shelf.ts";

export interface Change {
  readonly after: Lead;
  readonly effects: readonly LeadEffect[];
  readonly at: string;
}

type Learning = Pick<Engine, "checkout" | "digest"> & { readonly templates: Templates };
type Planned = Pick<StorePlan<void>, "steps" | "occurrences"> & { readonly keeps: readonly LedgerEntry[] };

const NOTHING: Planned = { steps: [], occurrences: [], keeps: [] };

/**
 * Plans the knowledge files for a change of the Lead. New tags wait in the ledger and appear in `buffer.md`. Tags of a
 * finished wave, or of a finished feature outside the roadmap, become knowledge.
 */
export function learningPlan(tree: StoreTree, learning: Learning, change: Change): Planned {
  const kept = tagsIn(tree, learning);
  const fresh = freshTags(learning, change, kept);
  const all = new Map([...kept, ...fresh]);
  const leaving = new Map([...all].filter(([, tag]) => isDue(change, tag)));
  if (fresh.size + leaving.size === 0) return NOTHING;
  const draft = new KnowledgeDraft(tree, learning.templates, change.at);
  const before = waitingOf(kept, draft.shelf);
  draft.takeAll(lessonsOf(leaving));
  const left = new Map([...all].filter(([key]) => !leaving.has(key)));
  const after = waitingOf(left, draft.shelf);
  return {
    steps: [...draft.steps(), ...bufferSteps(tree, before, after, change.at)],
    occurrences: [
      ...(fresh.size === 0 ? [] : [{ kind: "knowledge.learned", subject: "tags", data: { tags: fresh.size } }]),
      ...(leaving.size === 0 ? [] : [{ kind: "knowledge.flushed", subject: "tags", data: { tags: leaving.size } }]),
      ...draft.occurrences(),
    ],
    keeps: [
      ...[...fresh].filter(([key]) => left.has(key)).map(([key, value]) => keeping(learning, key, value)),
      ...[...kept.keys()].filter((key) => leaving.has(key)).map((key) => keeping(learning, key)),
    ],
  };
}

const keeping = ({ checkout }: Pick<Learning, "checkout">, key: string, value?: KeptTag): LedgerEntry => ({
  space: TAG_SPACE.name,
  key: createCheckoutKey(checkout, key),
  ...(value ? { value } : {}),
});

function freshTags(
  { digest }: Learning,
  { effects, at }: Change,
  kept: ReadonlyMap<string, KeptTag>,
): ReadonlyMap<string, KeptTag> {
  const fresh = new Map<string, KeptTag>();
  for (const effect of effects) {
    if (effect.kind !== "tags") continue;
    const { feature, role, tasks = [] } = effect;
    for (const said of effect.tags) {
      const tag = clean(said);
      if (tag === undefined) continue;
      const key = digest(JSON.stringify([feature, role, tag])).slice(0, 16);
      if (!kept.has(key)) fresh.set(key, { feature, role, tag, ...(tasks.length > 0 ? { tasks } : {}), at });
    }
  }
  return fresh;
}

function clean(tag: string): string | undefined {
  const said = saidBy(tag.toWellFormed());
  if (!said) return undefined;
  const { text } = redactPrivate(said.text);
  return `[${said.type.toUpperCase()}] ${maskDetectedSecrets(text)}`;
}

/**
 * A finished wave completes all tags except those of features outside the roadmap. Such a feature completes its own
 * when it is built, fixed and reviewed.
 */
function isDue({ after, effects }: Change, { feature }: KeptTag): boolean {
  const record = [...after.features.values()].find(({ feature_name }) => feature_name === feature);
  if (!record || record.roadmap !== null) return effects.some(({ kind }) => kind === "wave-finished");
  return isFeatureBuilt(record) && !isAtWork(after, feature);
}

const isAtWork = ({ reviews, out }: Lead, feature: string): boolean =>
  [...reviews.keys(), ...out.keys()].some((id) => id.startsWith(`${feature}/`));

/** Updates the buffer after files changed, without the tags in `gone`. */
export function bufferAfter(
  tree: StoreTree,
  engine: Pick<Engine, "checkout">,
  draft: KnowledgeDraft,
  at: string,
  gone: ReadonlySet<string> = new Set(),
): Pick<Planned, "steps" | "keeps"> {
  const kept = tagsIn(tree, engine);
  const left = new Map([...kept].filter(([key]) => !gone.has(key)));
  return {
    steps: bufferSteps(tree, waitingOf(kept, knowledgeIn(tree)), waitingOf(left, draft.shelf), at),
    keeps: [...gone].map((key) => keeping(engine, key)),
  };
}
