import { expect, test } from "vitest";
import { Fault, type SuggestedFix } from "#kernel/model/fault.ts";
import { nameGuideTools, nameOfferedTools, renderMcpFault, renderMcpFix, renderMcpPage } from "./mcp-render.ts";
import { MCP_TOOLS, selectTools } from "./tool-table.ts";

test("renders a page as Markdown", () => {
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
  expect(renderMcpPage(page, MCP_TOOLS)).toMatchInlineSnapshot(`
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
])("renders a page with %s", (_, page, text) => {
  expect(renderMcpPage(page, MCP_TOOLS)).toBe(text);
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
])("prints a call of %j as %s", (fix, text) => {
  expect(renderMcpFix(fix, MCP_TOOLS)).toBe(text);
});

test("prints the event, the reason and the next call of a fault", () => {
  const fault = new Fault("change.unknown", {
    what: "Unknown change x.",
    why: "No folder has that name.",
    fix: [{ operation: "change.list" }, "Look again."],
  });
  expect(renderMcpFault(fault, MCP_TOOLS)).toBe(
    "Unknown change x. No folder has that name.\nNext: sdd_change_list {}\nNext: Look again.",
  );
});

test.each<[SuggestedFix, string]>([
  [{ operation: "change.start", sample: { description: "…" } }, 'sdd_change {"description":"…"}'],
  [{ operation: "change.start", input: { type: "fix" } }, 'sdd_change {"type":"fix"}'],
  ["Say more.", "Say more."],
])("prints an input fault whose cure is %j", (fix, next) => {
  const fault = new Fault("input.invalid", { what: "No.", why: "type is missing.", fix });
  expect(renderMcpFault(fault, MCP_TOOLS)).toBe(`No. type is missing.\nNext: ${next}`);
});

test.each([
  ["Start with `sdd_roadmap run` or `sdd_design`.", 'Start with `sdd_roadmap {"action":"run"}` or `sdd_design`.'],
  ["tenon gate runs them all", "sdd_gate runs them all"],
  ["Restore them: tenon doctor --restore", 'Restore them: sdd_doctor {"restore":true}'],
  ["tenon doctor --reseal sdd/sdd.json", 'sdd_doctor {"reseal":"sdd/sdd.json"}'],
  ["`tenon workflow advance` ends it", "`sdd_workflow_advance` ends it"],
  ["Ask the user to type: tenon trust", "Ask the user to type: tenon trust"],
  ["tenon review waive is for people", "tenon review waive is for people"],
  ['tenon summarize --with "claude -p"', 'tenon summarize --with "claude -p"'],
  ["Tenon is not set up. See docs/sdd_gate.md", "Tenon is not set up. See docs/sdd_gate.md"],
])("prints %j to a client with all tools as %j", (text, named) => {
  expect(nameOfferedTools(text, MCP_TOOLS)).toBe(named);
});

test("prints the command to a client without the tool", () => {
  const offered = selectTools(["change"]);
  expect(nameOfferedTools("Call sdd_doctor, then sdd_change.", offered)).toBe("Call tenon doctor, then sdd_change.");
  expect(nameOfferedTools("Call `sdd_roadmap run`.", offered)).toBe("Call `tenon roadmap run`.");
  expect(nameGuideTools("Call `sdd_doctor`. sdd_doctor is a word.", offered)).toBe(
    "Call `tenon doctor`. sdd_doctor is a word.",
  );
  expect(renderMcpFix("tenon doctor --repair", offered)).toBe("ask the user to run: tenon doctor --repair");
});
