import { expect, test } from "vitest";
import { isQuestionAboutArea, matchAnswerTopic } from "./question-intent.ts";

test.each([
  ["What are the main components?", "components"],
  ["what is the architecture", "components"],
  ["give me an overview", "components"],
  ["how do I run the tests", "checks"],
  ["How do I run the checks?", "checks"],
  ["which command runs the linter", "checks"],
  ["how do I build this project", "checks"],
  ["how do I add a new feature?", "feature"],
  ["how do I start a feature", "feature"],
  ["where are the specs?", "specs"],
  ["where do I find the requirements", "specs"],
  ["Which requirements lack tests?", "untested"],
  ["which specs have no tests", "untested"],
  ["how do I run the tests of the login", undefined],
  ["what does a test look at", undefined],
  ["how are components rendered", undefined],
  ["how do I add a feature flag", undefined],
  ["login", undefined],
  ["", undefined],
])("%j asks about %j", (question, topic) => {
  expect(matchAnswerTopic(question)).toBe(topic);
});

test.each([
  ["how does auth work", "auth", true],
  ["how does the authentication work?", "auth", true],
  ["How is auth implemented", "auth", true],
  ["how does author work", "auth", false],
  ["how do authors work", "auth", false],
  ["how does authority work", "auth", false],
  ["how does auth work with tokens", "auth", false],
  ["how does the database work", "db", true],
  ["how does user service work", "user-service", true],
  ["how does it work", "auth", false],
])("%j asks about %j: %j", (question, name, answer) => {
  expect(isQuestionAboutArea(question, name)).toBe(answer);
});
