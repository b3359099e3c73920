import * as z from "zod";
import { MAX_NAME, createTextField } from "#kernel/operations/text-fields.ts";

const MOST_PASSED_NAMES = 50;
const trustLineSchema = z.object({ text: z.string(), state: z.enum(["unknown", "same", "new", "removed"]) });

export const TrustQuery = z
  .strictObject({
    confirm: z
      .string()
      .regex(/^[0-9a-f]{64}$/, "must be the hash that was shown, 64 digits long")
      .optional()
      .describe("The hash shown; trusts exactly that"),
    pass: z
      .array(z.string())
      .refine((list) => list.length <= MOST_PASSED_NAMES, `must be at most ${MOST_PASSED_NAMES}`)
      .optional()
      .describe("Name of an environment variable passed to checks"),
    revoke: z.boolean().optional().describe("Revoke all trust for this repository"),
  })
  .refine(
    ({ confirm, pass, revoke }) => !revoke || (confirm ?? pass) === undefined,
    "--revoke cannot be combined with other flags",
  );

export const TrustReport = z.object({
  /** Whether the commands may run, and the effect of this call. */
  state: z.enum(["nothing", "untrusted", "changed", "trusted", "recorded", "revoked"]),
  hash: z.string(),
  since: z.string().optional(),
  proof: z.enum(["typed", "unattended"]).optional(),
  commands: z.array(trustLineSchema),
  settings: z.array(trustLineSchema),
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
  token: z.string().optional(),
});

export const StackDetectQuery = z.strictObject({
  profile: createTextField(MAX_NAME, "Of this stack, such as go").optional(),
});

const ProfileGuidanceSchema = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string(),
  test_framework: z.string(),
  patterns: z.record(z.string(), z.string()),
  conventions: z.array(z.string()),
  enforcement: z.array(z.string()),
  docs: z.array(z.string()),
  examples: z.array(z.object({ name: z.string(), code: z.string() })),
});

export const StackDetectReport = z.object({
  stacks: z.array(
    z.object({
      directory: z.string(),
      profile: z.string(),
      name: z.string(),
      confidence: z.number(),
      primary: z.boolean(),
      files: z.int(),
      because: z.array(z.string()),
      parts: z.array(z.string()),
      checks: z.array(
        z.object({
          kind: z.string(),
          tool: z.string(),
          command: z.string(),
          fix: z.string().optional(),
          from: z.string().optional(),
        }),
      ),
      missing: z.array(z.object({ kind: z.string(), how: z.string() })),
    }),
  ),
  omitted: z.int(),
  problems: z.array(z.string()),
  profiles: z.array(z.string()),
  /** Only for a requested profile. */
  guidance: ProfileGuidanceSchema.optional(),
});
