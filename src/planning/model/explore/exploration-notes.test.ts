import fc from "fast-check";
import { expect, test } from "vitest";
import { type SavedExploration, renderSavedExploration } from "./exploration-notes.ts";

const SAID: SavedExploration = {
  id: 7,
  title: "User auth",
  topic_key: "explore/user-auth",
  action: "created",
  revision: 1,
  content: "## Goals\nLog in\n\n## Context\nA shop",
  notes: [],
};
const SUGGESTION = { type: "fix", type_reason: 'it has "bug"', size: "medium", size_reason: "limited context" };

test("starts an exploration with a suggestion and a note", () => {
  expect(renderSavedExploration({ ...SAID, suggestion: SUGGESTION, notes: ["1 private passage left out."] }))
    .toMatchInlineSnapshot(`
      "**Title:** User auth
      **Topic Key:** explore/user-auth
      **Action:** Created
      **ID:** 7

      ### Captured Context
      > ## Goals
      > Log in
      >
      > ## Context
      > A shop

      ### Suggested Next Steps
      - When ready to start a new project: use \`sdd_init_project\`
      - When ready to modify existing code: use \`sdd_change\`
      - To add more context: call \`sdd_explore\` again with the same title

      ### Type/Size Suggestion
      - **Suggested type:** fix — because it has "bug"
      - **Suggested size:** medium — because limited context

      - 1 private passage left out."
    `);
});

test.each([
  ["created", "Created"],
  ["updated", "Updated (revision #3)"],
  ["unchanged", "Unchanged (revision #3)"],
])("reports an exploration that was %s", (action, shown) => {
  const lines = renderSavedExploration({ ...SAID, action, revision: 3 }).split("\n");
  expect(lines.slice(0, 4)).toEqual([
    "**Title:** User auth",
    "**Topic Key:** explore/user-auth",
    `**Action:** ${shown}`,
    "**ID:** 7",
  ]);
});

test("has no heading for a missing suggestion", () => {
  expect(renderSavedExploration(SAID).endsWith("again with the same title")).toBe(true);
});

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc
    .array(fc.constantFrom("### Captured Context", "> ", "```", "a", "\n", "\r", "\u2028", "\u0085", "- x"), {
      maxLength: 20,
    })
    .map((parts) => parts.join("")),
);

test("keeps captured text a quotation and any title on one line", () => {
  fc.assert(
    fc.property(anyText, anyText, (title, content) => {
      const lines = renderSavedExploration({ ...SAID, title, content }).split(/[\n\v\f\r\u0085\u2028\u2029]/u);
      const first = lines.indexOf("### Captured Context") + 1;
      const quoted = lines.slice(first, lines.lastIndexOf("### Suggested Next Steps") - 1);
      expect({ first, count: quoted.length, bare: quoted.filter((line) => !/^>(?: |$)/.test(line)) }).toEqual({
        first: 6,
        count: content.split("\n").length,
        bare: [],
      });
    }),
    { numRuns: 1000 },
  );
});
