import { expect, test } from "vitest";
import { formatCommitMessage, suggestCommitCommand } from "./text-format.ts";

test.each<[string, string, string]>([
  ["fix-login", "Fix login", "Fix login"],
  ["slugs-keep-two-dashes-when-a-title-has-two-spaces", "x".repeat(100), `${"x".repeat(71)}…`],
  ["BUG-001", " Login fails\nwith more to tell", "BUG-001: Login fails"],
  ["BUG-001", "x".repeat(100), `BUG-001: ${"x".repeat(62)}…`],
  ["BUG-001", "a\u001b[31mb", "BUG-001: a\\u001b[31mb"],
])("%s: %j", (id, about, expected) => {
  expect(formatCommitMessage(id, about)).toBe(expected);
});

test("quotes the offered message as one shell word", () => {
  expect(suggestCommitCommand("BUG-001", 'Say "$(rm -rf .)" and `ls`\\')).toBe(
    'Stage your files and sdd/, then: git commit -m "BUG-001: Say \\"\\$(rm -rf .)\\" and \\`ls\\`\\\\"',
  );
});
