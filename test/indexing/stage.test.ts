import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadCatalogueOperation } from "#doors/catalogue.ts";
import { stand } from "../workflow/stand.ts";

test("updates an existing index at the end of a stage", async () => {
  using ground = await stand();
  await ground.run("workflow.feature", { description: "Log in", id: "AUTH-001" });
  await ground.run("indexing.update");
  ground.write("src/late.ts", "export const late = 1;\n");
  ground.fill("AUTH-001");
  expect((await ground.advance("AUTH-001")).passed).toBe(true);
  const index = await ground.engine.codeIndex();
  expect((await index.components({ path: "src/late.ts" })).map(({ name }) => name)).toEqual(["late"]);
  expect((await index.texts({ kind: "spec" })).map(({ key }) => key)).toEqual(["AUTH-001"]);
});

test("fills the AUTO sections at the end of a stage, covered by its receipt, and exports the index", async () => {
  using ground = await stand();
  ground.write("docs/all.md", "# Specs\n\n<!-- AUTO:specs -->\n<!-- /AUTO -->\n");
  ground.commit("Documents");
  await ground.run("workflow.feature", { description: "Log in", id: "AUTH-001", session: "one" });
  // With a second session nothing is presumed, so what Tenon fills in would be listed as a change without an author.
  await ground.run("workflow.feature", { description: "Two", id: "TWO-001", session: "two" });
  ground.fill("AUTH-001");
  await ground.run("indexing.update");
  fs.rmSync(join(ground.root, ".sdd/index.yaml"));
  const { passed } = await ground.advance("AUTH-001", { session: "one" });
  expect([passed, ground.read("docs/all.md").includes("AUTH-001")]).toEqual([true, true]);
  expect(ground.read(".sdd/index.yaml")).toContain("AUTH-001");
  expect(fs.existsSync(join(ground.root, "docs/60-features"))).toBe(false);
  expect(await ground.run("gate.verify")).toMatchObject({ workflows: [{ newest: { matches: true } }] });
  for (const [id, session] of Object.entries({ "AUTH-001": "one", "TWO-001": "two" }))
    expect(await ground.run("workflow.work", { action: "show", id, session })).toMatchObject({
      files: [],
      others: [],
      unattributed: [],
    });
});

test("creates no index at the end of a stage", async () => {
  using ground = await stand();
  await ground.run("workflow.feature", { description: "Log in", id: "AUTH-001" });
  ground.fill("AUTH-001");
  expect((await ground.advance("AUTH-001")).passed).toBe(true);
  expect(fs.existsSync(join(ground.root, ".sdd/index.db"))).toBe(false);
});

test("ends a stage although the index fails, and the next query completes it", async () => {
  using ground = await stand();
  await ground.run("workflow.feature", { description: "Log in", id: "AUTH-001" });
  await ground.run("indexing.update");
  ground.write("src/late.ts", "export const late = 1;\n");
  ground.fill("AUTH-001");
  const told: string[] = [];
  const { source } = ground.engine;
  const files = (): Promise<never> => Promise.reject(new Error("The disk is on fire."));
  const engine = { ...ground.engine, notice: (text: string) => void told.push(text) };
  const advance = await loadCatalogueOperation("workflow.advance");
  const index = await engine.codeIndex();
  const failing = { ...engine, codeIndex: async () => ({ ...index, isThere: true, alone: files }) };
  expect(await advance.run({ ...failing, source }, { id: "AUTH-001", approve: "Ann" })).toMatchObject({
    passed: true,
  });
  expect(told).toEqual(["The stage has ended, but the index of the code is not up to date: The disk is on fire."]);
  await ground.run("indexing.update");
  expect((await index.files({ path: "src/late.ts" })).length).toBe(1);
});
