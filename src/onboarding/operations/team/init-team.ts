import type * as z from "zod";
import { formatCount } from "#kernel/model/text-format.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { OnboardingEngine } from "../engine.ts";
import type { InitTeamInputSchema, InitTeamOutputSchema } from "./schema.ts";

/** For the owner of the database. It can run again, also to migrate the schema or to add members. */
export const initTeam = defineOperation<
  z.infer<typeof InitTeamInputSchema>,
  z.infer<typeof InitTeamOutputSchema>,
  OnboardingEngine
>({
  id: "team.init",
  effect: "change",
  input: async () => (await import("./schema.ts")).InitTeamInputSchema,
  output: async () => (await import("./schema.ts")).InitTeamOutputSchema,
  async run(engine, { print, move, members = "" }) {
    const team = await engine.team();
    const names = members.split(",").flatMap((name) => name.trim() || []);
    if (print) return { sql: await team.script(names) };
    const { repository } = await team.prepare(names);
    return { repository, ...(move ? { moved: await team.move() } : {}) };
  },
  page({ sql, repository = "", moved }) {
    if (sql !== undefined)
      return {
        title: "The owner of the database runs this SQL.",
        quotes: [{ label: "psql", text: sql, isVerbatim: true }],
        next: [{ operation: "team.doctor" }],
      };
    return {
      title: "The team's database is ready for this repository.",
      facts: [["repository", repository]],
      points: moved
        ? [`Moved ${formatCount(moved.events, "event")} and ${formatCount(moved.entries, "other row")}.`]
        : [],
      next: [{ operation: "team.status" }],
    };
  },
});
