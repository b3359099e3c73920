import { expect, test } from "vitest";
import { openMemoryWorkspace } from "../../../../test/kit/memory-engine.ts";
import { listNeededToolsets } from "./project-record-file.ts";

test("offers an agent the tools to abandon an open change and to change a decision's status", async () => {
  const workspace = openMemoryWorkspace();
  const list = () => workspace.engine.store.read(listNeededToolsets);
  expect(await list()).not.toContain("sdd_change_abandon");
  await workspace.run("change.start", { type: "fix", size: "small", description: "Fix it" });
  expect(await list()).toContain("sdd_change_abandon");
  expect(await list()).not.toContain("sdd_adr_status");
  await workspace.run("adr.record", { title: "T", context: "C", decision: "D", rationale: "R" });
  expect(await list()).toEqual(expect.arrayContaining(["sdd_adr_status", "sdd_adr_list"]));
  await workspace.run("change.abandon", { reason: "Solved" });
  expect(await list()).not.toContain("sdd_change_abandon");
  await workspace.run("adr.record", { title: "T", context: "C", decision: "D", rationale: "R", standalone: true });
  expect(await list()).toContain("sdd_adr_status");
});
