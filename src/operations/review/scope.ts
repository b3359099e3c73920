import type * as z from "zod";
import { REVIEW_INSPECTORS } from "#domain/agent/role.ts";
import { Fault } from "#domain/fault.ts";
import type { FeatureRecord } from "#domain/feature/record.ts";
import type { Lead, ReviewScope } from "#domain/roadmap/lead/state.ts";
import { chooseFeature } from "../feature/choose.ts";
import { passPhase } from "../feature/gate.ts";
import type { Review } from "./schema.ts";

type Input = z.infer<typeof Review>;

const DEAD_PARTS: readonly string[] = REVIEW_INSPECTORS["dead-code"].map((name) => name.replace("dead-", ""));

const isPart = (said: string): boolean => DEAD_PARTS.includes(said);

/** `review dead-code settings` selects one inspector. */
export const inspectorsOf = ({ kind, feature }: Input): readonly string[] | undefined =>
  kind === "dead-code" && feature !== undefined && isPart(feature) ? [`dead-${feature}`] : undefined;

export function scopeOf(lead: Lead, { kind, feature, wave, cross_check = false, tasks = [] }: Input): ReviewScope {
  const said = [feature, wave, cross_check || undefined].filter((each) => each !== undefined).length;
  if (said > 1) throw bad(kind, "A feature, a wave and a cross-check exclude each other.");
  if (tasks.length > 0 && (feature === undefined || kind !== "impl")) {
    throw bad(kind, "Only the implementation of a feature is reviewed by tasks.");
  }
  if (feature !== undefined && kind === "dead-code" && !isPart(feature))
    throw bad(kind, `Dead code is looked for everywhere at once, or of one sort: ${DEAD_PARTS.join(", ")}.`);
  if (feature !== undefined && kind !== "dead-code") {
    const { feature_name: name } = chooseFeature(lead, feature);
    return { of: "feature", feature: name, ...(tasks.length > 0 ? { tasks } : {}) };
  }
  if (wave !== undefined) return waveOf(lead, kind, wave);
  if (cross_check || kind === "dead-code") return { of: "all" };
  throw bad(kind, "What shall be reviewed was not said.");
}

export function passReview(lead: Lead, kind: Input["kind"], scope: ReviewScope): void {
  if (kind === "dead-code") return;
  if (scope.of === "feature") {
    passPhase(chooseFeature(lead, scope.feature), kind === "design" ? "review-design" : "review-impl");
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
    fix: { operation: kind === "design" ? "feature.design" : "roadmap.next", ...(kind === "design" ? EXAMPLE : {}) },
  });
}

const EXAMPLE = { input: { feature: "…" } };

function waveOf({ features }: Lead, kind: Input["kind"], wave: number): ReviewScope {
  const waves = [...new Set([...features.values()].flatMap(({ roadmap }) => roadmap?.wave ?? []))].toSorted(
    (a, b) => a - b,
  );
  if (waves.includes(wave)) return { of: "wave", wave };
  throw bad(
    kind,
    waves.length === 0 ? "There is no roadmap, so there are no waves." : `The waves are ${waves.join(", ")}.`,
  );
}

function bad(kind: Input["kind"], why: string): Fault {
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
