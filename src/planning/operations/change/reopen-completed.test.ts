import { expect, test } from "vitest";
import { openMemoryWorkspace } from "../../../../test/kit/memory-engine.ts";

async function completeChange(workspace: ReturnType<typeof openMemoryWorkspace>, id: string): Promise<void> {
  await workspace.run("change.start", { description: id, type: "fix", size: "small" });
  await workspace.run("context.check", {});
  const texts = {
    describe: "It fails.",
    "context-check": "## Findings\n\nNone.\n\n## Impact\n\nPatch.",
    tasks: "- TASK-001: Do it",
    verify: "## Evidence\n\n- TASK-001: `npm test`: exit 0",
  };
  workspace.files.set(`src/${id}.txt`, "done\n");
  for (const [stage, text] of Object.entries(texts)) workspace.files.set(`sdd/changes/${id}/${stage}.md`, text);
  await workspace.run("change.advance", {});
}

test("reopens the only completed change without its id, and asks for the id of one of two", async () => {
  const workspace = openMemoryWorkspace();
  await completeChange(workspace, "one");
  const reopened = await workspace.run("change.reopen", { stage: "tasks", reason: "Misread" });
  expect(reopened).toMatchObject({ change: { id: "one", status: "active" } });
  await workspace.run("change.abandon", { reason: "Solved" });
  await completeChange(workspace, "two");
  await completeChange(workspace, "three");
  await expect(workspace.run("change.reopen", { stage: "tasks", reason: "Misread" })).rejects.toMatchObject({
    code: "change.none-active",
  });
});

test("puts the template of each document with free ids into the folder of a new change", async () => {
  const workspace = openMemoryWorkspace({
    files: { "sdd/requirements.md": "## Must have\n\n- **FR-001**: The API shall list notes.\n" },
  });
  await workspace.run("change.start", { description: "Archive notes", type: "fix", size: "medium" });
  expect(workspace.list("sdd/changes/archive-notes").map((path) => path.split("/").at(-1))).toEqual([
    "change.json",
    "context-check.md",
    "describe.md",
    "spec.md",
    "tasks.md",
    "verify.md",
  ]);
  expect(workspace.read("sdd/changes/archive-notes/spec.md")).toContain("- FR-002 (must): When <event>");
  // A template says nothing: no unknown id, no requirement, no artifact.
  expect(await workspace.run("context.check", {})).toMatchObject({ critical: 0 });
  expect(await workspace.run("change.status", {})).toMatchObject({ artifacts: [] });
  await workspace.run("change.advance", { content: "Notes pile up." });
  expect(workspace.list("sdd/changes/archive-notes/superseded")).toEqual([]);
  expect(await workspace.run("workspace.validate", {})).toMatchObject({ problems: [] });
});

test("reads a document in its template without the template's first line", async () => {
  const workspace = openMemoryWorkspace();
  await workspace.run("change.start", { description: "One", type: "fix", size: "small" });
  const path = "sdd/changes/one/describe.md";
  const template = workspace.read(path);
  workspace.files.set(path, template.replace(/<[^>!-][^>]*>/g, "it fails"));
  await workspace.run("change.advance", {});
  expect(workspace.read(path)).toBe("Now: it fails\nWanted: it fails\nLimits: it fails\n");
  expect(workspace.list("sdd/changes/one/superseded")).toEqual([]);
});
