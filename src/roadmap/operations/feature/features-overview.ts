import type * as z from "zod";
import { ignoreFault } from "#kernel/model/fault.ts";
import { type FeatureRecord, FEATURE_PHASES } from "../../model/feature/feature-record.ts";
import type { RoadmapEngine } from "../engine.ts";
import { RUN_SPACE } from "../lead/lead-store.ts";
import { loadFeatureRecords } from "./feature-records.ts";
import type { FeaturesOverviewSchema } from "./schema.ts";

interface FeaturesOverview {
  readonly roadmap: z.infer<typeof FeaturesOverviewSchema>;
  readonly damaged: readonly { readonly path: string; readonly why: string }[];
}

export const readFeaturesOverview = ({
  store,
  checkout,
}: Pick<RoadmapEngine, "store" | "checkout">): Promise<FeaturesOverview> =>
  store.read((tree) => {
    const { found, damaged } = loadFeatureRecords(tree);
    const all = [...found.values()];
    // The status operation itself reports an unreadable ledger.
    const run = ignoreFault(() => tree.kept(RUN_SPACE).get(checkout));
    return {
      roadmap: {
        features: all.length,
        phases: Object.fromEntries(
          FEATURE_PHASES.map((phase) => [phase, all.filter((each) => each.phase === phase).length]),
        ),
        waves: countWaveFeatures(all),
        blocked: all.flatMap(({ feature_name: feature, blocked_info: info }) =>
          info ? [{ feature, by: [...info.blocked_by] }] : [],
        ),
        run: run?.isOn ? "on" : (run?.stopped ?? null) === null ? "never" : "stopped",
      },
      damaged,
    };
  });

function countWaveFeatures(all: readonly FeatureRecord[]): FeaturesOverview["roadmap"]["waves"] {
  const placed = all.flatMap(({ roadmap, phase }) => (roadmap ? [{ wave: roadmap.wave, phase }] : []));
  return [...Map.groupBy(placed, ({ wave }) => wave)]
    .toSorted(([a], [b]) => a - b)
    .map(([wave, its]) => ({
      wave,
      features: its.length,
      done: its.filter(({ phase }) => phase === "implementation-complete").length,
    }));
}
