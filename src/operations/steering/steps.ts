import type { FeatureRecord } from "#domain/feature/record.ts";
import type { LeadEffect } from "#domain/roadmap/lead/event.ts";
import { addFeatureCriterion, updateSpecRationale } from "#domain/steering/product.ts";
import type { LedgerEntry, StoreStep, StoreTree } from "../ports/store.ts";
import { SteeringDraft } from "./draft.ts";

type RationaleFeature = Pick<FeatureRecord, "feature_name" | "description" | "roadmap">;

/** Other product changes of the same write. Two separate writers would overwrite each other's file. */
interface ProductUpdate {
  readonly planned?: readonly RationaleFeature[];
  readonly designed?: readonly Pick<FeatureRecord, "feature_name" | "description">[];
}

/**
 * Writes the Lead's effects: lines into steering files, decisions into the logs. Put `createSteeringKeeps` of the same
 * effects into the same plan.
 */
export const createSteeringSteps = (
  tree: StoreTree,
  effects: readonly LeadEffect[],
  at: string,
  occasion: ProductUpdate = {},
): StoreStep[] => draftSteeringEffects(tree, effects, at, occasion).steps();

/** Reserves the decision numbers in every worktree. */
export const createSteeringKeeps = (tree: StoreTree, effects: readonly LeadEffect[]): LedgerEntry[] =>
  draftSteeringEffects(tree, effects, "").keeps();

function draftSteeringEffects(
  tree: StoreTree,
  effects: readonly LeadEffect[],
  at: string,
  { planned, designed = [] }: ProductUpdate = {},
): SteeringDraft {
  const draft = new SteeringDraft(tree, at);
  if (planned) draft.editProduct((text) => updateSpecRationale(text, planned.flatMap(createFeatureRationale)));
  for (const { feature_name: name, description } of designed)
    draft.editProduct((text) => addFeatureCriterion(text, name, description));
  for (const effect of effects) {
    if (effect.kind === "steering") draft.codify(effect.file, effect.text);
    if (effect.kind !== "decision") continue;
    const { kind: _, ...decision } = effect;
    draft.decide(decision);
  }
  return draft;
}

const createFeatureRationale = ({ feature_name: name, description, roadmap }: RationaleFeature) =>
  roadmap ? [{ name, description, wave: roadmap.wave, dependencies: roadmap.dependencies }] : [];
