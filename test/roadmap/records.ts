import type { FeatureRecord } from "#domain/feature/record.ts";
import type { WaveRecord } from "#domain/roadmap/lead/state.ts";
import { featureRecord, waveRecord } from "#domain/workspace/path.ts";
import { commit, type Engine } from "#operations/engine.ts";
import { featureShape, waveShape } from "#operations/feature/census.ts";
import type { Step } from "#operations/ports/store.ts";

/** Features and gates of waves as they are somewhere on the way, without anybody having gone it. */
export async function put(
  engine: Engine,
  features: readonly FeatureRecord[],
  waves: readonly WaveRecord[] = [],
): Promise<void> {
  const steps = [
    ...features.map((record): Step => ({
      kind: "record",
      path: featureRecord(record.feature_name),
      record,
      shape: featureShape(record.feature_name),
    })),
    ...waves.map((record): Step => ({
      kind: "record",
      path: waveRecord(record.wave),
      record,
      shape: waveShape(record.wave),
    })),
  ];
  await commit(engine, () => ({ steps, occurrences: [{ kind: "test.put", subject: "features" }], result: undefined }));
}
