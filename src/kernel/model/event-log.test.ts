import fc from "fast-check";
import { expect, test } from "vitest";
import { type LedgerEvent, formatEventLog } from "./event-log.ts";

const at = "2026-01-31T12:00:00Z";
const of = (kind: string, data: Record<string, unknown> = {}, subject = "AUTH-001"): LedgerEvent => ({
  at,
  kind,
  subject,
  data,
});
const told = (event: LedgerEvent, kind?: string): string | undefined => {
  const found = formatEventLog(event, kind);
  return found && `${found.log} ${found.line.replace(`[${at}] `, "")}`;
};

test.each<[LedgerEvent, string]>([
  [
    of("workflow.started", { kind: "feature", title: "Log in", priority: 3 }),
    'workflows [INFO] [feature] Spec: AUTH-001, Action: Started, Priority: 3, Title: "Log in"',
  ],
  [
    of("workflow.stage-opened", { stage: "implement" }),
    "workflows [INFO] [bugfix] Stage: implement, Spec: AUTH-001, Action: Stage opened",
  ],
  [
    of("workflow.stage-completed", { stage: "specify" }),
    "workflows [SUCCESS] [bugfix] Stage: specify, Spec: AUTH-001, Action: Stage completed",
  ],
  [of("workflow.completed"), "workflows [SUCCESS] [bugfix] Spec: AUTH-001, Action: Completed"],
  [
    of("workflow.abandoned", { reason: "Solved upstream" }),
    'workflows [WARN] [bugfix] Spec: AUTH-001, Action: Abandoned, Reason: "Solved upstream"',
  ],
  [
    of("workflow.switched", { from: "BUG-042", session: "s1" }),
    "workflows [INFO] [bugfix] Spec: AUTH-001, Action: Switched, From: BUG-042, Session: s1",
  ],
  [
    of("workflow.prioritized", { from: 3, to: 1 }),
    "workflows [INFO] [bugfix] Spec: AUTH-001, Action: Prioritized, From: 3, To: 1",
  ],
  [
    of("workflow.snapshot", { n: 2, why: "stage", stage: "implement" }),
    "workflows [INFO] [bugfix] Stage: implement, Spec: AUTH-001, Action: Snapshot, Snapshot: 2, Why: stage",
  ],
  [
    of("workflow.rolled-back", { stage: "specify", n: 2, safety: 5 }),
    "workflows [WARN] [bugfix] Stage: specify, Spec: AUTH-001, Action: Rolled back, Snapshot: 2, Safety: 5",
  ],
  [of("workflow.resumed", { session: "s1" }), "workflows [INFO] [bugfix] Spec: AUTH-001, Action: Resumed, Session: s1"],
  [
    of("workflow.resumed", { session: "s1", taken_over: "s0" }),
    "workflows [WARN] [bugfix] Spec: AUTH-001, Action: Resumed, Session: s1, Taken over: yes",
  ],
  [
    of("workflow.approved", { stage: "specify", by: "Ann Lee" }),
    'workflows [SUCCESS] [bugfix] Stage: specify, Spec: AUTH-001, Action: Approved, By: "Ann Lee"',
  ],
  [
    of("lock.claimed", { paths: ["src/login.ts", "src/a b.ts"] }),
    'workflows [INFO] [lock] Spec: AUTH-001, Action: Claimed, Paths: src/login.ts, "src/a b.ts"',
  ],
  [
    of("lock.refused", { paths: Array.from({ length: 10 }, (_, i) => `src/${i}.ts`), holder: "BUG-042" }),
    "workflows [WARN] [lock] Spec: AUTH-001, Action: Refused, Holder: BUG-042, Paths: src/0.ts, src/1.ts, src/2.ts, src/3.ts, src/4.ts, src/5.ts, src/6.ts, src/7.ts, and 2 more",
  ],
  [
    of("timebox.warned", { spent_s: 5760, limit_s: 7200 }),
    "workflows [WARN] [timebox] Spec: AUTH-001, Action: Warned, Spent: 1 h 36 min, Limit: 2 h",
  ],
  [
    of("workflow.worktree", { path: ".sdd/worktrees/AUTH-001", branch: "tenon/AUTH-001" }),
    "workflows [INFO] [bugfix] Spec: AUTH-001, Action: Worktree, Branch: tenon/AUTH-001, Path: .sdd/worktrees/AUTH-001",
  ],
  [
    of("timebox.extended", { by_s: 5400, reason: "One more option" }),
    'workflows [INFO] [timebox] Spec: AUTH-001, Action: Extended, By: 1 h 30 min, Reason: "One more option"',
  ],
  [of("session.started", {}, "s1"), "workflows [INFO] [session] Session: s1, Action: Started"],
  [of("session.ended", { session: "s1" }), "workflows [INFO] [session] Spec: AUTH-001, Action: Ended, Session: s1"],
  [
    of("change.started", { type: "fix", size: "small", description: "Fix login" }, "fix-login"),
    'workflows [INFO] [change] Spec: fix-login, Action: Started, Description: "Fix login"',
  ],
  [
    of("summary.made", { made: 9, failed: 1, left: 40, by: "claude -p", reason: "It took longer than 10 s." }, ""),
    'summaries [INFO] [summaries] Made: 9, Failed: 1, Left: 40, By: "claude -p", Reason: "It took longer than 10 s."',
  ],
  [
    of("summary.made", { made: 0, failed: 10, by: "agent" }, ""),
    "summaries [WARN] [summaries] Made: 0, Failed: 10, By: agent",
  ],
  [
    of("summary.made", { made: 10, failed: 0, by: "agent" }, ""),
    "summaries [SUCCESS] [summaries] Made: 10, Failed: 0, By: agent",
  ],
  [of("summary.kept", {}, "src/a.ts#login"), 'summaries [INFO] [summaries] Of: "src/a.ts#login", Action: Kept'],
  [
    of("gate.checked", { gate: "gate-3-implement", passed: true, failed: [], unknown: [], waived: ["coverage"] }),
    "gates [SUCCESS] [gate-3-implement] Spec: AUTH-001, Gate passed, Waived: coverage",
  ],
  [
    of("gate.checked", { gate: "gate-3-implement", passed: false, failed: ["lint", "tests"], unknown: ["types"] }),
    "gates [WARN] [gate-3-implement] Spec: AUTH-001, Gate failed: lint, tests, Unknown: types",
  ],
  [
    of("gate.checked", { gate: "synthesis", passed: false, unknown: ["matrix"] }),
    "gates [WARN] [synthesis] Spec: AUTH-001, Gate failed, Unknown: matrix",
  ],
  [
    of("gate.retried", { gate: "gate-3-implement", attempt: 1, of: 3, success: false, waited_s: 1, fixed: ["eslint"] }),
    "retry [INFO] [retry-gate] Spec: AUTH-001, Gate: gate-3-implement, Auto-retry attempt 1/3, Waited: 1 s, Fix: eslint, Gate failed again",
  ],
  [
    of("gate.retried", { gate: "gate-3-implement", attempt: 2, of: 3, success: true }),
    "retry [SUCCESS] [retry-gate] Spec: AUTH-001, Gate: gate-3-implement, Auto-retry attempt 2/3, Commands passed on attempt 3",
  ],
  [
    of("gate.retried", { gate: "gate-3-implement", attempt: 3, of: 3, success: false }),
    "retry [WARN] [retry-gate] Spec: AUTH-001, Gate: gate-3-implement, Auto-retry attempt 3/3, Gate failed after 3 retries, escalating to user",
  ],
])("%j", (event, line) => {
  expect(told(event, "bugfix")).toBe(line);
});

test.each([
  ["an unknown kind of workflow", "workflow.completed", undefined, "[workflow]"],
  ["a name that no gate has", "gate.checked", undefined, "[gate]"],
  ["a kind of event from a later version", "workflow.moved-house", "feature", "[feature]"],
])("%s", (_, kind, workflowKind, component) => {
  expect(told(of(kind), workflowKind)?.split(" ")[2]).toBe(component);
});

test.each(["adr.recorded", "project.started", "journal.folded", "written", "constructor.called", ""])(
  "leaves %j out of every log",
  (kind) => {
    expect(formatEventLog(of(kind))).toBeUndefined();
  },
);

test("cannot end a line or its quotes, nor start a new line, with any text", () => {
  const reason = `No", Action: Completed\n[${at}] [SUCCESS] [feature] Spec: AUTH-001\u2028\u001b[2K\u202e`;
  expect(told(of("workflow.abandoned", { reason }))).toBe(
    `workflows [WARN] [workflow] Spec: AUTH-001, Action: Abandoned, Reason: "No', Action: Completed\\u000a[${at}] [SUCCESS] [feature] Spec: AUTH-001\\u2028\\u001b[2K\\u202e"`,
  );
});

const LINE = /^\[[^\]]+\] \[(?:INFO|WARN|SUCCESS)\] \[[\w.-]+\] [^\p{Cc}\p{Zl}\p{Zp}]+$/u;

test("writes any event on one line of the format", () => {
  const kind = fc.constantFrom(
    "workflow.switched",
    "lock.refused",
    "gate.checked",
    "gate.retried",
    "session.ended",
    "summary.made",
  );
  const value = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(fc.string({ unit: "binary" })),
    fc.double(),
    fc.boolean(),
  );
  const names = "stage kind from to n why session holder by by_s paths title reason gate failed attempt of".split(" ");
  const data = fc.dictionary(fc.constantFrom(...names), value);
  fc.assert(
    fc.property(kind, fc.string({ unit: "binary" }), data, (each, subject, fields) => {
      expect(formatEventLog(of(each, fields, subject))?.line).toMatch(LINE);
    }),
    { numRuns: 500 },
  );
});
