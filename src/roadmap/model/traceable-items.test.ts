import { expect, test } from "vitest";
import { createDocumentItems, createSpecItem } from "./traceable-items.ts";

test("lists requirements and rules, but no removed ones", () => {
  const text = "## Must have\n\n- **FR-001**: Log in\n\n## Removed\n\n- **FR-002**: Gone\n";
  expect(
    createDocumentItems("requirement", "sdd/requirements.md", text).map(({ id, line, title }) => [id, line, title]),
  ).toEqual([["FR-001", 3, "Log in"]]);
});

test("lists an unreadable spec with its id and path, without criteria", () => {
  const file = { id: "AUTH-001", path: "sdd/specs/AUTH-001.yaml", kind: "feature" } as const;
  const trace = { code: [], tests: [], docs: [], decisions: [] };
  expect(createSpecItem(file, undefined)).toEqual({ ...file, line: 1, title: "", trace });
});
