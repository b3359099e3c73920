import fc from "fast-check";
import { expect, test } from "vitest";
import { Fault } from "#kernel/model/fault.ts";
import { MAX_UNFINISHED_WORK } from "../workflow/work-queue.ts";
import {
  abandonChange,
  addDecisionToChange,
  advanceChange,
  archiveChange,
  beginChange,
  type ChangeTransition,
  storeContextCheck,
  requireChangeCapacity,
  reopenChange,
  requireOnlyActiveChange,
} from "./change-lifecycle.ts";
import { parseChangeId } from "#kernel/model/stages/change-stages.ts";
import { type ChangeRecord, findChangeRecordProblem } from "./change-record.ts";

const at = "2026-01-31T12:00:00Z";
const later = "2026-02-01T08:00:00Z";
const proposal: Parameters<typeof beginChange>[0] = { type: "fix", size: "small", description: "Fix the login" };

const begin = (description = "Fix the login"): ChangeRecord =>
  beginChange({ ...proposal, description }, [], () => false, at);
const many = (n: number): ChangeRecord[] => Array.from({ length: n }, (_, i) => begin(`Fix ${i}`));
const after = (record: ChangeRecord, ...steps: ((record: ChangeRecord) => ChangeTransition)[]): ChangeRecord =>
  steps.reduce((moved, step) => step(moved)[0], record);
const advance = (record: ChangeRecord): ChangeTransition => advanceChange(record, at);

const BEGUN: ChangeRecord = {
  id: parseChangeId("fix-the-login"),
  type: "fix",
  size: "small",
  description: "Fix the login",
  stages: [
    { name: "describe", status: "in_progress", started_at: at },
    { name: "context-check", status: "pending" },
    { name: "tasks", status: "pending" },
    { name: "verify", status: "pending" },
  ],
  current_stage: "describe",
  status: "active",
  adrs: [],
  created_at: at,
  updated_at: at,
  needs_receipt: true,
  schema: 1,
  rev: 1,
};

test("starts a change at its first stage and names it after its description", () => {
  expect(begin("  Fix the login \n")).toEqual(BEGUN);
});

test("adds a number to a name that is taken", () => {
  expect(beginChange(proposal, [], (id) => id === "fix-the-login", at).id).toBe("fix-the-login-2");
});

test("ends a stage and opens the next one in a new revision", () => {
  expect(advanceChange(BEGUN, later)).toEqual([
    {
      ...BEGUN,
      stages: [
        { name: "describe", status: "completed", started_at: at, completed_at: later },
        { name: "context-check", status: "in_progress", started_at: later },
        ...BEGUN.stages.slice(2),
      ],
      current_stage: "context-check",
      updated_at: later,
      rev: 2,
    },
    [
      { kind: "stage-completed", stage: "describe" },
      { kind: "stage-opened", stage: "context-check" },
    ],
  ]);
});

test("ends the change with its last stage, and does not advance an ended change", () => {
  const last = after(BEGUN, advance, advance, advance);
  const [done, effects] = advanceChange(last, later);
  expect({ status: done.status, rev: done.rev, effects }).toEqual({
    status: "completed",
    rev: 5,
    effects: [{ kind: "stage-completed", stage: "verify" }, { kind: "flow-completed" }],
  });
  expect(() => advanceChange(done, later)).toThrow(
    expect.objectContaining({
      code: "flow.not-active",
      message: "fix-the-login cannot be advanced. It is completed.",
      fixes: [{ operation: "change.status", input: { change_id: "fix-the-login" } }],
    }),
  );
});

test("adds the reason for reopening to the earlier reasons", () => {
  const twice = after(
    BEGUN,
    advance,
    advance,
    (record) => reopenChange(record, "context-check", "Too narrow", at),
    (record) => reopenChange(record, "describe", "Misread", later),
  );
  expect({ reopenings: twice.reopenings, stages: twice.stages, rev: twice.rev }).toEqual({
    reopenings: [
      { stage: "context-check", reason: "Too narrow", at },
      { stage: "describe", reason: "Misread", at: later },
    ],
    stages: [
      { name: "describe", status: "in_progress", started_at: later, stale_because: "Misread" },
      { name: "context-check", status: "stale", started_at: at, stale_because: "Misread" },
      { name: "tasks", status: "pending" },
      { name: "verify", status: "pending" },
    ],
    rev: 5,
  });
});

test("reopens an abandoned change and keeps its reason", () => {
  const [abandoned] = abandonChange(BEGUN, "Solved upstream", at);
  expect(abandoned).toEqual({
    ...BEGUN,
    status: "abandoned",
    abandoned: { reason: "Solved upstream", at },
    rev: 2,
  });
  expect(reopenChange(abandoned, "describe", "It was not", later)[0]).toEqual({
    ...BEGUN,
    stages: [{ name: "describe", status: "in_progress", started_at: later }, ...BEGUN.stages.slice(1)],
    reopenings: [{ stage: "describe", reason: "It was not", at: later, abandoned: { reason: "Solved upstream", at } }],
    updated_at: later,
    rev: 3,
  });
});

test("keeps everything when it archives, also the reason for abandoning", () => {
  const [abandoned] = abandonChange(BEGUN, "Solved upstream", at);
  expect(archiveChange(abandoned, later)).toEqual([
    { ...abandoned, status: "archived", updated_at: later, rev: 3 },
    [{ kind: "flow-archived" }],
  ]);
});

test("keeps a check with the change, once per result and tree", () => {
  const check = { at: later, tree: "a".repeat(64), facts: [] };
  const kept = storeContextCheck(BEGUN, check);
  expect(kept).toEqual({ ...BEGUN, context_check: check, updated_at: later, rev: BEGUN.rev + 1 });
  expect(storeContextCheck(kept, { ...check, at: "2026-03-01T00:00:00Z" })).toBe(kept);
  expect(storeContextCheck(kept, { ...check, tree: "b".repeat(64) }).rev).toBe(kept.rev + 1);
  const facts = [{ id: "CF-1", severity: "info", fact: "x" } as const];
  expect(storeContextCheck(kept, { ...check, facts }).context_check?.facts).toEqual(facts);
});

test("lists a decision in a new revision", () => {
  expect(addDecisionToChange({ ...BEGUN, adrs: ["ADR-001"] }, "ADR-002", later)).toEqual({
    ...BEGUN,
    adrs: ["ADR-001", "ADR-002"],
    updated_at: later,
    rev: 2,
  });
});

test.each([
  [
    "one is active",
    many(1),
    "fix-0 is active, at stage describe.",
    [
      { operation: "change.advance", input: { change_id: "fix-0", content: "…" } },
      { operation: "change.abandon", input: { change_id: "fix-0", reason: "…" } },
      { operation: "change.start", input: { ...proposal, concurrent: true } },
    ],
  ],
  [
    "three are active",
    many(3),
    "fix-0, fix-1 and fix-2 are active.",
    [
      { operation: "change.advance", input: { change_id: "fix-0", content: "…" } },
      { operation: "change.abandon", input: { change_id: "fix-0", reason: "…" } },
      { operation: "change.start", input: { ...proposal, concurrent: true } },
    ],
  ],
])("rejects a new change while %s, and names the ways to continue", (_, unfinished, why, fixes) => {
  expect(() => beginChange(proposal, unfinished, () => false, at)).toThrow(
    expect.objectContaining({
      code: "change.already-active",
      what: 'The change "Fix the login" cannot start.',
      why,
      fixes,
    }),
  );
});

test.each([
  [0, undefined],
  [MAX_UNFINISHED_WORK - 1, undefined],
  [MAX_UNFINISHED_WORK, "change.too-many"],
  [MAX_UNFINISHED_WORK + 5, "change.too-many"],
])("with %i other changes, a request for one more gives %s", (n, code) => {
  const ask = (): string | undefined => {
    try {
      requireChangeCapacity(many(n), "No.");
      return undefined;
    } catch (error) {
      return error instanceof Fault ? error.code : "defect";
    }
  };
  expect(ask()).toBe(code);
});

test("allows at most ten unfinished changes", () => {
  const description = `Fix\u0007 ${"the login ".repeat(10)}`;
  expect(() => beginChange({ ...proposal, description, concurrent: true }, many(10), () => false, at)).toThrow(
    expect.objectContaining({
      code: "change.too-many",
      what: 'The change "Fix\\u0007 the login the login the login the login the login the l…" cannot start.',
      why: "10 changes are unfinished; the limit is 10.",
      fixes: [{ operation: "change.list", input: { status: "active" } }],
    }),
  );
});

test("uses the only active change where none is named", () => {
  expect(requireOnlyActiveChange([BEGUN], "change.advance")).toBe(BEGUN);
});

test.each([
  [
    "none",
    [],
    {
      code: "change.none-active",
      message: "No change is in progress. You named none, and none is active.",
      fixes: [
        { operation: "change.start", input: { type: "fix", size: "small", description: "…" } },
        { operation: "change.list" },
      ],
    },
  ],
  [
    "two",
    many(2),
    {
      code: "change.ambiguous",
      message: "Several changes are active. Name one by its id. Active: fix-0 and fix-1.",
      fixes: [
        { operation: "change.advance", input: { change_id: "fix-0" } },
        { operation: "change.advance", input: { change_id: "fix-1" } },
      ],
    },
  ],
])("does not guess where none is named and %s is active", (_, unfinished, fault) => {
  expect(() => requireOnlyActiveChange(unfinished, "change.advance")).toThrow(expect.objectContaining(fault));
});

const reason = fc.string({ maxLength: 8 });
const move: fc.Arbitrary<(record: ChangeRecord) => ChangeTransition> = fc.oneof(
  { weight: 6, arbitrary: fc.constant(advance) },
  { weight: 1, arbitrary: reason.map((why) => (record: ChangeRecord) => abandonChange(record, why, at)) },
  { weight: 1, arbitrary: fc.constant((record: ChangeRecord) => archiveChange(record, at)) },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.nat({ max: 6 }), reason).map(
      ([i, why]) =>
        (record: ChangeRecord) =>
          reopenChange(record, record.stages[i]?.name ?? "none", why, at),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constant((record: ChangeRecord): ChangeTransition => [
      addDecisionToChange(record, "ADR-001", at),
      [],
    ]),
  },
);

/** Every reason the record holds, in any place. */
const reasonsIn = (record: ChangeRecord): number =>
  (record.reopenings ?? []).reduce((n, { abandoned }) => n + (abandoned ? 2 : 1), record.abandoned ? 1 : 0);

test("keeps the record readable, with every revision and reason, for any events", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("fix", "feature", "refactor", "enhancement"),
      fc.constantFrom("small", "medium", "large"),
      fc.array(move, { maxLength: 30 }),
      (type, size, moves) => {
        let record = beginChange({ type, size, description: "Try it" }, [], () => false, at);
        for (const step of moves) {
          const next = attempt(record, step) ?? record;
          const isNew = next !== record;
          const isReason = next.abandoned !== record.abandoned || next.reopenings !== record.reopenings;
          expect({
            problem: findChangeRecordProblem(JSON.parse(JSON.stringify(next)), "try-it"),
            rev: next.rev,
            reasons: reasonsIn(next),
          }).toEqual({
            problem: undefined,
            rev: record.rev + (isNew ? 1 : 0),
            reasons: reasonsIn(record) + (isReason ? 1 : 0),
          });
          record = next;
        }
      },
    ),
    { numRuns: 500 },
  );
});

function attempt(record: ChangeRecord, step: (record: ChangeRecord) => ChangeTransition): ChangeRecord | undefined {
  try {
    return step(record)[0];
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
