import type { FeatureName } from "#domain/feature/name.ts";
import type { FeatureRecord } from "#domain/feature/record.ts";
import { plain } from "#domain/quote.ts";
import { decide, type ReviewDue } from "#domain/roadmap/lead/decide.ts";
import type { LeadEvent } from "#domain/roadmap/lead/event.ts";
import { reviewKey } from "#domain/roadmap/lead/ids.ts";
import type { Lead } from "#domain/roadmap/lead/state.ts";
import { featureDesign } from "#domain/workspace/path.ts";
import type { Engine } from "../engine.ts";
import { knownBefore } from "./batches.ts";
import { designFacts } from "./facts/documents.ts";
import { filesHash, filesOf, frozenHash } from "./facts/hashes.ts";
import { featuresOf } from "./view.ts";

/** The feature that something was seen of, and the revision of its record then. */
export interface Seen {
  readonly feature: FeatureName | undefined;
  readonly rev: number;
}

export interface BeginningReview extends Seen {
  readonly key: string;
  /** Nothing where it cannot begin. */
  readonly event?: LeadEvent;
  readonly problem?: string;
}

export interface Change extends Seen {
  readonly event: LeadEvent;
}

/**
 * What somebody changed behind the engine's back, of the features that have something due: a design that is another than
 * the one that was taken, or code that is another than the gate has seen.
 */
export async function changesBehind(engine: Engine, lead: Lead): Promise<Change[]> {
  const { actions, reviews } = decide(lead);
  const isReviewed = (name: string): boolean =>
    reviews.some(({ review, scope }) => scope.of === "feature" && scope.feature === name && review === "impl");
  const busy = new Set([
    ...actions.flatMap(featuresOf),
    ...reviews.flatMap(({ scope }) => (scope.of === "feature" ? [scope.feature] : [])),
  ]);
  const changes: Change[] = [];
  for (const record of lead.features.values()) {
    const { feature_name: feature, rev } = record;
    if (!busy.has(feature)) continue;
    const facts =
      (await otherDesign(engine, record)) ?? (isReviewed(feature) ? await otherCode(engine, record) : undefined);
    if (facts) changes.push({ feature, rev, event: { kind: "changed", feature, facts } });
  }
  return changes;
}

type Behind = Extract<LeadEvent, { kind: "changed" }>["facts"];

/** A design that somebody edited counts once it is sound; until then it is told as a problem. */
async function otherDesign(engine: Engine, { feature_name, design, fix }: FeatureRecord): Promise<Behind | undefined> {
  const isMended = fix !== null && fix.groups.length === 0;
  if (!design || isMended) return undefined;
  const found = await designFacts(engine, feature_name);
  const isOther = found.hash !== design.hash && found.problems.length === 0;
  return isOther ? { at: engine.clock.now(), design: found } : undefined;
}

async function otherCode(engine: Engine, record: FeatureRecord): Promise<Behind | undefined> {
  const files = filesOf(record);
  const hash = await filesHash(engine, files);
  if (record.implementation.hash === null || record.implementation.hash === hash) return undefined;
  const tests = { status: "unknown", problems: [] } as const;
  return { at: engine.clock.now(), build: { hash, missing: [], outside: [], files, tests } };
}

/** Reviews that are due, with the hash of what they look at, and what earlier ones found. */
export async function reviewsToBegin(engine: Engine, lead: Lead): Promise<BeginningReview[]> {
  const begun: BeginningReview[] = [];
  for (const due of decide(lead).reviews) begun.push(await toBegin(engine, lead, due));
  return begun;
}

/** A review, with the hash of what it looks at; or why it cannot begin. */
export async function toBegin(engine: Engine, lead: Lead, { review, scope }: ReviewDue): Promise<BeginningReview> {
  const key = reviewKey(review, scope);
  const record = scope.of === "feature" ? lead.features.get(scope.feature) : undefined;
  const seen = { key, feature: record?.feature_name, rev: record?.rev ?? 0 };
  const of = await frozenHash(engine, lead, { kind: review, scope });
  const taken = review === "design" ? record?.design?.hash : record?.implementation.hash;
  if (record && review !== "dead-code" && taken !== of)
    return { ...seen, problem: await whyOther(engine, record, review) };
  const before = await engine.store.read((tree) => knownBefore(tree, lead, review, scope));
  return { ...seen, event: { kind: "review-begun", review, scope, of, ...before } };
}

/** Said where a review cannot begin, because what it is of is not what was taken. */
async function whyOther(engine: Engine, { feature_name }: FeatureRecord, review: string): Promise<string> {
  const start = `The ${review} review of ${feature_name} does not begin`;
  if (review !== "design") return `${start}: its code has changed since the gate saw it.`;
  const path = featureDesign(feature_name);
  const [first] = (await designFacts(engine, feature_name)).problems;
  const why = first
    ? ` Mend it${first.line === undefined ? "" : `, line ${first.line}`}: ${plain(first.problem, 300)}`
    : "";
  return `${start}: ${path} was changed since it was taken.${why} To go back: git checkout -- ${path}`;
}
