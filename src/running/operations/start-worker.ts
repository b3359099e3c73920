import type * as z from "zod";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { RunningEngine } from "./engine.ts";
import type { StartRunOutput } from "./run-context.ts";
import type { StartWorkerInputSchema } from "./schema.ts";
import { createStartFault, formatRunPage, holdRun, prepareAgents } from "./start-run.ts";
import { workForTeam } from "./team-worker.ts";

export const startWorker = defineOperation<z.infer<typeof StartWorkerInputSchema>, StartRunOutput, RunningEngine>({
  id: "worker.start",
  effect: "change",
  isLong: true,
  input: async () => (await import("./schema.ts")).StartWorkerInputSchema,
  output: async () => (await import("./schema.ts")).StartRunOutputSchema,
  async run(engine, { once, ...input }) {
    if (engine.store.isTeam !== true)
      throw createStartFault(
        "A worker takes its actions from a team's database, and no address is set.",
        "tenon team --help",
      );
    if (!(await engine.remote.exists()))
      throw createStartFault(
        "The clones of a team share their work by the remote origin, and there is none.",
        "git remote add origin <url>",
      );
    const prepared = await prepareAgents(engine, input);
    const done = await holdRun(engine, () => workForTeam(engine, prepared, once ? "once-led" : "never"));
    if (done) return done;
    throw createStartFault("Another clone has the name of this one, and works.", "tenon team status");
  },
  page: (output) => ({ ...formatRunPage(output), next: [] }),
  isRefusal: ({ waiting }) => waiting.length > 0,
});
