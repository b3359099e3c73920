import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import { quote } from "#kernel/model/text-format.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { formatWorktreeName } from "../model/run-action.ts";
import type { RunningEngine } from "./engine.ts";
import { loadRunActions, loadRunRecord, loadStoppedActions } from "./run-store.ts";
import type { ShowRunInputSchema, ShowRunOutputSchema } from "./schema.ts";

type ShowRunOutput = z.infer<typeof ShowRunOutputSchema>;

const MAX_SHOWN_BYTES = 16_000;

export const showRun = defineOperation<z.infer<typeof ShowRunInputSchema>, ShowRunOutput, RunningEngine>({
  id: "run.show",
  effect: "read",
  mayBePlain: true,
  input: async () => (await import("./schema.ts")).ShowRunInputSchema,
  output: async () => (await import("./schema.ts")).ShowRunOutputSchema,
  async run(engine, { action }) {
    const record = await loadRunRecord(engine);
    const stopped = await loadStoppedActions(engine);
    const entries = [...(await loadRunActions(engine))].filter(([id]) => action === undefined || id === action);
    const actions = entries.map(([id, { state, agent, at, tokens, usd, problems }]) => ({
      action: id,
      state: stopped.has(id) ? "stopped" : state,
      agent,
      since: at,
      tokens,
      usd,
      problems: [...problems],
    }));
    const run = record === undefined ? {} : { run: record.id };
    if (action === undefined) return { ...run, actions };
    const name = formatWorktreeName(action, engine.digest);
    const file = await engine.agents.findTranscript(`${engine.root}/.sdd/runs`, name);
    if (file === undefined)
      throw new Fault("run.no-transcript", {
        what: `No transcript of ${quote(action, 100)}.`,
        why: "No run of this checkout started an agent for it.",
        fix: { operation: "run.show" },
      });
    const text = (await engine.agents.read(file, MAX_SHOWN_BYTES)) ?? "";
    const { text: masked } = await engine.secrets.mask(text);
    return { ...run, actions, transcript: { file: file.slice(engine.root.length + 1), text: masked } };
  },
  page({ run, actions, transcript }) {
    const rows = actions.map(({ action, state, agent, since, tokens }) => [
      action,
      state,
      agent,
      since,
      String(tokens),
    ]);
    return {
      title:
        run === undefined
          ? "No run was started in this checkout."
          : `${run}: ${actions.length === 0 ? "no agent is at work" : `${actions.length} at work`}.`,
      table: { columns: ["action", "state", "agent", "since", "tokens"], rows },
      points: actions.flatMap(({ action, problems }) => problems.map((problem) => `${action}: ${problem}`)),
      ...(transcript ? { quotes: [{ label: transcript.file, text: transcript.text }] } : {}),
      next: run === undefined ? [{ operation: "run.start", input: { plan: true } }] : [],
    };
  },
});
