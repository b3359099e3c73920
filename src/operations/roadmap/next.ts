import type * as z from "zod";
import { formatCount } from "#domain/count.ts";
import { Fault } from "#domain/fault.ts";
import { parseFeatureName } from "#domain/feature/name.ts";
import type { Page } from "#domain/page.ts";
import { sanitizeText, quote } from "#domain/quote.ts";
import type { HandedOut, Lead } from "#domain/roadmap/lead/state.ts";
import type { Engine } from "../engine.ts";
import { defineOperation } from "../operation.ts";
import { resolveSession } from "../workflow/running/runtime.ts";
import { briefsOf } from "./brief.ts";
import { foresee, type Handed, handOut } from "./handing.ts";
import type { Next, NextActions } from "./schema.ts";
import { readLead } from "./shelf.ts";
import { aboutOf, removedPaths, viewAction } from "./view.ts";

type Input = z.infer<typeof Next>;
type Output = z.infer<typeof NextActions>;
type Given = Output["actions"][number];

export const next = defineOperation<Input, Output>({
  id: "roadmap.next",
  effect: "change",
  input: async () => (await import("./schema.ts")).Next,
  output: async () => (await import("./schema.ts")).NextActions,
  async run(engine, { session: said, limit = 10, feature, action, peek = false }) {
    const session = resolveSession(engine, said);
    if (action !== undefined) return onceMore(engine, session, action);
    const wish = { session, limit, feature: feature === undefined ? undefined : parseFeatureName(feature) };
    const handed = peek ? await foresee(engine, wish) : await handOut(engine, wish);
    const briefs = peek ? new Map<string, string>() : await briefsOf(engine, handed.lead, handed.mine);
    return withRemoved(engine, handed.lead, handed.mine, answer(session, handed, briefs, peek));
  },
  page,
});

function answer(session: string, handed: Handed, briefs: ReadonlyMap<string, string>, peek: boolean): Output {
  const { lead, mine, fresh, more, dismissed, notes, idle } = handed;
  const others = [...lead.out.values()].filter((out) => out.session !== session);
  return {
    session,
    peek,
    actions: mine.map((out) => given(lead, out, !fresh.has(out.action.id), briefs.get(out.action.id))),
    more,
    out: others.map(({ action, session: whose, at }) => ({
      id: action.id,
      about: aboutOf(action),
      session: whose,
      since: at,
    })),
    dismissed: [...dismissed],
    ...(mine.length === 0 && idle !== null ? { idle } : {}),
    notes: [...notes],
  };
}

function given(lead: Lead, { action, at }: HandedOut, again: boolean, brief: string | undefined): Given {
  return {
    ...viewAction(lead, action),
    ...(brief === undefined ? {} : { brief }),
    ...(at === "" ? {} : { since: at }),
    again,
  };
}

/** An offered commit also lists removed files that git tracks. */
async function withRemoved(
  { snapshots }: Pick<Engine, "snapshots">,
  lead: Lead,
  mine: readonly HandedOut[],
  output: Output,
): Promise<Output> {
  const removed = new Map(
    mine.flatMap(({ action }) =>
      action.kind === "commit" ? [[action.id, removedPaths(lead, action.features)] as const] : [],
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
async function onceMore(engine: Engine, session: string, id: string): Promise<Output> {
  const lead = await readLead(engine);
  const out = lead.out.get(id);
  if (!out)
    throw new Fault("roadmap.not-out", {
      what: `There is no brief of ${quote(id, 100)}.`,
      why: "Nobody was given it, or it is over.",
      fix: { operation: "roadmap.next", input: { peek: true } },
    });
  const handed = { lead, mine: [out], fresh: new Set<string>(), more: 0, dismissed: [], notes: [], idle: null };
  return withRemoved(engine, lead, [out], answer(session, handed, await briefsOf(engine, lead, [out]), false));
}

function page(output: Output): Page {
  const { actions, more, out, dismissed, idle, notes, peek } = output;
  return {
    title: titleOf(output),
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
      ...actions.flatMap(pointsOf),
      ...(more > 0 ? [`${formatCount(more, "more action")} ${more === 1 ? "is" : "are"} due.`] : []),
      ...dismissed.map((id) => `Stop ${id}: it counts no more.`),
      ...out.map(
        ({ id, about, session, since }) => `${id} (${sanitizeText(about, 120)}): with ${session} since ${since}.`,
      ),
      ...(out.length > 0 ? ["Who is gone for good is reported as lost: then it is due again."] : []),
      ...notes,
      ...(idle === undefined ? [] : [sanitizeText(idle, 500)]),
    ],
    ...(actions.some(({ brief }) => brief !== undefined) ? { guide: guideOf(actions) } : {}),
    next: [
      ...(peek && actions.length > 0 ? [{ operation: "roadmap.next" }] : []),
      ...actions.slice(0, peek ? 0 : MOST_CALLS).map(reporting),
      ...actions
        .filter(({ brief, kind }) => !peek && kind === "spawn" && brief === undefined)
        .slice(0, 1)
        .map(({ id }) => ({ operation: "roadmap.next", input: { action: id } })),
    ],
  };
}

const MOST_CALLS = 3;

function titleOf({ actions, peek, idle }: Output): string {
  if (actions.length === 0) return idle === undefined ? "Nothing is due for you." : "Nothing is due.";
  return peek ? `${formatCount(actions.length, "action")} due.` : `${formatCount(actions.length, "action")} for you.`;
}

function pointsOf({ id, kind, choices = [], detail = "", message = "", paths = [] }: Given): string[] {
  if (kind === "ask") return [`${id}: ask the user, and report the answer (${choices.join(", ")}). ${detail}`];
  if (kind === "commit") return [`${id}: commit with the message ${quote(message, 200)}: ${paths.join(", ")}`];
  return [];
}

/** Markers separate the briefs of different actions. */
const guideOf = (actions: readonly Given[]): string =>
  actions
    .flatMap(({ id, brief }) =>
      brief === undefined ? [] : [`<!-- brief of ${id} -->\n\n${brief.trim()}\n\n<!-- end of the brief of ${id} -->`],
    )
    .join("\n\n");

function reporting({ id, kind }: Given): { operation: string; input: Readonly<Record<string, unknown>> } {
  const input =
    kind === "spawn"
      ? { action: id, report: "…" }
      : kind === "ask"
        ? { action: id, answer: "…", said: "…" }
        : { action: id };
  return { operation: "roadmap.report", input };
}
