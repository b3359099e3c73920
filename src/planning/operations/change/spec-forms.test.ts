import { expect, test } from "vitest";
import { openMemoryWorkspace } from "../../../../test/kit/memory-engine.ts";

const REQUIREMENTS = [
  "# Requirements",
  "",
  "## Must have",
  "",
  "- **FR-001**: The API shall list notes.",
  "- **FR-002**: The API shall delete a note.",
  "",
  "## Should have",
  "",
  "- **FR-003**: The API shall sort notes.",
  "",
  "## Non-functional requirements",
  "",
  "- **NFR-001**: A list shall take 200 ms.",
  "",
].join("\n");
const RULES = "## Constraints\n\n- **BR-004**: When a note is locked, Then refuse edits.\n";
const CONTEXT = "## Findings\n\nNothing speaks against it.\n\n## Impact\n\nPatch.";

interface Advanced {
  readonly passed: boolean;
  readonly problems: readonly { readonly problem: string }[];
  readonly next?: { readonly guide: string };
}

async function openAtSpec(files: Record<string, string> = { "sdd/requirements.md": REQUIREMENTS }) {
  const workspace = openMemoryWorkspace({ files });
  await workspace.run("change.start", { type: "fix", size: "medium", description: "Archive notes", concurrent: true });
  const advance = async (content: string): Promise<Advanced> =>
    (await workspace.run("change.advance", { change_id: "archive-notes", content })) as unknown as Advanced;
  await advance("Notes pile up.");
  await workspace.run("context.check", { change_id: "archive-notes" });
  const { next } = await advance(CONTEXT);
  const hand = async (content: string): Promise<string[]> =>
    (await advance(content)).problems.map(({ problem }) => problem);
  return { workspace, guide: next?.guide ?? "", hand };
}

const CRITERIA = "\n\n## Acceptance criteria\n\n- Given a note, when it is archived, then it is gone.";

/** The form of the guide, filled in and not changed otherwise. */
const fillIn = (guide: string): string =>
  (/```markdown\n([\s\S]*?)```/.exec(guide)?.[1] ?? "").replace(/<[^>]+>/g, "a note");

test.each<[string, Record<string, string>, string]>([
  ["without requirements", {}, "FR-001"],
  ["with requirements", { "sdd/requirements.md": REQUIREMENTS, "sdd/business-rules.md": RULES }, "FR-004"],
])("the guide of the spec stage shows a form that is accepted as is, in a project %s", async (_, files, id) => {
  const { guide, hand } = await openAtSpec(files);
  expect(fillIn(guide)).toContain(`- ${id} (must): When a note, the a note shall a note.`);
  expect(await hand(fillIn(guide))).toEqual([]);
});

test("the guide of the spec stage names the next free ids, and how to build what exists", async () => {
  const { guide } = await openAtSpec({ "sdd/requirements.md": REQUIREMENTS, "sdd/business-rules.md": RULES });
  expect(guide).toContain("Next free ids: FR-004, NFR-002, BR-005.");
  expect(guide).toContain("To build a requirement that exists, list its id without a delta heading: `- FR-001`.");
});

test("does not offer ids that open changes claim or archived changes assigned", async () => {
  const spec = `## Requirements\n\n### ADDED\n\n- FR-004 (must): When a note ages, the API shall warn.${CRITERIA}`;
  const first = await openAtSpec();
  expect(await first.hand(spec)).toEqual([]);
  const { workspace } = first;
  await workspace.run("change.start", { type: "fix", size: "medium", description: "Other", concurrent: true });
  const { next } = (await workspace.run("change.status", { change_id: "archive-notes" })) as unknown as Advanced;
  expect(next?.guide).not.toContain("Next free ids");
  await workspace.run("change.advance", { change_id: "other", content: "Notes are lost." });
  await workspace.run("context.check", { change_id: "other" });
  const other = await workspace.run("change.advance", { change_id: "other", content: CONTEXT });
  expect((other as unknown as Advanced).next?.guide).toContain("Next free ids: FR-005, NFR-002, BR-001.");
});

test("the template of the guide still has to be filled in, whatever its id", async () => {
  const { guide, hand } = await openAtSpec();
  const form = /```markdown\n([\s\S]*?)```/.exec(guide)?.[1] ?? "";
  expect(await hand(form)).toContainEqual("A line of the guide is not filled in yet.");
});

test.each([
  ["lists existing ids without their text", "- FR-001\n- FR-002"],
  ["repeats existing requirements", "- **FR-001**: The API shall list notes."],
  ["names existing requirements in a sentence", "It builds FR-001 and FR-002, and adds none."],
  ["removes nothing, and says so", "### MODIFIED\n\n- FR-001: The API shall list all notes.\n\n### REMOVED\n\n- None."],
  ["gives a modified requirement its priority", "### MODIFIED\n\n- FR-001 (must): The API shall list all notes."],
  ["changes only a priority", "### MODIFIED\n\n- FR-003 (must): The API shall sort notes."],
  ["repeats ids in an order list", "### ADDED\n\n- FR-004: A.\n- FR-005: B.\n\nOrder:\n\n1. FR-005\n2. FR-004"],
])("accepts a spec if it %s", async (_, requirements) => {
  const { hand } = await openAtSpec();
  expect(await hand(`## Requirements\n\n${requirements}${CRITERIA}`)).toEqual([]);
});

test("suggests the next free id for a spec without ids", async () => {
  const { hand } = await openAtSpec();
  expect(await hand(`## Requirements\n\nIt is faster.${CRITERIA}`)).toEqual([
    'No requirement has an id: start each with FR-004, or NFR-002 for a quality. If there is none, write "None: <reason>".',
  ]);
});

test("an order list after the tasks does not define them twice", async () => {
  const { workspace, hand } = await openAtSpec();
  await hand(`## Requirements\n\n- FR-001${CRITERIA}`);
  const order = "- TASK-001: Write it (FR-001)\n- TASK-002: Test it\n\nOrder:\n\n1. TASK-001\n2. TASK-002";
  const result = await workspace.run("change.advance", { change_id: "archive-notes", content: order });
  expect(result).toMatchObject({ passed: true });
});

test("accepts a solution heading that says proposed", async () => {
  const workspace = openMemoryWorkspace();
  await workspace.run("change.start", { type: "feature", size: "medium", description: "Archive notes" });
  const headings = ["Problem Statement", "Proposed Solution", "Out of scope", "Success criteria"];
  const content = headings.map((heading) => `## ${heading}\n\nNotes.`).join("\n\n");
  expect(await workspace.run("change.advance", { content })).toMatchObject({ passed: true });
});

test("accepts an added text that exists already, with a note", async () => {
  const { workspace } = await openAtSpec();
  const content = `## Requirements\n\n### ADDED\n\n- FR-004: The API shall list notes.${CRITERIA}`;
  expect(await workspace.run("change.advance", { change_id: "archive-notes", content })).toMatchObject({
    passed: true,
    notes: ["FR-004 has the same text as FR-001. If you mean FR-001, list `- FR-001` instead."],
  });
});

const TWO_ADDED = `## Requirements\n\n- FR-001\n\n### ADDED\n\n- FR-004: It ages.\n- FR-005: It dies.${CRITERIA}`;
const [AGE, REST] = ["- TASK-001: Let it age (FR-004)", "- TASK-002: Count the dead"];
const createGap = (id: string): string =>
  `${id} is in the spec, and no task names it. Name it in its task, such as "TASK-002: … (${id})", or write below the tasks why it needs none.`;

test.each<[string, string, readonly string[]]>([
  ["one of two requirements", AGE, [createGap("FR-005")]],
  ["one of two requirements in several tasks", `${AGE}\n${REST}`, [createGap("FR-005")]],
  ["no requirement in several tasks", `- TASK-001: Do it\n${REST}`, [createGap("FR-004"), createGap("FR-005")]],
  ["only numbers that look alike", `${AGE} and FR-0051\n${REST}`, [createGap("FR-005")]],
])("rejects tasks that name %s", async (_, tasks, problems) => {
  const { workspace, hand } = await openAtSpec();
  await hand(TWO_ADDED);
  const result = await workspace.run("change.advance", { change_id: "archive-notes", content: tasks });
  expect(result).toMatchObject({ passed: false });
  const told = (result as unknown as Advanced).problems.map(({ problem }) => problem);
  expect(told).toEqual(expect.arrayContaining([...problems]));
});

test.each<[string, string, string]>([
  ["every requirement", `${AGE}\n${REST} (FR-005)`, "FR-001 is not covered by any task."],
  ["a range", `- TASK-001: Do it (FR-004 to FR-005)\n${REST}`, "FR-001 is not covered by any task."],
  ["a range with a dash", `- TASK-001: Do it (FR-001–FR-005)\n${REST}`, ""],
  [
    "the reason for one without a task",
    `${AGE}\n${REST}\n\nFR-005 needs no code.`,
    "FR-001 is not covered by any task.",
  ],
  ["nothing, in a single task", "- TASK-001: Do it", ""],
])("accepts tasks that name %s", async (_, tasks, note) => {
  const { workspace, hand } = await openAtSpec();
  await hand(TWO_ADDED);
  const result = await workspace.run("change.advance", { change_id: "archive-notes", content: tasks });
  expect(result).toMatchObject({ passed: true, ...(note === "" ? {} : { notes: [note] }) });
});

test("the guide of the tasks names the requirements that they have to name", async () => {
  const { workspace, hand } = await openAtSpec();
  await hand(TWO_ADDED);
  const { next } = (await workspace.run("change.status", { change_id: "archive-notes" })) as unknown as Advanced;
  expect(next?.guide).toContain("The tasks have to name FR-004, FR-005.");
});

test.each([
  ["None: the list only has to do again what it did.", true],
  ["- None. The code has to follow the manual again.", true],
  ["This fix adds no requirement; it restores what the manual says.", true],
  ["None", false],
  ["None yet.", false],
])("asks a spec without any requirement for a reason: %j", async (text, isAccepted) => {
  const { hand } = await openAtSpec();
  const problems = await hand(`## Requirements\n\n${text}${CRITERIA}`);
  expect(problems.length === 0).toBe(isAccepted);
});
