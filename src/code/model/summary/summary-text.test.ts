import { expect, test } from "vitest";
import { stripSpecTags } from "./summary-text.ts";

test.each([
  ["Checks a token.", "Checks a token."],
  ["Checks a token.\n@spec AUTH-001 AC-1\nTwice.", "Checks a token.\nTwice."],
  ["@spec AUTH-001, FR-003 and BR-002\r\nChecks a token.", "Checks a token."],
  ["Checks a token. @spec AUTH-001", "Checks a token."],
  ["AC: user-login.S1.AC2\nChecks a token.", "Checks a token."],
  ["Mail to me@spec AUTH-001 or to a MAC: it stays.", "Mail to me@spec AUTH-001 or to a MAC: it stays."],
])("reads %j without its tags", (doc, expected) => {
  expect(stripSpecTags(doc)).toBe(expected);
});
