import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import type { FeatureRecord, PendingFix, FeaturePhase, ReviewReference } from "./feature/feature-record.ts";
import { FEATURE_PHASES } from "./feature/feature-record.ts";
import { isPassingVerdict } from "./review/review-verdict.ts";

/** True if the review passed and the content has not changed since. */
export const hasCurrentPass = (review: ReviewReference | null, hash: string | null | undefined): boolean =>
  review !== null && review.of === hash && isPassingVerdict(review.verdict);

/** True if the code exists, its gate passed and no fix is open. */
export const isFeatureBuilt = ({ phase, fix, implementation }: FeatureRecord): boolean =>
  phase === "implementation-complete" && fix === null && implementation.hash !== null;

export const isFeatureAccepted = (record: FeatureRecord): boolean =>
  isFeatureBuilt(record) && hasCurrentPass(record.reviews.implementation, record.implementation.hash);

type FeatureRecordMap = ReadonlyMap<FeatureName, FeatureRecord>;

/** What other features build on. A change elsewhere in the design does not reach them. */
export const getOfferedHash = ({ design }: FeatureRecord): string | undefined => design?.offers ?? design?.hash;

/** The offered hashes of a feature's dependencies: the recorded one if a dependency is skipped or not accepted. */
export function getCurrentBasis(
  features: FeatureRecordMap,
  { roadmap, design }: FeatureRecord,
): Readonly<Record<string, string>> {
  if (!roadmap || !design) return {};
  const known = Object.entries(design.basis).map(([name, hash]) => {
    const other = features.get(name as FeatureName);
    const isCounted = other !== undefined && !roadmap.skipped.includes(other.feature_name) && isFeatureAccepted(other);
    return [name, (isCounted ? getOfferedHash(other) : undefined) ?? hash] as const;
  });
  return Object.fromEntries(known);
}

export function listChangedDependencies(features: FeatureRecordMap, record: FeatureRecord): FeatureName[] {
  if (!isFeatureAccepted(record)) return [];
  const now = getCurrentBasis(features, record);
  const basis = record.design?.basis ?? {};
  return (Object.keys(now) as FeatureName[]).filter((name) => now[name] !== basis[name]);
}

/** Features whose designs offer something else than when this one was designed on them. */
export const listOutdatedBasis = (features: FeatureRecordMap, { design }: FeatureRecord): string[] =>
  Object.entries(design?.basis ?? {}).flatMap(([name, hash]) => {
    const other = features.get(name as FeatureName);
    return other?.design && getOfferedHash(other) !== hash ? [name] : [];
  });

export function getReachedPhase({ phase, blocked_info: info }: FeatureRecord): Exclude<FeaturePhase, "blocked"> {
  return phase === "blocked" ? (info?.blocked_at_phase ?? "initialized") : phase;
}

/** True if the Architect makes the fix. Group fixes go to Builders, and a blocker leads to new tasks. */
export const isDesignFix = (fix: PendingFix | null): fix is PendingFix =>
  fix !== null && fix.groups.length === 0 && fix.source !== "blocker";

export const isFeatureDesigned = (record: FeatureRecord): boolean =>
  getReachedPhase(record) !== "initialized" && !isDesignFix(record.fix);

/** Built features count too, reviewed or not. */
export const isPastDesignReview = (record: FeatureRecord): boolean =>
  isFeatureDesigned(record) &&
  (hasCurrentPass(record.reviews.design, record.design?.hash) || getReachedPhase(record) === "implementation-complete");

export const isBehindFeature = (one: FeatureRecord, other: FeatureRecord): boolean =>
  FEATURE_PHASES.indexOf(getReachedPhase(one)) < FEATURE_PHASES.indexOf(getReachedPhase(other));

export type PhaseOperation = "design" | "impl" | "review-design" | "review-impl";

type PhaseGate =
  | { readonly kind: "open" }
  | { readonly kind: "confirm"; readonly question: string }
  | { readonly kind: "closed"; readonly problem: string };

export function checkPhaseGate(
  { feature_name: name, phase, blocked_info }: FeatureRecord,
  operation: PhaseOperation,
): PhaseGate {
  const close = (problem: string): PhaseGate => ({ kind: "closed", problem });
  switch (phase) {
    case "blocked":
      return close(`${name} is blocked by ${blocked_info?.blocked_by.join(", ") ?? name}`);
    case "initialized":
      if (operation === "design") return { kind: "open" };
      return close(
        `${operation === "impl" ? "Phase is 'initialized'" : "Design required"}. Run \`sdd_design ${name}\` first.`,
      );
    case "design-generated":
      if (operation !== "review-impl") return { kind: "open" };
      return close(`Phase is 'design-generated'. Run \`sdd_impl ${name}\` first.`);
    case "implementation-complete": {
      const question = `Re-designing ${name} will invalidate the current implementation. Proceed?`;
      return operation === "design" ? { kind: "confirm", question } : { kind: "open" };
    }
    default:
      return close(`Unknown phase '${String(phase satisfies never)}'`);
  }
}

/** `regenerate`: plan tasks first. `resume`: build pending groups. `ask`: all is done and no task is selected. */
export const COMPLETED_CHOICES = ["specify tasks", "re-design", "abort"] as const;

export function chooseImplMode(record: FeatureRecord, hasTasksFile: boolean, tasks: readonly string[]) {
  const last = record.orchestration.last_phase_action;
  if (!hasTasksFile || last === null) return "regenerate";
  if (last === "tasks-generated") return "resume";
  return tasks.length > 0 ? "re-execute" : "ask";
}
