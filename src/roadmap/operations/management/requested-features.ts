import { Fault } from "#kernel/model/fault.ts";
import { parseFeatureName, type FeatureName } from "#kernel/model/ids/feature-name.ts";
import { type FeatureRecord, createFeatureRecord } from "../../model/feature/feature-record.ts";
import { pickFoundationFlag, assignFeatureWaves } from "../../model/dependency-graph.ts";
import type { LeadEvent } from "../../model/lead/lead-events.ts";
import type { Lead } from "../../model/lead/lead-state.ts";
import type { RequestedFeature } from "../../model/roadmap-update.ts";
import type { RoadmapEngine } from "../engine.ts";
import type { ManageRoadmapInput } from "./manage-answer.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { findContradictingNonGoals } from "../../model/non-goals.ts";
import { getFeatureDesignPath } from "#kernel/model/workspace-paths.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";

/** Known features keep their description and foundation flag unless the input changes them. */
export function resolveRequestedFeatures(
  { features }: Lead,
  said: NonNullable<ManageRoadmapInput["features"]>,
): RequestedFeature[] {
  return said.map(({ name: text, description, dependencies = [], foundation }) => {
    const name = parseFeatureName(text);
    const known = features.get(name);
    const words = description ?? known?.description;
    if (words === undefined) throw createMissingDescriptionFault(name);
    const kept = pickFoundationFlag({ foundation: foundation ?? known?.roadmap?.foundation });
    return { name, description: words, dependencies: [...new Set(dependencies.map(parseFeatureName))], ...kept };
  });
}

export function createPlacementEvents(
  { features }: Lead,
  wanted: readonly RequestedFeature[],
  begin: FeatureStart,
): LeadEvent[] {
  const waves = assignFeatureWaves(wanted);
  const inOrder = wanted.toSorted((a, b) => (waves.get(a.name) ?? 0) - (waves.get(b.name) ?? 0));
  return inOrder.map((feature): LeadEvent => {
    const { name, dependencies, foundation = false } = feature;
    const wave = waves.get(name) ?? 1;
    if (!features.has(name)) return createFeatureAddedEvent(feature, wave, begin);
    return { kind: "placed", feature: name, wave, dependencies, foundation };
  });
}

export function createFeatureAddedEvent(
  { name, description, dependencies, ...said }: RequestedFeature,
  wave: number,
  begin: FeatureStart,
): LeadEvent {
  const roadmap = { wave, dependencies, skipped: [], ...pickFoundationFlag(said) };
  return {
    kind: "feature-added",
    record: { ...createFeatureRecord(name, description, begin.language, begin.at), roadmap },
  };
}

export interface FeatureStart {
  readonly at: string;
  readonly language: string;
}

export const createFeatureStart = async ({
  clock,
  settings,
}: Pick<RoadmapEngine, "clock" | "settings">): Promise<FeatureStart> => ({
  at: clock.now(),
  language: (await settings.load()).roadmap.language,
});

export const listPlacedFeatures = ({ features }: Pick<Lead, "features">): FeatureRecord[] =>
  [...features.values()].filter(({ roadmap }) => roadmap !== null);

function createMissingDescriptionFault(name: string): Fault {
  return new Fault("input.missing", {
    what: "Nothing was planned.",
    why: `What ${name} shall do was not said: a new feature needs a description.`,
    fix: {
      operation: "roadmap.manage",
      input: { action: "create", features: [{ name, description: "…", dependencies: [] }] },
    },
  });
}

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
