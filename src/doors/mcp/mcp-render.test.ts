import { expect, test } from "vitest";
import { Fault, type SuggestedFix } from "#kernel/model/fault.ts";
import { renderMcpFault, renderMcpFix, renderMcpPage } from "./mcp-render.ts";

test("a page as markdown", () => {
  const page = {
    title: "fix-login is at stage spec.",
    facts: [
      ["change", "fix-login (small fix, active)"],
      ["folder", "sdd/changes/fix-login"],
    ] as const,
    table: {
      columns: ["stage", "status"],
      rows: [
        ["describe", "completed"],
        ["a|b", ""],
      ],
    },
    points: ["spec is stale: The limit was misread"],
    guide: "# Stage: spec\n\nSay it.",
    next: [{ operation: "change.advance", input: { change_id: "fix-login", content: "…" } }, "Sleep."],
  };
  expect(renderMcpPage(page)).toMatchInlineSnapshot(`
    "fix-login is at stage spec.

    - change: fix-login (small fix, active)
    - folder: sdd/changes/fix-login

    | stage | status |
    | --- | --- |
    | describe | completed |
    | a\\|b |  |

    - spec is stale: The limit was misread

    # Stage: spec

    Say it.

    Next: sdd_change_advance {"change_id":"fix-login","content":"…"}
    Next: Sleep."
  `);
});

test.each([
  ["a title alone", { title: "Done." }, "Done."],
  ["empty parts", { title: "Done.", facts: [], points: [], next: [] }, "Done."],
  ["a table without rows", { title: "T", table: { columns: ["a", "b"], rows: [] } }, "T"],
])("a page with %s", (_, page, text) => {
  expect(renderMcpPage(page)).toBe(text);
});

test.each<[SuggestedFix, string]>([
  ["Look again.", "Look again."],
  [{ operation: "change.list" }, "sdd_change_list {}"],
  [{ operation: "change.start" }, "sdd_change {}"],
  [{ operation: "workspace.status" }, "sdd_status {}"],
  [{ operation: "nothing.known", input: { a: 1 } }, "ask the user to run: tenon nothing known --a 1"],
  [
    { operation: "change.status", input: { change_id: "fix-login", title: undefined } },
    'sdd_change_status {"change_id":"fix-login"}',
  ],
  [{ operation: "change.abandon", input: { reason: 'a "b"\n' } }, 'sdd_change_abandon {"reason":"a \\"b\\"\\n"}'],
])("%j is called as %s", (fix, text) => {
  expect(renderMcpFix(fix)).toBe(text);
});

test("a fault says what, why, and what to call next", () => {
  const fault = new Fault("change.unknown", {
    what: "There is no change x.",
    why: "No folder has that name.",
    fix: [{ operation: "change.list" }, "Look again."],
  });
  expect(renderMcpFault(fault)).toBe(
    "There is no change x. No folder has that name.\nNext: sdd_change_list {}\nNext: Look again.",
  );
});

test.each<[SuggestedFix, string]>([
  [{ operation: "change.start" }, "call it again with arguments that fit"],
  [{ operation: "change.start", input: { type: "fix" } }, 'sdd_change {"type":"fix"}'],
  ["Say more.", "Say more."],
])("a fault of the input whose cure is %j", (fix, next) => {
  const fault = new Fault("input.invalid", { what: "No.", why: "type is missing.", fix });
  expect(renderMcpFault(fault)).toBe(`No. type is missing.\nNext: ${next}`);
});
