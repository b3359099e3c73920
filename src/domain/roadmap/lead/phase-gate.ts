import type { FeatureRecord } from "../../feature/record.ts";

export type PhaseOperation = "design" | "impl" | "review-design" | "review-impl";

export type PhaseGate =
  | { readonly kind: "open" }
  | { readonly kind: "confirm"; readonly question: string }
  | { readonly kind: "closed"; readonly problem: string };

export function checkPhaseGate(record: FeatureRecord, operation: PhaseOperation): PhaseGate {
  const name = record.feature_name;
  switch (record.phase) {
    case "blocked":
      return createClosedGate(`${name} is blocked by ${record.blocked_info?.blocked_by.join(", ") ?? name}`);
    case "initialized":
      if (operation === "design") return { kind: "open" };
      return createClosedGate(
        operation === "impl"
          ? `Phase is 'initialized'. Run \`sdd_design ${name}\` first.`
          : `Design required. Run \`sdd_design ${name}\` first.`,
      );
    case "design-generated":
      if (operation !== "review-impl") return { kind: "open" };
      return createClosedGate(`Phase is 'design-generated'. Run \`sdd_impl ${name}\` first.`);
    case "implementation-complete":
      if (operation !== "design") return { kind: "open" };
      return {
        kind: "confirm",
        question: `Re-designing ${name} will invalidate the current implementation. Proceed?`,
      };
    default:
      return createClosedGate(`Unknown phase '${String(record.phase satisfies never)}'`);
  }
}

const createClosedGate = (problem: string): PhaseGate => ({ kind: "closed", problem });
