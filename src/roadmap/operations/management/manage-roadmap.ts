import type { Page, PageTable } from "#kernel/model/page.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { formatQuestionPoints, suggestQuestionSteps } from "#planning/operations/approval/ask-approval.ts";
import { foldJournalIntoLedger } from "#planning/operations/workflow/fold-journal.ts";
import type { RoadmapEngine } from "../engine.ts";
import type { ManageRoadmapInput, ManageRoadmapOutput } from "./manage-answer.ts";
import { formatForecastRange, formatPendingPoints, formatTokenCount } from "./manage-answer.ts";

/** Loaded on demand. */
type ManageAction = (engine: RoadmapEngine, input: ManageRoadmapInput) => Promise<ManageRoadmapOutput>;
const MANAGE_ACTION_LOADERS: Readonly<Record<ManageRoadmapOutput["action"], () => Promise<ManageAction>>> = {
  show: async () => (await import("./roadmap-plan.ts")).showRoadmap,
  create: async () => (await import("./roadmap-plan.ts")).createRoadmap,
  run: async () => (await import("./run-roadmap.ts")).runRoadmap,
  stop: async () => (await import("./run-roadmap.ts")).stopRoadmap,
  update: async () => (await import("./roadmap-plan.ts")).updateRoadmap,
  revise: async () => (await import("./run-roadmap.ts")).reviseFeatures,
  unblock: async () => (await import("./run-roadmap.ts")).unblockFeature,
  accept: async () => (await import("./accept-edits.ts")).acceptEdits,
  delete: async () => (await import("./roadmap-plan.ts")).deleteRoadmap,
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
  asks: ({ user_question: question }) => question,
  isRefusal: ({ passed }) => !passed,
});

function formatManagePage(output: ManageRoadmapOutput): Page {
  const { user_question: question } = output;
  if (question)
    return {
      title: output.said,
      points: [...output.notes, ...formatQuestionPoints(question)],
      next: suggestQuestionSteps(question, { operation: "roadmap.report", input: { action: question.id } }),
    };
  const { action, said, parallelism, in_progress, notes, omitted, next, due, more, reviews, idle } = output;
  const { run } = output;
  const isRunShown = run.state !== "never" && (action === "show" || action === "run" || action === "stop");
  const mode = run.is_gated ? "asks after each review and wave" : "by itself";
  const cap = run.cap === null ? "" : ` of ${formatTokenCount(run.cap)}`;
  const isShown = (action === "show" || action === "run" || action === "unblock") && output.forecast.length === 0;
  return {
    title: said,
    facts: isRunShown
      ? [
          ["run", run.state === "on" ? `on, ${mode}` : `stopped: ${run.why ?? ""}`],
          ["tokens", `${formatTokenCount(run.spent)} spent${cap}`],
        ]
      : [],
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

function selectManageTable({ features, forecast, differences, preview }: ManageRoadmapOutput): { table?: PageTable } {
  if (differences.length > 0) {
    const rows = differences.map(({ id, impact, summary, applied }) => [
      id,
      impact,
      applied ? "done" : "open",
      summary,
    ]);
    return { table: { columns: ["difference", "impact", "state", "what"], rows } };
  }
  if (preview.length > 0) {
    const rows = preview.map(({ feature, reach, summary }) => [feature, reach, summary]);
    return { table: { columns: ["feature", "reach", "what"], rows } };
  }
  if (forecast.length > 0) {
    const rows = forecast.map(({ wave, features: n, runs, tokens }) => {
      return [String(wave), String(n), formatForecastRange(runs), formatForecastRange(tokens)];
    });
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
