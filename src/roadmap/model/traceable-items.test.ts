import { expect, test } from "vitest";
import { createDocumentItems, createSpecItem } from "./traceable-items.ts";

test("requirements and rules define ids; what was removed does not", () => {
  const text = "## Must have\n\n- **FR-001**: Log in\n\n## Removed\n\n- **FR-002**: Gone\n";
  expect(
    createDocumentItems("requirement", "sdd/requirements.md", text).map(({ id, line, title }) => [id, line, title]),
  ).toEqual([["FR-001", 3, "Log in"]]);
});

test("a spec that cannot be read has an id and a path, but no criteria", () => {
  const file = { id: "AUTH-001", path: "sdd/specs/AUTH-001.yaml", kind: "feature" } as const;
  const trace = { code: [], tests: [], docs: [], decisions: [] };
  expect(createSpecItem(file, undefined)).toEqual({ ...file, line: 1, title: "", trace });
});
