import { expect, test } from "vitest";
import { openMemoryWorkspace } from "./memory-engine.ts";

test("runs an operation on the files of a workspace in memory", async () => {
  const workspace = openMemoryWorkspace({ files: { "src/a.ts": "export const a = 1;\n" } });
  await workspace.run("adr.record", {
    title: "Keep state in SQLite",
    context: "Two stores drift.",
    decision: "One SQLite file.",
    rationale: "One truth.",
  });
  expect(workspace.list("sdd")).toEqual(["sdd/adrs/ADR-0001-keep-state-in-sqlite.md"]);
  expect((await workspace.engine.store.events(0)).map(({ kind }) => kind)).toEqual(["adr.recorded"]);
});

test("runs the command line on the workspace in memory", async () => {
  const workspace = openMemoryWorkspace();
  const started = await workspace.cli("change", "start", "--type", "fix", "--size", "small", "Fix the list");
  expect(started).toMatchObject({ code: 0, err: "" });
  expect(workspace.list("sdd/changes")).toEqual(
    ["change.json", "context-check.md", "describe.md", "tasks.md", "verify.md"].map(
      (name) => `sdd/changes/fix-the-list/${name}`,
    ),
  );
  expect(await workspace.cli("change", "status", "nothing-such")).toMatchObject({ code: 1, out: "" });
});

test("rejects a call of an outside port by name", async () => {
  const { engine } = openMemoryWorkspace();
  await expect(engine.worktrees.add("AUTH-001")).rejects.toThrow(new Error("In memory there is no git: add."));
  expect(await engine.snapshots.isPossible()).toBe(false);
});
