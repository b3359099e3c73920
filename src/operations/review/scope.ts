import type * as z from "zod";
import { REVIEW_INSPECTORS } from "#domain/agent/role.ts";
import { Fault } from "#domain/fault.ts";
import type { FeatureRecord } from "#domain/feature/record.ts";
import type { Lead, ReviewScope } from "#domain/roadmap/lead/state.ts";
import { requireFeatureRecord } from "../feature/choose.ts";
import { checkFeaturePhase } from "../feature/gate.ts";
import type { BeginReviewInputSchema } from "./schema.ts";

type ReviewScopeInput = z.infer<typeof BeginReviewInputSchema>;

const DEAD_CODE_PARTS: readonly string[] = REVIEW_INSPECTORS["dead-code"].map((name) => name.replace("dead-", ""));

const isDeadCodePart = (said: string): boolean => DEAD_CODE_PARTS.includes(said);

/** `review dead-code settings` selects one inspector. */
export const selectDeadCodeInspectors = ({ kind, feature }: ReviewScopeInput): readonly string[] | undefined =>
  kind === "dead-code" && feature !== undefined && isDeadCodePart(feature) ? [`dead-${feature}`] : undefined;

export function resolveReviewScope(
  lead: Lead,
  { kind, feature, wave, cross_check = false, tasks = [] }: ReviewScopeInput,
): ReviewScope {
  const said = [feature, wave, cross_check || undefined].filter((each) => each !== undefined).length;
  if (said > 1) throw createScopeFault(kind, "A feature, a wave and a cross-check exclude each other.");
  if (tasks.length > 0 && (feature === undefined || kind !== "impl")) {
    throw createScopeFault(kind, "Only the implementation of a feature is reviewed by tasks.");
  }
  if (feature !== undefined && kind === "dead-code" && !isDeadCodePart(feature))
    throw createScopeFault(
      kind,
      `Dead code is looked for everywhere at once, or of one sort: ${DEAD_CODE_PARTS.join(", ")}.`,
    );
  if (feature !== undefined && kind !== "dead-code") {
    const { feature_name: name } = requireFeatureRecord(lead, feature);
    return { of: "feature", feature: name, ...(tasks.length > 0 ? { tasks } : {}) };
  }
  if (wave !== undefined) return resolveWaveScope(lead, kind, wave);
  if (cross_check || kind === "dead-code") return { of: "all" };
  throw createScopeFault(kind, "What shall be reviewed was not said.");
}

export function checkReviewTarget(lead: Lead, kind: ReviewScopeInput["kind"], scope: ReviewScope): void {
  if (kind === "dead-code") return;
  if (scope.of === "feature") {
    checkFeaturePhase(requireFeatureRecord(lead, scope.feature), kind === "design" ? "review-design" : "review-impl");
    return;
  }
  const isThere = ({ design, phase }: FeatureRecord): boolean =>
    kind === "design" ? design !== null : phase === "implementation-complete";
  const meant = [...lead.features.values()].filter(
    ({ roadmap }) => scope.of === "all" || (roadmap !== null && roadmap.wave <= scope.wave),
  );
  if (meant.some(isThere)) return;
  throw new Fault("review.nothing-there", {
    what: "No review was begun.",
    why: `No feature is ${kind === "design" ? "designed" : "implemented"} yet.`,
    fix: {
      operation: kind === "design" ? "feature.design" : "roadmap.next",
      ...(kind === "design" ? DESIGN_EXAMPLE : {}),
    },
  });
}

const DESIGN_EXAMPLE = { input: { feature: "…" } };

function resolveWaveScope({ features }: Lead, kind: ReviewScopeInput["kind"], wave: number): ReviewScope {
  const waves = [...new Set([...features.values()].flatMap(({ roadmap }) => roadmap?.wave ?? []))].toSorted(
    (a, b) => a - b,
  );
  if (waves.includes(wave)) return { of: "wave", wave };
  throw createScopeFault(
    kind,
    waves.length === 0 ? "There is no roadmap, so there are no waves." : `The waves are ${waves.join(", ")}.`,
  );
}

function createScopeFault(kind: ReviewScopeInput["kind"], why: string): Fault {
  return new Fault("review.bad-scope", {
    what: "No review was begun.",
    why,
    fix:
      kind === "dead-code"
        ? { operation: "review.begin", input: { kind } }
        : [
            { operation: "review.begin", input: { kind, feature: "user-login" } },
            { operation: "review.begin", input: { kind, cross_check: true } },
          ],
  });
}
