import type * as z from "zod";
import { formatCount, sanitizeText, quote } from "#kernel/model/text-format.ts";
import { Fault } from "#kernel/model/fault.ts";
import { parseFeatureName } from "#kernel/model/ids/feature-name.ts";
import type { Page } from "#kernel/model/page.ts";
import type { ActionAssignment, Lead } from "../../model/lead/lead-state.ts";
import type { RoadmapEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { resolveSession } from "#planning/operations/workflow/workflow-runtime.ts";
import { composeActionBriefs, describeAction, listRemovedPaths, summarizeAction } from "./action-view.ts";
import { previewAssignments, type AssignmentResult, assignActions } from "./assign-actions.ts";
import type { NextActionsInputSchema, NextActionsOutputSchema } from "./schema.ts";
import { readLead } from "./lead-store.ts";

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
    if (action !== undefined) return showAssignedAction(engine, session, action);
    const wish = { session, limit, feature: feature === undefined ? undefined : parseFeatureName(feature) };
    const handed = peek ? await previewAssignments(engine, wish) : await assignActions(engine, wish);
    const briefs = peek ? new Map<string, string>() : await composeActionBriefs(engine, handed.lead, handed.mine);
    return addRemovedPaths(engine, handed.lead, handed.mine, createNextOutput(session, handed, briefs, peek));
  },
  page: formatNextPage,
});

function createNextOutput(
  session: string,
  handed: AssignmentResult,
  briefs: ReadonlyMap<string, string>,
  peek: boolean,
): NextActionsOutput {
  const { lead, mine, fresh, more, dismissed, notes, idle } = handed;
  const others = [...lead.out.values()].filter((out) => out.session !== session);
  return {
    session,
    peek,
    actions: mine.map((out) => createAssignedView(lead, out, !fresh.has(out.action.id), briefs.get(out.action.id))),
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

function createAssignedView(
  lead: Lead,
  { action, at }: ActionAssignment,
  again: boolean,
  brief: string | undefined,
): AssignedActionView {
  return {
    ...summarizeAction(lead, action),
    ...(brief === undefined ? {} : { brief }),
    ...(at === "" ? {} : { since: at }),
    again,
  };
}

/** An offered commit also lists removed files that git tracks. */
async function addRemovedPaths(
  { snapshots }: Pick<RoadmapEngine, "snapshots">,
  lead: Lead,
  mine: readonly ActionAssignment[],
  output: NextActionsOutput,
): Promise<NextActionsOutput> {
  const removed = new Map(
    mine.flatMap(({ action }) =>
      action.kind === "commit" ? [[action.id, listRemovedPaths(lead, action.features)] as const] : [],
    ),
  );
  const isAny = [...removed.values()].some((paths) => paths.length > 0);
  if (!isAny || !(await snapshots.isPossible())) return output;
  const known = new Set(await snapshots.uncommitted());
  const actions = output.actions.map((each) => {
    const gone = (removed.get(each.id) ?? []).filter((path) => known.has(path));
    return gone.length === 0 ? each : { ...each, paths: [...(each.paths ?? []), ...gone] };
  });
  return { ...output, actions };
}

/** Any session can read the brief of an assigned action. */
async function showAssignedAction(engine: RoadmapEngine, session: string, id: string): Promise<NextActionsOutput> {
  const lead = await readLead(engine);
  const out = lead.out.get(id);
  if (!out)
    throw new Fault("roadmap.not-out", {
      what: `There is no brief of ${quote(id, 100)}.`,
      why: "Nobody was given it, or it is over.",
      fix: { operation: "roadmap.next", input: { peek: true } },
    });
  const handed = { lead, mine: [out], fresh: new Set<string>(), more: 0, dismissed: [], notes: [], idle: null };
  return addRemovedPaths(
    engine,
    lead,
    [out],
    createNextOutput(session, handed, await composeActionBriefs(engine, lead, [out]), false),
  );
}

function formatNextPage(output: NextActionsOutput): Page {
  const { actions, more, out, dismissed, idle, notes, peek } = output;
  return {
    title: formatNextTitle(output),
    ...(actions.length > 0
      ? {
          table: {
            columns: ["action", "who", "what", ""],
            rows: actions.map(({ id, kind, role, about, again }) => [
              id,
              role ?? kind,
              sanitizeText(about, 120),
              again ? "yours already" : "",
            ]),
          },
        }
      : {}),
    points: [
      ...actions.flatMap(formatActionPoints),
      ...(more > 0 ? [`${formatCount(more, "more action")} ${more === 1 ? "is" : "are"} due.`] : []),
      ...dismissed.map((id) => `Stop ${id}: it counts no more.`),
      ...out.map(
        ({ id, about, session, since }) => `${id} (${sanitizeText(about, 120)}): with ${session} since ${since}.`,
      ),
      ...(out.length > 0 ? ["Who is gone for good is reported as lost: then it is due again."] : []),
      ...notes,
      ...(idle === undefined ? [] : [sanitizeText(idle, 500)]),
    ],
    ...(actions.some(({ brief }) => brief !== undefined) ? { guide: formatBriefGuide(actions) } : {}),
    next: [
      ...(peek && actions.length > 0 ? [{ operation: "roadmap.next" }] : []),
      ...actions.slice(0, peek ? 0 : MAX_REPORT_CALLS).map(createReportCall),
      ...actions
        .filter(({ brief, kind }) => !peek && kind === "spawn" && brief === undefined)
        .slice(0, 1)
        .map(({ id }) => ({ operation: "roadmap.next", input: { action: id } })),
    ],
  };
}

const MAX_REPORT_CALLS = 3;

function formatNextTitle({ actions, peek, idle }: NextActionsOutput): string {
  if (actions.length === 0) return idle === undefined ? "Nothing is due for you." : "Nothing is due.";
  return peek ? `${formatCount(actions.length, "action")} due.` : `${formatCount(actions.length, "action")} for you.`;
}

function formatActionPoints({
  id,
  kind,
  choices = [],
  detail = "",
  message = "",
  paths = [],
}: AssignedActionView): string[] {
  if (kind === "ask") return [`${id}: ask the user, and report the answer (${choices.join(", ")}). ${detail}`];
  if (kind === "commit") return [`${id}: commit with the message ${quote(message, 200)}: ${paths.join(", ")}`];
  return [];
}

/** Markers separate the briefs of different actions. */
const formatBriefGuide = (actions: readonly AssignedActionView[]): string =>
  actions
    .flatMap(({ id, brief }) =>
      brief === undefined ? [] : [`<!-- brief of ${id} -->\n\n${brief.trim()}\n\n<!-- end of the brief of ${id} -->`],
    )
    .join("\n\n");

function createReportCall({ id, kind }: AssignedActionView): {
  operation: string;
  input: Readonly<Record<string, unknown>>;
} {
  const input =
    kind === "spawn"
      ? { action: id, report: "…" }
      : kind === "ask"
        ? { action: id, answer: "…", said: "…" }
        : { action: id };
  return { operation: "roadmap.report", input };
}
