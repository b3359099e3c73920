import { expect, test } from "vitest";
import { extractDocumentSections } from "./indexed-content.ts";

test.each([
  ["# is-number [![npm](https://img.example/v.svg)](https://npm.example/is-number)", "is-number"],
  ["# The [query](docs/query.md) command", "the-query-command"],
  ["# [![build](https://img.example/b.svg)](https://ci.example)", "buildhttpsimgexamplebsvghttpsciexample"],
])("names the section %j after its words, without badges and addresses", (heading, name) => {
  const [section] = extractDocumentSections("README.md", `${heading}\n\nText.\n`);
  expect(section?.key).toBe(`README.md#${name}`);
});

test("leaves out what Tenon filled into a document, and keeps the lines of the rest", () => {
  const page = [
    "<!-- AUTO:BEGIN:feature:AUTH-001 -->",
    "# AUTH-001: Log in",
    "## Code",
    "None yet.",
    "<!-- AUTO:END:feature:AUTH-001 -->",
    "<!-- The part above",
    "is written. -->",
  ];
  expect(extractDocumentSections("docs/AUTH-001.md", page.join("\n"))).toEqual([
    { key: "docs/AUTH-001.md", line: 1, title: "AUTH-001.md", text: "" },
  ]);
  const [section, ...rest] = extractDocumentSections("docs/AUTH-001.md", [...page, "## Usage", "Type it."].join("\n"));
  expect([section?.title, section?.line, section?.text, rest]).toEqual(["Usage", 8, "Type it.", []]);
});
