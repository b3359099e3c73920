import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import { countSecondsBetween } from "#kernel/model/utc-time.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { applyLeadEvent } from "../../model/lead/apply-event.ts";
import type { LeadAction, ActionAssignment, Lead } from "../../model/lead/lead-state.ts";
import { decideNextActions } from "../../model/lead/lead-decision.ts";
import type { LeadEvent } from "../../model/lead/lead-events.ts";
import { createReviewKey } from "../../model/lead/action-ids.ts";
import type { RoadmapEngine } from "../engine.ts";
import type { LockedStoreTree } from "#store/operations/ports/store.ts";
import { commitLeadEvents, type LeadEventInput } from "./apply-events.ts";
import { estimateActionTokens, listActionFeatures } from "./action-view.ts";
import { type ReviewToStart, prepareReviews } from "./review-batches.ts";
import { readLead, STOP_REQUEST_SPACE, loadCheckoutEntries, createCheckoutKey } from "./lead-store.ts";

export interface AssignmentRequest {
  readonly session: string;
  readonly limit: number;
  readonly feature: FeatureName | undefined;
}

export interface AssignmentResult {
  readonly lead: Lead;
  readonly mine: readonly ActionAssignment[];
  readonly fresh: ReadonlySet<string>;
  readonly more: number;
  readonly dismissed: readonly string[];
  readonly notes: readonly string[];
  readonly idle: string | null;
}

const formatSilenceReason = (minutes: number): string => `Nothing was heard of it for ${minutes} minutes.`;

const createLostEvents = (lead: Lead, now: string, minutes: number): LeadEvent[] =>
  [...lead.out.values()]
    .filter(({ at }) => countSecondsBetween(at, now) >= minutes * 60)
    .map(({ action }) => ({ kind: "lost", action: action.id, why: formatSilenceReason(minutes) }));

const loadLostAfterMinutes = async ({ settings }: Pick<RoadmapEngine, "settings">): Promise<number> =>
  (await settings.load()).roadmap.lost_after_minutes;

/** The Lead after these events, without storing anything. */
const previewLeadEvents = (lead: Lead, events: readonly LeadEvent[]): Lead =>
  events.reduce((now, event) => applyLeadEvent(now, event).lead, lead);

/**
 * Assigns pending actions to a session. A session keeps its assignments, and no other session gets them. If a review must start or a Builder needs a snapshot, reads the files without a lock and
 * tries again.
 */
export async function assignActions(engine: RoadmapEngine, wish: AssignmentRequest): Promise<AssignmentResult> {
  const minutes = await loadLostAfterMinutes(engine);
  const at = engine.clock.now();
  const tried = await tryAssignActions(engine, wish, { at, minutes });
  if ("handed" in tried) return tried.handed;
  const seen = previewLeadEvents(tried.lead, createLostEvents(tried.lead, at, minutes));
  const reviews = await prepareReviews(engine, seen);
  const prepared = { at, minutes, reviews, ...(await prepareBuildBase(engine, seen, wish)) };
  const again = await tryAssignActions(engine, wish, prepared);
  if (!("handed" in again)) throw new RangeError("Nothing was decided.");
  return again.handed;
}

/** Returns the Lead instead if file state is missing. */
async function tryAssignActions(
  engine: RoadmapEngine,
  wish: AssignmentRequest,
  prepared: AssignmentPreparation,
): Promise<{ readonly handed: AssignmentResult } | { readonly lead: Lead }> {
  let handed: AssignmentResult | undefined;
  const { applied, before } = await commitLeadEvents(engine, (tree, lead) => {
    handed = undefined;
    const decided = createAssignments(tree, engine, lead, wish, prepared);
    handed = decided?.handed;
    return decided ?? { events: [] };
  });
  if (!handed) return { lead: before };
  // A review of content that changed meanwhile does not start.
  const refused = applied.flatMap((each) => (each.kind === "refused" ? each.problems : []));
  return { handed: { ...handed, notes: refused.map(({ problem }) => sanitizeText(problem, 500)) } };
}

interface AssignmentPreparation {
  readonly at: string;
  readonly minutes: number;
  readonly reviews?: readonly ReviewToStart[];
  /** Snapshot of the files; null outside git, undefined if no build is pending. */
  readonly base?: string | null;
}

/** A snapshot costs more than everything else here, so it is taken only for builds. */
async function prepareBuildBase(
  { snapshots }: RoadmapEngine,
  lead: Lead,
  { limit, feature }: AssignmentRequest,
): Promise<Pick<AssignmentPreparation, "base">> {
  const wanted = decideNextActions(lead).actions.filter((action) => isRequestedAction(action, feature));
  if (!wanted.slice(0, limit).some(isBuilderAction)) return {};
  return { base: (await snapshots.isPossible()) ? await snapshots.sourceTree() : null };
}

const isBuilderAction = (action: LeadAction): boolean => action.kind === "spawn" && action.work.of === "build";

function createAssignments(
  tree: LockedStoreTree,
  { checkout }: Pick<RoadmapEngine, "checkout">,
  lead: Lead,
  { session, limit, feature }: AssignmentRequest,
  { at, minutes, reviews, base }: AssignmentPreparation,
): (LeadEventInput & { readonly handed: AssignmentResult }) | undefined {
  const gone = createLostEvents(lead, at, minutes);
  const left = previewLeadEvents(lead, gone);
  if (!reviews && decideNextActions(left).reviews.length > 0) return undefined;
  const begun = listStillPendingReviews(left, reviews ?? []);
  const ready = previewLeadEvents(left, begun);
  const { actions, idle } = decideNextActions(ready);
  const kept = [...ready.out.values()].filter(
    (out) => out.session === session && isRequestedAction(out.action, feature),
  );
  const wanted = actions.filter((action) => isRequestedAction(action, feature));
  if (!reviews && base === undefined && wanted.slice(0, limit).some(isBuilderAction)) return undefined;
  const possible = wanted.filter((action) => base !== undefined || !isBuilderAction(action));
  const fresh = possible.slice(0, Math.max(0, limit - kept.length));
  const given = fresh.map((action): LeadEvent => ({
    kind: "handed-out",
    action: action.id,
    session,
    at,
    base: isBuilderAction(action) ? (base ?? null) : null,
    estimate: estimateActionTokens(action),
  }));
  const events = [...gone, ...begun, ...given];
  const after = previewLeadEvents(ready, given);
  const dismissed = [...loadCheckoutEntries(tree, STOP_REQUEST_SPACE, checkout)].filter(
    ([, told]) => told.session === session,
  );
  const names = new Set(fresh.map(({ id }) => id));
  return {
    events,
    keeps: dismissed.map(([id]) => ({ space: STOP_REQUEST_SPACE.name, key: createCheckoutKey(checkout, id) })),
    occurrences: dismissed.map(([id]) => ({ kind: "roadmap.told-to-stop", subject: id, data: { session } })),
    handed: {
      lead: after,
      mine: [...kept, ...fresh.flatMap(({ id }) => after.out.get(id) ?? [])],
      fresh: names,
      more: wanted.length - fresh.length,
      dismissed: dismissed.map(([id]) => id),
      notes: [],
      idle,
    },
  };
}

const isRequestedAction = (action: LeadAction, feature: FeatureName | undefined): boolean =>
  feature === undefined || listActionFeatures(action).includes(feature);

function listStillPendingReviews(lead: Lead, reviews: readonly ReviewToStart[]): LeadEvent[] {
  if (reviews.length === 0) return [];
  const due = new Set(decideNextActions(lead).reviews.map(({ review, scope }) => createReviewKey(review, scope)));
  return reviews.flatMap(({ key, event }) => (due.has(key) ? [event] : []));
}

export async function previewAssignments(
  engine: RoadmapEngine,
  { session, limit, feature }: AssignmentRequest,
): Promise<AssignmentResult> {
  const now = await readLead(engine);
  const lead = previewLeadEvents(now, createLostEvents(now, engine.clock.now(), await loadLostAfterMinutes(engine)));
  const { actions, reviews, idle } = decideNextActions(lead);
  const kept = [...lead.out.values()].filter(
    (out) => out.session === session && isRequestedAction(out.action, feature),
  );
  const wanted = actions.filter((action) => isRequestedAction(action, feature));
  const fresh = wanted.slice(0, Math.max(0, limit - kept.length));
  const toBegin = reviews.map(({ review, scope }) => createReviewKey(review, scope));
  return {
    lead,
    mine: [
      ...kept,
      ...fresh.map((action) => ({
        action,
        session,
        at: "",
        base: null,
        estimate: estimateActionTokens(action),
        refusals: 0,
      })),
    ],
    fresh: new Set(fresh.map(({ id }) => id)),
    more: wanted.length - fresh.length,
    dismissed: [],
    notes: toBegin.map((key) => `The review ${key} begins with the next call that does not only look.`),
    idle,
  };
}
