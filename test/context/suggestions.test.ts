import fs from "node:fs";
import { expect, test } from "vitest";
import { breakGround, REQUIREMENTS, type Suggested } from "./ground.ts";

const refs = ({ findings }: Suggested): string[] => findings.map(({ kind, ref }) => `${kind} ${ref}`);

test("ranks everything related to a task across kinds, best first", async () => {
  using ground = breakGround();
  ground.write("sdd/requirements.md", REQUIREMENTS);
  ground.write("sdd/design.md", "## Storage\n\nUploads go to disk.\n\n## Mail\n\nMail is sent at night.\n");
  await ground.run("adr.record", {
    title: "Stream uploads",
    context: "C",
    decision: "D",
    rationale: "R",
    standalone: true,
  });
  await ground.start("Uploads of empty files crash");
  await ground.run("memory.save", {
    title: "Upload limit",
    content: "The proxy has an upload limit of its own: 8 MB.",
  });
  await ground.run("memory.save", { title: "Mail", content: "Mail is slow." });
  const found = await ground.run<Suggested>("context.suggest", {
    task_description: "Raise the upload limit of the proxy above 10 MB",
  });
  expect(refs(found)).toEqual([
    "remembered #2",
    "requirement sdd/requirements.md:6",
    "decision sdd/adrs/ADR-0001-stream-uploads.md",
    "remembered #1",
    "change uploads-of-empty-files-crash",
    "section sdd/design.md:1",
    "skipped convention files",
  ]);
});

test("lists at most five changes and ten observations, and convention files only without specs", async () => {
  using ground = breakGround();
  ground.write("AGENTS.md", "Be brief.");
  for (let i = 0; i < 8; i++) await ground.start(`Upload ${i} breaks`);
  for (let i = 0; i < 15; i++) await ground.run("memory.save", { title: `Upload ${i}`, content: `Upload broke ${i}` });
  const found = await ground.run<Suggested>("context.suggest", { task_description: "Uploads break" });
  const counts = Map.groupBy(found.findings, ({ kind }) => kind);
  expect(Object.fromEntries([...counts].map(([kind, all]) => [kind, all.length]))).toEqual({
    change: 5,
    convention: 1,
    remembered: 10,
  });
});

test("reports that nothing mentions it", async () => {
  using ground = breakGround({ TENON_MEMORY: "off" });
  expect(await ground.shown("context.suggest", { task_description: "Raise the limit" })).toBe(
    ["No match.", "", "- Skipped memory: Memory is off: see memory.enabled in sdd/config.yaml and TENON_MEMORY."].join(
      "\n",
    ),
  );
});

test("does not suggest Tenon's own explanations in documents", async () => {
  using ground = breakGround();
  const template = fs.readFileSync("assets/templates/project/specify.md", "utf8");
  ground.write("sdd/requirements.md", template.replace("{{must}}", "- **FR-001**: An importer reads files."));
  const found = await ground.run<Suggested>("context.suggest", {
    task_description: "Refuse a file larger than 10 MB in the importer, without a product",
  });
  expect(found.findings.map(({ kind, title }) => [kind, title])).toEqual([
    ["requirement", "FR-001"],
    ["skipped", undefined],
  ]);
});
