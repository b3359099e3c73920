import * as z from "zod";
import { CLIENT_IDS } from "../../model/setup/client-catalog.ts";

export const SetupInputSchema = z
  .strictObject({
    clients: z
      .array(z.enum(CLIENT_IDS))
      .refine((list) => list.length <= CLIENT_IDS.length, `must be at most ${CLIENT_IDS.length}`)
      .optional()
      .describe("For example codex cursor"),
    all: z.boolean().optional().describe("Every client except Claude Code, which has a plugin"),
    user: z.boolean().optional().describe("In your home folder, for all repositories"),
    remove: z.boolean().optional().describe("Remove only files that setup wrote"),
    force: z.boolean().optional().describe("Also replace or remove files you edited"),
    dry_run: z.boolean().optional().describe("Show the difference and write nothing"),
  })
  .refine(({ clients, all }) => !(all && clients?.length), "Pass either --all or client names, not both")
  .refine(
    ({ clients = [], all, remove, force }) => !force || Boolean(remove ?? all) || clients.length > 0,
    "--force needs the names of clients",
  );

const ClientListSchema = z.array(z.enum(CLIENT_IDS));

export const SetupOutputSchema = z.object({
  action: z.enum(["list", "setup", "remove"]),
  scope: z.enum(["project", "user"]),
  dry_run: z.boolean(),
  force: z.boolean(),
  clients: z.array(
    z.object({
      id: z.enum(CLIENT_IDS),
      title: z.string(),
      found: z.boolean(),
      set_up: z.boolean(),
      named: z.boolean(),
    }),
  ),
  files: z.array(
    z.object({
      path: z.string(),
      change: z.enum(["created", "changed", "removed"]),
      clients: ClientListSchema,
      diff: z.string().optional(),
    }),
  ),
  /** Parts that setup left unchanged although its own content differs. */
  kept: z.array(
    z.object({ path: z.string(), part: z.string(), because: z.enum(["edited", "theirs"]), clients: ClientListSchema }),
  ),
  notes: z.array(z.string()),
});
