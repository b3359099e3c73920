import { expect, test } from "vitest";
import { yamlAdapter } from "#kernel/adapters/yaml-reader.ts";
import { DESIGN, TASKS } from "../../../../test/kit/feature.ts";
import { checkDesign } from "./design-check.ts";
import { checkTaskPlan, serializeTaskPlan, createTaskStatusEdits } from "./task-plan.ts";
import type { FeatureTask } from "./task-list.ts";

const tasksOf = (text: string): readonly FeatureTask[] => {
  const { tree } = yamlAdapter.read(text);
  return tree ? checkTaskPlan(tree, checkDesign(DESIGN)).tasks : [];
};

test("ignores progress and comments in the plan, and nothing else", () => {
  const plan = (text: string): string => {
    const { tree } = yamlAdapter.read(text);
    return tree ? serializeTaskPlan(tree) : "";
  };
  expect(plan(TASKS.replaceAll("status: pending", "status: done"))).toBe(plan(TASKS));
  expect(plan(`# Said by hand.\n${TASKS}`)).toBe(plan(TASKS));
  expect(plan(TASKS.replace("End sessions", "Begin sessions"))).not.toBe(plan(TASKS));
});

test("writes progress in place and keeps comments", () => {
  const text = TASKS.replace("summary: Login\n", "summary: Login # of users\n").replace(
    /(acs: .*\n) +status: pending\n/,
    "$1",
  );
  const mark = (given: string, ...statuses: [string, "pending" | "done"][]): string => {
    const { tree } = yamlAdapter.read(given);
    return tree ? yamlAdapter.edit(given, createTaskStatusEdits(tree, new Map(statuses))) : "";
  };
  const half = mark(text, ["1.1", "done"]);
  expect(half).toContain("# Made from the design.");
  expect(half).toContain("summary: Login # of users\n    status: pending\n");
  expect(tasksOf(half).map(({ id, status }) => `${id} ${status}`)).toEqual([
    "1 pending",
    "1.1 done",
    "1.2 pending",
    "2 pending",
  ]);
  const more = mark(half, ["1.2", "done"], ["9.9", "done"]);
  expect(tasksOf(more).map(({ id, status }) => `${id} ${status}`)).toEqual([
    "1 done",
    "1.1 done",
    "1.2 done",
    "2 pending",
  ]);
  expect(mark(more, ["1.2", "done"])).toBe(more);
  expect(tasksOf(mark(more, ["1.1", "pending"]))[0]?.status).toBe("pending");
});
