import { expect, test } from "vitest";
import { parseCommandPage } from "./command-pages.ts";

test("splits a page into its description, its hint and its body", () => {
  expect(parseCommandPage('---\ndescription: Go on\nargument-hint: "[id]"\n---\n\nGo on.\n\nId: $ARGUMENTS\n')).toEqual(
    {
      description: "Go on",
      argumentHint: "[id]",
      body: "Go on.\n\nId: $ARGUMENTS\n",
    },
  );
});

test.each([
  ["no front matter", "Go on.\n"],
  ["no description", '---\nargument-hint: ""\n---\n\nGo on.\n'],
  ["no hint", "---\ndescription: Go on\n---\n\nGo on.\n"],
  ["no body", '---\ndescription: Go on\nargument-hint: ""\n---\n'],
])("rejects a page with %s", (_, text) => {
  expect(() => parseCommandPage(text)).toThrow(/begins with its description/);
});
