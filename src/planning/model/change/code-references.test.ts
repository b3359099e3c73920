import { expect, test } from "vitest";
import { rateDefinition, extractCodeReferences } from "./code-references.ts";

test.each([
  ["Fix the trailing comma in res.links with an empty object", ["res.links"]],
  ["format_filename should accept max_length", ["format_filename", "max_length"]],
  ["Cache what compileETag returns.", ["compileETag"]],
  ["parse() fails in lib/utils.js", ["parse", "lib/utils.js"]],
  ["Let `add` take strings", ["add"]],
  ["Rust: Parser::next loops", ["Parser::next"]],
  ["Fix the typo in the header, e.g. at 3.5 px. See https://example.com/a.b", []],
  ["Sort the list by date. Then print it.", []],
  ["Improve the API for iOS", ["iOS"]],
])("%j names %j", (description, names) => {
  expect(extractCodeReferences(description)).toEqual(names);
});

test.each([
  ["res.links = function(links) {", "res.links", 2],
  ["exports.compileETag = function(val) {", "compileETag", 2],
  ["function compileETag(val) {", "compileETag", 2],
  ["def format_filename(name):", "format_filename", 2],
  ["func (p *Parser) Next() {", "Parser.Next", 1],
  ["class A {\n  parse(text) {\n  }\n}", "parse", 2],
  ["  parse(text);", "parse", 0],
  ["if (res.links == 1) {}", "res.links", 0],
  ["res.links(a)", "res.links", 0],
  ["View.prototype.render = function render(options) {", "app.render", 1],
])("%j defines %s with certainty %i", (text, name, certainty) => {
  expect(rateDefinition("lib/a.js", text, name)).toBe(certainty);
});

test("treats a named file as the code itself", () => {
  expect(rateDefinition("lib/utils.js", "", "utils.js")).toBe(2);
  expect(rateDefinition("lib/my-utils.js", "", "utils.js")).toBe(0);
});
