import type * as z from "zod";
import type { Page } from "#kernel/model/page.ts";
import { formatCount, quote, sanitizeText } from "#kernel/model/text-format.ts";
import { APPROVAL_SPACE } from "#planning/operations/workflow/ledger-spaces.ts";
import type { ActionAssignment, Lead } from "../../model/lead/lead-state.ts";
import type { RoadmapEngine } from "../engine.ts";
import type { NextActionsOutputSchema } from "../management/schema.ts";
import { findMissingBranch } from "./commit-branch.ts";
import * as actionView from "./action-view.ts";

export type NextActionsOutput = z.infer<typeof NextActionsOutputSchema>;

export interface AssignmentResult {
  readonly lead: Lead;
  readonly mine: readonly ActionAssignment[];
  readonly fresh: ReadonlySet<string>;
  readonly more: number;
  readonly dismissed: readonly string[];
  readonly notes: readonly string[];
  readonly idle: string | null;
}

export async function createNextOutput(
  engine: RoadmapEngine,
  session: string,
  { lead, mine, fresh, more, dismissed, notes, idle }: AssignmentResult,
  peek: boolean,
): Promise<NextActionsOutput> {
  const briefs = peek ? new Map<string, string>() : await actionView.writeActionBriefs(engine, lead, mine);
  const removed = await listTrackedRemovals(engine, lead, mine);
  const branches = new Map<string, string | undefined>();
  for (const { action } of mine)
    if (action.kind === "commit") branches.set(action.id, await findMissingBranch(engine, action));
  const others = [...lead.out.values()].filter((out) => out.session !== session);
  const questions = await engine.store.read((tree) => tree.kept(APPROVAL_SPACE));
  return {
    session,
    peek,
    actions: mine.map(({ action, at }) => {
      const { paths = [], ...summary } = actionView.summarizeAction(lead, action);
      const brief = briefs.get(action.id);
      return {
        ...summary,
        ...(action.kind === "commit" ? { paths: [...paths, ...(removed.get(action.id) ?? [])] } : {}),
        ...(brief === undefined ? {} : { brief }),
        branch: branches.get(action.id),
        ...(at === "" ? {} : { since: at }),
        again: !fresh.has(action.id),
        answered: action.kind === "ask" ? questions.get(action.id)?.answer?.choice : undefined,
      };
    }),
    more,
    out: others.map((out) => {
      return { id: out.action.id, about: actionView.describeAction(out.action), session: out.session, since: out.at };
    }),
    dismissed: [...dismissed],
    ...(mine.length === 0 && idle !== null ? { idle } : {}),
    notes: [...notes],
  };
}

/** An offered commit also lists removed files that git tracks. */
async function listTrackedRemovals({ snapshots }: RoadmapEngine, lead: Lead, mine: readonly ActionAssignment[]) {
  const removed = mine.flatMap(({ action }) =>
    action.kind === "commit" ? [[action.id, actionView.listRemovedPaths(lead, action.features)] as const] : [],
  );
  const isAny = removed.some(([, paths]) => paths.length > 0);
  const known = new Set(isAny && (await snapshots.isPossible()) ? await snapshots.uncommitted() : []);
  return new Map(removed.map(([id, paths]) => [id, paths.filter((path) => known.has(path))]));
}

export function formatNextPage({ actions, more, out, dismissed, idle, notes, peek }: NextActionsOutput): Page {
  const rows = actions.map(({ id, kind, role, about, again }) => {
    return [id, role ?? kind, sanitizeText(about, 120), again ? "yours already" : ""];
  });
  return {
    title:
      actions.length > 0
        ? `${formatCount(actions.length, "action")} ${peek ? "ready" : "for you"}.`
        : `Nothing is ready${idle === undefined ? " for you" : ""}.`,
    ...(rows.length > 0 ? { table: { columns: ["action", "who", "what", ""], rows } } : {}),
    points: [
      ...actions.flatMap(({ id, kind, choices = [], detail = "", message = "", paths = [], branch, answered }) => {
        if (answered !== undefined && choices.includes(answered))
          return [`${id}: the user answered ${answered}. Report the action.`];
        if (kind === "ask") return [`${id}: ask the user, and report the answer (${choices.join(", ")}). ${detail}`];
        if (kind === "commit") {
          const first = branch === undefined ? "" : `run git switch -c ${branch}, then `;
          return [`${id}: ${first}commit with the message ${quote(message, 200)}: ${paths.join(", ")}`];
        }
        return [];
      }),
      ...(actions.some(({ kind }) => !peek && kind === "spawn")
        ? [
            'Start each agent with "Action <id>: call sdd_brief, then report with sdd_report." Its brief is also in .sdd/briefs/<id>.md.',
          ]
        : []),
      ...actionView.formatMoreDue(more),
      ...dismissed.map((id) => `Stop ${id}: its report is no longer needed.`),
      ...out.map(
        ({ id, about, session, since }) => `${id} (${sanitizeText(about, 120)}): with ${session} since ${since}.`,
      ),
      ...(out.length > 0 ? ["If an agent is gone, report its action as `lost`. Tenon will offer it again."] : []),
      ...notes,
      ...(idle === undefined ? [] : [sanitizeText(idle, 500)]),
    ],
    next: [
      ...(peek && actions.length > 0 ? [{ operation: "roadmap.next" }] : []),
      ...actions
        .filter(({ kind }) => !peek && kind !== "spawn")
        .slice(0, 3)
        .map(({ id, kind }) => ({
          operation: "roadmap.report",
          input: { action: id, ...actionView.REPORT_PLACEHOLDERS[kind] },
        })),
    ],
  };
}
