import { expect, test } from "vitest";
import {
  isCoreSteeringFile,
  parseSteeringName,
  matchSteeringName,
  formatSteeringTitle,
  findSteeringTopic,
} from "./steering-name.ts";

test.each([
  ["tech", "tech"],
  ["tech.md", "tech"],
  [" Tech.md ", "tech"],
  ["steering/tech.md", "tech"],
  ["sdd/steering/tech.md", "tech"],
  ["./sdd/steering/api-standards.md", "api-standards"],
  ["rate-limits", "rate-limits"],
])("finds a steering file for %j", (said, name) => {
  expect(matchSteeringName(said)).toBe(name);
  expect(parseSteeringName(said)).toBe(name);
});

test.each([
  "",
  " ",
  ".md",
  "..",
  "../tech.md",
  "sdd/steering/../config.yaml",
  "sdd/specs/tech.md",
  "/etc/passwd",
  "steering\\tech.md",
  "a/b",
  "tech.yaml",
  "api standards",
  "api_standards",
  "-tech",
  "con",
  "constructor",
  "x".repeat(51),
  "tech\0",
  "ťech",
])("rejects %j as the name of a steering file", (said) => {
  expect(matchSteeringName(said)).toBeUndefined();
  expect(() => parseSteeringName(said)).toThrow(expect.objectContaining({ code: "steering.bad-name" }));
});

test.each([
  ["product", "Product"],
  ["tech", "Technology"],
  ["rate-limits", "Rate limits"],
])("gives %s the heading %s", (name, title) => {
  expect(formatSteeringTitle(parseSteeringName(name))).toBe(title);
});

test("distinguishes core files and topics", () => {
  expect([
    isCoreSteeringFile("tech"),
    isCoreSteeringFile("ui"),
    findSteeringTopic("ui"),
    findSteeringTopic("tech"),
  ]).toEqual([true, false, "ui", undefined]);
});
