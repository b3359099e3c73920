import fc from "fast-check";
import { expect, test } from "vitest";
import type { ReviewFinding } from "./review-finding.ts";
import { formatFindingKey, isSameFinding, isFindingMentioned, createFindingSignature } from "./finding-history.ts";

const finding = (description: string, location = "src/login.ts", category = "ambiguity"): ReviewFinding => ({
  severity: "M",
  category,
  location,
  description,
  sources: [],
});

const told = finding('"Quickly" is not quantified', "src/login.ts");

test.each<[string, ReviewFinding]>([
  ["different case", finding('"quickly" IS not quantified')],
  ["different spaces", finding('  "Quickly"  is\tnot quantified ')],
  ["different quotes", finding("`Quickly` is not quantified")],
  ["a full stop", finding('"Quickly" is not quantified.')],
  ["a line number in the text", finding('"Quickly" is not quantified (line 12)')],
  ["a line", finding(told.description, "src/login.ts:12")],
  ["a line and a column", finding(told.description, "src/login.ts:12:4")],
  ["a range of lines", finding(told.description, "src/login.ts:12-20")],
  ["lines in the form of a host", finding(told.description, "src/login.ts#L12-L20")],
  ["lines in words", finding(told.description, "src/login.ts (lines 12, 14)")],
  ["a relative path", finding(told.description, "./src/login.ts")],
  ["a Windows path", finding(told.description, "src\\login.ts")],
  ["a quoted path", finding(told.description, "`src/login.ts`")],
  ["a category in words", finding(told.description, told.location, "Ambiguity")],
])("gives the same key for %s", (_what, other) => {
  expect(formatFindingKey(other)).toBe(formatFindingKey(told));
});

test.each<[string, ReviewFinding]>([
  ["a different file", finding(told.description, "src/logout.ts")],
  ["a different criterion", finding(told.description, "Spec 1.AC2")],
  ["a different category", finding(told.description, told.location, "untestable")],
  ["different words", finding("The password is logged")],
])("gives a different key for %s", (_what, other) => {
  expect(formatFindingKey(other)).not.toBe(formatFindingKey(told));
});

test("distinguishes locations by numbers that are not lines", () => {
  const keys = ["tasks.yaml:1.2", "tasks.yaml:1.3", "Spec 1.AC1", "Spec 1.AC2", "Spec 2.AC1"];
  expect(new Set(keys.map((location) => formatFindingKey(finding("x", location)))).size).toBe(keys.length);
});

test.each<[string, string, boolean]>([
  ["'quickly' not quantified", "The word quickly cannot be measured, it is not quantified", true],
  ["Errors of the database are swallowed", "An error of the database is swallowed silently", true],
  ["login() differs from the design", "login() takes other arguments than the design says", true],
  ["login() has another signature than the design", "logout() has another signature than the design", false],
  ["'quickly' not quantified", "'slowly' not quantified", false],
  ["userId is a number in the contract", "orderId is a number in the contract", false],
  ["The password is logged", "Errors are swallowed", false],
  ["入力の検証がありません", "入力の検証がまだありません", true],
  ["", "", true],
  ["it is", "they are", false],
])("%j and %j are the same finding: %s", (one, other, same) => {
  expect(isSameFinding(createFindingSignature(finding(one)), createFindingSignature(finding(other)))).toBe(same);
});

test("distinguishes equal findings in two files", () => {
  const here = createFindingSignature(finding("Errors are swallowed", "src/login.ts"));
  expect(isSameFinding(here, createFindingSignature(finding("Errors are swallowed", "src/logout.ts")))).toBe(false);
});

test.each<[string, boolean]>([
  ["H|ambiguity|src/login.ts|quickly is not quantified", true],
  ["not quantified: quickly", true],
  ['"slowly" is not quantified', false],
  ["The password is logged", false],
  ["", false],
])("%j mentions the finding: %s", (text, same) => {
  expect(isFindingMentioned(createFindingSignature(told), text)).toBe(same);
});

test("finds likeness in both directions, and each finding like itself", () => {
  const any = fc.record({ description: fc.string({ unit: "binary" }), location: fc.string(), category: fc.string() });
  const like = any.map((it) => createFindingSignature(finding(it.description, it.location, it.category)));
  fc.assert(
    fc.property(like, like, (one, other) => {
      expect(isSameFinding(one, one)).toBe(true);
      expect(isSameFinding(one, other)).toBe(isSameFinding(other, one));
    }),
  );
});
