import { expect, test } from "vitest";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import { findContradictingNonGoals } from "./non-goals.ts";

const design = `# Design
## Specifications
### Introduction
Logging is mentioned here as well.
### Non-Goals
- Logging, and metrics of any kind
- User interfaces for phones
* Resetting of passwords
<!-- - exports -->
## Overview
No exports either.
`;
const named = (name: string, text = design): number[] =>
  findContradictingNonGoals(name as FeatureName, [{ feature: "notes" as FeatureName, text }]).map(({ line }) => line);

test.each([
  ["logging", [6]],
  ["request-logging", [6]],
  ["logging-setup", []],
  ["phone-interface", [7]],
  ["user-page", []],
  ["password-reset", [8]],
  ["reset-passwords", [8]],
  ["export", []],
  ["notes", []],
])("finds the non-goal %s on lines %j", (name, lines) => {
  expect(named(name)).toEqual(lines);
});

test("quotes the line of a non-goal", () => {
  const designs = [{ feature: "notes" as FeatureName, text: design }];
  expect(findContradictingNonGoals("logging" as FeatureName, designs)).toEqual([
    { feature: "notes", line: 6, text: "- Logging, and metrics of any kind" },
  ]);
});

test("ignores a design's statements about its own feature, and designs without non-goals", () => {
  expect(
    findContradictingNonGoals("logging" as FeatureName, [{ feature: "logging" as FeatureName, text: design }]),
  ).toEqual([]);
  expect(named("logging", "# Design\nNo logging.")).toEqual([]);
  expect(named("logging", "## Out of scope\n- logs")).toEqual([2]);
});
