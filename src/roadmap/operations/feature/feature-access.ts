import { findClosestWord, formatShortList, quote, sanitizeText } from "#kernel/model/text-format.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { FeatureRecord } from "../../model/feature/feature-record.ts";
import type { Lead } from "../../model/lead/lead-state.ts";
import type * as z from "zod";
import type { Page } from "#kernel/model/page.ts";
import type { FeatureSummarySchema } from "./schema.ts";
import { checkPhaseGate, type PhaseOperation } from "../../model/feature-progress.ts";

const MAX_NAMED_FEATURES = 12;

export function requireFeatureRecord({ features }: Pick<Lead, "features">, name: string): FeatureRecord {
  const found = [...features.values()].find((record) => record.feature_name === name);
  if (found) return found;
  const known = [...features.keys()];
  const near = findClosestWord(name, known);
  const others = `There ${known.length === 1 ? "is" : "are"} ${formatShortList(known, MAX_NAMED_FEATURES)}.`;
  const why = known.length === 0 ? "No feature was started yet." : others;
  throw new Fault("feature.unknown", {
    what: `Unknown feature ${quote(name, 60)}.`,
    why: near ? `Did you mean "${near}"?` : why,
    fix: near
      ? { operation: "workspace.status", input: { feature: near } }
      : { operation: "feature.design", input: { feature: "…" } },
  });
}

/** Throws if the phase forbids the operation. Returns the question that the user must confirm first. */
export function checkFeaturePhase(record: FeatureRecord, wanted: PhaseOperation): string | undefined {
  const gate = checkPhaseGate(record, wanted);
  if (gate.kind === "open") return undefined;
  if (gate.kind === "confirm") return gate.question;
  const { feature_name: name, phase, blocked_info: info } = record;
  const isBuildable = phase === "design-generated" && wanted === "review-impl";
  const unblock = { action: "unblock", names: [info?.blocked_by[0] ?? name], how: "…" };
  throw new Fault("feature.closed", {
    what: `${name} is not ready for that.`,
    why: gate.problem.endsWith(".") ? gate.problem : `${gate.problem}.`,
    fix:
      phase === "blocked"
        ? { operation: "roadmap.manage", input: unblock }
        : { operation: isBuildable ? "feature.impl" : "feature.design", input: { feature: name } },
  });
}

export const createFeatureSummary = (record: FeatureRecord): z.infer<typeof FeatureSummarySchema> => ({
  name: record.feature_name,
  description: record.description,
  phase: record.phase,
  version: record.version,
  wave: record.roadmap?.wave ?? null,
});

export function formatSummaryFacts(feature: z.infer<typeof FeatureSummarySchema>): NonNullable<Page["facts"]> {
  return [
    ["feature", sanitizeText(feature.description, 200)],
    ["phase", feature.phase],
    ["version", feature.version],
    ...(feature.wave === null ? [] : [["wave", String(feature.wave)] as const]),
  ];
}
