import { expect, test } from "vitest";
import type { LedgerEvent } from "#kernel/model/event-log.ts";
import { computeWorkflowStatistics } from "./workflow-statistics.ts";

/** `12:00 workflow.started AUTH-001`, and what it says. */
function event(said: string, data: Record<string, unknown> = {}, ms?: number): LedgerEvent {
  const [time = "", kind = "", subject = ""] = said.split(" ");
  return { at: `2026-01-31T${time}:00Z`, kind, subject, data, ...(ms === undefined ? {} : { ms }) };
}

const gate = (said: string, failed: string[], unknown: string[] = [], excerpts: string[] = []): LedgerEvent => {
  const passed = failed.length + unknown.length === 0;
  return event(said, { gate: "gate-3-implement", passed, failed, unknown, waived: [], excerpts });
};
const gateRun = (time: string, id: string, failed: string[]) => ({
  id,
  gate: "gate-3-implement",
  at: `2026-01-31T${time}:00Z`,
  passed: true,
  failed,
  excerpts: [] as string[],
});
const retry = (said: string, attempt: number, success: boolean): LedgerEvent =>
  event(said, { gate: "gate-3-implement", attempt, of: 3, success });

const feature = { kind: "feature" };
const LIFE: readonly LedgerEvent[] = [
  event("08:00 workflow.started AUTH-001", feature),
  event("08:30 workflow.started BUG-042", { kind: "bugfix" }),
  event("09:00 change.started fix-login"),
  event("09:10 change.completed fix-login"),
  gate("09:30 gate.checked AUTH-001", ["tests", "lint"], [], ["tests: adds: 3 is not 4"]),
  gate("09:40 gate.checked AUTH-001", ["tests"], ["types"]),
  gate("09:45 gate.checked BUG-042", []),
  gate("09:50 gate.checked AUTH-001", []),
  event("10:00 workflow.completed AUTH-001"),
  event("10:10 workflow.abandoned BUG-042", { reason: "No" }),
  event("10:20 workflow.started AUTH-002", feature),
  event("10:50 workflow.completed AUTH-002"),
  event("11:00 workflow.started AUTH-003", feature),
];

const NOTHING = {
  kinds: [],
  gates: [],
  gate_runs: [],
  retries: { failures: 0, attempts: 0, recovered: 0 },
  conflicts: { overlaps: 0, refusals: 0 },
  rollbacks: 0,
  resumes: { count: 0, taken_over: 0 },
  hooks: { count: 0 },
  writes: { count: 0 },
};

test("counts nothing in an empty log", () => {
  expect(computeWorkflowStatistics([])).toEqual(NOTHING);
});

test("counts outcomes of the work, and the gates that held it up", () => {
  expect(computeWorkflowStatistics(LIFE)).toEqual({
    ...NOTHING,
    since: "2026-01-31T08:00:00Z",
    kinds: [
      {
        kind: "feature",
        started: 3,
        completed: 2,
        abandoned: 0,
        unfinished: 1,
        completion_rate: 0.667,
        duration_s: { median: 4500, mean: 4500, longest: 7200 },
      },
      { kind: "bugfix", started: 1, completed: 0, abandoned: 1, unfinished: 0, completion_rate: 0 },
      {
        kind: "change",
        started: 1,
        completed: 1,
        abandoned: 0,
        unfinished: 0,
        completion_rate: 1,
        duration_s: { median: 600, mean: 600, longest: 600 },
      },
    ],
    gates: [
      {
        gate: "gate-3-implement",
        runs: 4,
        failed: 2,
        failure_rate: 0.5,
        workflows: 2,
        blocked: 1,
        checks: [
          { check: "tests", failed: 2, unknown: 0 },
          { check: "lint", failed: 1, unknown: 0 },
          { check: "types", failed: 0, unknown: 1 },
        ],
      },
    ],
    gate_runs: [
      gateRun("09:50", "AUTH-001", []),
      gateRun("09:45", "BUG-042", []),
      { ...gateRun("09:40", "AUTH-001", ["tests"]), passed: false },
      { ...gateRun("09:30", "AUTH-001", ["tests", "lint"]), passed: false, excerpts: ["tests: adds: 3 is not 4"] },
    ],
  });
});

/** Kinds with how much of each was begun and ended, and how often gates ran. */
const brief = (asked: Parameters<typeof computeWorkflowStatistics>[1]): unknown => {
  const { kinds, gates, since } = computeWorkflowStatistics(LIFE, asked);
  return [since?.slice(11, 16), kinds.map((each) => [each.kind, each.started, each.completed]), gates[0]?.runs];
};

test.each<[Parameters<typeof computeWorkflowStatistics>[1], unknown]>([
  [{ kind: "bugfix" }, ["08:00", [["bugfix", 1, 0]], 1]],
  [{ kind: "change" }, ["08:00", [["change", 1, 1]], undefined]],
  [{ kind: "research" }, ["08:00", [], undefined]],
  // AUTH-001 ended since, but it did not begin since.
  [{ since: "2026-01-31T09:45:00Z" }, ["09:45", [["feature", 2, 1]], 2]],
  [{ since: "2026-01-31T09:45:00Z", kind: "bugfix" }, ["09:45", [], 1]],
  [{ since: "2027-01-01T00:00:00Z" }, ["00:00", [], undefined]],
])("%j", (asked, expected) => {
  expect(brief(asked)).toEqual(expected);
});

test("counts a reopened change as unfinished, and an id that started twice as two pieces of work", () => {
  const events = [
    ...["08:00 change.started a", "08:10 change.completed a", "08:20 change.reopened a"].map((said) => event(said)),
    ...["09:00 change.started b", "09:10 change.abandoned b", "09:20 change.started b"].map((said) => event(said)),
  ];
  expect(computeWorkflowStatistics(events).kinds).toEqual([
    { kind: "change", started: 3, completed: 0, abandoned: 1, unfinished: 2, completion_rate: 0 },
  ]);
});

test.each<[string, LedgerEvent[], unknown]>([
  [
    "recovered at the second",
    [retry("08:00 gate.retried A", 1, false), retry("08:01 gate.retried A", 2, true)],
    { failures: 1, attempts: 2, recovered: 1, recovery_rate: 1 },
  ],
  [
    "never recovered",
    [1, 2, 3].map((n) => retry("08:00 gate.retried A", n, false)),
    { failures: 1, attempts: 3, recovered: 0, recovery_rate: 0 },
  ],
  [
    "two at once, and one more",
    [
      retry("08:00 gate.retried A", 1, false),
      retry("08:00 gate.retried B", 1, true),
      retry("08:01 gate.retried A", 2, true),
      retry("09:00 gate.retried A", 1, false),
    ],
    { failures: 3, attempts: 4, recovered: 2, recovery_rate: 0.667 },
  ],
  ["one that began before", [retry("08:00 gate.retried A", 2, true)], { failures: 0, attempts: 1, recovered: 0 }],
])("counts retries: %s", (_, events, expected) => {
  expect(computeWorkflowStatistics(events).retries).toEqual(expected);
});

test("counts conflicts, rollbacks, resumes and hooks", () => {
  const { conflicts, rollbacks, resumes, hooks } = computeWorkflowStatistics([
    event("08:00 lock.overlap A"),
    event("08:00 lock.overlap A"),
    event("08:00 lock.refused A"),
    event("08:00 lock.claimed A"),
    event("08:00 workflow.rolled-back A"),
    event("08:00 workflow.resumed A", { session: "s" }),
    event("08:00 workflow.resumed A", { session: "s", taken_over: true }),
    event("08:00 workflow.resumed A", { session: "s", taken_over: false }),
    event("08:00 journal.folded main", { lines: 3, hooks: 2, hook_ms: 41 }),
    event("08:00 journal.folded main", { lines: 1, hooks: 1, hook_ms: 20 }),
  ]);
  expect({ conflicts, rollbacks, resumes, hooks }).toEqual({
    conflicts: { overlaps: 2, refusals: 1 },
    rollbacks: 1,
    resumes: { count: 3, taken_over: 1 },
    hooks: { count: 3, mean_ms: 20.3 },
  });
});

test.each<[number[], unknown]>([
  [[7], { count: 1, mean_ms: 7, p95_ms: 7, p99_ms: 7 }],
  [Array.from({ length: 100 }, (_, i) => 100 - i), { count: 100, mean_ms: 50.5, p95_ms: 95, p99_ms: 99 }],
  [[1, 2, 4], { count: 3, mean_ms: 2.3, p95_ms: 4, p99_ms: 4 }],
])("counts writes that took %j", (ms, expected) => {
  expect(computeWorkflowStatistics(ms.map((each) => event("08:00 adr.recorded A", {}, each))).writes).toEqual(expected);
});

test("counts what it can of an event with unexpected content", () => {
  const odd = [
    event("08:00 gate.checked A", { gate: 3, passed: "yes", failed: "tests" }),
    event("08:00 journal.folded main", { hooks: "many", hook_ms: Number.NaN }),
    event("08:00 workflow.started A", { kind: "party" }),
    event("08:00 workflow.completed A"),
  ];
  expect(computeWorkflowStatistics(odd)).toEqual({
    ...NOTHING,
    since: "2026-01-31T08:00:00Z",
    gates: [{ gate: "unknown", runs: 1, failed: 1, failure_rate: 1, workflows: 1, blocked: 1, checks: [] }],
    gate_runs: [{ ...gateRun("08:00", "A", []), gate: "unknown", passed: false }],
  });
});
