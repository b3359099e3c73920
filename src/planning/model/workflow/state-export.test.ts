import fc from "fast-check";
import { load } from "js-yaml";
import { expect, test } from "vitest";
import { abandonChange, advanceChange, beginChange } from "../change/change-lifecycle.ts";
import { CHANGE_SIZES, CHANGE_TYPES } from "#kernel/model/stages/change-stages.ts";
import type { ChangeRecord } from "../change/change-record.ts";
import { renderStateExport } from "./state-export.ts";
import { parseWorkflowId } from "#kernel/model/workflow-id.ts";
import { advanceWorkflowRecord, createWorkflowRecord } from "./workflow-lifecycle.ts";

const at = "2026-01-31T12:00:00Z";
const later = "2026-02-01T08:00:00Z";
const begin = (description: string, taken: readonly string[] = []): ChangeRecord =>
  beginChange({ type: "fix", size: "small", description }, [], (id) => taken.includes(id), at);

test("exports an empty workspace", () => {
  expect(renderStateExport([])).toMatchInlineSnapshot(`
    "version: "2.0"
    current_workflow: null
    current_spec: null
    current_stage: null
    can_advance: false
    dirty: false
    workflows: {}
    history: []
    "
  `);
});

test("exports the only active change as current, and finished ones as history", () => {
  const done = abandonChange(begin("Old thing"), "No", later)[0];
  expect(renderStateExport([done, advanceChange(begin("Fix login"), later)[0]])).toMatchInlineSnapshot(`
    "version: "2.0"
    current_workflow: "change"
    current_spec: "fix-login"
    current_stage: "context-check"
    can_advance: true
    dirty: false
    workflows:
      fix-login:
        workflow: "change"
        type: "fix"
        size: "small"
        status: "in_progress"
        stage: "context-check"
        priority: 7
        started: "2026-01-31T12:00:00Z"
        last_activity: "2026-02-01T08:00:00Z"
        files_locked: []
        snapshots: []
        retry_history: []
        interrupted: false
    history:
      - spec_id: "old-thing"
        workflow: "change"
        status: "abandoned"
        completed: "2026-02-01T08:00:00Z"
    "
  `);
});

test("exports no current change where several are active", () => {
  const state = load(renderStateExport([begin("Fix login"), begin("Fix logout")])) as Record<string, unknown>;
  expect({ ...state, workflows: Object.keys(state["workflows"] as object) }).toEqual({
    version: "2.0",
    current_workflow: null,
    current_spec: null,
    current_stage: null,
    can_advance: false,
    dirty: false,
    workflows: ["fix-login", "fix-logout"],
    history: [],
  });
});

/** The state as values, which its text must give back. */
function expected(changes: readonly ChangeRecord[]): unknown {
  const unfinished = changes.filter((change) => change.status === "active");
  const [only, second] = unfinished;
  const current = second ? undefined : only;
  return {
    version: "2.0",
    current_workflow: current ? "change" : null,
    current_spec: current?.id ?? null,
    current_stage: current?.current_stage ?? null,
    can_advance: current !== undefined,
    dirty: false,
    workflows: Object.fromEntries(
      unfinished.map((change) => [
        change.id,
        {
          workflow: "change",
          type: change.type,
          size: change.size,
          status: "in_progress",
          stage: change.current_stage,
          priority: 7,
          started: change.created_at,
          last_activity: change.updated_at,
          files_locked: [],
          snapshots: [],
          retry_history: [],
          interrupted: false,
        },
      ]),
    ),
    history: changes
      .filter((change) => change.status !== "active")
      .map((change) => ({
        spec_id: change.id,
        workflow: "change",
        status: change.status,
        completed: change.updated_at,
      })),
  };
}

test("shows the newest 100 changes that ended, so that old ones make no write slower", () => {
  const ended = Array.from({ length: 103 }, (_, i): ChangeRecord => ({
    ...abandonChange(begin(`Old thing ${i}`), "No", later)[0],
    updated_at: `2026-02-01T08:${String(i % 60).padStart(2, "0")}:0${i < 60 ? 0 : 1}Z`,
  }));
  const { history } = load(renderStateExport(ended)) as { history: { spec_id: string }[] };
  const ids = history.map(({ spec_id }) => spec_id);
  const [first, second, third] = ended;
  expect([ids.length, new Set(ids).size]).toEqual([100, 100]);
  expect([first, second].map((each) => ids.includes(String(each?.id)))).toEqual([false, false]);
  expect([third, ended.at(-1)].map((each) => ids.includes(String(each?.id)))).toEqual([true, true]);
});

test("lists workflows and changes, the most urgent first", () => {
  const feature = createWorkflowRecord(
    { id: parseWorkflowId("AUTH-001"), kind: "feature", title: "Second factor", base_commit: "a".repeat(40) },
    at,
  );
  const bug = createWorkflowRecord({ id: parseWorkflowId("BUG-042"), kind: "bugfix", title: "Login fails" }, at);
  const done = advanceWorkflowRecord({ ...bug, id: parseWorkflowId("BUG-001"), current_stage: "verify" }, later)[0];
  const lock = { workflow: "AUTH-001", path: "src/login.ts", at, how: "edit" } as const;
  const snapshot = {
    workflow: "AUTH-001",
    n: 1,
    stage: "discover",
    why: "stage",
    at,
    checkout: "main",
    commit: "c",
    tree: "t",
    head: "abc123",
    files_modified: ["src/login.ts"],
    state: feature,
  } as const;
  const text = renderStateExport([begin("Fix login")], {
    workflows: [feature, bug, done],
    locks: [lock],
    snapshots: [snapshot, { ...snapshot, n: 2, dropped_by: 3 }],
    priorities: new Map([["fix-login", 1]]),
    current: "AUTH-001",
    isInterrupted: (id) => id === "BUG-042",
  });
  expect(Object.keys((load(text) as { workflows: object }).workflows)).toEqual(["BUG-042", "fix-login", "AUTH-001"]);
  expect(text.slice(0, text.indexOf("workflows:"))).toContain('current_spec: "AUTH-001"');
  expect(text.slice(text.indexOf("  AUTH-001:"))).toMatchInlineSnapshot(`
    "  AUTH-001:
        workflow: "feature"
        title: "Second factor"
        base_commit: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        status: "in_progress"
        stage: "discover"
        priority: 3
        started: "2026-01-31T12:00:00Z"
        last_activity: "2026-01-31T12:00:00Z"
        files_locked:
          - "src/login.ts"
        snapshots:
          - stage: "discover"
            timestamp: "2026-01-31T12:00:00Z"
            files_modified:
              - "src/login.ts"
            git_commit: "abc123"
        retry_history: []
        interrupted: false
    history:
      - spec_id: "BUG-001"
        workflow: "bugfix"
        status: "completed"
        completed: "2026-02-01T08:00:00Z"
        duration: "20 h"
    "
  `);
  expect(text).toContain("interrupted: true");
});

test.each([
  ..."null true false yes no on off y n 123 007 0x10 0o7 0b1 1e3 1_000 2026-01-31 12:30:45 .inf .nan ~ = <<".split(" "),
  "- a: b # c",
  "a: {b: [c]}\n---\n...",
  "! & * | > ' \" % @ `",
  "\u0000\u0007\u001b[31m\u007f\u0085\ufeff\ufffe\ud800",
])("reads back a change described as %j", (description) => {
  const changes = [begin(description), abandonChange(begin(description, [begin(description).id]), "No", later)[0]];
  expect(load(renderStateExport(changes))).toEqual(expected(changes));
});

test.each("n y off 12 007 2026".split(" "))("quotes %s, which other readers would not take for text", (id) => {
  expect(
    renderStateExport([begin(id)])
      .split("\n")
      .slice(6, 8),
  ).toEqual(["workflows:", `  "${id}":`]);
});

const change = fc
  .record({
    type: fc.constantFrom(...CHANGE_TYPES),
    size: fc.constantFrom(...CHANGE_SIZES),
    description: fc.oneof(
      fc.string({ unit: "binary" }),
      fc.stringMatching(/^[0-9][0-9a-fxob.:_-]{0,9}$/),
      fc.constantFrom("null", "true", "no", "n", "y", "off"),
    ),
    steps: fc.nat({ max: 8 }),
    isAbandoned: fc.boolean(),
  })
  .map(({ steps, isAbandoned, ...proposal }) => (taken: ReadonlySet<string>): ChangeRecord => {
    let record = beginChange(proposal, [], (id) => taken.has(id), at);
    for (let i = 0; i < steps && record.status === "active"; i++) [record] = advanceChange(record, later);
    return isAbandoned && record.status === "active" ? abandonChange(record, "No", later)[0] : record;
  });

test("a reader returns the same values for any changes", () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 6 }), (makers) => {
      const taken = new Set<string>();
      const changes = makers.map((make) => {
        const record = make(taken);
        taken.add(record.id);
        return record;
      });
      expect(load(renderStateExport(changes))).toEqual(expected(changes));
    }),
    { numRuns: 300 },
  );
});
