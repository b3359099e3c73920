import type * as z from "zod";
import { spell } from "#domain/day.ts";
import { Fault } from "#domain/fault.ts";
import { extend, parseDuration } from "#domain/workflow/timebox.ts";
import { commit, type Engine } from "../engine.ts";
import { operation } from "../operation.ts";
import { begunPage, beginAndShow } from "./running/beginning.ts";
import { Draft } from "./running/draft.ts";
import { chooseWorkflow, runtimeIn, sessionIn } from "./running/runtime.ts";
import { nextStage, viewWorkflow } from "./running/view.ts";
import type { Research, WorkflowBegun } from "./schema.ts";

type Input = z.infer<typeof Research>;
type Output = z.infer<typeof WorkflowBegun>;

const USUAL = "2h";

export const research = operation<Input, Output>({
  id: "workflow.research",
  effect: "append",
  input: async () => (await import("./schema.ts")).Research,
  output: async () => (await import("./schema.ts")).WorkflowBegun,
  async run(engine, input) {
    if (input.extend !== undefined) return giveTime(engine, input, input.extend);
    const { topic, timebox = USUAL, extend: _, reason: __, ...rest } = input;
    if (topic === undefined) throw noTopic();
    const timebox_s = parseDuration(timebox);
    return beginAndShow(engine, { ...rest, kind: "research", title: topic, timebox_s, spec: { timebox } });
  },
  page(output) {
    const page = begunPage(output);
    const [extension] = output.workflow.timebox?.extensions.toReversed() ?? [];
    if (!extension) return page;
    return { ...page, title: `${output.workflow.id} has ${extension.by} more.`, points: output.notes };
  },
});

/** More time is a decision like any other: it says why, and it is kept. */
async function giveTime(engine: Engine, input: Input, by: string): Promise<Output> {
  const by_s = parseDuration(by);
  const { reason, id } = input;
  if (reason === undefined) throw noReason(id, by);
  const session = sessionIn(engine, input.session);
  const at = engine.clock.now();
  const record = await commit(engine, (tree) => {
    const draft = new Draft(runtimeIn(tree), at);
    const chosen = chooseWorkflow(draft.runtime, { id, session }, "workflow.research");
    if (!chosen.timebox || chosen.status !== "active") throw noTimebox(chosen.id, chosen.kind, chosen.status);
    const longer = { ...chosen, timebox: extend(chosen.timebox, by_s, reason.trim(), at), updated_at: at };
    draft.putWorkflow(longer);
    draft.say("timebox.extended", chosen.id, { by_s, reason });
    return draft.plan(longer);
  });
  const runtime = await engine.store.read(runtimeIn);
  return {
    workflow: viewWorkflow(record, runtime, session, at),
    next: await nextStage(engine, record),
    notes: [`${spell(by_s)} more: ${reason.trim()}`],
  };
}

function noTopic(): Fault {
  return new Fault("input.missing", {
    what: "No research was begun.",
    why: "Its topic is missing.",
    fix: { operation: "workflow.research", input: { topic: "…", timebox: USUAL } },
  });
}

function noReason(id: string | undefined, by: string): Fault {
  return new Fault("input.missing", {
    what: "The time was not extended.",
    why: "The reason is missing: it is kept with the research.",
    fix: { operation: "workflow.research", input: { ...(id ? { id } : {}), extend: by, reason: "…" } },
  });
}

function noTimebox(id: string, kind: string, status: string): Fault {
  return new Fault("workflow.not-a-workflow", {
    what: `${id} was not given more time.`,
    why: kind === "research" ? `It is ${status}.` : `It is a ${kind}, which has no timebox.`,
    fix: { operation: "workflow.status" },
  });
}
