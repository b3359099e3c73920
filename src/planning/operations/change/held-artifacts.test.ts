import { expect, test } from "vitest";
import { openMemoryWorkspace } from "../../../../test/kit/memory-engine.ts";

const CONTEXT = "## Findings\n\nNothing speaks against it.\n\n## Impact\n\nPatch.";
const TASKS = "- [ ] TASK-001: Sort the list\n- [ ] TASK-002: Name the order\n";
const PATH = "sdd/changes/sort-notes/tasks.md";

async function openAtVerify() {
  const workspace = openMemoryWorkspace();
  await workspace.run("change.start", { type: "fix", size: "small", description: "Sort notes" });
  const advance = async (content: string) =>
    (await workspace.run("change.advance", { content })) as unknown as {
      passed: boolean;
      problems: { problem: string }[];
    };
  await advance("The list has no order.");
  await workspace.run("context.check", {});
  await advance(CONTEXT);
  await advance(TASKS);
  return { workspace, advance };
}

test("keeps the change open when a person removes a task, until its stage is accepted again", async () => {
  const { workspace, advance } = await openAtVerify();
  workspace.files.set(PATH, "- [ ] TASK-001: Sort the list\n");
  const evidence = "## Evidence\n\n- TASK-001: exit 0, 3 passed\n";
  expect((await advance(evidence)).problems.map(({ problem }) => problem)).toEqual([
    `${PATH} changed since it was accepted. Reopen stage tasks to accept the edit, or undo it: git checkout -- ${PATH}`,
  ]);
  await workspace.run("change.reopen", { stage: "tasks", reason: "One task is enough" });
  expect(await advance("- [ ] TASK-001: Sort the list\n")).toMatchObject({ passed: true });
});

test("does not count ticked boxes and notes as edits", async () => {
  const { workspace, advance } = await openAtVerify();
  workspace.files.set(PATH, `${TASKS.replaceAll("[ ]", "[x]")}\nDone.\n`);
  const { problems } = await advance("## Evidence\n\n- TASK-001: exit 0\n- TASK-002: exit 0\n");
  expect(JSON.stringify(problems)).not.toContain("accepted");
});
