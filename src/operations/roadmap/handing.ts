import type { FeatureName } from "#domain/feature/name.ts";
import { countSecondsBetween } from "#domain/day.ts";
import { sanitizeText } from "#domain/quote.ts";
import { apply } from "#domain/roadmap/lead/apply.ts";
import type { Action } from "#domain/roadmap/lead/action.ts";
import { decide } from "#domain/roadmap/lead/decide.ts";
import type { LeadEvent } from "#domain/roadmap/lead/event.ts";
import { reviewKey } from "#domain/roadmap/lead/ids.ts";
import type { HandedOut, Lead } from "#domain/roadmap/lead/state.ts";
import type { Engine } from "../engine.ts";
import type { LockedStoreTree } from "../ports/store.ts";
import { feedLead, type Fed } from "./apply.ts";
import { estimated } from "./brief.ts";
import { type BeginningReview, reviewsToBegin } from "./beginning.ts";
import { readLead } from "./shelf.ts";
import { DISMISSED, keptOf, keyIn } from "./spaces.ts";
import { featuresOf } from "./view.ts";

export interface Wish {
  readonly session: string;
  readonly limit: number;
  readonly feature: FeatureName | undefined;
}

export interface Handed {
  readonly lead: Lead;
  readonly mine: readonly HandedOut[];
  readonly fresh: ReadonlySet<string>;
  readonly more: number;
  readonly dismissed: readonly string[];
  readonly notes: readonly string[];
  readonly idle: string | null;
}

const silent = (minutes: number): string => `Nothing was heard of it for ${minutes} minutes.`;

const lostIn = (lead: Lead, now: string, minutes: number): LeadEvent[] =>
  [...lead.out.values()]
    .filter(({ at }) => countSecondsBetween(at, now) >= minutes * 60)
    .map(({ action }) => ({ kind: "lost", action: action.id, why: silent(minutes) }));

const patienceOf = async ({ settings }: Pick<Engine, "settings">): Promise<number> =>
  (await settings.load()).roadmap.lost_after_minutes;

/** The Lead after these events, without storing anything. */
const foreseen = (lead: Lead, events: readonly LeadEvent[]): Lead =>
  events.reduce((now, event) => apply(now, event).lead, lead);

/**
 * Assigns pending actions to a session. A session keeps its assignments, and no other session gets them. The first try
 * uses only known file state. If a review must start or a Builder needs a snapshot, reads the files without a lock and
 * tries again.
 */
export async function handOut(engine: Engine, wish: Wish): Promise<Handed> {
  const minutes = await patienceOf(engine);
  const at = engine.clock.now();
  const base = await engine.snapshots.knownSourceTree();
  const tried = await handOutBy(engine, wish, { at, minutes, ...(base === undefined ? {} : { base }) });
  if ("handed" in tried) return tried.handed;
  const seen = foreseen(tried.lead, lostIn(tried.lead, at, minutes));
  const reviews = await reviewsToBegin(engine, seen);
  const prepared = { at, minutes, reviews, ...(await baseFor(engine, seen, wish)) };
  const again = await handOutBy(engine, wish, prepared);
  if (!("handed" in again)) throw new RangeError("Nothing was decided.");
  return again.handed;
}

/** Returns the Lead instead if file state is missing. */
async function handOutBy(
  engine: Engine,
  wish: Wish,
  prepared: Prepared,
): Promise<{ readonly handed: Handed } | { readonly lead: Lead }> {
  let handed: Handed | undefined;
  const { applied, before } = await feedLead(engine, (tree, lead) => {
    handed = undefined;
    const decided = give(tree, engine, lead, wish, prepared);
    handed = decided?.handed;
    return decided ?? { events: [] };
  });
  if (!handed) return { lead: before };
  // A review of content that changed meanwhile does not start.
  const refused = applied.flatMap((each) => (each.kind === "refused" ? each.problems : []));
  return { handed: { ...handed, notes: refused.map(({ problem }) => sanitizeText(problem, 500)) } };
}

interface Prepared {
  readonly at: string;
  readonly minutes: number;
  readonly reviews?: readonly BeginningReview[];
  /** Snapshot of the files; null outside git, undefined if no build is pending. */
  readonly base?: string | null;
}

/** A snapshot costs more than everything else here, so it is taken only for builds. */
async function baseFor({ snapshots }: Engine, lead: Lead, { limit, feature }: Wish): Promise<Pick<Prepared, "base">> {
  const wanted = decide(lead).actions.filter((action) => isWanted(action, feature));
  if (!wanted.slice(0, limit).some(isBuild)) return {};
  return { base: (await snapshots.knownSourceTree()) ?? (await snapshots.rememberSourceTree()) ?? null };
}

export const isBuild = (action: Action): boolean => action.kind === "spawn" && action.work.of === "build";

function give(
  tree: LockedStoreTree,
  { checkout }: Pick<Engine, "checkout">,
  lead: Lead,
  { session, limit, feature }: Wish,
  { at, minutes, reviews, base }: Prepared,
): (Fed & { readonly handed: Handed }) | undefined {
  const gone = lostIn(lead, at, minutes);
  const left = foreseen(lead, gone);
  if (!reviews && decide(left).reviews.length > 0) return undefined;
  const begun = stillDue(left, reviews ?? []);
  const ready = foreseen(left, begun);
  const { actions, idle } = decide(ready);
  const kept = [...ready.out.values()].filter((out) => out.session === session && isWanted(out.action, feature));
  const wanted = actions.filter((action) => isWanted(action, feature));
  if (!reviews && base === undefined && wanted.slice(0, limit).some(isBuild)) return undefined;
  const possible = wanted.filter((action) => base !== undefined || !isBuild(action));
  const fresh = possible.slice(0, Math.max(0, limit - kept.length));
  const given = fresh.map((action): LeadEvent => ({
    kind: "handed-out",
    action: action.id,
    session,
    at,
    base: isBuild(action) ? (base ?? null) : null,
    estimate: estimated(action),
  }));
  const events = [...gone, ...begun, ...given];
  const after = foreseen(ready, given);
  const dismissed = [...keptOf(tree, DISMISSED, checkout)].filter(([, told]) => told.session === session);
  const names = new Set(fresh.map(({ id }) => id));
  return {
    events,
    keeps: dismissed.map(([id]) => ({ space: DISMISSED.name, key: keyIn(checkout, id) })),
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

const isWanted = (action: Action, feature: FeatureName | undefined): boolean =>
  feature === undefined || featuresOf(action).includes(feature);

function stillDue(lead: Lead, reviews: readonly BeginningReview[]): LeadEvent[] {
  if (reviews.length === 0) return [];
  const due = new Set(decide(lead).reviews.map(({ review, scope }) => reviewKey(review, scope)));
  return reviews.flatMap(({ key, event }) => (due.has(key) ? [event] : []));
}

export async function foresee(engine: Engine, { session, limit, feature }: Wish): Promise<Handed> {
  const now = await readLead(engine);
  const lead = foreseen(now, lostIn(now, engine.clock.now(), await patienceOf(engine)));
  const { actions, reviews, idle } = decide(lead);
  const kept = [...lead.out.values()].filter((out) => out.session === session && isWanted(out.action, feature));
  const wanted = actions.filter((action) => isWanted(action, feature));
  const fresh = wanted.slice(0, Math.max(0, limit - kept.length));
  const toBegin = reviews.map(({ review, scope }) => reviewKey(review, scope));
  return {
    lead,
    mine: [
      ...kept,
      ...fresh.map((action) => ({ action, session, at: "", base: null, estimate: estimated(action), refusals: 0 })),
    ],
    fresh: new Set(fresh.map(({ id }) => id)),
    more: wanted.length - fresh.length,
    dismissed: [],
    notes: toBegin.map((key) => `The review ${key} begins with the next call that does not only look.`),
    idle,
  };
}
