import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import { type FeatureName, parseFeatureName } from "#kernel/model/ids/feature-name.ts";
import type { Page } from "#kernel/model/page.ts";
import { formatCount, quote, sanitizeText } from "#kernel/model/text-format.ts";
import { countSecondsBetween } from "#kernel/model/utc-time.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { resolveSession } from "#planning/operations/workflow/workflow-runtime.ts";
import type { LockedStoreTree } from "#store/operations/ports/store.ts";
import { createReviewKey } from "../../model/lead/action-ids.ts";
import { applyLeadEvent } from "../../model/lead/apply-event.ts";
import { decideNextActions, estimateActionCost } from "../../model/lead/lead-decision.ts";
import type { LeadEvent } from "../../model/lead/lead-events.ts";
import { type ActionAssignment, isBuildAction, type Lead, type LeadAction } from "../../model/lead/lead-state.ts";
import type { RoadmapEngine } from "../engine.ts";
import {
  composeActionBriefs,
  describeAction,
  formatMoreDue,
  isActionOf,
  listRemovedPaths,
  REPORT_PLACEHOLDERS,
  summarizeAction,
} from "./action-view.ts";
import { createCheckoutKey, loadCheckoutEntries, readLead, STOP_REQUEST_SPACE } from "./lead-store.ts";
import { prepareReviews, type ReviewToStart } from "./review-batches.ts";
import type { NextActionsInputSchema, NextActionsOutputSchema } from "./schema.ts";
import { commitLeadEvents, type LeadEventInput } from "./write-lead.ts";

type NextActionsInput = z.infer<typeof NextActionsInputSchema>;
type NextActionsOutput = z.infer<typeof NextActionsOutputSchema>;
type AssignedActionView = NextActionsOutput["actions"][number];

export const nextActions = defineOperation<NextActionsInput, NextActionsOutput, RoadmapEngine>({
  id: "roadmap.next",
  effect: "change",
  input: async () => (await import("./schema.ts")).NextActionsInputSchema,
  output: async () => (await import("./schema.ts")).NextActionsOutputSchema,
  async run(engine: RoadmapEngine, { session: said, limit = 10, feature, action, peek = false }) {
    const session = resolveSession(engine, said);
    const wish = { session, limit, feature: feature === undefined ? undefined : parseFeatureName(feature) };
    if (action !== undefined) return createNextOutput(engine, session, await findAssignedAction(engine, action), peek);
    const handed = peek ? await previewAssignments(engine, wish) : await assignActions(engine, wish);
    return createNextOutput(engine, session, handed, peek);
  },
  page: formatNextPage,
});

interface AssignmentRequest {
  readonly session: string;
  readonly limit: number;
  readonly feature: FeatureName | undefined;
}

interface AssignmentResult {
  readonly lead: Lead;
  readonly mine: readonly ActionAssignment[];
  readonly fresh: ReadonlySet<string>;
  readonly more: number;
  readonly dismissed: readonly string[];
  readonly notes: readonly string[];
  readonly idle: string | null;
}

async function createNextOutput(
  engine: RoadmapEngine,
  session: string,
  { lead, mine, fresh, more, dismissed, notes, idle }: AssignmentResult,
  peek: boolean,
): Promise<NextActionsOutput> {
  const briefs = peek ? new Map<string, string>() : await composeActionBriefs(engine, lead, mine);
  const removed = await listTrackedRemovals(engine, lead, mine);
  const others = [...lead.out.values()].filter((out) => out.session !== session);
  return {
    session,
    peek,
    actions: mine.map(({ action, at }) => {
      const { paths = [], ...summary } = summarizeAction(lead, action);
      const brief = briefs.get(action.id);
      return {
        ...summary,
        ...(action.kind === "commit" ? { paths: [...paths, ...(removed.get(action.id) ?? [])] } : {}),
        ...(brief === undefined ? {} : { brief }),
        ...(at === "" ? {} : { since: at }),
        again: !fresh.has(action.id),
      };
    }),
    more,
    out: others.map(({ action, session: whose, at }) => ({
      id: action.id,
      about: describeAction(action),
      session: whose,
      since: at,
    })),
    dismissed: [...dismissed],
    ...(mine.length === 0 && idle !== null ? { idle } : {}),
    notes: [...notes],
  };
}

/** An offered commit also lists removed files that git tracks. */
async function listTrackedRemovals(
  { snapshots }: Pick<RoadmapEngine, "snapshots">,
  lead: Lead,
  mine: readonly ActionAssignment[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const removed = mine.flatMap(({ action }) =>
    action.kind === "commit" ? [[action.id, listRemovedPaths(lead, action.features)] as const] : [],
  );
  const isAny = removed.some(([, paths]) => paths.length > 0);
  const known = new Set(isAny && (await snapshots.isPossible()) ? await snapshots.uncommitted() : []);
  return new Map(removed.map(([id, paths]) => [id, paths.filter((path) => known.has(path))]));
}

/** Any session can read the brief of an assigned action. */
async function findAssignedAction(engine: RoadmapEngine, id: string): Promise<AssignmentResult> {
  const lead = await readLead(engine);
  const out = lead.out.get(id);
  if (out) return { lead, mine: [out], fresh: new Set(), more: 0, dismissed: [], notes: [], idle: null };
  throw new Fault("roadmap.not-out", {
    what: `There is no brief of ${quote(id, 100)}.`,
    why: "Nobody was given it, or it is over.",
    fix: { operation: "roadmap.next", input: { peek: true } },
  });
}

const createLostEvents = (lead: Lead, now: string, minutes: number): LeadEvent[] =>
  [...lead.out.values()]
    .filter(({ at }) => countSecondsBetween(at, now) >= minutes * 60)
    .map(({ action }) => {
      const why = `Nothing was heard of it for ${minutes} minutes.`;
      return { kind: "lost", action: action.id, why };
    });

const loadLostAfterMinutes = async ({ settings }: Pick<RoadmapEngine, "settings">): Promise<number> =>
  (await settings.load()).roadmap.lost_after_minutes;

/** The Lead after these events, without storing anything. */
const previewLeadEvents = (lead: Lead, events: readonly LeadEvent[]): Lead =>
  events.reduce((now, event) => applyLeadEvent(now, event).lead, lead);

/**
 * Assigns pending actions to a session. A session keeps its assignments, and no other session gets them. If a review must
 * start or a Builder needs a snapshot, reads the files without a lock and tries again.
 */
async function assignActions(engine: RoadmapEngine, wish: AssignmentRequest): Promise<AssignmentResult> {
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
  const wanted = decideNextActions(lead).actions.filter((action) => isActionOf(action, feature));
  if (!wanted.slice(0, limit).some(isBuildAction)) return {};
  return { base: (await snapshots.isPossible()) ? await snapshots.sourceTree() : null };
}

function createAssignments(
  tree: LockedStoreTree,
  { checkout }: Pick<RoadmapEngine, "checkout">,
  lead: Lead,
  wish: AssignmentRequest,
  { at, minutes, reviews, base }: AssignmentPreparation,
): (LeadEventInput & { readonly handed: AssignmentResult }) | undefined {
  const { session, limit } = wish;
  const gone = createLostEvents(lead, at, minutes);
  const left = previewLeadEvents(lead, gone);
  const due = new Set(decideNextActions(left).reviews.map(({ review, scope }) => createReviewKey(review, scope)));
  if (!reviews && due.size > 0) return undefined;
  const begun = (reviews ?? []).flatMap(({ key, event }) => (due.has(key) ? [event] : []));
  const ready = previewLeadEvents(left, begun);
  const { kept, wanted, idle } = selectRequested(ready, wish);
  if (!reviews && base === undefined && wanted.slice(0, limit).some(isBuildAction)) return undefined;
  const possible = wanted.filter((action) => base !== undefined || !isBuildAction(action));
  const fresh = possible.slice(0, Math.max(0, limit - kept.length));
  const given = fresh.map((action): LeadEvent => ({
    kind: "handed-out",
    action: action.id,
    session,
    at,
    base: isBuildAction(action) ? (base ?? null) : null,
    estimate: estimateActionCost(action),
  }));
  const after = previewLeadEvents(ready, given);
  const stops = [...loadCheckoutEntries(tree, STOP_REQUEST_SPACE, checkout)];
  const dismissed = stops.filter(([, stop]) => stop.session === session).map(([id]) => id);
  return {
    events: [...gone, ...begun, ...given],
    keeps: dismissed.map((id) => ({ space: STOP_REQUEST_SPACE.name, key: createCheckoutKey(checkout, id) })),
    occurrences: dismissed.map((id) => ({ kind: "roadmap.told-to-stop", subject: id, data: { session } })),
    handed: {
      lead: after,
      mine: [...kept, ...fresh.flatMap(({ id }) => after.out.get(id) ?? [])],
      fresh: new Set(fresh.map(({ id }) => id)),
      more: wanted.length - fresh.length,
      dismissed,
      notes: [],
      idle,
    },
  };
}

function selectRequested(
  lead: Lead,
  { session, feature }: AssignmentRequest,
): {
  readonly kept: readonly ActionAssignment[];
  readonly wanted: readonly LeadAction[];
  readonly idle: string | null;
} {
  const { actions, idle } = decideNextActions(lead);
  const kept = [...lead.out.values()].filter((out) => out.session === session && isActionOf(out.action, feature));
  return { kept, wanted: actions.filter((action) => isActionOf(action, feature)), idle };
}

async function previewAssignments(engine: RoadmapEngine, wish: AssignmentRequest): Promise<AssignmentResult> {
  const { session, limit } = wish;
  const now = await readLead(engine);
  const lead = previewLeadEvents(now, createLostEvents(now, engine.clock.now(), await loadLostAfterMinutes(engine)));
  const { kept, wanted, idle } = selectRequested(lead, wish);
  const fresh = wanted.slice(0, Math.max(0, limit - kept.length));
  const offered = fresh.map((action): ActionAssignment => {
    return { action, session, at: "", base: null, estimate: estimateActionCost(action), refusals: 0 };
  });
  return {
    lead,
    mine: [...kept, ...offered],
    fresh: new Set(fresh.map(({ id }) => id)),
    more: wanted.length - fresh.length,
    dismissed: [],
    notes: decideNextActions(lead).reviews.map(({ review, scope }) => {
      return `The review ${createReviewKey(review, scope)} begins with the next call that does not only look.`;
    }),
    idle,
  };
}

const MAX_REPORT_CALLS = 3;

function formatNextPage(output: NextActionsOutput): Page {
  const { actions, more, out, dismissed, idle, notes, peek } = output;
  const briefed = actions.filter(({ brief }) => brief !== undefined);
  const unbriefed = actions.find(({ brief, kind }) => !peek && kind === "spawn" && brief === undefined);
  const rows = actions.map(({ id, kind, role, about, again }) => [
    id,
    role ?? kind,
    sanitizeText(about, 120),
    again ? "yours already" : "",
  ]);
  return {
    title: formatNextTitle(output),
    ...(rows.length > 0 ? { table: { columns: ["action", "who", "what", ""], rows } } : {}),
    points: [
      ...actions.flatMap(formatActionPoints),
      ...formatMoreDue(more),
      ...dismissed.map((id) => `Stop ${id}: it counts no more.`),
      ...out.map(
        ({ id, about, session, since }) => `${id} (${sanitizeText(about, 120)}): with ${session} since ${since}.`,
      ),
      ...(out.length > 0 ? ["Who is gone for good is reported as lost: then it is due again."] : []),
      ...notes,
      ...(idle === undefined ? [] : [sanitizeText(idle, 500)]),
    ],
    ...(briefed.length > 0 ? { guide: briefed.map(formatBriefGuide).join("\n\n") } : {}),
    next: [
      ...(peek && actions.length > 0 ? [{ operation: "roadmap.next" }] : []),
      ...actions.slice(0, peek ? 0 : MAX_REPORT_CALLS).map(({ id, kind }) => ({
        operation: "roadmap.report",
        input: { action: id, ...REPORT_PLACEHOLDERS[kind] },
      })),
      ...(unbriefed ? [{ operation: "roadmap.next", input: { action: unbriefed.id } }] : []),
    ],
  };
}

function formatNextTitle({ actions, peek, idle }: NextActionsOutput): string {
  if (actions.length === 0) return idle === undefined ? "Nothing is due for you." : "Nothing is due.";
  return `${formatCount(actions.length, "action")} ${peek ? "due" : "for you"}.`;
}

function formatActionPoints(action: AssignedActionView): string[] {
  const { id, kind, choices = [], detail = "", message = "", paths = [] } = action;
  if (kind === "ask") return [`${id}: ask the user, and report the answer (${choices.join(", ")}). ${detail}`];
  if (kind === "commit") return [`${id}: commit with the message ${quote(message, 200)}: ${paths.join(", ")}`];
  return [];
}

/** Markers separate the briefs of different actions. */
const formatBriefGuide = ({ id, brief = "" }: AssignedActionView): string =>
  `<!-- brief of ${id} -->\n\n${brief.trim()}\n\n<!-- end of the brief of ${id} -->`;
