import type * as z from "zod";
import { Fault } from "#domain/fault.ts";
import { type FeatureRecord, FEATURE_PHASES } from "#domain/feature/record.ts";
import type { RoadmapRun } from "#domain/roadmap/lead/state.ts";
import type { Engine } from "../engine.ts";
import type { StoreTree } from "../ports/store.ts";
import { RUN_SPACE } from "../roadmap/spaces.ts";
import { loadFeatureRecords } from "./census.ts";
import type { FeaturesOverviewSchema } from "./schema.ts";

interface FeaturesOverview {
  readonly roadmap: z.infer<typeof FeaturesOverviewSchema>;
  readonly damaged: readonly { readonly path: string; readonly why: string }[];
}

export const readFeaturesOverview = ({
  store,
  checkout,
}: Pick<Engine, "store" | "checkout">): Promise<FeaturesOverview> =>
  store.read((tree) => {
    const { found, damaged } = loadFeatureRecords(tree);
    const all = [...found.values()];
    const run = readRoadmapRun(tree, checkout);
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

/** The status operation itself reports an unreadable ledger. */
function readRoadmapRun(tree: StoreTree, checkout: string): RoadmapRun | undefined {
  try {
    return tree.kept(RUN_SPACE).get(checkout);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

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
