import fs from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { type TestHouse, testHouse } from "../kit/house.ts";
import { repositoryWith } from "./source.ts";

function put(root: string, path: string, text: string): void {
  fs.mkdirSync(dirname(join(root, path)), { recursive: true });
  fs.writeFileSync(join(root, path), text);
}

const read = (root: string, path: string): string => fs.readFileSync(join(root, path), "utf8");

/** Ends the context check, which no other tool has. Without content, Tenon takes all documents that follow. */
async function walkImportedStages(tenon: TestHouse, change: string, written: readonly string[]): Promise<string[]> {
  const stages: string[] = [];
  await tenon.run("context", "check", "--change-id", change);
  const findings = "## Findings\n\n- sdd/requirements.md: agrees\n\n## Impact\n\nnon-breaking: adds only\n";
  for (const content of [findings, ...written]) {
    const words = content === "" ? [] : ["--content", content];
    const { code, out, err } = await tenon.run("change", "advance", "--change-id", change, ...words, "--json");
    if (code !== 0) throw new Error(`${out}${err}`);
    stages.push((JSON.parse(out) as { change: { current_stage: string } }).change.current_stage);
  }
  return stages;
}

test("completes the stages of an imported OpenSpec change with its documents", async () => {
  using repository = repositoryWith("openspec");
  using tenon = testHouse(repository.path);
  await tenon.run("import", "--apply");
  expect(await walkImportedStages(tenon, "add-season-tickets", [""])).toEqual(["spec", "verify"]);
  expect(await tenon.run("validate")).toMatchObject({ code: 0 });
});

test("completes the stages of an imported Spec Kit feature with its documents", async () => {
  using repository = repositoryWith("spec-kit");
  using tenon = testHouse(repository.path);
  await tenon.run("import", "--apply");
  const answers = "## Questions\n\n- Who revokes? The shop.\n";
  expect(await walkImportedStages(tenon, "gift-cards", ["", answers, ""])).toEqual([
    "spec",
    "clarify",
    "design",
    "verify",
  ]);
  expect(await tenon.run("validate")).toMatchObject({ code: 0 });
});

test("adds requirements to existing ones and keeps their text", async () => {
  using repository = repositoryWith("openspec");
  const mine =
    "# What we want\r\n\r\nOur own words.\r\n\r\n## Must have\r\n\r\n- **FR-007**: The pier shall be lit.\r\n\r\n## Assumptions\r\n\r\nNone.\r\n";
  put(repository.path, "sdd/requirements.md", mine);
  using tenon = testHouse(repository.path);
  await tenon.run("import", "--apply");
  const after = read(repository.path, "sdd/requirements.md");
  expect(after).toContain("- **FR-007**: The pier shall be lit.\r\n- **FR-008**: Invoices MUST be numbered");
  for (const line of mine.split("\r\n")) expect(after.split("\r\n")).toContain(line);
  expect(after.replaceAll("\r\n", "")).not.toContain("\n");
  expect(await tenon.run("validate")).toMatchObject({ code: 0 });
});

test("assigns a new change ids that no imported change claims", async () => {
  using repository = repositoryWith("openspec");
  using tenon = testHouse(repository.path);
  await tenon.run("import", "--apply");
  const { deltas } = JSON.parse(read(repository.path, "sdd/changes/add-season-tickets/change.json")) as {
    deltas: readonly { id: string }[];
  };
  expect(deltas.map(({ id }) => id)).toEqual(["FR-004"]);
  await tenon.run("change", "start", "Sell snacks", "--type", "fix", "--size", "medium", "--concurrent");
  await tenon.run("change", "advance", "--change-id", "sell-snacks", "--content", "Snacks are not sold.");
  await tenon.run("context", "check", "--change-id", "sell-snacks");
  const content = "## Findings\n\n- CF-1: no overlap\n- CF-2: no overlap\n\n## Impact\n\npatch: nobody notices\n";
  const { out } = await tenon.run("change", "advance", "--change-id", "sell-snacks", "--content", content);
  expect(out).toContain("Next free ids: FR-005");
});

test("stops only the requirements for a conflict mark in their document", async () => {
  using repository = repositoryWith("openspec");
  const mine = "# Requirements\n\n<<<<<<< ours\n- **FR-001**: A\n=======\n- **FR-001**: B\n>>>>>>> theirs\n";
  put(repository.path, "sdd/requirements.md", mine);
  using tenon = testHouse(repository.path);
  const { out } = await tenon.run("import", "--apply");
  expect(out).toContain("sdd/requirements.md cannot take it: a merge left its marks in it");
  expect(read(repository.path, "sdd/requirements.md")).toBe(mine);
});

test("leaves changes above ten open ones to a later import", async () => {
  using repository = temporaryRepository();
  for (let i = 1; i <= 12; i++)
    put(repository.path, `openspec/changes/change-${i}/proposal.md`, `## Why\nReason ${i}.\n\n## What Changes\n- It\n`);
  using tenon = testHouse(repository.path);
  const take = async (): Promise<{
    changes: readonly unknown[];
    files: readonly { outcome: string; why?: string }[];
  }> => JSON.parse((await tenon.run("import", "--apply", "--json")).out) as never;
  const { changes, files } = await take();
  expect(changes).toHaveLength(10);
  expect(files.filter(({ outcome }) => outcome === "left").map(({ why }) => why)).toEqual([
    expect.stringContaining("10 pieces of work are open"),
    expect.stringContaining("10 pieces of work are open"),
  ]);
  await tenon.run("change", "abandon", "change-1", "--reason", "Not wanted");
  expect((await take()).changes).toHaveLength(1);
});

test("keeps a change with only a name at its first stage", async () => {
  using repository = temporaryRepository();
  put(repository.path, "openspec/changes/sell-snacks/.openspec.yaml", "schema: spec-driven\n");
  put(repository.path, "openspec/changes/half/proposal.md", "## Why\n\nHungry travellers.\n\n## What Changes\n");
  put(
    repository.path,
    "openspec/changes/half/specs/snacks/spec.md",
    "## ADDED Requirements\n\n### Requirement: Snack\nIt SHALL sell one.\n",
  );
  using tenon = testHouse(repository.path);
  const { out } = await tenon.run("import", "--apply", "--json");
  expect(JSON.parse(out)).toMatchObject({
    changes: [
      { id: "half", stage: "propose" },
      { id: "sell-snacks", stage: "describe" },
    ],
  });
  expect(await tenon.run("validate")).toMatchObject({ code: 0 });
});

test("carries a later document beside its change", async () => {
  using repository = repositoryWith("openspec");
  using tenon = testHouse(repository.path);
  await tenon.run("import", "--apply");
  const before = read(repository.path, "sdd/changes/add-season-tickets/tasks.md");
  put(repository.path, "openspec/changes/add-season-tickets/design.md", "# Design\n\nLater.\n");
  put(repository.path, "openspec/changes/add-season-tickets/tasks.md", "- [ ] Other\n");
  const { files } = JSON.parse((await tenon.run("import", "--apply", "--json")).out) as {
    files: readonly { path: string; outcome: string }[];
  };
  const own = files.filter(({ path }) => path.includes("add-season-tickets") && !path.endsWith("proposal.md"));
  expect(own.map(({ path, outcome }) => [path.split("/").at(-1), outcome])).toEqual([
    ["design.md", "carried"],
    ["spec.md", "before"],
    ["tasks.md", "before"],
  ]);
  expect(read(repository.path, "sdd/changes/add-season-tickets/tasks.md")).toBe(before);
});

test("overwrites no files in an export and leaves nothing half done", async () => {
  using repository = repositoryWith("openspec");
  using elsewhere = temporaryFolder();
  using tenon = testHouse(repository.path);
  await tenon.run("import", "--apply");
  put(elsewhere.path, "mine/openspec/notes.md", "Mine.\n");
  const refused = await tenon.run("export", "openspec", join(elsewhere.path, "mine"));
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("error[export.folder-exists]")]);
  put(elsewhere.path, "file", "Mine.\n");
  expect((await tenon.run("export", "openspec", join(elsewhere.path, "file"))).err).toContain(
    "error[files.unwritable]",
  );
  expect(await tenon.run("export", "openspec", join(elsewhere.path, "new/one"))).toMatchObject({ code: 0 });
  expect(fs.readdirSync(join(elsewhere.path, "new/one"))).toEqual(["openspec"]);
  expect(fs.readdirSync(join(elsewhere.path, "mine/openspec"))).toEqual(["notes.md"]);
});

test("keeps an export in its folder, whatever label a user wrote", async () => {
  using repository = temporaryRepository();
  using elsewhere = temporaryFolder();
  using tenon = testHouse(repository.path);
  await tenon.run("init");
  const item = "- **FR-001**: It SHALL hold.\n  (capability: ../../../etc/cron.d; name: Up)\n";
  put(repository.path, "sdd/requirements.md", `# Requirements\n\n## Must have\n\n${item}`);
  const { out } = await tenon.run("export", "openspec", elsewhere.path, "--json");
  expect((JSON.parse(out) as { files: readonly string[] }).files.filter((path) => path.includes(".."))).toEqual([]);
  expect(fs.readdirSync(elsewhere.path)).toEqual(["openspec"]);
});

test("leaves empty templates out of an export", async () => {
  using repository = temporaryRepository();
  using elsewhere = temporaryFolder();
  using tenon = testHouse(repository.path);
  await tenon.run("change", "start", "Answer with a total", "--type", "feature", "--size", "medium");
  expect(fs.existsSync(join(repository.path, "sdd/changes/answer-with-a-total/tasks.md"))).toBe(true);
  await tenon.run("export", "openspec", elsewhere.path);
  const folder = "openspec/changes/answer-with-a-total";
  expect(fs.readdirSync(join(elsewhere.path, folder))).toEqual([".openspec.yaml", "proposal.md"]);
  expect(read(elsewhere.path, `${folder}/proposal.md`)).toBe(
    "# Proposal\n\n## Why\n\nAnswer with a total\n\n## What Changes\n\n- Answer with a total\n",
  );
});
