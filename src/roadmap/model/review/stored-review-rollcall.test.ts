import { expect, test } from "vitest";
import { REVIEW_INSPECTORS } from "../agent/agent-roles.ts";
import { type ReviewKind, REVIEW_KINDS } from "./review-kinds.ts";
import { listMissingInspectors, normalizeInspectorName, callInspectorRoll } from "./stored-review.ts";

const inspection = { scope: "user-login", findings: [], notes: [] };
const inspectors = ["rulebase", "testability", "architecture"];

test("lists inspectors that reported, were lost, or are awaited", () => {
  const review = { inspectors, inspections: { architecture: inspection }, missing: ["rulebase"] };
  expect(callInspectorRoll(review)).toEqual({
    reported: ["architecture"],
    missing: ["rulebase"],
    awaited: ["testability"],
    isOver: false,
  });
  expect(listMissingInspectors(review)).toEqual(["rulebase", "testability"]);
});

test("counts a lost inspector that reported after all as present", () => {
  const inspections = { rulebase: inspection, testability: inspection, architecture: inspection };
  const review = { inspectors, inspections, missing: ["rulebase"] };
  expect(callInspectorRoll(review)).toEqual({ reported: inspectors, missing: [], awaited: [], isOver: true });
  expect(listMissingInspectors(review)).toEqual([]);
});

test("ignores unexpected names", () => {
  const review = { inspectors: ["constructor"], inspections: {}, missing: ["stranger"] };
  expect(callInspectorRoll(review)).toEqual({ reported: [], missing: [], awaited: ["constructor"], isOver: false });
});

test.each(REVIEW_KINDS.flatMap((kind) => REVIEW_INSPECTORS[kind].map((name) => [kind, name] as const)))(
  "in a review of kind %s, recognizes %s by its names",
  (kind, name) => {
    const said = [name, `inspector-${name}`, ` SDD-Inspector-${name} `];
    expect(said.map((one) => normalizeInspectorName(kind, one))).toEqual([name, name, name]);
  },
);

test.each<[ReviewKind, string, string]>([
  ["dead-code", "settings", "dead-settings"],
  ["dead-code", "tests", "dead-tests"],
  ["impl", "rulebase", "impl-rulebase"],
  ["design", "rulebase", "rulebase"],
  ["design", "stranger", "stranger"],
])("in a review of kind %s, reads %s as %s", (kind, said, name) => {
  expect(normalizeInspectorName(kind, said)).toBe(name);
});
