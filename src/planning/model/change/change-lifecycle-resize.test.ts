import fc from "fast-check";
import { expect, test } from "vitest";
import { advanceChange, beginChange, reopenChange, hasExpectedChangeFlow, resizeChange } from "./change-lifecycle.ts";
import {
  CHANGE_SIZES,
  CHANGE_TYPES,
  buildChangeFlow,
  type ChangeSize,
  type ChangeType,
} from "#kernel/model/stages/change-stages.ts";
import { type ChangeRecord, findChangeRecordProblem } from "./change-record.ts";

const at = "2026-01-31T12:00:00Z";
const later = "2026-02-01T08:00:00Z";
const begin = (type: ChangeType, size: ChangeSize): ChangeRecord =>
  beginChange({ type, size, description: "It" }, [], () => false, at);
const advance = (record: ChangeRecord, times: number): ChangeRecord =>
  times > 0 ? advance(advanceChange(record, at)[0], times - 1) : record;
const end = (record: ChangeRecord): ChangeRecord =>
  record.status === "active" ? end(advanceChange(record, later)[0]) : record;
const resize = (record: ChangeRecord, size: ChangeSize): ChangeRecord => resizeChange(record, size, "It grew", at)[0];
const names = (record: Pick<ChangeRecord, "stages">): string[] => record.stages.map(({ name }) => name);
/** Stages that have an artifact. */
const done = ({ stages }: ChangeRecord): string[] =>
  stages.filter(({ status, stale_because }) => status === "completed" || stale_because).map(({ name }) => name);

const GROWTHS = CHANGE_TYPES.flatMap((type) =>
  CHANGE_SIZES.flatMap((from, i) => CHANGE_SIZES.slice(i + 1).map((to) => [type, from, to] as const)),
);

test.each(GROWTHS)(
  "keeps the finished work of a %s that was %s and became %s, which can then be completed",
  (type, from, to) => {
    const flow = names(buildChangeFlow(type, to) as Pick<ChangeRecord, "stages">);
    fc.assert(
      fc.property(fc.nat(6), fc.nat(6), fc.boolean(), (steps, back, isReopened) => {
        const begun = begin(type, from);
        const under = advance(begun, Math.min(steps, begun.stages.length - 1));
        const earlier = names(begun).indexOf(under.current_stage);
        const stage = names(begun)[Math.min(back, earlier - 1)];
        const before = isReopened && stage ? reopenChange(under, stage, "Misread", at)[0] : under;
        const after = resize(before, to);
        expect(findChangeRecordProblem(after, "it")).toBe(undefined);
        expect(done(after)).toEqual(expect.arrayContaining(done(before)));
        expect(hasExpectedChangeFlow(after)).toBe(true);
        expect(names(after).filter((name) => flow.includes(name))).toEqual(flow);
        const ended = end(after);
        expect(ended.stages.every(({ status }) => status === "completed")).toBe(true);
        expect(findChangeRecordProblem(ended, "it")).toBe(undefined);
      }),
    );
  },
);

test.each(CHANGE_TYPES)("lets a %s grow twice", (type) => {
  const grown = resize(advance(resize(advance(begin(type, "small"), 3), "medium"), 1), "large");
  expect(findChangeRecordProblem(grown, "it")).toBe(undefined);
  expect(hasExpectedChangeFlow(grown)).toBe(true);
  expect(end(grown).status).toBe("completed");
  expect(grown.sizings?.map((sizing) => [sizing.from, sizing.to])).toEqual([
    ["small", "medium"],
    ["medium", "large"],
  ]);
});

test("keeps the description before the proposal when a small feature becomes large", () => {
  const after = resize(advance(begin("feature", "small"), 3), "large");
  expect(after.stages.map(({ name, status }) => `${name} ${status}`)).toEqual([
    "describe completed",
    "propose in_progress",
    "context-check stale",
    "spec pending",
    "clarify pending",
    "design pending",
    "tasks stale",
    "verify pending",
  ]);
  expect({ ...after, stages: [] }).toEqual({
    ...begin("feature", "small"),
    stages: [],
    size: "large",
    current_stage: "propose",
    sizings: [{ from: "small", to: "large", reason: "It grew", at }],
    rev: 5,
  });
});

test("changes only the record of the size when the size is kept", () => {
  const before = advance(begin("fix", "small"), 3);
  const growth = { files: 9, lines: 40, requirements: 1 };
  expect(resizeChange(before, "small", "One line each", later, growth)).toEqual([
    {
      ...before,
      sizings: [{ from: "small", to: "small", reason: "One line each", at: later, ...growth }],
      updated_at: later,
      rev: before.rev + 1,
    },
    [],
  ]);
});

test.each([
  ["the smaller flow has all finished stages", advance(begin("fix", "large"), 2), "small", true],
  ["its spec is written", advance(begin("fix", "large"), 3), "small", false],
  ["its spec is written and the smaller flow has a spec", advance(begin("fix", "large"), 3), "medium", true],
  [
    "its spec was written and is open again",
    reopenChange(advance(begin("fix", "medium"), 3), "spec", "x", at)[0],
    "small",
    false,
  ],
  ["its proposal is written", advance(begin("feature", "medium"), 1), "small", false],
  ["its proposal is not written", begin("feature", "medium"), "small", true],
] as const)("makes a change smaller only if %s", (_, record, size, isAllowed) => {
  const code = (): unknown => {
    try {
      const after = resize(record, size);
      expect(findChangeRecordProblem(after, "it")).toBe(undefined);
      expect(end(after).status).toBe("completed");
      return names(after).join() === names(buildChangeFlow(record.type, size) as Pick<ChangeRecord, "stages">).join();
    } catch (error) {
      return (error as { code?: unknown }).code;
    }
  };
  expect(code()).toBe(isAllowed ? true : "change.not-smaller");
});

test("names the current size and every stage that would be lost in the refusal", () => {
  expect(() => resize(advance(begin("feature", "large"), 5), "small")).toThrow(
    expect.objectContaining({
      code: "change.not-smaller",
      why: "A small feature has no stage propose and no stage spec and no stage clarify and no stage design, and that stage is done.",
      fixes: [{ operation: "change.resize", input: { change_id: "it", size: "large", reason: "…" } }],
    }),
  );
});

test.each(CHANGE_SIZES)("keeps the size of a completed change when asked for %s", (size) => {
  expect(() => resize(end(begin("fix", "medium")), size)).toThrow(expect.objectContaining({ code: "flow.not-active" }));
});

test.each([
  ["with its own flow", begin("feature", "small"), true],
  ["with an additional stage", { ...begin("fix", "small"), stages: begin("fix", "medium").stages }, false],
  [
    "with stages in another order",
    { ...begin("fix", "small"), stages: begin("fix", "small").stages.toReversed() },
    false,
  ],
  ["without a stage", { ...begin("fix", "small"), stages: begin("fix", "small").stages.slice(1) }, false],
] as const)("reports the flow of a change %s", (_, record, isItsOwn) => {
  expect(hasExpectedChangeFlow(record)).toBe(isItsOwn);
});
