import fs from "node:fs";
import { expect, test } from "vitest";
import { selectTools } from "#doors/mcp/tool-table.ts";
import { listNeededToolsets } from "#planning/operations/project/project-record-file.ts";
import { WORKFLOW_ROLES } from "#planning/operations/workflow/schema.ts";
import { stand } from "./stand.ts";

/** Texts that an agent gets while a workflow is open. */
function listToolsInTexts(): string[] {
  const folder = "assets/guides/workflow";
  const guides = fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".md"));
  const texts = [
    ...guides.map((path) => fs.readFileSync(`${folder}/${path}`, "utf8")),
    ...WORKFLOW_ROLES.map((role) => fs.readFileSync(`assets/roles/${role}.md`, "utf8")),
  ];
  return [...new Set(texts.flatMap((text) => text.match(/\b(?:sdd|mem)_[a-z_]+/g) ?? []))].toSorted();
}

test("offers every tool that a guide or a brief names while a workflow is open", async () => {
  using it = await stand();
  await it.run("workflow.feature", { description: "Log in", id: "AUTH-001" });
  const offered = selectTools(["default", ...(await it.engine.store.read(listNeededToolsets))]).map(({ name }) => name);
  // A gate that finds drift names the tool that accepts it.
  const named = [...listToolsInTexts(), "sdd_drift"];
  expect(named.filter((name) => !offered.includes(name))).toEqual([]);
});
