import type { Page, PageTable } from "#kernel/model/page.ts";
import type { RoadmapEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { foldJournalIntoLedger } from "#planning/operations/workflow/fold-journal.ts";
import {
  type ManageRoadmapInput,
  type ManageRoadmapOutput,
  formatPendingPoints,
  formatTokenCount,
  formatForecastRange,
} from "./manage-answer.ts";

/** Loaded on demand, one file per action. */
const MANAGE_ACTION_LOADERS: Readonly<
  Record<
    ManageRoadmapOutput["action"],
    () => Promise<(engine: RoadmapEngine, input: ManageRoadmapInput) => Promise<ManageRoadmapOutput>>
  >
> = {
  show: async () => (await import("./show-roadmap.ts")).showRoadmap,
  create: async () => (await import("./create-roadmap.ts")).createRoadmap,
  run: async () => (await import("./run-roadmap.ts")).runRoadmap,
  stop: async () => (await import("./run-roadmap.ts")).stopRoadmap,
  update: async () => (await import("./update-roadmap.ts")).updateRoadmap,
  revise: async () => (await import("./revise-features.ts")).reviseFeatures,
  unblock: async () => (await import("./unblock-feature.ts")).unblockFeature,
  delete: async () => (await import("./delete-roadmap.ts")).deleteRoadmap,
};

export const manageRoadmap = defineOperation<ManageRoadmapInput, ManageRoadmapOutput, RoadmapEngine>({
  id: "roadmap.manage",
  effect: "change",
  input: async () => (await import("./schema.ts")).ManageRoadmapInputSchema,
  output: async () => (await import("./schema.ts")).ManageRoadmapOutputSchema,
  async run(engine: RoadmapEngine, input) {
    const { action = "show" } = input;
    if (action !== "show") await foldJournalIntoLedger(engine);
    return (await MANAGE_ACTION_LOADERS[action]())(engine, input);
  },
  page: formatManagePage,
  isRefusal: ({ passed }) => !passed,
});

function formatManagePage(output: ManageRoadmapOutput): Page {
  const { action, said, parallelism, in_progress, notes, omitted, next, due, more, reviews, idle } = output;
  const isShown = (action === "show" || action === "run" || action === "unblock") && output.forecast.length === 0;
  return {
    title: said,
    facts: formatRunFacts(output),
    ...selectManageTable(output),
    points: [
      ...(omitted > 0 ? [`${omitted} more features are left out; sdd/roadmap.md has them all.`] : []),
      ...parallelism,
      ...in_progress.map((line) => `Under way: ${line}`),
      ...notes,
      ...(isShown ? formatPendingPoints({ due, more, reviews, idle }) : []),
    ],
    next: next.map(({ operation: id, input }) => ({ operation: id, ...(input ? { input } : {}) })),
  };
}

const RUN_FACT_ACTIONS: ReadonlySet<ManageRoadmapOutput["action"]> = new Set(["show", "run", "stop"]);

function formatRunFacts({ run, action }: ManageRoadmapOutput): NonNullable<Page["facts"]> {
  if (run.state === "never" || !RUN_FACT_ACTIONS.has(action)) return [];
  const mode = run.is_gated ? "asks after each review and wave" : "by itself";
  return [
    ["run", run.state === "on" ? `on, ${mode}` : `stopped: ${run.why ?? ""}`],
    ["tokens", `${formatTokenCount(run.spent)} spent${run.cap === null ? "" : ` of ${formatTokenCount(run.cap)}`}`],
  ];
}

function selectManageTable({ features, forecast, differences, preview }: ManageRoadmapOutput): { table?: PageTable } {
  if (differences.length > 0) {
    const rows = differences.map(({ id, impact, says, applied }) => [id, impact, applied ? "done" : "open", says]);
    return { table: { columns: ["difference", "impact", "state", "what"], rows } };
  }
  if (preview.length > 0) {
    const rows = preview.map(({ feature, reach, says }) => [feature, reach, says]);
    return { table: { columns: ["feature", "reach", "what"], rows } };
  }
  if (forecast.length > 0) {
    const rows = forecast.map(({ wave, features: n, runs, tokens }) => [
      String(wave),
      String(n),
      formatForecastRange(runs),
      formatForecastRange(tokens),
    ]);
    return { table: { columns: ["wave", "features", "agent runs", "tokens"], rows } };
  }
  const [first] = features;
  if (!first) return {};
  const steps = Object.keys(first.steps);
  const rows = features.map(({ name, wave, steps: standings }) => [
    wave === null ? "-" : String(wave),
    name,
    ...steps.map((step) => standings[step] ?? ""),
  ]);
  return { table: { columns: ["wave", "feature", ...steps], rows } };
}
