import { expect, test } from "vitest";
import { feature } from "../../../../test/kit/features.ts";
import type { FeaturePhase } from "../feature/feature-record.ts";
import { checkPhaseGate, type PhaseOperation, chooseImplMode } from "../feature-progress.ts";

const OPEN = { kind: "open" } as const;
const closed = (problem: string) => ({ kind: "closed", problem });

test.each<[FeaturePhase, PhaseOperation, unknown]>([
  ["initialized", "design", OPEN],
  ["initialized", "impl", closed("Phase is 'initialized'. Run `sdd_design user-login` first.")],
  ["initialized", "review-design", closed("Design required. Run `sdd_design user-login` first.")],
  ["initialized", "review-impl", closed("Design required. Run `sdd_design user-login` first.")],
  ["design-generated", "design", OPEN],
  ["design-generated", "impl", OPEN],
  ["design-generated", "review-design", OPEN],
  ["design-generated", "review-impl", closed("Phase is 'design-generated'. Run `sdd_impl user-login` first.")],
  [
    "implementation-complete",
    "design",
    {
      kind: "confirm",
      question: "Re-designing user-login will invalidate the current implementation. Proceed?",
    },
  ],
  ["implementation-complete", "impl", OPEN],
  ["implementation-complete", "review-design", OPEN],
  ["implementation-complete", "review-impl", OPEN],
  ["designed" as FeaturePhase, "design", closed("Unknown phase 'designed'")],
  ["designed" as FeaturePhase, "review-impl", closed("Unknown phase 'designed'")],
])("in phase %s, checks %s", (phase, operation, said) => {
  expect(checkPhaseGate(feature("user-login", { phase }), operation)).toEqual(said);
});

test.each<PhaseOperation>(["design", "impl", "review-design", "review-impl"])(
  "names the blockers of a blocked feature for %s",
  (operation) => {
    const blocked_by = ["accounts", "sessions"] as never;
    const blocked_info = {
      blocked_by,
      reason: "upstream_failure",
      blocked_at_phase: "design-generated",
      detail: "",
      is_skipped: false,
    } as const;
    const record = feature("user-login", { phase: "blocked", blocked_info });
    expect(checkPhaseGate(record, operation)).toEqual(closed("user-login is blocked by accounts, sessions"));
  },
);

test.each([
  ["tasks.yaml is missing", "tasks-generated", false, [], "regenerate"],
  ["the design changed", null, true, [], "regenerate"],
  ["tasks are planned", "tasks-generated", true, [], "resume"],
  ["tasks are planned and some are chosen", "tasks-generated", true, ["1.1"], "resume"],
  ["all tasks are done and some are chosen", "impl-complete", true, ["1.1"], "re-execute"],
  ["all tasks are done and none is chosen", "impl-complete", true, [], "ask"],
] as const)("where %s, implements with mode %s", (_, last_phase_action, hasTasks, tasks, mode) => {
  const { orchestration } = feature("user-login");
  const record = feature("user-login", { orchestration: { ...orchestration, last_phase_action } });
  expect(chooseImplMode(record, hasTasks, tasks)).toBe(mode);
});
