import type * as z from "zod";
import { type FeatureName, parseFeatureName } from "#kernel/model/ids/feature-name.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { countElapsedSeconds, type SteadyMoment } from "#kernel/model/utc-time.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { createAskedOccurrence } from "#planning/operations/approval/ask-approval.ts";
import { SESSION_SPACE } from "#planning/operations/workflow/ledger-spaces.ts";
import { foldJournalIntoLedger } from "#planning/operations/workflow/fold-journal.ts";
import { resolveCallSession } from "#planning/operations/workflow/workflow-runtime.ts";
import { applyLeadEvent } from "../../model/lead/apply-event.ts";
import { decideNextActions, estimateActionCost } from "../../model/lead/lead-decision.ts";
import { type ActionAssignment, isBuildAction, type Lead, type LeadEvent } from "../../model/lead/lead-state.ts";
import { createReviewKey, getFeatureGoal, getHeldEdits, getLeadView } from "../../model/lead/lead-view.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import type { RoadmapEngine } from "../engine.ts";
import type { NextActionsInputSchema } from "../management/schema.ts";
import * as actionView from "./action-view.ts";
import { type CodeEdits, findCodeEdits, formatEditNote } from "./held-files.ts";
import {
  createCheckoutKey,
  loadCheckoutEntries,
  loadLead,
  prepareReview,
  readLead,
  STOP_REQUEST_SPACE,
} from "./lead-store.ts";
import { type AssignmentResult, createNextOutput, formatNextPage, type NextActionsOutput } from "./next-output.ts";
import { gatherTasksFacts } from "./report-facts.ts";
import { planOpenQuestions } from "./user-question.ts";
import { commitLeadEvents } from "./write-lead.ts";

export const nextActions = defineOperation<z.infer<typeof NextActionsInputSchema>, NextActionsOutput, RoadmapEngine>({
  id: "roadmap.next",
  effect: "change",
  input: async () => (await import("../management/schema.ts")).NextActionsInputSchema,
  output: async () => (await import("../management/schema.ts")).NextActionsOutputSchema,
  async run(engine: RoadmapEngine, { session: said, limit = 10, feature, peek = false }) {
    await foldJournalIntoLedger(engine);
    const session = resolveCallSession(engine, said, await engine.store.read((tree) => tree.kept(SESSION_SPACE)));
    const wish = { session, limit, feature: feature === undefined ? undefined : parseFeatureName(feature) };
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

/** Their session ended, lost its process or was silent. They are ready again in the same call. */
function loseOldAssignments(lead: Lead, { now: at, steady, minutes, isEnded }: AssignmentPreparation) {
  const gone = [...lead.out.values()].flatMap((out): LeadEvent[] => {
    const known = { kind: "lost", action: out.action.id } as const;
    if (isEnded(out)) return [{ ...known, why: `Session ${out.session} ended.`, isExpected: true }];
    if (countElapsedSeconds(out, { at, steady }) < minutes * 60) return [];
    return [{ ...known, why: `It was silent for ${minutes} minutes.` }];
  });
  return { gone, left: previewLeadEvents(lead, gone) };
}

const previewLeadEvents = (lead: Lead, events: readonly LeadEvent[]): Lead =>
  events.reduce((now, event) => applyLeadEvent(now, event).lead, lead);

interface AssignmentPreparation {
  readonly now: string;
  readonly steady: SteadyMoment | undefined;
  readonly code: CodeEdits;
  /** Whether the session of an assignment has ended, or its process is gone. */
  readonly isEnded: (out: ActionAssignment) => boolean;
  readonly mark: string | undefined;
  /** After this time without a report, an assignment counts as lost. */
  readonly minutes: number;
  /** Plans that were edited after they were accepted, as they are now. */
  readonly plans?: readonly LeadEvent[];
  readonly reviews?: readonly LeadEvent[];
  /** Snapshot of the files; null outside git, undefined if no build is pending. */
  readonly base?: ActionAssignment["base"];
}

async function startPreparation(engine: RoadmapEngine, own: string): Promise<AssignmentPreparation> {
  const lead = await readLead(engine);
  const sessions = await engine.store.read((tree) => tree.kept(SESSION_SPACE));
  const { caller } = engine;
  return {
    // A session that continues in a new process keeps its own actions: their agents may still report.
    isEnded: ({ session, mark }) =>
      sessions.get(session)?.ended_at !== undefined || (session !== own && mark !== undefined && caller.isGone(mark)),
    mark: caller.mark(),
    now: engine.clock.now(),
    steady: engine.clock.steady?.(),
    code: await findCodeEdits(engine, lead),
    minutes: (await engine.settings.load()).roadmap.lost_after_minutes,
  };
}

/** Features of a run whose accepted plan was edited. */
const listEditedPlans = (lead: Lead): FeatureName[] => {
  const view = getLeadView(lead);
  return view.order.flatMap((record) =>
    getFeatureGoal(lead, record) !== null && getHeldEdits(view, record).tasks ? [record.feature_name] : [],
  );
};

/** No other session gets them. For a review or a snapshot, reads the files without a lock and tries again. */
async function assignActions(engine: RoadmapEngine, wish: AssignmentRequest): Promise<AssignmentResult> {
  const begun = await startPreparation(engine, wish.session);
  const tried = await tryAssignActions(engine, wish, begun);
  if (tried.handed) return tried.handed;
  const { left: before } = loseOldAssignments(tried.lead, begun);
  const plans: LeadEvent[] = [];
  for (const feature of listEditedPlans(before)) {
    const tasks = await gatherTasksFacts(engine, feature);
    plans.push({ kind: "tasks-edited", feature, tasks, at: begun.now });
  }
  const left = previewLeadEvents(before, plans);
  const due = decideNextActions(left);
  const reviews: LeadEvent[] = [];
  for (const review of due.reviews) reviews.push(await prepareReview(engine, left, review));
  const wanted = due.actions.filter((action) => actionView.isActionOf(action, wish.feature)).slice(0, wish.limit);
  // A snapshot costs more than everything else here, so it is taken only for builds.
  const isBuilding = wanted.some(isBuildAction);
  const base = isBuilding && (await engine.snapshots.isPossible()) ? await engine.snapshots.takeBaseline() : null;
  const prepared = { ...begun, plans, reviews, ...(isBuilding ? { base } : {}) };
  const again = await tryAssignActions(engine, wish, prepared);
  if (!again.handed) throw new RangeError("Nothing was decided.");
  return again.handed;
}

/** Nothing is handed out if file state is missing. */
async function tryAssignActions(engine: RoadmapEngine, wish: AssignmentRequest, prepared: AssignmentPreparation) {
  const { checkout } = engine;
  const { session } = wish;
  let handed: AssignmentResult | undefined;
  let edits: readonly string[] = [];
  const { applied, before } = await commitLeadEvents(
    engine,
    (tree, lead) => {
      const planned = planAssignments(lead, wish, prepared, prepared.now);
      if (!planned) return { events: [] };
      const stops = [...loadCheckoutEntries(tree, STOP_REQUEST_SPACE, checkout)];
      const dismissed = stops.filter(([, stop]) => stop.session === session).map(([id]) => id);
      handed = { ...planned.handed, dismissed };
      edits = listEditNotes(tree, checkout, lead);
      const mine = planned.handed.mine.map(({ action }) => action);
      const questions = planOpenQuestions(engine, tree, mine, session);
      return {
        events: planned.events,
        keeps: [
          ...dismissed.map((id) => ({ space: STOP_REQUEST_SPACE.name, key: createCheckoutKey(checkout, id) })),
          ...questions,
        ],
        occurrences: [
          ...dismissed.map((id) => ({ kind: "roadmap.told-to-stop", subject: id, data: { session } })),
          ...questions.map(createAskedOccurrence),
        ],
      };
    },
    prepared.code,
  );
  // A review of content that changed meanwhile does not start.
  const refused = applied.flatMap((each) => (each.kind === "refused" ? each.problems : []));
  const notes = [...(handed?.notes ?? []), ...edits, ...refused.map(({ problem }) => sanitizeText(problem, 500))];
  return { lead: before, handed: handed && { ...handed, notes } };
}

/** Edits of accepted content that reopen something, with their lines. */
const listEditNotes = (tree: StoreTree, checkout: string, lead: Lead): string[] => {
  const view = getLeadView(lead);
  return view.order.flatMap((record) => {
    const edits = getFeatureGoal(lead, record) === null ? {} : getHeldEdits(view, record);
    return Object.keys(edits).length === 0 ? [] : [formatEditNote(tree, checkout, record.feature_name, edits)];
  });
};

function planAssignments(lead: Lead, wish: AssignmentRequest, prepared: AssignmentPreparation, at: string) {
  const { session, limit, feature } = wish;
  const { reviews, base } = prepared;
  const { gone, left: before } = loseOldAssignments(lead, prepared);
  const edited = new Set(listEditedPlans(before));
  if (!prepared.plans && edited.size > 0) return undefined;
  const plans = (prepared.plans ?? []).filter((event) => event.kind === "tasks-edited" && edited.has(event.feature));
  const left = previewLeadEvents(before, plans);
  const due = new Set(decideNextActions(left).reviews.map(({ review, scope }) => createReviewKey(review, scope)));
  if (!reviews && due.size > 0) return undefined;
  const begun = (reviews ?? []).filter(
    (event) => event.kind === "review-begun" && due.has(createReviewKey(event.review, event.scope)),
  );
  const ready = previewLeadEvents(left, begun);
  const { actions, idle } = decideNextActions(ready);
  const kept = [...ready.out.values()].filter(
    (out) => out.session === session && actionView.isActionOf(out.action, feature),
  );
  const wanted = actions.filter((action) => actionView.isActionOf(action, feature));
  if (!reviews && base === undefined && wanted.slice(0, limit).some(isBuildAction)) return undefined;
  const possible = wanted.filter((action) => base !== undefined || !isBuildAction(action));
  const chosen = possible.slice(0, Math.max(0, limit - kept.length));
  const { mark, steady } = prepared;
  const owner = { ...(mark === undefined ? {} : { mark }), ...(steady === undefined ? {} : { steady }) };
  const given = chosen.map((action): LeadEvent => {
    const estimate = estimateActionCost(action);
    const known = { kind: "handed-out", action: action.id, session, ...owner, at, estimate } as const;
    return { ...known, base: isBuildAction(action) ? (base ?? null) : null };
  });
  const after = previewLeadEvents(ready, given);
  const mine = [...kept, ...chosen.flatMap(({ id }) => after.out.get(id) ?? [])];
  const fresh = new Set(chosen.map(({ id }) => id));
  const resumed = gone.flatMap((event) =>
    event.kind === "lost" && event.isExpected
      ? [`${event.action}: ${event.why} It is ready again; its files are as that agent left them.`]
      : [],
  );
  const rest = { more: wanted.length - chosen.length, dismissed: [], notes: resumed, idle };
  return { due, events: [...gone, ...plans, ...begun, ...given], handed: { lead: after, mine, fresh, ...rest } };
}

async function previewAssignments(engine: RoadmapEngine, wish: AssignmentRequest): Promise<AssignmentResult> {
  const prepared = { ...(await startPreparation(engine, wish.session)), plans: [], reviews: [], base: null };
  const lead = await engine.store.read((tree) => loadLead(tree, engine, prepared.code));
  const planned = planAssignments(lead, wish, prepared, "");
  if (!planned) throw new RangeError("Nothing was decided.");
  const notes = [...planned.due].map((key) => `The review ${key} begins with the next call without peek.`);
  return { ...planned.handed, notes };
}
