import type { FeatureRecord, WaveRecord } from "#roadmap/model/feature/feature-record.ts";
import { getFeatureRecordPath, getWaveRecordPath } from "#kernel/model/workspace-paths.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { Engine } from "#doors/engine.ts";
import { createFeatureShape, createWaveShape } from "#roadmap/operations/feature/feature-records.ts";
import type { StoreStep } from "#store/operations/ports/store.ts";
import { feature } from "../kit/features.ts";

/** Features and gates of waves as they are somewhere on the way, without anybody having gone it. */
export async function put(
  engine: Engine,
  features: readonly FeatureRecord[],
  waves: readonly WaveRecord[] = [],
): Promise<void> {
  const steps = [
    ...features.map((record): StoreStep => ({
      kind: "record",
      path: getFeatureRecordPath(record.feature_name),
      record,
      shape: createFeatureShape(record.feature_name),
    })),
    ...waves.map((record): StoreStep => ({
      kind: "record",
      path: getWaveRecordPath(record.wave),
      record,
      shape: createWaveShape(record.wave),
    })),
  ];
  await commitStoreWrite(engine, () => ({
    steps,
    occurrences: [{ kind: "test.put", subject: "features" }],
    result: undefined,
  }));
}

/** A feature whose retries are exhausted, and one that builds on it. */
export const failedFeature = feature("shop-model", {
  phase: "blocked",
  blocked_info: {
    blocked_by: [feature("shop-model").feature_name],
    reason: "retries_exhausted",
    blocked_at_phase: "design-generated",
    detail: "No retry is left.",
    is_skipped: false,
  },
  design: { hash: "design of shop-model", files: [], basis: {} },
  version_refs: { design: "1.0.0", implementation: null },
});
export const waiting = feature("cart", {
  wave: 2,
  on: ["shop-model"],
  phase: "blocked",
  blocked_info: {
    blocked_by: [failedFeature.feature_name],
    reason: "upstream_failure",
    blocked_at_phase: "initialized",
    detail: "shop-model failed, which it builds on.",
    is_skipped: false,
  },
});
