import { Fault } from "#domain/fault.ts";
import { parseFeatureName } from "#domain/feature/name.ts";
import type { FeatureRecord } from "#domain/feature/record.ts";
import { beginFeature } from "#domain/feature/versions.ts";
import { foundationOf, wavesOf } from "#domain/roadmap/graph.ts";
import type { LeadEvent } from "#domain/roadmap/lead/event.ts";
import type { Lead } from "#domain/roadmap/lead/state.ts";
import type { Wanted } from "#domain/roadmap/update.ts";
import type { Engine } from "../../engine.ts";
import type { Input } from "./answer.ts";

/** Known features keep their description and foundation flag unless the input changes them. */
export function wantedIn({ features }: Lead, said: NonNullable<Input["features"]>): Wanted[] {
  return said.map(({ name: text, description, dependencies = [], foundation }) => {
    const name = parseFeatureName(text);
    const known = features.get(name);
    const words = description ?? known?.description;
    if (words === undefined) throw undescribed(name);
    const kept = foundationOf({ foundation: foundation ?? known?.roadmap?.foundation });
    return { name, description: words, dependencies: [...new Set(dependencies.map(parseFeatureName))], ...kept };
  });
}

export function placing({ features }: Lead, wanted: readonly Wanted[], begin: Beginning): LeadEvent[] {
  const waves = wavesOf(wanted);
  const inOrder = wanted.toSorted((a, b) => (waves.get(a.name) ?? 0) - (waves.get(b.name) ?? 0));
  return inOrder.map((feature): LeadEvent => {
    const { name, dependencies, foundation = false } = feature;
    const wave = waves.get(name) ?? 1;
    if (!features.has(name)) return added(feature, wave, begin);
    return { kind: "placed", feature: name, wave, dependencies, foundation };
  });
}

export function added({ name, description, dependencies, ...said }: Wanted, wave: number, begin: Beginning): LeadEvent {
  const roadmap = { wave, dependencies, skipped: [], ...foundationOf(said) };
  return { kind: "feature-added", record: { ...beginFeature(name, description, begin.language, begin.at), roadmap } };
}

export interface Beginning {
  readonly at: string;
  readonly language: string;
}

export const beginningNow = async ({ clock, settings }: Pick<Engine, "clock" | "settings">): Promise<Beginning> => ({
  at: clock.now(),
  language: (await settings.load()).roadmap.language,
});

export const placedIn = ({ features }: Pick<Lead, "features">): FeatureRecord[] =>
  [...features.values()].filter(({ roadmap }) => roadmap !== null);

function undescribed(name: string): Fault {
  return new Fault("input.missing", {
    what: "Nothing was planned.",
    why: `What ${name} shall do was not said: a new feature needs a description.`,
    fix: {
      operation: "roadmap.manage",
      input: { action: "create", features: [{ name, description: "…", dependencies: [] }] },
    },
  });
}
