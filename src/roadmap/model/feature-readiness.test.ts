import { expect, test } from "vitest";
import {
  built,
  designed,
  feature,
  finished,
  group,
  createTestLead,
  review,
  type Said,
} from "../../../test/kit/features.ts";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import type { FeatureBlock, FeatureRecord } from "./feature/feature-record.ts";
import type { LeadAction, AgentWork, ActionAssignment, Lead, OpenReview } from "./lead/lead-state.ts";
import { listFeatureReadiness, formatStepReadiness, FEATURE_STEPS } from "./feature-readiness.ts";

/** The steps of one feature in words. */
function steps(lead: Lead, name: string): string[] {
  const row = listFeatureReadiness(lead).find((entry) => entry.feature === name);
  return FEATURE_STEPS.map((step) => (row ? formatStepReadiness(row.steps[step]) : "no such feature"));
}

const reviewed = (name: string, files: readonly string[], said: Said = {}): FeatureRecord =>
  designed(name, files, { reviews: { design: review("GO", `design of ${name}`), implementation: null }, ...said });
const out = (work: AgentWork): Lead["out"] =>
  new Map([["a/x/1", handedOut({ id: "a/x/1", kind: "spawn", role: "builder", work })]]);
const handedOut = (action: LeadAction): ActionAssignment => ({
  action,
  session: "s",
  at: "2026-11-16T08:00:00Z",
  base: null,
  estimate: 1,
  refusals: 0,
});
const open = (key: string): Lead["reviews"] => new Map([[key, {} as OpenReview]]);
const blockedBy = (names: readonly string[], at: FeatureBlock["blocked_at_phase"], isSkipped = false): Said => ({
  phase: "blocked",
  blocked_info: {
    blocked_by: names as FeatureName[],
    reason: "upstream_failure",
    blocked_at_phase: at,
    detail: "d",
    is_skipped: isSkipped,
  },
});
const name = "a" as FeatureName;
const PROPOSAL = { batch: "B1", line: 1, file: "tech.md", text: "t" };
const planned = (text: string): Said => ({
  orchestration: { ...feature(text).orchestration, last_phase_action: "tasks-generated" },
  implementation: { groups: [group("A", ["x.ts"])] },
});

test.each<[string, Lead, [string, string, string, string]]>([
  [
    "not started",
    createTestLead([feature("a"), feature("b")]),
    ["ready", "waits for its design", "waits for its design review", "waits for its implementation"],
  ],
  [
    "an architect works on it",
    createTestLead([feature("a")], { out: out({ of: "design", feature: name, mode: "new", isFix: false }) }),
    ["out", "waits for its design", "waits for its design review", "waits for its implementation"],
  ],
  [
    "its dependency has no design",
    createTestLead([feature("a", { wave: 2, on: ["b", "c"] }), feature("b"), designed("c", [])]),
    [
      "waits for the design of b",
      "waits for its design",
      "waits for its design review, the gate of wave 1, b, c",
      "waits for its implementation",
    ],
  ],
  [
    "designed",
    createTestLead([designed("a", [])]),
    ["done", "ready", "waits for its design review", "waits for its implementation"],
  ],
  [
    "its design is under review",
    createTestLead([designed("a", [])], { reviews: open("a/design") }),
    ["done", "out", "waits for its design review", "waits for its implementation"],
  ],
  [
    "its design was rejected",
    createTestLead([
      designed("a", [], {
        reviews: { design: review("NO-GO", "design of a"), implementation: null },
        fix: { source: "design", batch: "B1", detail: "d", groups: [] },
      }),
    ]),
    ["ready", "waits for its design", "waits for its design review", "waits for its implementation"],
  ],
  [
    "its design changed after the review",
    createTestLead([designed("a", [], { reviews: { design: review("GO", "an earlier one"), implementation: null } })]),
    ["done", "ready", "waits for its design review", "waits for its implementation"],
  ],
  ["reviewed", createTestLead([reviewed("a", [])]), ["done", "done", "ready", "waits for its implementation"]],
  [
    "reviewed, and the user has to answer",
    createTestLead([
      reviewed("a", [], {
        reviews: {
          design: { ...review("GO", "design of a"), proposals: 1, waiting: [PROPOSAL] },
          implementation: null,
        },
      }),
    ]),
    ["done", "done", "waits for an answer about steering", "waits for its implementation"],
  ],
  [
    "reviewed, in a later wave",
    createTestLead([reviewed("a", [], { wave: 2, on: ["b"] }), built("b", [])]),
    ["done", "done", "waits for the gate of wave 1", "waits for its implementation"],
  ],
  [
    "reviewed, in the current wave",
    createTestLead([reviewed("a", [], { wave: 2, on: ["b"] }), built("b", [])], { waves: new Map([[1, finished(1)]]) }),
    ["done", "done", "ready", "waits for its implementation"],
  ],
  [
    "another feature has its files, but its tasks can be planned",
    createTestLead([reviewed("a", ["x.ts"]), reviewed("0", ["x.ts"])]),
    ["done", "done", "ready", "waits for its implementation"],
  ],
  [
    "another feature has its files",
    createTestLead([reviewed("a", ["x.ts"], planned("a")), reviewed("0", ["x.ts"])]),
    ["done", "done", "waits for files of 0", "waits for its implementation"],
  ],
  [
    "another feature had its files",
    createTestLead([reviewed("a", ["x.ts"]), built("0", ["x.ts"])]),
    ["done", "done", "ready", "waits for its implementation"],
  ],
  [
    "a builder works on it",
    createTestLead([reviewed("a", [])], {
      out: out({ of: "build", feature: name, group: "A", tasks: [], isFix: false }),
    }),
    ["done", "done", "out", "waits for its implementation"],
  ],
  [
    "its tests run",
    createTestLead([reviewed("a", [])], {
      out: new Map([["a/gate/1", handedOut({ id: "a/gate/1", kind: "gate", feature: name })]]),
    }),
    ["done", "done", "out", "waits for its implementation"],
  ],
  [
    "built",
    createTestLead([built("a", [], { reviews: { design: review("GO", "design of a"), implementation: null } })]),
    ["done", "done", "done", "ready"],
  ],
  [
    "its code is under review",
    createTestLead([built("a", [], { reviews: { design: review("GO", "design of a"), implementation: null } })], {
      reviews: open("a/impl"),
    }),
    ["done", "done", "done", "out"],
  ],
  [
    "its code was rejected",
    createTestLead([built("a", [], { fix: { source: "impl", batch: "B1", detail: "d", groups: ["A"] } })]),
    ["done", "done", "ready", "waits for its implementation"],
  ],
  ["accepted", createTestLead([built("a", [])]), ["done", "done", "done", "done"]],
  [
    "blocked",
    createTestLead([designed("a", [], { on: ["b"], ...blockedBy(["b"], "design-generated") }), feature("b")]),
    ["done", "blocked by b", "blocked by b", "blocked by b"],
  ],
  [
    "blocked by two features before it started",
    createTestLead([feature("a", blockedBy(["b", "c"], "initialized"))]),
    ["blocked by b, c", "blocked by b, c", "blocked by b, c", "blocked by b, c"],
  ],
  [
    "its dependency was skipped",
    createTestLead([feature("a", { on: ["b"], skipped: ["b"] }), feature("b", blockedBy(["b"], "initialized", true))]),
    ["ready", "waits for its design", "waits for its design review", "waits for its implementation"],
  ],
  [
    "it is outside the roadmap",
    createTestLead([designed("a", [], { wave: null })]),
    ["done", "ready", "ready", "waits for its implementation"],
  ],
  [
    "no run is active",
    createTestLead([designed("a", [], { wave: 2 }), feature("b")], { run: { ...createTestLead([]).run, isOn: false } }),
    ["done", "ready", "ready", "waits for its implementation"],
  ],
])("shows the ready steps of a feature: %s", (_, lead, expected) => {
  expect(steps(lead, "a")).toEqual(expected);
});

test("lists features by wave, then by name, and those outside the roadmap last", () => {
  const lead = createTestLead([
    feature("alone", { wave: null }),
    feature("c", { wave: 2 }),
    feature("b"),
    feature("a", { wave: 2 }),
  ]);
  expect(listFeatureReadiness(lead).map((row) => [row.feature, row.wave])).toEqual([
    ["b", 1],
    ["a", 2],
    ["c", 2],
    ["alone", null],
  ]);
});
