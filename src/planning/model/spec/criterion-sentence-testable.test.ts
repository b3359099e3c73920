import { expect, test } from "vitest";
import { isMeasurableText, isMeasurableTarget, explainUntestable, parseGivenWhenThen } from "./criterion-sentence.ts";

test.each([
  ["Given an expired token, When authenticated request, Then 401 Unauthorized returned", []],
  ["Given a full cart, When I pay, Then the page loads fast, within 2 seconds", []],
  ["Given a full cart, When I pay, Then it works and says 'Thank you'", []],
  ["Given the fast lane, When I pay quickly, Then the cart is empty", []],
  ["It works", ["has no Given and no When: write Given …, When …, Then …"]],
  [
    "Given a full cart, When I pay, Then the page loads fast",
    ['cannot be tested: "fast" needs a number, or the exact words that users see'],
  ],
  [
    "Given a full cart, When I pay, Then the page is User-Friendly",
    ['cannot be tested: "User-Friendly" needs a number, or the exact words that users see'],
  ],
  ["Given carts, When I pay, Then the cart is empty", ['is too short after Given: "carts"']],
  ["Given a cart, When I pay, Then —", ['is too short after Then: "—"']],
])("%s: %j", (text, why) => {
  expect(explainUntestable(parseGivenWhenThen(text))).toEqual(why);
});

test.each([
  ["95 % of log ins succeed", true],
  ["under 200ms", true],
  ["3 errors a day at most", true],
  ["costs < 5", true],
  ["€5 a month", true],
  ["zero lost orders", true],
  ["no order is lost", true],
  ["members like it", false],
  ["nobody is lost", false],
  ["version 2", false],
  ["", false],
])("%j is measurable: %j", (text, is) => {
  expect(isMeasurableText(text)).toBe(is);
});

test.each([
  ["95", true],
  ["zero", true],
  ["all of them", true],
  ["many", false],
  ["", false],
])("the target %j can be missed: %j", (text, is) => {
  expect(isMeasurableTarget(text)).toBe(is);
});
