import type { FeatureRecord } from "#domain/feature/record.ts";
import type { LeadEffect } from "#domain/roadmap/lead/event.ts";
import { withCriterion, withRationale } from "#domain/steering/product.ts";
import type { LedgerEntry, StoreStep, StoreTree } from "../ports/store.ts";
import { SteeringDraft } from "./draft.ts";

type Planned = Pick<FeatureRecord, "feature_name" | "description" | "roadmap">;

/** Other product changes of the same write. Two separate writers would overwrite each other's file. */
interface Occasion {
  readonly planned?: readonly Planned[];
  readonly designed?: readonly Pick<FeatureRecord, "feature_name" | "description">[];
}

/**
 * Writes the Lead's effects: lines into steering files, decisions into the logs. Put `createSteeringKeeps` of the same
 * effects into the same plan.
 */
export const steeringSteps = (
  tree: StoreTree,
  effects: readonly LeadEffect[],
  at: string,
  occasion: Occasion = {},
): StoreStep[] => drafted(tree, effects, at, occasion).steps();

/** Reserves the decision numbers in every worktree. */
export const steeringKeeps = (tree: StoreTree, effects: readonly LeadEffect[]): LedgerEntry[] =>
  drafted(tree, effects, "").keeps();

function drafted(
  tree: StoreTree,
  effects: readonly LeadEffect[],
  at: string,
  { planned, designed = [] }: Occasion = {},
): SteeringDraft {
  const draft = new SteeringDraft(tree, at);
  if (planned) draft.editProduct((text) => withRationale(text, planned.flatMap(placedIn)));
  for (const { feature_name: name, description } of designed)
    draft.editProduct((text) => withCriterion(text, name, description));
  for (const effect of effects) {
    if (effect.kind === "steering") draft.codify(effect.file, effect.text);
    if (effect.kind !== "decision") continue;
    const { kind: _, ...decision } = effect;
    draft.decide(decision);
  }
  return draft;
}

const placedIn = ({ feature_name: name, description, roadmap }: Planned) =>
  roadmap ? [{ name, description, wave: roadmap.wave, dependencies: roadmap.dependencies }] : [];
