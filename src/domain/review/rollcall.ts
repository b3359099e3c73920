import { REVIEW_INSPECTORS } from "../agent/role.ts";
import type { OpenReview } from "../roadmap/lead/state.ts";
import type { ReviewKind } from "./finding.ts";

export interface InspectorRollCall {
  readonly reported: readonly string[];
  readonly missing: readonly string[];
  readonly awaited: readonly string[];
  /** Whether no inspector is awaited, so that the auditor may start. */
  readonly isOver: boolean;
}

type CalledReview = Pick<OpenReview, "inspectors" | "inspections" | "missing">;

export function callInspectorRoll({ inspectors, inspections, missing }: CalledReview): InspectorRollCall {
  const reported = inspectors.filter((name) => Object.hasOwn(inspections, name));
  const lost = inspectors.filter((name) => !reported.includes(name) && missing.includes(name));
  const awaited = inspectors.filter((name) => !reported.includes(name) && !lost.includes(name));
  return { reported, missing: lost, awaited, isOver: awaited.length === 0 };
}

export function listMissingInspectors(review: CalledReview): string[] {
  const { missing, awaited } = callInspectorRoll(review);
  return review.inspectors.filter((name) => missing.includes(name) || awaited.includes(name));
}

/** Auditors shorten the names: `sdd-inspector-test`, `settings` for `dead-settings`. */
export function normalizeInspectorName(kind: ReviewKind, said: string): string {
  const name = said
    .trim()
    .toLowerCase()
    .replace(/^sdd-/, "")
    .replace(/^inspector-/, "");
  const known: readonly string[] = REVIEW_INSPECTORS[kind];
  return [name, `impl-${name}`, `dead-${name}`].find((one) => known.includes(one)) ?? name;
}
