import { Fault } from "#domain/fault.ts";
import { parseFeatureName } from "#domain/feature/name.ts";
import type { FeatureRecord } from "#domain/feature/record.ts";
import { createFeatureRecord } from "#domain/feature/versions.ts";
import { pickFoundationFlag, assignFeatureWaves } from "#domain/roadmap/graph.ts";
import type { LeadEvent } from "#domain/roadmap/lead/event.ts";
import type { Lead } from "#domain/roadmap/lead/state.ts";
import type { RequestedFeature } from "#domain/roadmap/update.ts";
import type { Engine } from "../../engine.ts";
import type { ManageRoadmapInput } from "./answer.ts";

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
}: Pick<Engine, "clock" | "settings">): Promise<FeatureStart> => ({
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
