import { expect, test } from "vitest";
import { REVIEW_INSPECTORS } from "../agent/agent-roles.ts";
import { type ReviewKind, REVIEW_KINDS } from "./review-kinds.ts";
import { listMissingInspectors, normalizeInspectorName, callInspectorRoll } from "./stored-review.ts";

const inspection = { scope: "user-login", findings: [], notes: [] };
const inspectors = ["rulebase", "testability", "architecture"];

test("who has reported, who is lost and who is waited for", () => {
  const review = { inspectors, inspections: { architecture: inspection }, missing: ["rulebase"] };
  expect(callInspectorRoll(review)).toEqual({
    reported: ["architecture"],
    missing: ["rulebase"],
    awaited: ["testability"],
    isOver: false,
  });
  expect(listMissingInspectors(review)).toEqual(["rulebase", "testability"]);
});

test("whoever was lost and reported after all is there", () => {
  const inspections = { rulebase: inspection, testability: inspection, architecture: inspection };
  const review = { inspectors, inspections, missing: ["rulebase"] };
  expect(callInspectorRoll(review)).toEqual({ reported: inspectors, missing: [], awaited: [], isOver: true });
  expect(listMissingInspectors(review)).toEqual([]);
});

test("names that nobody expects count for nothing", () => {
  const review = { inspectors: ["constructor"], inspections: {}, missing: ["stranger"] };
  expect(callInspectorRoll(review)).toEqual({ reported: [], missing: [], awaited: ["constructor"], isOver: false });
});

test.each(REVIEW_KINDS.flatMap((kind) => REVIEW_INSPECTORS[kind].map((name) => [kind, name] as const)))(
  "in a review of kind %s, %s is known by its names",
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
])("in a review of kind %s, %s is %s", (kind, said, name) => {
  expect(normalizeInspectorName(kind, said)).toBe(name);
});
