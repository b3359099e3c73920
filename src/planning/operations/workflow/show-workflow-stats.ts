import type { PlanningEngine } from "../engine.ts";
import type * as z from "zod";
import { formatCount } from "#kernel/model/text-format.ts";
import { formatDuration } from "#kernel/model/utc-time.ts";
import { parseSinceDate } from "#kernel/model/search/search-question.ts";
import type { Page, PageTable } from "#kernel/model/page.ts";
import { computeWorkflowStatistics } from "../../model/workflow/workflow-statistics.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { WorkflowStatsOutput, WorkflowStatsInput } from "./schema.ts";

type WorkflowStatsResult = z.infer<typeof WorkflowStatsOutput>;

export const showWorkflowStatsOperation = defineOperation<
  z.infer<typeof WorkflowStatsInput>,
  WorkflowStatsResult,
  PlanningEngine
>({
  id: "workflow.stats",
  effect: "read",
  input: async () => (await import("./schema.ts")).WorkflowStatsInput,
  output: async () => (await import("./schema.ts")).WorkflowStatsOutput,
  async run(engine: PlanningEngine, { since, kind }) {
    const from = since === undefined ? undefined : parseSinceDate(since, engine.clock.now());
    const events = await engine.store.eventsEverywhere(0);
    const { kinds, gates, ...figures } = computeWorkflowStatistics(events, { since: from, kind });
    return { ...figures, kinds: [...kinds], gates: gates.map((gate) => ({ ...gate, checks: [...gate.checks] })) };
  },
  page(figures): Page {
    const { since, kinds, gates } = figures;
    if (since === undefined) return { title: "Nothing has happened yet." };
    return {
      title: formatStatsTitle(figures),
      facts: [
        ["since", since],
        ["retries", formatRetryStats(figures)],
        ["conflicts", formatConflictStats(figures)],
        ["rollbacks", String(figures.rollbacks)],
        ["resumes", formatResumeStats(figures)],
        ["hooks", formatHookStats(figures)],
        ["state writes", formatWriteStats(figures)],
      ],
      ...(kinds.length > 0 ? { table: createKindTable(figures) } : {}),
      points: gates.map(formatGatePoint),
    };
  },
});

function formatStatsTitle({ kinds }: WorkflowStatsResult): string {
  const sum = (field: "started" | "completed"): number => kinds.reduce((total, kind) => total + kind[field], 0);
  const started = sum("started");
  return started === 0 ? "No work was begun." : `${sum("completed")} of ${formatCount(started, "workflow")} completed.`;
}

const formatStatsPercent = (rate: number): string => `${Math.round(100 * rate)} %`;

function createKindTable({ kinds }: WorkflowStatsResult): PageTable {
  return {
    columns: ["kind", "started", "completed", "abandoned", "unfinished", "rate", "median", "mean", "longest"],
    rows: kinds.map(({ kind, started, completed, abandoned, unfinished, completion_rate, duration_s }) => [
      kind,
      ...[started, completed, abandoned, unfinished].map(String),
      formatStatsPercent(completion_rate),
      ...(["median", "mean", "longest"] as const).map((field) =>
        duration_s ? formatDuration(duration_s[field]) : "-",
      ),
    ]),
  };
}

function formatGatePoint({
  gate,
  runs,
  failed,
  failure_rate,
  workflows,
  blocked,
  checks,
}: WorkflowStatsResult["gates"][number]): string {
  const held = `${gate} failed ${failed} of ${formatCount(runs, "time")} (${formatStatsPercent(failure_rate)}) and held up ${blocked} of ${formatCount(workflows, "workflow")}`;
  const worst = checks.map((each) => {
    const unknown = each.unknown > 0 ? `${each.unknown} unknown` : "";
    return `${each.check} ${[each.failed > 0 ? String(each.failed) : "", unknown].filter(Boolean).join(" and ")}`;
  });
  return worst.length > 0 ? `${held}; most often ${worst.join(", ")}.` : `${held}.`;
}

function formatRetryStats({ retries: { failures, attempts, recovered, recovery_rate } }: WorkflowStatsResult): string {
  if (recovery_rate === undefined) return "none yet";
  return `${attempts} after ${formatCount(failures, "failure")} that could be retried; ${recovered} recovered (${formatStatsPercent(recovery_rate)})`;
}

function formatConflictStats({ conflicts: { overlaps, refusals } }: WorkflowStatsResult): string {
  return overlaps + refusals === 0
    ? "none"
    : `${formatCount(overlaps, "overlap")}, ${formatCount(refusals, "refusal")}`;
}

function formatResumeStats({ resumes: { count: all, taken_over } }: WorkflowStatsResult): string {
  return taken_over === 0 ? String(all) : `${all}, ${taken_over} of them taken over`;
}

function formatHookStats({ hooks: { count: calls, mean_ms } }: WorkflowStatsResult): string {
  return mean_ms === undefined ? "none yet" : `${mean_ms} ms on average over ${formatCount(calls, "call")}`;
}

function formatWriteStats({ writes: { count: all, mean_ms, p95_ms, p99_ms } }: WorkflowStatsResult): string {
  if (mean_ms === undefined) return "none yet";
  return `${mean_ms} ms on average over ${all}; 95 % within ${p95_ms} ms, 99 % within ${p99_ms} ms`;
}
