import type * as z from "zod";
import { formatDuration } from "#kernel/model/utc-time.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { OnboardingEngine } from "../engine.ts";
import type {
  CheckTeamInputSchema,
  CheckTeamOutputSchema,
  ShowTeamInputSchema,
  ShowTeamOutputSchema,
} from "./schema.ts";

/** Who works on what, in all clones. */
export const showTeam = defineOperation<
  z.infer<typeof ShowTeamInputSchema>,
  z.infer<typeof ShowTeamOutputSchema>,
  OnboardingEngine
>({
  id: "team.status",
  effect: "read",
  input: async () => (await import("./schema.ts")).ShowTeamInputSchema,
  output: async () => (await import("./schema.ts")).ShowTeamOutputSchema,
  async run(engine) {
    const { clones, leases, ...known } = await (await engine.team()).status();
    return { ...known, clones: [...clones], leases: [...leases] };
  },
  page: ({ repository, member, events, clones, leases }) => ({
    title: `The team has ${clones.length === 1 ? "one checkout" : `${clones.length} checkouts`} of this repository.`,
    facts: [
      ["repository", repository],
      ["you are", member],
      ["events", String(events)],
    ],
    table: {
      columns: ["checkout", "member", "last seen", "last event"],
      rows: clones.map(({ checkout, member: who, at, last }) => [checkout, who, at, last]),
    },
    points: leases.map(({ name, holder, seconds }) => `${name} is held by ${holder} for ${formatDuration(seconds)}.`),
  }),
});

/** Each check of the connection, the schema and the rights. */
export const checkTeam = defineOperation<
  z.infer<typeof CheckTeamInputSchema>,
  z.infer<typeof CheckTeamOutputSchema>,
  OnboardingEngine
>({
  id: "team.doctor",
  effect: "read",
  input: async () => (await import("./schema.ts")).CheckTeamInputSchema,
  output: async () => (await import("./schema.ts")).CheckTeamOutputSchema,
  run: async (engine) => ({ checks: [...(await (await engine.team()).checks())] }),
  page: ({ checks }) => ({
    title: checks.every(({ isFine }) => isFine) ? "The team's database is fine." : "The team's database has problems.",
    facts: checks.map(({ check, found, isFine }) => [check, isFine ? found : `PROBLEM: ${found}`] as const),
    next: checks.some(({ check, isFine }) => !isFine && (check === "schema" || check === "repository"))
      ? [{ operation: "team.init" }]
      : [],
  }),
  isRefusal: ({ checks }) => checks.some(({ isFine }) => !isFine),
});
