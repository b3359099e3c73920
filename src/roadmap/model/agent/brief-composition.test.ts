import { expect, test } from "vitest";
import { listIncludedParts, expandTextParts } from "./brief-composition.ts";

const PARTS = new Map([
  ["severity", "C is worst.\n"],
  ["frame", "## How\n\n{{> severity}}\n"],
  ["circle", "{{> circle}}"],
]);

test.each([
  ["without a part", "Look.\n", "Look.\n"],
  ["with a part", "Look.\n\n{{> severity}}\n\nReport.", "Look.\n\nC is worst.\n\nReport."],
  ["with two parts in one line", "{{> severity}} {{> severity}}", "C is worst. C is worst."],
  ["with a part inside a part", "{{> frame}}", "## How\n\nC is worst."],
  ["with a name to fill in later", "{{feature}} {{> severity}}", "{{feature}} C is worst."],
])("expands a text %s", (_, text, whole) => {
  expect(expandTextParts(text, PARTS)).toBe(whole);
});

test.each([
  ["a part that does not exist", "{{> colour}}", 'The text takes in "colour", and there is no such part.'],
  ["a part that includes itself", "{{> circle}}", "The parts of a text name each other in a circle."],
])("rejects a text with %s as a mistake", (_, text, message) => {
  expect(() => expandTextParts(text, PARTS)).toThrow(message);
});

test("lists the parts that a text includes", () => {
  expect(listIncludedParts("{{> cpf}} {{feature}}\n{{> handing-in}}")).toEqual(["cpf", "handing-in"]);
});
