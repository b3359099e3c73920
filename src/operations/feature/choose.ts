import { findClosestWord } from "#domain/closest.ts";
import { Fault } from "#domain/fault.ts";
import type { FeatureRecord } from "#domain/feature/record.ts";
import { quote } from "#domain/quote.ts";
import type { Lead } from "#domain/roadmap/lead/state.ts";

const MOST_NAMED = 12;

export function chooseFeature({ features }: Pick<Lead, "features">, name: string): FeatureRecord {
  const found = [...features.values()].find((record) => record.feature_name === name);
  if (found) return found;
  const known = [...features.keys()];
  const near = findClosestWord(name, known);
  throw new Fault("feature.unknown", {
    what: `There is no feature ${quote(name, 60)}.`,
    why: near ? `${near} is near it.` : `${namesOf(known)}.`,
    fix: near
      ? { operation: "workspace.status", input: { feature: near } }
      : { operation: "feature.design", input: { feature: "…" } },
  });
}

function namesOf(known: readonly string[]): string {
  if (known.length === 0) return "No feature has been begun";
  const more = known.length > MOST_NAMED ? ` and ${known.length - MOST_NAMED} more` : "";
  return `There ${known.length === 1 ? "is" : "are"} ${known.slice(0, MOST_NAMED).join(", ")}${more}`;
}
