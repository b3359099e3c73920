import * as z from "zod";

export const NextStage = z.object({ stage: z.string(), guide: z.string() });

export const StageVerdict = z.object({
  passed: z.boolean(),
  problems: z.array(z.object({ problem: z.string(), line: z.int().optional() })),
  next: NextStage.optional(),
});

export const DamagedFiles = z.array(z.object({ path: z.string(), why: z.string() }));
