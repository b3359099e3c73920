import type { FeatureRecord } from "#domain/feature/record.ts";
import type { Effect } from "#domain/roadmap/lead/event.ts";
import { withCriterion, withRationale } from "#domain/steering/product.ts";
import type { Keeping, Step, Tree } from "../ports/store.ts";
import { SteeringDraft } from "./draft.ts";

type Planned = Pick<FeatureRecord, "feature_name" | "description" | "roadmap">;

/** What else a write tells of the product: files that are written by two who do not know of each other lose one. */
interface Occasion {
  /** Every feature of the roadmap, when it was made or changed. */
  readonly planned?: readonly Planned[];
  /** Features whose design begins. */
  readonly designed?: readonly Pick<FeatureRecord, "feature_name" | "description">[];
}

/**
 * What the Lead's effects write: lines into steering files, decisions into the log and, where they are the user's, into
 * the product's. `steeringKeeps` of the same effects goes into the same plan.
 */
export const steeringSteps = (tree: Tree, effects: readonly Effect[], at: string, occasion: Occasion = {}): Step[] =>
  drafted(tree, effects, at, occasion).steps();

/** So that the numbers of these decisions are given to no other, in whatever worktree. */
export const steeringKeeps = (tree: Tree, effects: readonly Effect[]): Keeping[] => drafted(tree, effects, "").keeps();

function drafted(
  tree: Tree,
  effects: readonly Effect[],
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

/** One that stands alone is no part of the plan. */
const placedIn = ({ feature_name: name, description, roadmap }: Planned) =>
  roadmap ? [{ name, description, wave: roadmap.wave, dependencies: roadmap.dependencies }] : [];
