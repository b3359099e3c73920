import * as z from "zod";
import * as fields from "#kernel/operations/text-fields.ts";

export const InitTeamInputSchema = z.strictObject({
  print: z.boolean().optional().describe("Print the SQL for the owner of the database; run nothing"),
  move: z.boolean().optional().describe("Move the ledger of this clone into the database"),
  members: fields
    .createTextField(1000, "Users who may see this repository, as ada,bob; default: all workers and readers")
    .optional(),
});

export const InitTeamOutputSchema = z.object({
  repository: z.string().optional(),
  sql: z.string().optional(),
  moved: z.object({ events: z.int(), entries: z.int() }).optional(),
});

export const ShowTeamInputSchema = z.strictObject({});

export const ShowTeamOutputSchema = z.object({
  repository: z.string(),
  member: z.string(),
  events: z.int(),
  clones: z.array(z.object({ checkout: z.string(), member: z.string(), at: z.string(), last: z.string() })),
  /** Workflows and changes of sessions, and actions of agents. */
  work: z.array(
    z.object({
      work: z.string(),
      /** The session, or the kind of agent. */
      who: z.string(),
      checkout: z.string(),
      member: z.string(),
      since: z.string(),
      /** Whether its session or its machine is gone, so that others may take it over. */
      is_gone: z.boolean(),
    }),
  ),
  leases: z.array(z.object({ name: z.string(), holder: z.string(), seconds: z.number() })),
});

export const CheckTeamInputSchema = z.strictObject({});

export const CheckTeamOutputSchema = z.object({
  checks: z.array(z.object({ check: z.string(), found: z.string(), isFine: z.boolean() })),
});

export const ExportTeamInputSchema = z.strictObject({
  file: fields.createTextField(fields.MAX_TITLE, "A new SQLite file").optional(),
  here: z.boolean().optional().describe("Leave the team: this clone goes on with its own ledger"),
});

export const ExportTeamOutputSchema = z.object({
  file: z.string().optional(),
  events: z.int(),
  entries: z.int(),
});
