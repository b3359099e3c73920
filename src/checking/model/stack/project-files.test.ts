import { expect, test } from "vitest";
import { matchesNamePattern } from "./project-files.ts";

test.each([
  ["package.json", "package.json", true],
  ["package.json", "package_json", false],
  ["tsconfig*.json", "tsconfig.json", true],
  ["tsconfig*.json", "tsconfig.build.json", true],
  ["tsconfig*.json", "tsconfig.jso", false],
  ["*.mk", "rules.mk", true],
  ["*", "", true],
  ["a*a", "a", false],
  ["a*b*c", "a-b-c", true],
  ["a*b*c", "a-c", false],
  ["a*bc*c", "abc", false],
  ["a**c", "abc", true],
  ["jest.config.*", "jest.config.", true],
])("%s: %s is %s", (pattern, name, expected) => {
  expect(matchesNamePattern(pattern, name)).toBe(expected);
});
