import { expect, test } from "vitest";
import { Fault } from "../fault.ts";
import { type FlowState, type RunningFlow, type StageEntry, changeFlowStages } from "./flow-engine.ts";

const at = "2026-01-31T12:00:00Z";
const MARKS = { "·": "pending", "▸": "in_progress", "✓": "completed", "!": "stale", "–": "skipped" } as const;
type Mark = keyof typeof MARKS;

/** `a✓ b▸ c·`: names with the marks of their statuses. A `*` behind it says that its artifact is stale. */
function state(marks: string): FlowState {
  const stages = marks.split(" ").map((word): StageEntry => {
    const [name = "", mark = "", more = ""] = word;
    return { name, status: MARKS[mark as Mark], ...(mark === "!" || more === "*" ? { stale_because: "Misread" } : {}) };
  });
  return { stages, current_stage: stages.find(({ status }) => status === "in_progress")?.name ?? "", status: "active" };
}

const shown = ({ stages }: FlowState): string =>
  stages
    .map(({ name, status, stale_because }) => {
      const mark = Object.entries(MARKS).find(([, word]) => word === status)?.[0] ?? "?";
      return `${name}${mark}${stale_because && status !== "stale" ? "*" : ""}`;
    })
    .join(" ");

const flowOf = (names: string): RunningFlow => ({
  name: "fix-it",
  help: { operation: "change.status" },
  stages: Array.from(names, (name) => ({ name })),
});

const run = (marks: string, to: string) => changeFlowStages(flowOf(""), state(marks), flowOf(to), "It grew", at);

test.each([
  ["with nothing done", "a▸ b· c·", "abxc", "a▸ b· x· c·"],
  ["with a new stage ahead", "a✓ b▸ c·", "abxc", "a✓ b▸ x· c·"],
  ["with a new stage before the open one", "a✓ b✓ c▸ d·", "abxcd", "a✓ b✓ x▸ c· d·"],
  ["with a done stage after the new one, which becomes stale", "a✓ b✓ c✓ d▸", "abxcd", "a✓ b✓ x▸ c! d·"],
  ["with an open stage whose artifact becomes stale again", "a✓ b✓ c▸* d!", "abxcd", "a✓ b✓ x▸ c! d!"],
  ["with a new first stage and nothing done", "a▸ b· c·", "xbc", "x▸ b· c·"],
  ["with a new first stage and the old one done", "a✓ b▸ c·", "xbc", "a✓ x▸ b· c·"],
  ["with new stages and all but one done", "a✓ b✓ c▸", "xbyc", "a✓ x▸ b! y· c·"],
  ["with a new stage and the first one open again", "a▸* b! c·", "xbc", "a▸* x· b! c·"],
  ["with a stale stage that opens", "a✓ x▸ b! c·", "abc", "a✓ b▸* c·"],
  ["with a skipped stage, which stays skipped", "a– b▸ c·", "axbc", "a– x▸ b· c·"],
  ["with a new last stage", "a✓ b▸", "abx", "a✓ b▸ x·"],
  ["without the last stage", "a✓ b▸ c·", "ab", "a✓ b▸"],
])("%s: %s in %s is %s", (_, before, to, after) => {
  expect(shown(run(before, to)[0])).toBe(after);
});

test("reports the stage that opens and the stages that go stale", () => {
  const [after, effects] = run("a✓ b✓ c✓ d! e▸", "abxcde");
  expect(effects).toEqual([
    { kind: "stage-opened", stage: "x" },
    { kind: "stage-stale", stage: "c" },
  ]);
  expect(after.stages.slice(2, 5)).toEqual([
    { name: "x", status: "in_progress", started_at: at },
    { name: "c", status: "stale", stale_because: "It grew" },
    { name: "d", status: "stale", stale_because: "Misread" },
  ]);
});

test("opens no stage while the open stage stays open", () => {
  expect(run("a✓ b▸ c·", "abxc")[1]).toEqual([]);
});

test.each(["completed", "abandoned", "archived"] as const)("keeps the flow of a workflow that is %s", (status) => {
  const closed = { ...state("a✓ b▸"), status };
  expect(() => changeFlowStages(flowOf(""), closed, flowOf("abx"), "It grew", at)).toThrow(
    new Fault("flow.not-active", {
      what: "fix-it cannot be resized.",
      why: `It is ${status}.`,
      fix: { operation: "change.status" },
    }),
  );
});
