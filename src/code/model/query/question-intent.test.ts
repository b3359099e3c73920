import { expect, test } from "vitest";
import { isAboutAllChanges, parseCodeQuestion } from "./question-intent.ts";

test.each([
  ["how does login work?", "meaning", "how does login work?"],
  ["Where is the session kept?", "meaning", "Where is the session kept?"],
  ["What calls validateToken?", "callers", "validateToken?"],
  ["who uses the token store", "callers", "the token store"],
  ["callers of `Session.login`", "callers", "`Session.login`"],
  ["Where is parseDate used?", "callers", "parseDate"],
  ["what does login call?", "calls", "login"],
  ["What does parseDate return?", "signature", "parseDate"],
  ["which arguments does login take", "signature", "login"],
  ["signature of login", "signature", "login"],
  ["Which tests cover the login?", "tests", "the login?"],
  ["is parseDate tested?", "tests", "parseDate"],
  ["tests for login", "tests", "login"],
  ["which specs does login belong to", "specs", "login belong to"],
  ["What changed recently?", "changes", "recently?"],
  ["the latest commits", "changes", ""],
  ["what changed in src/auth", "changes", "in src/auth"],
])("%s", (question, intent, about) => {
  const { intent: read, about: meant } = parseCodeQuestion(question);
  expect([read, meant]).toEqual([intent, about]);
});

test.each([
  ["login", "login"],
  ["`Session.login`", "Session.login"],
  ["src/auth.ts#login", "src/auth.ts#login"],
  ["  AUTH-001?  ", "AUTH-001"],
  ["two words", undefined],
  ["", undefined],
])("reads %j as %j alone", (question, exact) => {
  expect(parseCodeQuestion(question).exact).toBe(exact);
});

test.each([
  ["how does useState work", ["useState"]],
  ["what is parse_date() for", ["parse_date"]],
  ["explain Session.login and `go`", ["Session.login", "go"]],
  ["how does login work", []],
  ["what is $ZodType", ["$ZodType"]],
  ["e.g. this. And that.", ["e.g"]],
])("finds names in %j", (question, names) => {
  expect(parseCodeQuestion(question).names).toEqual(names);
});

test.each([
  ["What changed recently?", true],
  ["what's new in this repo", true],
  ["show me the last commits", true],
  ["what changed in the runner", false],
  ["recent changes to src/auth", false],
])("%j asks for all changes: %j", (question, whole) => {
  expect(isAboutAllChanges(question)).toBe(whole);
});

test("reads any question in a short time", () => {
  const long = `${"what calls ".repeat(20_000)}x`;
  expect(parseCodeQuestion(long).about.length).toBeLessThan(2_001);
});
