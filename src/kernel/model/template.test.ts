import fc from "fast-check";
import { expect, test } from "vitest";
import { renderTemplate } from "./template.ts";

const section = (name: string, body: string): string => `{{#${name}}}\n${body}\n{{/${name}}}\n`;

test.each([
  ["fills a name", "# {{name}}", { name: "Tides" }, "# Tides\n"],
  ["fills a repeated name", "{{a}} and {{a}}", { a: "x" }, "x and x\n"],
  ["trims blanks around a value", "{{a}}", { a: "\n x \n" }, "x\n"],
  ["leaves out a missing value", "a{{a}}", { a: undefined }, "a\n"],
  ["shows a section with a value", section("a", "{{a}}!"), { a: "x" }, "x!\n"],
  ["shows a section for true", section("a", "shown"), { a: true }, "shown\n"],
  ["hides a section for false", `x\n${section("a", "hidden")}`, { a: false }, "x\n"],
  ["hides a section for an empty text", `x\n${section("a", "hidden")}`, { a: "" }, "x\n"],
  ["hides a section for a missing value", `x\n${section("a", "hidden")}`, { a: undefined }, "x\n"],
  ["fills one section inside another", section("a", section("b", "{{a}}{{b}}").trimEnd()), { a: "x", b: "y" }, "xy\n"],
  ["hides the inner section", section("a", `{{a}}\n${section("b", "no").trimEnd()}`), { a: "x", b: "" }, "x\n"],
  ["hides the outer section", `x\n${section("a", section("b", "no").trimEnd())}`, { a: "", b: "y" }, "x\n"],
  ["fills two sections of one name", `${section("a", "1")}${section("a", "2")}`, { a: true }, "1\n2\n"],
  ["removes empty lines that a hidden section leaves", `x\n\n${section("a", "no")}\n\ny`, { a: "" }, "x\n\ny\n"],
])("%s", (_, template, values, text) => {
  expect(renderTemplate(template, values)).toBe(text);
});

test.each([
  ["an unknown name", "{{a}}", 'The template names "a", which has no value.'],
  ["an unknown section", section("a", "x"), 'The template names "a", which has no value.'],
  ["a name that every object inherits", "{{constructor}}", 'The template names "constructor", which has no value.'],
  ["a section that is never closed", "{{#b}}\nx", 'The template opens or closes "b" without its other half.'],
  ["a section that was never opened", "x\n{{/b}}", 'The template opens or closes "b" without its other half.'],
  ["two sections that overlap", "{{#b}}\n{{#c}}\nx\n{{/b}}\n{{/c}}\n", "without its other half"],
])("rejects %s as a mistake in the template", (_, template, message) => {
  expect(() => renderTemplate(template, { b: "x", c: "y" })).toThrow(message);
});

test("does not read a value as a template", () => {
  const tricky = fc.constantFrom("{{b}}", "{{#b}}\nx\n{{/b}}", "{{/a}}", "$&", "$1", "$`", "{{", "}}", "\n\n\n\n", "x");
  fc.assert(
    fc.property(fc.array(fc.oneof(tricky, fc.string())), (parts) => {
      const a = parts.join("");
      const rendered = renderTemplate(`<\n${section("a", "{{a}}")}>`, { a, b: "told" });
      expect(rendered).toBe(a === "" ? "<\n>\n" : `<\n${a.trim()}\n>\n`);
    }),
  );
});
