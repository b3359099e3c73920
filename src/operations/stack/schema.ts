import * as z from "zod";

const MOST_NAMES = 50;
const line = z.object({ text: z.string(), state: z.enum(["unknown", "same", "new", "removed"]) });

export const Trust = z
  .strictObject({
    confirm: z
      .string()
      .regex(/^[0-9a-f]{64}$/, "must be the hash that was shown, 64 digits long")
      .optional()
      .describe("The hash that was shown: trust exactly that"),
    pass: z
      .array(z.string())
      .refine((list) => list.length <= MOST_NAMES, `must be at most ${MOST_NAMES}`)
      .optional()
      .describe("A variable of yours that checks may see, by its name"),
    revoke: z.boolean().optional().describe("Take back all that was trusted of this repository"),
  })
  .refine(
    ({ confirm, pass, revoke }) => !revoke || (confirm ?? pass) === undefined,
    "--revoke goes with no other flag",
  );

export const TrustShown = z.object({
  /** Whether it may run, and what this call did about it. */
  state: z.enum(["nothing", "untrusted", "changed", "trusted", "recorded", "revoked"]),
  hash: z.string(),
  /** When the user trusted it last. */
  since: z.string().optional(),
  commands: z.array(line),
  settings: z.array(line),
  files: z.array(
    z.object({
      path: z.string(),
      state: z.enum(["unknown", "same", "new", "changed", "removed"]),
      hash: z.string(),
      shown: z.array(z.string()),
    }),
  ),
  passes: z.array(z.string()),
  problems: z.array(z.string()),
  /** Says yes to all of it. */
  token: z.string().optional(),
});
