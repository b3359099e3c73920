import * as z from "zod/mini";
import { countSecondsBetween } from "#kernel/model/utc-time.ts";
import { WORKFLOW_KINDS } from "./workflow-record.ts";
import {
  splitEventKind,
  isTakeoverEvent,
  type LedgerEvent,
  readEventNumber,
  readEventText,
  readEventTexts,
} from "#kernel/model/event-log.ts";

export const ALL_WORK_KINDS = [...WORKFLOW_KINDS, "change"] as const;
type WorkKind = (typeof ALL_WORK_KINDS)[number];

const ratio = z.number().check(z.minimum(0), z.maximum(1));

const KindStatistics = z.object({
  kind: z.enum(ALL_WORK_KINDS),
  started: z.int(),
  completed: z.int(),
  abandoned: z.int(),
  unfinished: z.int(),
  completion_rate: ratio,
  duration_s: z.optional(z.object({ median: z.int(), mean: z.int(), longest: z.int() })),
});

const GateStatistics = z.object({
  gate: z.string(),
  runs: z.int(),
  failed: z.int(),
  failure_rate: ratio,
  workflows: z.int(),
  blocked: z.int(),
  checks: z.array(z.object({ check: z.string(), failed: z.int(), unknown: z.int() })),
});

const GateRun = z.object({
  id: z.string(),
  gate: z.string(),
  at: z.string(),
  passed: z.boolean(),
  failed: z.array(z.string()),
  excerpts: z.array(z.string()),
});

export const WorkflowStatistics = z.object({
  since: z.optional(z.string()),
  kinds: z.array(KindStatistics),
  gates: z.array(GateStatistics),
  /** The newest first. */
  gate_runs: z.array(GateRun),
  /** Counts only failures that were retried. */
  retries: z.object({ failures: z.int(), attempts: z.int(), recovered: z.int(), recovery_rate: z.optional(ratio) }),
  conflicts: z.object({ overlaps: z.int(), refusals: z.int() }),
  rollbacks: z.int(),
  resumes: z.object({ count: z.int(), taken_over: z.int() }),
  hooks: z.object({ count: z.int(), mean_ms: z.optional(z.number()) }),
  writes: z.object({
    count: z.int(),
    mean_ms: z.optional(z.number()),
    p95_ms: z.optional(z.number()),
    p99_ms: z.optional(z.number()),
  }),
});
export type WorkflowStatistics = z.infer<typeof WorkflowStatistics>;

/** Expects the oldest event first. Hooks and writes have no kind, so the kind filter does not apply to them. */
export function computeWorkflowStatistics(
  events: readonly LedgerEvent[],
  { since, kind }: { readonly since?: string | undefined; readonly kind?: WorkKind | undefined } = {},
): WorkflowStatistics {
  const recent = since === undefined ? events : events.filter(({ at }) => at >= since);
  const kindOf = createEventKindLookup(events);
  const asked = recent.filter((event) => kind === undefined || kindOf(event) === kind);
  const times = (name: string): number => asked.filter((event) => event.kind === name).length;
  const folded = recent.filter((event) => event.kind === "journal.folded");
  const sumFolded = (field: string): number =>
    folded.reduce((total, event) => total + (readEventNumber(event, field) ?? 0), 0);
  const hooks = sumFolded("hooks");
  return {
    since: since ?? events[0]?.at,
    kinds: computeKindStatistics(asked, kindOf),
    gates: computeGateStatistics(asked),
    gate_runs: listGateRuns(asked),
    retries: computeRetryStatistics(asked),
    conflicts: { overlaps: times("lock.overlap"), refusals: times("lock.refused") },
    rollbacks: times("workflow.rolled-back"),
    resumes: {
      count: times("workflow.resumed"),
      taken_over: asked.filter((event) => event.kind === "workflow.resumed" && isTakeoverEvent(event)).length,
    },
    hooks: hooks === 0 ? { count: 0 } : { count: hooks, mean_ms: roundToTenth(sumFolded("hook_ms") / hooks) },
    writes: computeWriteStatistics(recent),
  };
}

/** Maps events to kinds by their `started` event, which may precede the requested period. */
function createEventKindLookup(events: readonly LedgerEvent[]): (event: LedgerEvent) => WorkKind | undefined {
  const kinds = new Map<string, WorkKind>();
  for (const event of events) {
    const kind =
      event.kind === "change.started" ? "change" : WORKFLOW_KINDS.find((each) => each === readEventText(event, "kind"));
    if (kind !== undefined && /^(?:workflow|change)\.started$/.test(event.kind)) kinds.set(event.subject, kind);
  }
  return ({ kind, subject }) => kinds.get(subject) ?? (splitEventKind(kind)[0] === "change" ? "change" : undefined);
}

/** Counts only work that began in the period, so that a rate never mixes two groups. */
function computeKindStatistics(events: readonly LedgerEvent[], kindOf: ReturnType<typeof createEventKindLookup>) {
  const runs = collectWorkRuns(events, kindOf);
  return ALL_WORK_KINDS.flatMap((kind) => {
    const own = runs.filter((run) => run.kind === kind);
    if (own.length === 0) return [];
    const completed = own.filter(({ ended }) => ended === "completed");
    const abandoned = own.filter(({ ended }) => ended === "abandoned").length;
    const seconds = completed.map(({ begun, at }) => Math.max(0, countSecondsBetween(begun, at)));
    const [median, mean, longest] = [computeMedian(seconds), Math.round(computeMean(seconds)), Math.max(...seconds)];
    return [
      {
        kind,
        started: own.length,
        completed: completed.length,
        abandoned,
        unfinished: own.length - completed.length - abandoned,
        completion_rate: computeRatio(completed.length, own.length),
        duration_s: seconds.length === 0 ? undefined : { median, mean, longest },
      },
    ];
  });
}

/** Each start of work with its last event. `ended` is absent while the work goes on. */
function collectWorkRuns(events: readonly LedgerEvent[], kindOf: ReturnType<typeof createEventKindLookup>) {
  const runs: { kind: WorkKind; begun: string; at: string; ended?: "completed" | "abandoned" | undefined }[] = [];
  const newest = new Map<string, (typeof runs)[number]>();
  for (const event of events) {
    const { at, subject } = event;
    const [family, what] = splitEventKind(event.kind);
    const kind = kindOf(event);
    if (kind === undefined || (family !== "workflow" && family !== "change")) continue;
    if (what === "started") {
      const run = { kind, begun: at, at };
      newest.set(subject, run);
      runs.push(run);
    }
    const run = newest.get(subject);
    if (run && (what === "completed" || what === "abandoned")) Object.assign(run, { ended: what, at });
    if (run && what === "reopened") run.ended = undefined;
  }
  return runs;
}

function computeGateStatistics(events: readonly LedgerEvent[]) {
  const runs = Map.groupBy(
    events.filter(({ kind }) => kind === "gate.checked"),
    (event) => readEventText(event, "gate") ?? "unknown",
  );
  return [...runs]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([gate, own]) => {
      const failed = own.filter(({ data }) => data?.["passed"] !== true);
      return {
        gate,
        runs: own.length,
        failed: failed.length,
        failure_rate: computeRatio(failed.length, own.length),
        workflows: new Set(own.map(({ subject }) => subject)).size,
        blocked: new Set(failed.map(({ subject }) => subject)).size,
        checks: listWorstChecks(failed),
      };
    });
}

const MAX_GATE_RUNS = 20;

const listGateRuns = (events: readonly LedgerEvent[]): WorkflowStatistics["gate_runs"] =>
  events
    .filter(({ kind }) => kind === "gate.checked")
    .slice(-MAX_GATE_RUNS)
    .toReversed()
    .map((event) => ({
      id: event.subject,
      gate: readEventText(event, "gate") ?? "unknown",
      at: event.at,
      passed: event.data?.["passed"] === true,
      failed: readEventTexts(event, "failed"),
      excerpts: readEventTexts(event, "excerpts"),
    }));

function listWorstChecks(failed: readonly LedgerEvent[]): WorkflowStatistics["gates"][number]["checks"] {
  const times = (field: string, check: string): number =>
    failed.filter((event) => readEventTexts(event, field).includes(check)).length;
  const names = new Set(
    failed.flatMap((event) => [...readEventTexts(event, "failed"), ...readEventTexts(event, "unknown")]),
  );
  return [...names]
    .map((check) => ({ check, failed: times("failed", check), unknown: times("unknown", check) }))
    .toSorted((a, b) => b.failed - a.failed || b.unknown - a.unknown || (a.check < b.check ? -1 : 1))
    .slice(0, 5);
}

/** A failure ends when its gate passes. The next retry belongs to a new failure. */
function computeRetryStatistics(events: readonly LedgerEvent[]): WorkflowStatistics["retries"] {
  const retried = events.filter(({ kind }) => kind === "gate.retried");
  const open = new Set<string>();
  let [failures, recovered] = [0, 0];
  for (const event of retried) {
    const key = JSON.stringify([event.subject, readEventText(event, "gate")]);
    // A failure that began before the period is not counted here.
    if (readEventNumber(event, "attempt") === 1) {
      open.add(key);
      failures++;
    }
    if (event.data?.["success"] === true && open.delete(key)) recovered++;
  }
  const rate = failures === 0 ? {} : { recovery_rate: computeRatio(recovered, failures) };
  return { failures, attempts: retried.length, recovered, ...rate };
}

function computeWriteStatistics(events: readonly LedgerEvent[]): WorkflowStatistics["writes"] {
  const ms = events.flatMap((event) => event.ms ?? []).toSorted((a, b) => a - b);
  const count = ms.length;
  if (count === 0) return { count };
  const select = (share: number): number => ms[Math.ceil(count * share) - 1] ?? 0;
  return { count, mean_ms: roundToTenth(computeMean(ms)), p95_ms: select(0.95), p99_ms: select(0.99) };
}

function computeMedian(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const [low = 0, high = 0] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  return Math.round((low + high) / 2);
}

const computeMean = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0) / numbers.length;
const computeRatio = (part: number, whole: number): number => Math.round((1000 * part) / whole) / 1000;
const roundToTenth = (n: number): number => Math.round(10 * n) / 10;
