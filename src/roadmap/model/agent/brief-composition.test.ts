import { expect, test } from "vitest";
import { listIncludedParts, expandTextParts } from "./brief-composition.ts";

const PARTS = new Map([
  ["severity", "C is worst.\n"],
  ["frame", "## How\n\n{{> severity}}\n"],
  ["circle", "{{> circle}}"],
]);

test.each([
  ["no part", "Look.\n", "Look.\n"],
  ["a part", "Look.\n\n{{> severity}}\n\nReport.", "Look.\n\nC is worst.\n\nReport."],
  ["two in one line", "{{> severity}} {{> severity}}", "C is worst. C is worst."],
  ["a part of a part", "{{> frame}}", "## How\n\nC is worst."],
  ["a name to be filled in later", "{{feature}} {{> severity}}", "{{feature}} C is worst."],
])("%s", (_, text, whole) => {
  expect(expandTextParts(text, PARTS)).toBe(whole);
});

test.each([
  ["a part that there is not", "{{> colour}}", 'The text takes in "colour", and there is no such part.'],
  ["a part that names itself", "{{> circle}}", "The parts of a text name each other in a circle."],
])("%s is a mistake in the text", (_, text, message) => {
  expect(() => expandTextParts(text, PARTS)).toThrow(message);
});

test("a text tells which parts it takes in", () => {
  expect(listIncludedParts("{{> cpf}} {{feature}}\n{{> handing-in}}")).toEqual(["cpf", "handing-in"]);
});
