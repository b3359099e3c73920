import { expect, test } from "vitest";
import { INSPECTORS } from "./role.ts";
import { estimateOf, ROLE_NAMES, ROLES, whatItMay } from "./roles.ts";

test("every inspector and auditor is a role, and there are three others", () => {
  const inspectors = Object.values(INSPECTORS).flat();
  expect(ROLE_NAMES.toSorted()).toEqual(
    [
      "architect",
      "task-generator",
      "builder",
      ...inspectors.map((name) => `inspector-${name}`),
      ...Object.keys(INSPECTORS).map((kind) => `auditor-${kind}`),
    ].toSorted(),
  );
});

test("whoever writes nothing has no tool to write with, and whoever writes has one", () => {
  expect(ROLE_NAMES.filter((role) => ROLES[role].tools.includes("write") !== (ROLES[role].writes !== null))).toEqual(
    [],
  );
});

test.each([
  [["read"], "read files"],
  [["search", "read"], "read files and search in them"],
  [["read", "search", "run", "web"], "read files, search in them, run commands and look in the web"],
] as const)("%j: may %s", (tools, text) => {
  expect(whatItMay({ tools })).toBe(text);
});

test("a forecast is at least what the brief may cost", () => {
  expect(ROLE_NAMES.filter((role) => estimateOf(role) <= ROLES[role].budget)).toEqual([]);
  expect(estimateOf("builder")).toBe(90_000);
});
