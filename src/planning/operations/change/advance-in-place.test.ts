import { expect, test } from "vitest";
import { openMemoryWorkspace } from "../../../../test/kit/memory-engine.ts";

const FOLDER = "sdd/changes/fix-the-sum";
const FILES = {
  "describe.md": "add(2, 1) returns 1. It should return 3.\n",
  "context-check.md": "## Findings\n\nNone.\n\n## Impact\n\nOnly the sum.\n",
  "tasks.md": "- TASK-001: Add the numbers\n",
  "verify.md": "## Evidence\n\n- TASK-001: the test of the sum passes\n",
};

async function openChange(names: readonly (keyof typeof FILES)[]) {
  const workspace = openMemoryWorkspace();
  await workspace.run("change.start", { description: "Fix the sum", type: "fix", size: "small" });
  for (const name of names) workspace.files.set(`${FOLDER}/${name}`, FILES[name]);
  return workspace;
}

test("ends every stage whose file was written in place, without content", async () => {
  const workspace = await openChange(["describe.md"]);
  await workspace.run("context.check", {});
  workspace.files.set("src/sum.txt", "2 + 1 = 3\n");
  for (const [name, text] of Object.entries(FILES)) workspace.files.set(`${FOLDER}/${name}`, text);
  expect(await workspace.run("change.advance", {})).toMatchObject({
    passed: true,
    change: { status: "completed" },
    artifact: `${FOLDER}/verify.md`,
    accepted: ["describe.md", "context-check.md", "tasks.md"].map((name) => `${FOLDER}/${name}`),
  });
  expect(workspace.read(`${FOLDER}/tasks.md`)).toBe(FILES["tasks.md"]);
});

test("stops at the first file with a problem, and keeps the stages before it", async () => {
  const workspace = await openChange(["describe.md", "context-check.md", "tasks.md"]);
  const result = await workspace.run("change.advance", {});
  expect(result).toMatchObject({
    passed: false,
    change: { current_stage: "context-check" },
    accepted: [`${FOLDER}/describe.md`],
  });
});

test("requires a file where no content is given, and accepts no stale one", async () => {
  const workspace = await openChange([]);
  await expect(workspace.run("change.advance", {})).rejects.toMatchObject({
    why: `${FOLDER}/describe.md is still the template.`,
    fixes: [
      `Write ${FOLDER}/describe.md, then: tenon change advance --change-id ${FOLDER.replace("sdd/changes/", "")}`,
      expect.objectContaining({ operation: "change.advance" }),
    ],
  });
  workspace.files.delete(`${FOLDER}/describe.md`);
  await expect(workspace.run("change.advance", {})).rejects.toMatchObject({
    why: `${FOLDER}/describe.md does not exist.`,
  });
  for (const name of ["describe.md", "context-check.md", "tasks.md"] as const)
    workspace.files.set(`${FOLDER}/${name}`, FILES[name]);
  await workspace.run("context.check", {});
  await workspace.run("change.advance", {});
  await workspace.run("change.reopen", { stage: "describe", reason: "Misread" });
  await workspace.run("change.advance", { content: "add(2, 1) returns 1 on Mondays." });
  await expect(workspace.run("change.advance", {})).rejects.toMatchObject({
    why: `${FOLDER}/context-check.md is stale.`,
  });
});
