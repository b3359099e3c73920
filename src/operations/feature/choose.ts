import { findClosestWord } from "#domain/closest.ts";
import { Fault } from "#domain/fault.ts";
import type { FeatureRecord } from "#domain/feature/record.ts";
import { quote } from "#domain/quote.ts";
import type { Lead } from "#domain/roadmap/lead/state.ts";

const MAX_NAMED_FEATURES = 12;

export function requireFeatureRecord({ features }: Pick<Lead, "features">, name: string): FeatureRecord {
  const found = [...features.values()].find((record) => record.feature_name === name);
  if (found) return found;
  const known = [...features.keys()];
  const near = findClosestWord(name, known);
  throw new Fault("feature.unknown", {
    what: `There is no feature ${quote(name, 60)}.`,
    why: near ? `${near} is near it.` : `${formatKnownFeatures(known)}.`,
    fix: near
      ? { operation: "workspace.status", input: { feature: near } }
      : { operation: "feature.design", input: { feature: "…" } },
  });
}

function formatKnownFeatures(known: readonly string[]): string {
  if (known.length === 0) return "No feature has been begun";
  const more = known.length > MAX_NAMED_FEATURES ? ` and ${known.length - MAX_NAMED_FEATURES} more` : "";
  return `There ${known.length === 1 ? "is" : "are"} ${known.slice(0, MAX_NAMED_FEATURES).join(", ")}${more}`;
}
