import { expect, test } from "vitest";
import { listGuidePlaceholders } from "./markdown-document.ts";

test("finds the fields of the template that need a text", () => {
  const guide =
    "# Stage\n\nSay <this> well.\n\n```markdown\n## Findings\n- <what you found>\n\n## Impact\n  <class>: why\n```\n\nGood: <x>\n";
  expect(listGuidePlaceholders(guide)).toEqual(["- <what you found>", "<class>: why"]);
});
