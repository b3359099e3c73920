import type * as z from "zod";
import { formatCount } from "#domain/count.ts";
import { formatDuration } from "#domain/day.ts";
import { readSince } from "#domain/memory/question.ts";
import type { Page, PageTable } from "#domain/page.ts";
import { figuresOf } from "#domain/workflow/stats.ts";
import { operation } from "../operation.ts";
import type { WorkflowStats, WorkflowStatsQuery } from "./schema.ts";

type Output = z.infer<typeof WorkflowStats>;

export const stats = operation<z.infer<typeof WorkflowStatsQuery>, Output>({
  id: "workflow.stats",
  effect: "read",
  input: async () => (await import("./schema.ts")).WorkflowStatsQuery,
  output: async () => (await import("./schema.ts")).WorkflowStats,
  async run(engine, { since, kind }) {
    const from = since === undefined ? undefined : readSince(since, engine.clock.now());
    const events = await engine.store.eventsEverywhere(0);
    const { kinds, gates, ...figures } = figuresOf(events, { since: from, kind });
    return { ...figures, kinds: [...kinds], gates: gates.map((gate) => ({ ...gate, checks: [...gate.checks] })) };
  },
  page(figures): Page {
    const { since, kinds, gates } = figures;
    if (since === undefined) return { title: "Nothing has happened yet." };
    return {
      title: titleOf(figures),
      facts: [
        ["since", since],
        ["retries", retries(figures)],
        ["conflicts", conflicts(figures)],
        ["rollbacks", String(figures.rollbacks)],
        ["resumes", resumes(figures)],
        ["hooks", hooks(figures)],
        ["state writes", writes(figures)],
      ],
      ...(kinds.length > 0 ? { table: kindTable(figures) } : {}),
      points: gates.map(gatePoint),
    };
  },
});

function titleOf({ kinds }: Output): string {
  const sum = (field: "started" | "completed"): number => kinds.reduce((total, kind) => total + kind[field], 0);
  const started = sum("started");
  return started === 0 ? "No work was begun." : `${sum("completed")} of ${formatCount(started, "workflow")} completed.`;
}

const percent = (rate: number): string => `${Math.round(100 * rate)} %`;

function kindTable({ kinds }: Output): PageTable {
  return {
    columns: ["kind", "started", "completed", "abandoned", "unfinished", "rate", "median", "mean", "longest"],
    rows: kinds.map(({ kind, started, completed, abandoned, unfinished, completion_rate, duration_s }) => [
      kind,
      ...[started, completed, abandoned, unfinished].map(String),
      percent(completion_rate),
      ...(["median", "mean", "longest"] as const).map((field) =>
        duration_s ? formatDuration(duration_s[field]) : "-",
      ),
    ]),
  };
}

function gatePoint({ gate, runs, failed, failure_rate, workflows, blocked, checks }: Output["gates"][number]): string {
  const held = `${gate} failed ${failed} of ${formatCount(runs, "time")} (${percent(failure_rate)}) and held up ${blocked} of ${formatCount(workflows, "workflow")}`;
  const worst = checks.map((each) => {
    const unknown = each.unknown > 0 ? `${each.unknown} unknown` : "";
    return `${each.check} ${[each.failed > 0 ? String(each.failed) : "", unknown].filter(Boolean).join(" and ")}`;
  });
  return worst.length > 0 ? `${held}; most often ${worst.join(", ")}.` : `${held}.`;
}

function retries({ retries: { failures, attempts, recovered, recovery_rate } }: Output): string {
  if (recovery_rate === undefined) return "none yet";
  return `${attempts} after ${formatCount(failures, "failure")} that could be retried; ${recovered} recovered (${percent(recovery_rate)})`;
}

function conflicts({ conflicts: { overlaps, refusals } }: Output): string {
  return overlaps + refusals === 0
    ? "none"
    : `${formatCount(overlaps, "overlap")}, ${formatCount(refusals, "refusal")}`;
}

function resumes({ resumes: { count: all, taken_over } }: Output): string {
  return taken_over === 0 ? String(all) : `${all}, ${taken_over} of them taken over`;
}

function hooks({ hooks: { count: calls, mean_ms } }: Output): string {
  return mean_ms === undefined ? "none yet" : `${mean_ms} ms on average over ${formatCount(calls, "call")}`;
}

function writes({ writes: { count: all, mean_ms, p95_ms, p99_ms } }: Output): string {
  if (mean_ms === undefined) return "none yet";
  return `${mean_ms} ms on average over ${all}; 95 % within ${p95_ms} ms, 99 % within ${p99_ms} ms`;
}
