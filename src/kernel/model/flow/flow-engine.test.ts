import { expect, test } from "vitest";
import { createFlowState } from "./flow-engine.ts";

test("opens a flow at its first stage", () => {
  expect(createFlowState({ stages: [{ name: "a" }, { name: "b" }] }, "2026-01-31T12:00:00Z")).toEqual({
    stages: [
      { name: "a", status: "in_progress", started_at: "2026-01-31T12:00:00Z" },
      { name: "b", status: "pending" },
    ],
    current_stage: "a",
    status: "active",
  });
});

test("rejects a flow without stages as a mistake in the tables", () => {
  expect(() => createFlowState({ stages: [] }, "2026-01-31T12:00:00Z")).toThrow(
    new RangeError("A flow has at least one stage."),
  );
});
