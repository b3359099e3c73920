import { formatCount } from "#kernel/model/text-format.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { estimateUsualRun } from "../../model/agent/agent-roles.ts";
import { calibrateEstimate, forecastRunCost } from "../../model/cost-forecast.ts";
import { listPlannedFeatures } from "../../model/dependency-graph.ts";
import { findCriticalPath } from "../../model/roadmap-page.ts";
import type { RoadmapEngine } from "../engine.ts";
import { readLead } from "../lead/lead-store.ts";
import { loadSpending } from "./manage-answer.ts";

/** All features with their dependencies, for the page and for scripts; `roadmap` lists the first forty. */
export const showRoadmapGraph = defineOperation({
  id: "roadmap.graph",
  effect: "read",
  output: async () => (await import("./schema.ts")).RoadmapGraphOutputSchema,
  async run(engine: RoadmapEngine) {
    const lead = await readLead(engine);
    const records = [...lead.features.values()];
    const path = new Set(findCriticalPath(listPlannedFeatures(records)));
    const spending = await loadSpending(engine);
    const { waves } = forecastRunCost(lead, calibrateEstimate(estimateUsualRun, spending));
    return {
      run: lead.run.isOn ? "on" : lead.run.stopped === null ? "never" : "stopped",
      cap: lead.run.cap,
      spent: lead.run.spent,
      features: records.map(({ feature_name: name, description, phase, roadmap, orchestration, implementation }) => ({
        name,
        description,
        phase,
        wave: roadmap?.wave ?? null,
        dependencies: [...(roadmap?.dependencies ?? [])],
        critical: path.has(name),
        fixes: orchestration.total_count,
        files: [...implementation.files_created],
      })),
      forecast: waves.map(({ wave, features, runs, tokens }) => ({ wave, features, runs, tokens })),
      // Not every agent reports its tokens.
      spending: [...spending]
        .filter(([, { reports }]) => reports > 0)
        .map(([role, { reports, expected, reported }]) => ({ role, runs: reports, expected, actual: reported })),
      in_progress: [...lead.out].map(([action, { session, at, estimate }]) => ({ action, session, at, estimate })),
    };
  },
  page: ({ features }) => ({
    title: `${formatCount(features.length, "feature")}.`,
    table: {
      columns: ["feature", "wave", "phase", "depends on"],
      rows: features.map(({ name, wave, phase, dependencies }) => [
        name,
        wave === null ? "" : String(wave),
        phase,
        dependencies.join(", "),
      ]),
    },
    next: [{ operation: "roadmap.manage" }],
  }),
});
