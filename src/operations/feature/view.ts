import type * as z from "zod";
import type { FeatureRecord } from "#domain/feature/record.ts";
import type { Page } from "#domain/page.ts";
import { sanitizeText } from "#domain/quote.ts";
import type { FeatureSummarySchema } from "./schema.ts";

export const createFeatureSummary = (record: FeatureRecord): z.infer<typeof FeatureSummarySchema> => ({
  name: record.feature_name,
  description: record.description,
  phase: record.phase,
  version: record.version,
  wave: record.roadmap?.wave ?? null,
});

export function formatSummaryFacts(feature: z.infer<typeof FeatureSummarySchema>): NonNullable<Page["facts"]> {
  return [
    ["feature", sanitizeText(feature.description, 200)],
    ["phase", feature.phase],
    ["version", feature.version],
    ...(feature.wave === null ? [] : [["wave", String(feature.wave)] as const]),
  ];
}
