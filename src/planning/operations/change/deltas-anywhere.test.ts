import { expect, test } from "vitest";
import { openMemoryWorkspace } from "../../../../test/kit/memory-engine.ts";

const REQUIREMENTS = "# Requirements\n\n## Must have\n\n- **FR-001**: The API shall list notes.\n";
const CONTEXT = "## Findings\n\nNothing speaks against it.\n\n## Impact\n\nPatch.";
const DELTA = "### MODIFIED\n\n- FR-001: The API shall list notes by date.\n";

interface Advanced {
  readonly passed: boolean;
  readonly problems: readonly { readonly problem: string; readonly line?: number }[];
  readonly notes?: readonly string[];
  readonly next?: { readonly guide: string };
}

async function open(size: string, type = "enhancement") {
  const workspace = openMemoryWorkspace({ files: { "sdd/requirements.md": REQUIREMENTS } });
  await workspace.run("change.start", { type, size, description: "Sort notes" });
  const advance = async (content: string): Promise<Advanced> => {
    if (content.startsWith(CONTEXT)) await workspace.run("context.check", {});
    return (await workspace.run("change.advance", { content })) as unknown as Advanced;
  };
  const readRecord = async () =>
    JSON.parse(
      (await workspace.engine.store.read((tree) => tree.text("sdd/changes/sort-notes/change.json" as never))) ?? "{}",
    ) as { deltas?: { id: string; op: string }[] };
  return { workspace, advance, readRecord };
}

const PROPOSAL = "## Problem\n\nP.\n\n## Solution\n\nS.\n\n## Out of scope\n\nO.\n\n## Success criteria\n\nC.\n";

test("changes requirements from the tasks of a small change", async () => {
  const { advance, readRecord } = await open("small");
  await advance("The list has no order.");
  expect((await advance(CONTEXT)).next?.guide).toContain("Next free ids: FR-002, NFR-001, BR-001.");
  const tasks = `${DELTA}\n### ADDED\n\n- FR-002 (should): The API shall name the order.\n\n## Tasks\n\n- TASK-001: Sort (FR-001)\n`;
  const answer = await advance(tasks);
  expect(answer.problems).toEqual([]);
  expect(answer.notes?.join(" ")).toContain("FR-002");
  expect((await readRecord()).deltas).toMatchObject([
    { id: "FR-001", op: "modified" },
    { id: "FR-002", op: "added" },
  ]);
});

test("rejects a wrong delta in the tasks of a small change", async () => {
  const { advance } = await open("small");
  await advance("The list has no order.");
  await advance(CONTEXT);
  const { problems } = await advance("- TASK-001: Sort\n\n### MODIFIED\n\n- FR-009: No such thing.\n");
  expect(JSON.stringify(problems)).toContain("FR-009 cannot be modified: sdd/requirements.md has no such id.");
});

test.each<[stage: string, size: string, artifacts: readonly string[], problem: string]>([
  [
    "describe of a small change",
    "small",
    [`The list has no order.\n\n${DELTA}`],
    "FR-001 is modified here, but only tasks.md changes requirements. Write it in the tasks stage instead.",
  ],
  [
    "context-check of a small change",
    "small",
    ["The list has no order.", `${CONTEXT}\n\n${DELTA}`],
    "FR-001 is modified here, but only tasks.md changes requirements. Write it in the tasks stage instead.",
  ],
  [
    "verify of a small change",
    "small",
    ["The list has no order.", CONTEXT, "- TASK-001: Sort", `## Evidence\n\n- TASK-001: exit 0\n\n${DELTA}`],
    "FR-001 is modified here, but only tasks.md changes requirements. Reopen stage tasks and write it there.",
  ],
  [
    "tasks of a medium change",
    "medium",
    [
      PROPOSAL,
      CONTEXT,
      "## Requirements\n\n- FR-001\n\n## Acceptance criteria\n\n- It lists.\n",
      `- TASK-001: Sort (FR-001)\n\n${DELTA}`,
    ],
    "FR-001 is modified here, but only spec.md changes requirements. Reopen stage spec and write it there.",
  ],
  [
    "tasks that restate the spec in other words",
    "medium",
    [
      PROPOSAL,
      CONTEXT,
      "## Requirements\n\n### MODIFIED\n\n- FR-001: The API shall list notes by name.\n\n## Acceptance criteria\n\n- It lists.\n",
      `- TASK-001: Sort (FR-001)\n\n${DELTA}`,
    ],
    "FR-001 reads differently in spec.md, which counts. Name only its id here.",
  ],
  [
    "a spec outside of its section",
    "medium",
    [
      PROPOSAL,
      CONTEXT,
      `## Requirements\n\n- FR-001\n\n## Acceptance criteria\n\n- It lists.\n\n## Deltas\n\n${DELTA}`,
    ],
    "FR-001 is modified outside of ## Requirements: move it there.",
  ],
])("does not drop a delta in %s", async (_, size, artifacts, problem) => {
  const { advance } = await open(size);
  const answers: Advanced[] = [];
  for (const text of artifacts) answers.push(await advance(text));
  expect(answers.slice(0, -1).every(({ passed }) => passed)).toBe(true);
  expect(answers.at(-1)?.problems.map((each) => each.problem)).toEqual([problem]);
});

test("does not report headings about files, or a repeated delta, as misplaced", async () => {
  const { advance } = await open("medium");
  await advance(`${PROPOSAL}\n### Added\n\n- src/sort.ts\n`);
  await advance(CONTEXT);
  await advance(`## Requirements\n\n${DELTA}\n## Acceptance criteria\n\n- It sorts.\n`);
  const { problems } = await advance(
    `${DELTA}\n- FR-001\n\n### Added\n\n- src/sort.ts\n\n## Tasks\n\n- TASK-001: Sort (FR-001)\n`,
  );
  expect(problems).toEqual([]);
});
