import type { FeatureRecord } from "../../feature/record.ts";

export type PhaseOperation = "design" | "impl" | "review-design" | "review-impl";

export type PhaseGate =
  | { readonly kind: "open" }
  | { readonly kind: "confirm"; readonly question: string }
  | { readonly kind: "closed"; readonly problem: string };

export function phaseGate(record: FeatureRecord, operation: PhaseOperation): PhaseGate {
  const name = record.feature_name;
  switch (record.phase) {
    case "blocked":
      return closed(`${name} is blocked by ${record.blocked_info?.blocked_by.join(", ") ?? name}`);
    case "initialized":
      if (operation === "design") return { kind: "open" };
      return closed(
        operation === "impl"
          ? `Phase is 'initialized'. Run \`sdd_design ${name}\` first.`
          : `Design required. Run \`sdd_design ${name}\` first.`,
      );
    case "design-generated":
      if (operation !== "review-impl") return { kind: "open" };
      return closed(`Phase is 'design-generated'. Run \`sdd_impl ${name}\` first.`);
    case "implementation-complete":
      if (operation !== "design") return { kind: "open" };
      return {
        kind: "confirm",
        question: `Re-designing ${name} will invalidate the current implementation. Proceed?`,
      };
    default:
      return closed(`Unknown phase '${String(record.phase satisfies never)}'`);
  }
}

const closed = (problem: string): PhaseGate => ({ kind: "closed", problem });
