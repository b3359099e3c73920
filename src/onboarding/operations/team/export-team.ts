import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { OnboardingEngine } from "../engine.ts";
import type { ExportTeamInputSchema, ExportTeamOutputSchema } from "./schema.ts";

/** The way back to SQLite, with every event. The database keeps its copy. */
export const exportTeam = defineOperation<
  z.infer<typeof ExportTeamInputSchema>,
  z.infer<typeof ExportTeamOutputSchema>,
  OnboardingEngine
>({
  id: "team.export",
  effect: "change",
  input: async () => (await import("./schema.ts")).ExportTeamInputSchema,
  output: async () => (await import("./schema.ts")).ExportTeamOutputSchema,
  async run(engine, { file, here }) {
    const team = await engine.team();
    if (here) return team.leave();
    if (file !== undefined) return { file, ...(await team.copy(file)) };
    throw new Fault("input.invalid", {
      what: "Nothing was exported.",
      why: "Name a file, or use --here to go on without the team.",
      fix: "tenon team export ledger.db",
    });
  },
  page: ({ file, events, entries }) => ({
    title: file === undefined ? "This clone has its own ledger again." : `Exported to ${file}.`,
    facts: [
      ["events", String(events)],
      ["entries", String(entries)],
    ],
    points: file === undefined ? ["Unset TENON_DATABASE_URL for this repository."] : [],
  }),
});
