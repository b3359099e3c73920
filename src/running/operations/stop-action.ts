import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import { quote } from "#kernel/model/text-format.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { RunAction } from "../model/run-action.ts";
import { formatWorktreeName } from "../model/run-action.ts";
import type { RunningEngine } from "./engine.ts";
import type { RunContext } from "./run-context.ts";
import { isActionStopped, loadRunActions, loadRunRecord, saveActionStop } from "./run-store.ts";
import type { StopActionInputSchema, StopActionOutputSchema } from "./schema.ts";

type StopActionInput = z.infer<typeof StopActionInputSchema>;
type StopActionOutput = z.infer<typeof StopActionOutputSchema>;

const schemas = {
  input: async () => (await import("./schema.ts")).StopActionInputSchema,
  output: async () => (await import("./schema.ts")).StopActionOutputSchema,
};

/** Ends the agent of one action. The rest of the run goes on. */
export const stopAction = defineOperation<StopActionInput, StopActionOutput, RunningEngine>({
  id: "run.stop",
  effect: "change",
  ...schemas,
  async run(engine, { action }) {
    const { tag } = await findRunAction(engine, action, "stopped");
    // First the note, so that the run does not start it again.
    await saveActionStop(engine, action, true);
    if (tag !== undefined) await engine.agents.end(tag);
    const name = formatWorktreeName(action, engine.digest);
    const worktree = (await engine.landings.folder(name)) === undefined ? {} : { worktree: `.sdd/worktrees/${name}` };
    return { action, ...worktree };
  },
  page: ({ action, worktree }) => ({
    title: `${action} is stopped.`,
    points: [
      "No run starts it until you resume it.",
      ...(worktree === undefined ? [] : [`Its files stay in ${worktree}.`]),
    ],
    next: [{ operation: "run.resume", input: { action } }],
  }),
});

/** Lets the run go on with a stopped action: in its session and its worktree, if it has them. */
export const resumeAction = defineOperation<StopActionInput, StopActionOutput, RunningEngine>({
  id: "run.resume",
  effect: "change",
  ...schemas,
  async run(engine, { action }) {
    await findRunAction(engine, action, "resumed");
    await saveActionStop(engine, action, false);
    const record = await loadRunRecord(engine);
    const isLed = await engine.store.isBusy("run");
    return { action, ...(isLed ? { isLed } : {}), ...(record?.work === undefined ? {} : { work: record.work }) };
  },
  page: ({ action, isLed, work }) => ({
    title: `${action} may go on.`,
    points: isLed ? ["The run in progress continues it."] : [],
    next: isLed ? [] : [{ operation: "run.start", input: work === undefined ? {} : { work } }],
  }),
});

async function findRunAction(engine: RunningEngine, action: string, verb: string): Promise<RunAction> {
  const found = (await loadRunActions(engine)).get(action);
  if (found) return found;
  throw new Fault("run.unknown-action", {
    what: `${quote(action, 100)} was not ${verb}.`,
    why: "No run has an agent for it.",
    fix: { operation: "run.show" },
  });
}

/** Whether the action waits because the user stopped it. No process of its agent is left then. */
export async function holdStoppedAction(run: RunContext, id: string, { tag, state }: RunAction): Promise<boolean> {
  if (!(await isActionStopped(run.engine, id))) return false;
  if (tag !== undefined && state === "assigned") await run.engine.agents.end(tag);
  const why = `You stopped it. To continue: tenon run resume ${id}`;
  run.tell({ event: "waiting", action: id, problems: [why] });
  run.block(id, why);
  return true;
}
