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
