import { expect, test } from "vitest";
import { type PromiseOutcome, PromiseLog, getDemoText, parseDemoTexts } from "./stage.ts";

test.each<[string, unknown, unknown, string | undefined]>([
  ["what is as it should be", ["applied", 1], ["applied", 1], undefined],
  ["another value", "applied", "refused", '"applied" instead of "refused"'],
  ["another order", [1, 2], [2, 1], "[1,2] instead of [2,1]"],
  ["more than should be", [1, 2], [1], "[1,2] instead of [1]"],
  ["nothing", undefined, true, "undefined instead of true"],
])("compares a promise with %s", (_, is, should, instead) => {
  const told: PromiseOutcome[] = [];
  const promises = new PromiseLog((kept) => void told.push(kept));
  promises.hold("It is so", is, should);
  expect(told).toEqual([instead === undefined ? { promise: "It is so" } : { promise: "It is so", instead }]);
  expect([promises.all, promises.areKept]).toEqual([told, instead === undefined]);
});

test("fails with one broken promise among kept ones, and with none at all", () => {
  const promises = new PromiseLog(() => undefined);
  expect(promises.areKept).toBe(false);
  promises.hold("One", 1, 1);
  expect(promises.areKept).toBe(true);
  promises.break("Two", "It ended");
  promises.hold("Three", 3, 3);
  expect(promises.areKept).toBe(false);
});

test("finds texts by their names", () => {
  const texts = parseDemoTexts("=== a b\none\n\ntwo\n=== c\n");
  expect([...texts]).toEqual([
    ["a b", "one\n\ntwo\n"],
    ["c", ""],
  ]);
  expect(() => getDemoText(texts, "d")).toThrow('no text called "d"');
  expect(() => parseDemoTexts("one\n")).toThrow("begins with");
});
