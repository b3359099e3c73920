import { Fault, type SuggestedFix } from "#domain/fault.ts";
import type { FeatureRecord } from "#domain/feature/record.ts";
import { checkPhaseGate, type PhaseOperation } from "#domain/roadmap/lead/phase-gate.ts";

/** Throws if the phase forbids the operation. Returns the question that the user must confirm first. */
export function checkFeaturePhase(record: FeatureRecord, wanted: PhaseOperation): string | undefined {
  const gate = checkPhaseGate(record, wanted);
  if (gate.kind === "open") return undefined;
  if (gate.kind === "confirm") return gate.question;
  throw new Fault("feature.closed", {
    what: `${record.feature_name} is not ready for that.`,
    why: gate.problem.endsWith(".") ? gate.problem : `${gate.problem}.`,
    fix: suggestPhaseFix(record, wanted),
  });
}

function suggestPhaseFix(
  { feature_name: name, phase, blocked_info: info }: FeatureRecord,
  wanted: PhaseOperation,
): SuggestedFix {
  if (phase === "blocked") {
    const names = [info?.blocked_by[0] ?? name];
    return { operation: "roadmap.manage", input: { action: "unblock", names, how: "…" } };
  }
  const isBuildable = phase === "design-generated" && wanted === "review-impl";
  return { operation: isBuildable ? "feature.impl" : "feature.design", input: { feature: name } };
}
