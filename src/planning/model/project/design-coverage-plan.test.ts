import fc from "fast-check";
import { expect, test } from "vitest";
import { groupTasksByWave, planTaskWaves, parsePlanTasks } from "./design-coverage.ts";

const PLAN = `# Plan

TASK-009: not under the heading

## Tasks

### TASK-001: Compute

Covers FR-001, BR-001.

### TASK-002: Show

Covers FR-001. Depends on: TASK-001

### TASK-003: Print

## Waves

- TASK-007: not one either
`;

test("reads the tasks under their heading with what they cover and when they can run", () => {
  expect(planTaskWaves(PLAN).map(({ id, covers, wave, dependsOn }) => ({ id, covers, wave, dependsOn }))).toEqual([
    { id: "TASK-001", covers: ["FR-001", "BR-001"], wave: 1, dependsOn: [] },
    { id: "TASK-002", covers: ["FR-001"], wave: 2, dependsOn: ["TASK-001"] },
    { id: "TASK-003", covers: [], wave: 1, dependsOn: [] },
  ]);
  expect(groupTasksByWave(planTaskWaves(PLAN))).toEqual([["TASK-001", "TASK-003"], ["TASK-002"]]);
  expect(parsePlanTasks(PLAN).map(({ id }) => id)).toEqual(["TASK-001", "TASK-002", "TASK-003"]);
});

test("reads all tasks without the heading", () => {
  expect(groupTasksByWave(planTaskWaves("- TASK-001: a\n- TASK-002: b"))).toEqual([["TASK-001", "TASK-002"]]);
  expect(groupTasksByWave(planTaskWaves("none"))).toEqual([]);
});

test.each([
  ["itself", "TASK-001", "TASK-001"],
  ["what is not there", "TASK-001", "TASK-009"],
  ["each other", "TASK-002", "TASK-001"],
])("gives tasks that wait for %s a wave", (_, first, second) => {
  const waves = groupTasksByWave(
    planTaskWaves(`- TASK-001: a. Depends on: ${first}\n- TASK-002: b. Depends on: ${second}`),
  );
  expect(waves.flat().toSorted()).toEqual(["TASK-001", "TASK-002"]);
});

test("ignores a dependency on an unknown task or on itself", () => {
  const text = "- TASK-001: a. Depends on: TASK-009, TASK-001\n- TASK-002: b. Depends on: TASK-001";
  expect(groupTasksByWave(planTaskWaves(text))).toEqual([["TASK-001"], ["TASK-002"]]);
});

const id = (n: number): string => `TASK-${String(n + 1).padStart(3, "0")}`;

test("runs a task in the wave after the last task that it waits for, and in the first wave without dependencies", () => {
  // Each task may wait for some of those before it, so there is no circle; then they are shuffled.
  const edges = fc.array(fc.array(fc.nat(), { maxLength: 4 }), { minLength: 1, maxLength: 25 });
  fc.assert(
    fc.property(edges, fc.array(fc.nat(), { minLength: 25, maxLength: 25 }), (all, places) => {
      const needs = all.map((some, i) => (i === 0 ? [] : [...new Set(some.map((n) => n % i))]));
      const lines = needs.map(
        (some, i) => `- ${id(i)}: x${some.length > 0 ? `. Depends on: ${some.map(id).join(", ")}` : ""}`,
      );
      const shuffled = lines.map((line, i) => ({ line, place: places[i] ?? 0 })).toSorted((a, b) => a.place - b.place);
      const planned = planTaskWaves(shuffled.map(({ line }) => line).join("\n"));
      const wave = new Map(planned.map((task) => [task.id, task.wave]));
      needs.forEach((some, i) => {
        expect(wave.get(id(i))).toBe(1 + Math.max(0, ...some.map((n) => wave.get(id(n)) ?? Number.NaN)));
      });
      expect(groupTasksByWave(planned).flat().toSorted()).toEqual(needs.map((_, i) => id(i)));
    }),
  );
});
