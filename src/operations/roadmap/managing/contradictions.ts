import type { FeatureName } from "#domain/feature/name.ts";
import { sanitizeText } from "#domain/quote.ts";
import type { Lead } from "#domain/roadmap/lead/state.ts";
import { findContradictingNonGoals } from "#domain/roadmap/non-goals.ts";
import { getFeatureDesignPath } from "#domain/workspace/path.ts";
import type { StoreTree } from "../../ports/store.ts";

/** Warns about designs with a non-goal that names a new feature. Either the design or the plan must change. */
export function listNonGoalWarnings(tree: StoreTree, { features }: Lead, names: readonly FeatureName[]): string[] {
  const fresh = names.filter((name) => !features.has(name));
  if (fresh.length === 0) return [];
  const designs = [...features.keys()].map((feature) => ({
    feature,
    text: tree.text(getFeatureDesignPath(feature)) ?? "",
  }));
  return fresh.flatMap((name) =>
    findContradictingNonGoals(name, designs).map(
      ({ feature, line, text }) =>
        `${name} is no goal of ${feature}: ${getFeatureDesignPath(feature)}:${line}: ${sanitizeText(text, 160)}`,
    ),
  );
}
