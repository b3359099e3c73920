import type { PlanningEngine } from "../engine.ts";
import { formatCount } from "#kernel/model/text-format.ts";
import { formatDuration } from "#kernel/model/utc-time.ts";
import { parseSinceDate } from "#kernel/model/search/search-question.ts";
import type { Page } from "#kernel/model/page.ts";
import { computeWorkflowStatistics, type WorkflowStatistics } from "../../model/workflow/workflow-statistics.ts";
import { defineOperation } from "#kernel/operations/operation.ts";

export const showWorkflowStatsOperation = defineOperation({
  id: "workflow.stats",
  effect: "read",
  input: async () => (await import("./schema.ts")).WorkflowStatsInput,
  output: async () => (await import("./schema.ts")).WorkflowStatsOutput,
  async run(engine: PlanningEngine, { since, kind }) {
    const from = since === undefined ? undefined : parseSinceDate(since, engine.clock.now());
    const statistics = computeWorkflowStatistics(await engine.store.eventsEverywhere(0), { since: from, kind });
    // Excerpts are the output of a project's own programs.
    const mask = async (text: string): Promise<string> => (await engine.secrets.mask(text)).text;
    const gate_runs = statistics.gate_runs.map(async (run) => ({
      ...run,
      excerpts: await Promise.all(run.excerpts.map(mask)),
    }));
    return { ...statistics, gate_runs: await Promise.all(gate_runs) };
  },
  page({ since, kinds, gates, gate_runs, retries, conflicts, rollbacks, resumes, hooks, writes }): Page {
    if (since === undefined) return { title: "Nothing was recorded yet." };
    const sum = (field: "started" | "completed"): number => kinds.reduce((total, kind) => total + kind[field], 0);
    const started = sum("started");
    const { failures, attempts, recovered, recovery_rate } = retries;
    const rows = kinds.map(
      ({ kind, started: begun, completed, abandoned, unfinished, completion_rate, duration_s }) => [
        kind,
        ...[begun, completed, abandoned, unfinished].map(String),
        formatPercent(completion_rate),
        ...(["median", "mean", "longest"] as const).map((name) =>
          duration_s ? formatDuration(duration_s[name]) : "-",
        ),
      ],
    );
    const retried = `${attempts} after ${formatCount(failures, "failure")} that could be retried; ${recovered} recovered`;
    const met = `${formatCount(conflicts.overlaps, "overlap")}, ${formatCount(conflicts.refusals, "refusal")}`;
    const called = formatCount(hooks.count, "call");
    const written = `${writes.count}; 95 % within ${writes.p95_ms} ms, 99 % within ${writes.p99_ms} ms`;
    const taken = resumes.taken_over === 0 ? "" : `, ${resumes.taken_over} of them taken over`;
    return {
      title:
        started === 0
          ? "No work was started."
          : `${sum("completed")} of ${formatCount(started, "workflow")} completed.`,
      facts: [
        ["since", since],
        ["retries", recovery_rate === undefined ? "none yet" : `${retried} (${formatPercent(recovery_rate)})`],
        ["conflicts", conflicts.overlaps + conflicts.refusals === 0 ? "none" : met],
        ["rollbacks", String(rollbacks)],
        ["resumes", `${resumes.count}${taken}`],
        ["hooks", hooks.mean_ms === undefined ? "none yet" : `${hooks.mean_ms} ms on average over ${called}`],
        ["state writes", writes.mean_ms === undefined ? "none yet" : `${writes.mean_ms} ms on average over ${written}`],
      ],
      ...(kinds.length > 0 ? { table: { columns: KIND_COLUMNS, rows } } : {}),
      points: [...gates.map(formatGatePoint), ...gate_runs.flatMap(formatFailedRun).slice(0, MAX_FAILED_RUNS)],
    };
  },
});

const KIND_COLUMNS = ["kind", "started", "completed", "abandoned", "unfinished", "rate", "median", "mean", "longest"];

const formatPercent = (rate: number): string => `${Math.round(100 * rate)} %`;

const MAX_FAILED_RUNS = 3;

const formatFailedRun = ({ id, gate, at, excerpts: [first] }: WorkflowStatistics["gate_runs"][number]): string[] =>
  first === undefined ? [] : [`${gate} of ${id} at ${at}: ${first}`];

function formatGatePoint(figures: WorkflowStatistics["gates"][number]): string {
  const { gate, runs, failed, failure_rate, workflows, blocked, checks } = figures;
  const held = `${gate} failed ${failed} of ${formatCount(runs, "time")} (${formatPercent(failure_rate)}) and blocked ${blocked} of ${formatCount(workflows, "workflow")}`;
  const worst = checks.map((each) => {
    const unknown = each.unknown > 0 ? `${each.unknown} unknown` : "";
    return `${each.check} ${[each.failed > 0 ? String(each.failed) : "", unknown].filter(Boolean).join(" and ")}`;
  });
  return worst.length > 0 ? `${held}; most often ${worst.join(", ")}.` : `${held}.`;
}
