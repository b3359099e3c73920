import { expect, test } from "vitest";
import type { SpecDelta } from "../../model/living-spec/item-outline.ts";
import { openMemoryWorkspace } from "../../../../test/kit/memory-engine.ts";

const REQUIREMENTS = `# Requirements

## Must have

- **FR-001**: The API shall list notes.
- **FR-002**: The API shall delete a note.

## Should have

- **FR-003**: The API shall sort notes.

## Non-functional requirements

- **NFR-001**: A list shall take 200 ms.
`;
const RULES = "## Constraints\n\n- **BR-001**: When a note is locked, Then refuse edits.\n";
const CONTEXT = "## Findings\n\nNothing speaks against it.\n\n## Impact\n\nPatch.";
const CRITERIA = "## Acceptance criteria\n\n- Given a note, when it is archived, then it is gone.";
const spec = (text: string): string => `## Requirements\n\n${text}\n\n${CRITERIA}`;

/** `+FR-004 (must) text`, as a form is understood. */
const format = ({ op, id, to, priority, text }: SpecDelta): string =>
  `${{ added: "+", modified: "~", removed: "-", renamed: "→" }[op]}${id}${to ? ` ${to}` : ""}${priority ? ` (${priority})` : ""} ${text}`.trim();

async function hand(stage: "spec" | "tasks", content: string) {
  const workspace = openMemoryWorkspace({
    files: { "sdd/requirements.md": REQUIREMENTS, "sdd/business-rules.md": RULES },
  });
  const size = stage === "spec" ? "medium" : "small";
  await workspace.run("change.start", { type: "fix", size, description: "Archive notes" });
  await workspace.run("change.advance", { content: "Notes pile up." });
  await workspace.run("context.check", {});
  await workspace.run("change.advance", { content: CONTEXT });
  const { passed, problems } = (await workspace.run("change.advance", { content })) as {
    passed: boolean;
    problems: { problem: string }[];
  };
  const { deltas = [] } = JSON.parse(workspace.read("sdd/changes/archive-notes/change.json")) as {
    deltas?: SpecDelta[];
  };
  return { passed, problems: problems.map(({ problem }) => problem), deltas: deltas.map(format) };
}

const ONE = ["+FR-004 The API shall archive."];
const TITLED = ["+FR-004 Archive\n\nThe API shall archive.", "+FR-005 Warn\n\nThe API shall warn."];

/** Forms of a spec that a careful reader understands, and how Tenon understands them. */
const SPEC_FORMS: readonly (readonly [form: string, text: string, deltas: readonly string[]])[] = [
  [
    "headings below ADDED",
    "### ADDED\n\n#### FR-004: Archive\n\nThe API shall archive.\n\n#### FR-005: Warn\n\nThe API shall warn.",
    TITLED,
  ],
  [
    "headings as high as ADDED",
    "### ADDED\n\n### FR-004: Archive\n\nThe API shall archive.\n\n### FR-005: Warn\n\nThe API shall warn.",
    TITLED,
  ],
  ["a heading with a dash", "### ADDED\n\n#### FR-004 - Archive\n\nNow.", ["+FR-004 Archive\n\nNow."]],
  ["a heading without a title", "### ADDED\n\n#### FR-004\n\nThe API shall archive.", ONE],
  ["a heading with the text", "### ADDED\n\n### FR-004: The API shall archive.", ONE],
  [
    "a heading with a priority",
    "### ADDED\n\n#### FR-004 (should): The API shall archive.",
    ["+FR-004 (should) The API shall archive."],
  ],
  ["a heading of a requirement", "### ADDED\n\n### Requirement: FR-004 The API shall archive.", ONE],
  [
    "a heading with scenarios",
    "### ADDED\n\n#### FR-004: Archive\n\n##### Scenario: old\n\n- Given a note\n- Then it is archived",
    ["+FR-004 Archive\n\n**Scenario: old**\n\n- Given a note\n- Then it is archived"],
  ],
  [
    "a modified heading",
    "### MODIFIED\n\n### FR-002: Delete\n\nIt shall delete for good.",
    ["~FR-002 Delete\n\nIt shall delete for good."],
  ],
  ["a removed heading", "### REMOVED\n\n#### FR-003\n\nNobody sorts.", ["-FR-003 Nobody sorts."]],
  ["ADDED as high as Requirements", "## ADDED\n\n- FR-004: The API shall archive.", ONE],
  ["a bold label", "**ADDED**\n\n- FR-004: The API shall archive.", ONE],
  ["a bold label with a colon", "**Added requirements:**\n\n- FR-004: The API shall archive.", ONE],
  ["a plain label", "ADDED:\n\n- FR-004: The API shall archive.", ONE],
  ["a bullet as a label", "- ADDED\n  - FR-004: The API shall archive.", ONE],
  ["Added requirements", "### Added requirements\n\n- FR-004: The API shall archive.", ONE],
  ["ADDED with a remark", "### ADDED (new)\n\n- FR-004: The API shall archive.", ONE],
  ["ADDED in German", "### ADDED – neu\n\n- FR-004: Archivieren.", ["+FR-004 Archivieren."]],
  ["New requirements", "### New requirements\n\n- FR-004: The API shall archive.", ONE],
  ["Changed", "### Changed\n\n- FR-002: It shall delete for good.", ["~FR-002 It shall delete for good."]],
  ["Deleted", "### Deleted\n\n- FR-003: Nobody sorts.", ["-FR-003 Nobody sorts."]],
  ["no label", "- FR-004: The API shall archive.", ONE],
  ["a leading word", "- ADDED FR-004: The API shall archive.", ONE],
  ["a word in brackets", "- FR-002 (MODIFIED): It shall delete for good.", ["~FR-002 It shall delete for good."]],
  ["a table", "### ADDED\n\n| id | text |\n|---|---|\n| FR-004 | The API shall archive. |", ONE],
  [
    "a table with priorities",
    "### ADDED\n\n| ID | Priority | Text |\n|---|---|---|\n| **FR-004** | must | A. |\n| FR-005 | Should have | B. |",
    ["+FR-004 (must) A.", "+FR-005 (should) B."],
  ],
  ["a bold id", "### ADDED\n\n- **FR-004** The API shall archive.", ONE],
  ["a colon in bold", "### ADDED\n\n- **FR-004:** The API shall archive.", ONE],
  ["a bold title", "### ADDED\n\n- **FR-004 Archive**: Now.", ["+FR-004 Archive. Now."]],
  ["a bold title after a colon", "### ADDED\n\n- **FR-004: Archive.** Now.", ["+FR-004 Archive. Now."]],
  ["an id as code", "### ADDED\n\n- `FR-004`: The API shall archive.", ONE],
  ["an id in square brackets", "### ADDED\n\n- [FR-004] The API shall archive.", ONE],
  ["an id in round brackets", "### ADDED\n\n- (FR-004): The API shall archive.", ONE],
  ["an id in small letters", "### ADDED\n\n- fr-004: The API shall archive.", ONE],
  ["a dash", "### ADDED\n\n- FR-004 — The API shall archive.", ONE],
  ["paragraphs", "### ADDED\n\nFR-004: The API shall archive.\n\n**FR-005**: Warn.", [...ONE, "+FR-005 Warn."]],
  ["a bold paragraph", "### ADDED\n\n**FR-004** The API shall archive.", ONE],
  ["a numbered list", "### ADDED\n\n1. FR-004: The API shall archive.", ONE],
  ["check boxes", "### ADDED\n\n- [ ] FR-004: The API shall archive.", ONE],
  [
    "an empty section",
    "### ADDED\n\n- FR-004: The API shall archive.\n\n### REMOVED\n\n- No requirement is removed.",
    ONE,
  ],
  ["a note", "### ADDED\n\n- FR-004: The API shall archive.\n- Note: FR-001 stays as it is.", ONE],
  ["a priority in square brackets", "### ADDED\n\n- FR-004 [must]: A.", ["+FR-004 (must) A."]],
  ["a priority in words", "### ADDED\n\n- FR-004 (must have): A.", ["+FR-004 (must) A."]],
  ["a priority of a quality", "### ADDED\n\n- NFR-002 (must): 100 ms.", ["+NFR-002 100 ms."]],
  ["groups by priority", "### ADDED\n\n#### Should have\n\n- FR-004: A.", ["+FR-004 (should) A."]],
  [
    "groups by kind",
    "### ADDED\n\n#### Functional\n\n- FR-004: A.\n\n#### Quality\n\n- NFR-002: B.",
    ["+FR-004 A.", "+NFR-002 B."],
  ],
  [
    "kinds first",
    "### Functional\n\n#### ADDED\n\n- FR-004: A.\n\n### Quality\n\n#### ADDED\n\n- NFR-002: B.",
    ["+FR-004 A.", "+NFR-002 B."],
  ],
  ["a rename with an arrow", "### RENAMED\n\n- FR-003 → NFR-002", ["→FR-003 NFR-002"]],
  ["a rename in words", "### RENAMED\n\n- FR-003 becomes NFR-002", ["→FR-003 NFR-002"]],
  ["an unchanged id", "- FR-001 stays.\n\n### ADDED\n\n- FR-004: A.", ["+FR-004 A."]],
  ["an unchanged range", "### ADDED\n\n- FR-004: A.\n\n### Unchanged\n\n- FR-001 to FR-003", ["+FR-004 A."]],
  [
    "an unchanged range with a dash",
    "### ADDED\n\n- FR-004: A.\n\n### Unchanged\n\n- FR-001–FR-003: unchanged",
    ["+FR-004 A."],
  ],
  [
    "a range of new ids",
    "This adds FR-004 to FR-005.\n\n### ADDED\n\n- FR-004: A.\n- FR-005: B.",
    ["+FR-004 A.", "+FR-005 B."],
  ],
  [
    "an id that other changes reserved",
    "### ADDED\n\n- FR-004: A.\n\nOut of scope: FR-009.\n\nA later change adds FR-010 to FR-012.",
    ["+FR-004 A."],
  ],
  [
    "a rule over two lines",
    "### ADDED\n\n- BR-002:\n  When a note is old,\n  Then archive it.",
    ["+BR-002 When a note is old,\nThen archive it."],
  ],
  ["symbols before ADDED", "### ✨ ADDED\n\n- FR-004: The API shall archive.", ONE],
  [
    "a line between items",
    "### ADDED\n\n- FR-004: The API shall archive.\n---\n- FR-005: Warn.",
    [...ONE, "+FR-005 Warn."],
  ],
  ["a struck id", "### REMOVED\n\n- ~~FR-003~~: Nobody sorts.", ["-FR-003 Nobody sorts."]],
  ["a reason after N/A", "N/A: an internal fix that restores the manual.", []],
  ["lines of Windows", "### ADDED\r\n\r\n### FR-004: Archive\r\n\r\nNow.\r\n", ["+FR-004 Archive\n\nNow."]],
];

test.each(SPEC_FORMS)("a spec may have %s", async (_, text, deltas) => {
  expect(await hand("spec", spec(text))).toEqual({ passed: true, problems: [], deltas });
});

test("takes a text out of the block of Markdown around it", async () => {
  const text = spec("### ADDED\n\n- FR-004: The API shall archive.");
  expect(await hand("spec", `\`\`\`markdown\n${text}\n\`\`\``)).toEqual({ passed: true, problems: [], deltas: ONE });
});

test.each([
  ["### FR-004: Archive\n\nNow.", ["+FR-004 Archive\n\nNow."]],
  ["#### FR-004: Archive\n\nNow.", ["+FR-004 Archive\n\nNow."]],
  ["- FR-004: A.\n\nFR-009 follows in a later change.", ["+FR-004 A."]],
])("tasks may add %j", async (text, deltas) => {
  const content = `- TASK-001: Archive (FR-004)\n\n### ADDED\n\n${text}\n`;
  expect(await hand("tasks", content)).toEqual({ passed: true, problems: [], deltas });
});

test.each([
  [
    "tasks that name a range",
    "- TASK-001: A (FR-001 to FR-003)\n- TASK-002: B\n- TASK-003: C\n  Depends on TASK-001 to TASK-002\n",
  ],
  ["lists of files", "- TASK-001: A\n\n### Added\n\n- `src/a.js`\n\n### Changed\n\n- FR-001 is not affected\n"],
  ["tasks as headings", "### TASK-001: A\n\nDo it.\n\n### TASK-002: B\n\nDepends on: TASK-001\n"],
])("tasks may be %s", async (_, content) => {
  expect(await hand("tasks", content)).toEqual({ passed: true, problems: [], deltas: [] });
});

const OLD = "#### Scenario: old\n\n- **WHEN** old\n- **THEN** archived";
const OLD_TEXT = "**Scenario: old**\n\n- **WHEN** old\n- **THEN** archived";

/** Authors who know OpenSpec name requirements, and Tenon gives and finds the ids. */
test.each<[string, string, readonly string[]]>([
  [
    "an added name",
    `## ADDED Requirements\n\n### Requirement: Archive\n\nThe API SHALL archive.\n\n${OLD}`,
    [`+FR-004 Archive\n\nThe API SHALL archive.\n\n${OLD_TEXT}`],
  ],
  [
    "two added names, and one that exists",
    "## ADDED Requirements\n\n### Requirement: Archive\nNow.\n\n### Requirement: Warn\nSoon.\n\n## MODIFIED Requirements\n\n### Requirement: The API shall list notes.\nAll.\n\n## Acceptance criteria\n\n- It works.",
    ["+FR-004 Archive\nNow.", "+FR-005 Warn\nSoon.", "~FR-001 The API shall list notes.\nAll."],
  ],
  [
    "a removed name",
    spec("### REMOVED\n\n#### Requirement: The API shall sort notes.\n\n**Reason**: none sorts."),
    ["-FR-003 The API shall sort notes.\n\n**Reason**: none sorts."],
  ],
  [
    "a renamed name",
    spec("### RENAMED\n\n- FROM: `### Requirement: The API shall sort notes.`\n- TO: `### Requirement: Order`"),
    ["~FR-003 Order"],
  ],
  [
    "a renamed name that is modified too",
    "## MODIFIED Requirements\n\n### Requirement: Order\nBy date.\n\n## RENAMED Requirements\n\n- FROM: `### Requirement: The API shall sort notes.`\n- TO: `### Requirement: Order`\n\n## Acceptance criteria\n\n- It works.",
    ["~FR-003 Order\nBy date."],
  ],
  [
    "plain statements",
    spec("### ADDED\n\n- The API shall archive.\n1. It must warn."),
    [...ONE, "+FR-005 It must warn."],
  ],
])("a spec may have %s instead of ids", async (_, content, deltas) => {
  expect(await hand("spec", content)).toEqual({ passed: true, problems: [], deltas });
});

test("the answer and the artifact show the ids that names got", async () => {
  const workspace = openMemoryWorkspace({ files: { "sdd/requirements.md": REQUIREMENTS } });
  await workspace.run("change.start", { type: "fix", size: "small", description: "Archive notes" });
  await workspace.run("change.advance", { content: "Notes pile up." });
  await workspace.run("context.check", {});
  await workspace.run("change.advance", { content: CONTEXT });
  const content =
    "- TASK-001: Archive\n\n## ADDED Requirements\n\n### Requirement: Archive\n\nThe API SHALL archive.\n";
  const page = await workspace.page("change.advance", { content });
  expect(page).toContain('FR-004 is "Archive".');
  expect(workspace.read("sdd/changes/archive-notes/tasks.md")).toContain("### FR-004: Archive\n");
});

test.each([
  [
    "modifies a name that no requirement has",
    "### MODIFIED\n\n#### Requirement: Export\n\nNow.",
    "No requirement has an id",
  ],
  ["adds statements beside ids", "### ADDED\n\n- FR-004: A.\n- The API shall warn.", "It has no id"],
])("rejects a spec that %s", async (_, text, problem) => {
  expect(JSON.stringify(await hand("spec", spec(text)))).toContain(problem);
});

test("archiving merges a requirement that was added as a heading with its scenarios", async () => {
  const workspace = openMemoryWorkspace({ files: { "sdd/requirements.md": REQUIREMENTS } });
  await workspace.run("change.start", { type: "fix", size: "medium", description: "Archive notes" });
  await workspace.run("change.advance", { content: "Notes pile up." });
  await workspace.run("context.check", {});
  await workspace.run("change.advance", { content: CONTEXT });
  const text =
    "### ADDED\n\n### FR-004: Archive\n\nThe API shall archive.\n\n#### Scenario: old\n\n- When old\n- Then archived";
  await workspace.run("change.advance", { content: spec(text) });
  const tasks = "- TASK-001: Archive (FR-004)\n";
  await workspace.run("change.advance", { content: tasks });
  const evidence = "## Evidence\n\n- TASK-001: exit 0\n- FR-004: not in code: a person archives by hand\n";
  await workspace.run("change.advance", { content: evidence });
  expect(workspace.read("sdd/changes/archive-notes/change.json")).toContain('"status": "completed"');
  await workspace.run("change.archive", {});
  expect(workspace.read("sdd/requirements.md")).toContain(
    "- **FR-004**: Archive\n\n  The API shall archive.\n\n  **Scenario: old**\n\n  - When old\n  - Then archived\n",
  );
});

test("the context check asks nothing about ids that the description only announces", async () => {
  const workspace = openMemoryWorkspace({ files: { "sdd/requirements.md": REQUIREMENTS } });
  await workspace.run("change.start", { type: "fix", size: "medium", description: "Archive notes" });
  await workspace.run("change.advance", { content: "We will add FR-004 to FR-006; FR-009 is out of scope." });
  expect(await workspace.run("context.check", {})).toMatchObject({ critical: 0 });
});
