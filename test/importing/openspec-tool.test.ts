import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { repositoryWith } from "./source.ts";

const OPENSPEC = join(process.cwd(), "test/fixtures/openspec/node_modules/.bin/openspec");
const problem = fs.existsSync(OPENSPEC) ? undefined : "OpenSpec is not installed: scripts/install-fixture-tools";

function openspec(cwd: string, ...words: readonly string[]): { readonly code: number | null; readonly out: string } {
  const env = { ...process.env, OPENSPEC_TELEMETRY: "0", HOME: cwd, CI: "1", NO_COLOR: "1" };
  const { status, stdout, stderr } = spawnSync(OPENSPEC, words, { cwd, env, encoding: "utf8", input: "" });
  return { code: status, out: `${stdout}${stderr}` };
}

function put(root: string, path: string, text: string): void {
  fs.mkdirSync(dirname(join(root, path)), { recursive: true });
  fs.writeFileSync(join(root, path), text);
}

const scenario = (name: string, when: string, then: string): string =>
  `\n#### Scenario: ${name}\n- **WHEN** ${when}\n- **THEN** ${then}\n`;

const TIMETABLE = `# timetable Specification

## Purpose
Tell travellers when the next ferry leaves from a pier, also on holidays.

## Requirements

### Requirement: Next departure
The system SHALL answer with the next departure of a pier, as FR-012 of the old paper says.

It SHALL name:
- the ship
- the pier
${scenario("A ferry leaves today", "a traveller asks at 08:10", "the answer is 09:00\n- **AND** it names the ship")}${scenario("Nothing leaves any more", "a traveller asks at 23:59", 'the answer is "No ferry until tomorrow"')}
### Requirement: Holidays
On a holiday the system SHALL use the Sunday timetable.
${scenario("New Year", "a traveller asks on 1 January", "the answer comes from the Sunday timetable")}
### Requirement: Fax
The system SHALL send the timetable by fax.
${scenario("A fax", "a traveller sends a fax", "the timetable is sent back")}`;

const TICKETS = `## Purpose
Tickets that are sold to travellers, for a single trip and for longer times.

## ADDED Requirements

### Requirement: Season ticket
The system SHALL sell a ticket that is valid for a month.
${scenario("Bought", "a commuter pays 60 euros", "the ticket is valid for 30 days")}`;

const TIMETABLE_DELTA = `## MODIFIED Requirements

### Requirement: Public holidays
On a public holiday the system MUST use the Sunday timetable.
${scenario("New Year", "a traveller asks on 1 January", "the answer comes from the Sunday timetable")}${scenario("Regional", "a holiday is regional", "only its piers use it")}
## REMOVED Requirements

### Requirement: Fax
**Reason**: Nobody has sent a fax since 2019.
**Migration**: None.

## RENAMED Requirements

- FROM: \`### Requirement: Holidays\`
- TO: \`### Requirement: Public holidays\`
`;

const PROPOSAL = `## Why
Commuters pay each day and queue for it, which costs them ten minutes a week.

## What Changes
- Season tickets for a month

## Impact
- The till
`;

/** A project as the real tool makes it: a spec, an open change, a change without specs, and an archived one. */
function makeProject(root: string): void {
  const ran = [openspec(root, "init", "--tools", "none", "."), openspec(root, "new", "change", "add-season-tickets")];
  put(root, "openspec/specs/timetable/spec.md", TIMETABLE);
  const open = "openspec/changes/add-season-tickets";
  put(root, `${open}/proposal.md`, PROPOSAL);
  put(root, `${open}/design.md`, "# Design\n\n## Context\nOne till.\n\n## Decisions\nA ticket has a last day.\n");
  put(root, `${open}/tasks.md`, "## 1. Tickets\n\n- [x] 1.1 Sell a ticket for a month\n- [ ] 1.2 Check its last day\n");
  put(root, `${open}/specs/tickets/spec.md`, TICKETS);
  put(root, `${open}/specs/timetable/spec.md`, TIMETABLE_DELTA);
  ran.push(openspec(root, "new", "change", "tidy-folders"));
  put(root, "openspec/changes/tidy-folders/.openspec.yaml", "schema: spec-driven\nskip_specs: true\n");
  put(root, "openspec/changes/tidy-folders/proposal.md", PROPOSAL);
  put(root, "openspec/changes/tidy-folders/tasks.md", "## 1. Folders\n\n- [ ] 1.1 Move the files\n");
  ran.push(openspec(root, "new", "change", "sell-snacks"));
  const done = "openspec/changes/sell-snacks";
  put(root, `${done}/proposal.md`, PROPOSAL);
  put(root, `${done}/tasks.md`, "## 1. Snacks\n\n- [x] 1.1 Sell snacks\n");
  put(root, `${done}/specs/snacks/spec.md`, TICKETS.replaceAll("ticket", "snack").replaceAll("Season", "Long"));
  ran.push(openspec(root, "archive", "sell-snacks", "--yes"));
  ran.push(openspec(root, "validate", "--all", "--strict"));
  expect(ran.filter(({ code }) => code !== 0)).toEqual([]);
}

interface SpecView {
  readonly requirements: readonly { readonly text: string; readonly scenarios: readonly unknown[] }[];
}

const readSpecs = (root: string): Record<string, SpecView["requirements"]> =>
  Object.fromEntries(
    ["timetable", "snacks"].map((name) => {
      const { out } = openspec(root, "show", name, "--type", "spec", "--json");
      return [name, (JSON.parse(out.slice(out.indexOf("{"))) as SpecView).requirements];
    }),
  );

const readDeltas = (root: string): unknown[] => {
  const { out } = openspec(root, "show", "add-season-tickets", "--type", "change", "--json", "--deltas-only");
  const { deltas } = JSON.parse(out.slice(out.indexOf("{"))) as { deltas: readonly { operation: string }[] };
  return deltas.map((delta) => JSON.stringify(delta)).toSorted();
};

describe.skipIf(problem)(`with the real OpenSpec${problem ? ` (${problem})` : ""}`, { timeout: 120_000 }, () => {
  test("imports requirements and open changes, and exports them unchanged", async () => {
    using repository = temporaryRepository();
    using elsewhere = temporaryFolder();
    const { path: root } = repository;
    makeProject(root);
    using tenon = testHouse(root);
    const done = await tenon.run("import", "--apply", "--json");
    const { files, changes } = JSON.parse(done.out) as {
      files: readonly { path: string; outcome: string }[];
      changes: readonly unknown[];
    };
    expect(changes).toEqual([
      { id: "add-season-tickets", stage: "context-check" },
      { id: "tidy-folders", stage: "context-check" },
    ]);
    expect(files.filter(({ outcome }) => outcome === "left").map(({ path }) => path)).toEqual([
      "openspec/changes/add-season-tickets/.openspec.yaml",
      "openspec/changes/archive/.gitkeep",
      expect.stringMatching(/-sell-snacks\/\.openspec\.yaml$/),
      "openspec/changes/tidy-folders/.openspec.yaml",
      "openspec/specs/.gitkeep",
    ]);
    expect(await tenon.run("validate")).toMatchObject({ code: 0 });
    expect(fs.readFileSync(join(root, "sdd/requirements.md"), "utf8")).toContain("name: Next departure");
    expect((await tenon.run("change", "list", "--status", "archived", "--json")).out).toContain('"sell-snacks"');
    expect((await tenon.run("status")).out).not.toContain("adopt");
    expect((await tenon.run("export", "openspec")).out).toContain("Nothing was written.");
    expect(await tenon.run("export", "openspec", elsewhere.path)).toMatchObject({ code: 0, err: "" });
    expect(openspec(elsewhere.path, "validate", "--all", "--strict").out).toMatch(/4 passed, 0 failed/);
    expect(readSpecs(elsewhere.path)).toEqual(readSpecs(root));
    expect(readDeltas(elsewhere.path)).toEqual(readDeltas(root));
    expect(openspec(elsewhere.path, "archive", "add-season-tickets", "--yes").code).toBe(0);
    expect(openspec(root, "archive", "add-season-tickets", "--yes").code).toBe(0);
    expect(readSpecs(elsewhere.path)).toEqual(readSpecs(root));
  });

  const RENAME =
    "## RENAMED Requirements\n\n- FROM: `### Requirement: Holidays`\n- TO: `### Requirement: Public holidays`\n";
  const SUNDAYS = `On a public holiday the system MUST use the Sunday timetable.\n${scenario("New Year", "one asks", "it is Sunday")}`;

  test.each([
    ["a rename alone", RENAME, { renamed: "Public holidays" }],
    [
      "a rename whose old name another requirement gets",
      `${RENAME}\n## ADDED Requirements\n\n### Requirement: Holidays\n${SUNDAYS}`,
      { added: "Holidays", renamed: "Public holidays" },
    ],
    [
      "a modification by the old name, which OpenSpec itself refuses",
      `## MODIFIED Requirements\n\n### Requirement: Holidays\n${SUNDAYS}\n${RENAME}`,
      { modified: "Public holidays", renamed: "Public holidays" },
    ],
    [
      "a heading without the word Requirement, which OpenSpec itself refuses",
      `## ADDED Requirements\n\n### Bikes\n${SUNDAYS}`,
      { added: "Bikes" },
    ],
    [
      "an item without a name, which OpenSpec itself refuses",
      "## ADDED Requirements\n\n- The system SHALL carry bikes.\n",
      { added: "Carry bikes" },
    ],
  ])("takes over %s, and exports a change that passes OpenSpec's strict check", async (_, delta, names) => {
    using repository = temporaryRepository();
    using elsewhere = temporaryFolder();
    const { path: root } = repository;
    openspec(root, "init", "--tools", "none", ".");
    put(root, "openspec/specs/timetable/spec.md", TIMETABLE);
    put(root, "openspec/changes/holidays/proposal.md", PROPOSAL);
    put(root, "openspec/changes/holidays/tasks.md", "## 1. Holidays\n\n- [ ] 1.1 Look at the calendar\n");
    put(root, "openspec/changes/holidays/specs/timetable/spec.md", delta);
    using tenon = testHouse(root);
    expect(JSON.parse((await tenon.run("import", "--apply", "--json")).out)).toMatchObject({
      changes: [{ id: "holidays", stage: "context-check" }],
    });
    expect(await tenon.run("export", "openspec", elsewhere.path)).toMatchObject({ code: 0, err: "" });
    expect(openspec(elsewhere.path, "validate", "--all", "--strict").out).toMatch(/2 passed, 0 failed/);
    const text = fs.readFileSync(join(elsewhere.path, "openspec/changes/holidays/specs/timetable/spec.md"), "utf8");
    for (const [op, name] of Object.entries(names)) {
      const [, section = ""] = text.split(`## ${op.toUpperCase()} Requirements`);
      expect(section.split("\n## ")[0]).toMatch(new RegExp(`### Requirement: ${name}[\n\`]`));
    }
    expect(openspec(elsewhere.path, "archive", "holidays", "--yes").code).toBe(0);
  });

  test("reports a rename of a requirement that no spec has", async () => {
    using repository = temporaryRepository();
    const { path: root } = repository;
    put(root, "openspec/specs/timetable/spec.md", TIMETABLE);
    put(root, "openspec/changes/holidays/proposal.md", PROPOSAL);
    put(root, "openspec/changes/holidays/specs/timetable/spec.md", RENAME.replace("Holidays", "Weekends"));
    using tenon = testHouse(root);
    expect(JSON.parse((await tenon.run("import", "--apply", "--json")).out)).toMatchObject({
      notes: ['holidays renames "Weekends" to "Public holidays", which no spec has.'],
    });
  });

  test("exports an imported Spec Kit project that passes OpenSpec's strict check", async () => {
    using repository = repositoryWith("spec-kit");
    using exported = temporaryFolder();
    using again = temporaryRepository();
    using house = testHouse(repository.path);
    expect((await house.run("import", "--apply")).code).toBe(0);
    expect(await house.run("export", "openspec", exported.path)).toMatchObject({ code: 0, err: "" });
    expect(openspec(exported.path, "validate", "--all", "--strict").out).toMatch(/ 0 failed/);
    fs.cpSync(exported.path, again.path, { recursive: true });
    using other = testHouse(again.path);
    expect((await other.run("import", "--apply")).code).toBe(0);
    const text = fs.readFileSync(join(again.path, "sdd/requirements.md"), "utf8");
    expect(text).not.toContain("SHALL support this");
    expect(text).not.toContain("as the requirements in");
  });

  test("exports requirements of Tenon that pass OpenSpec's check", async () => {
    using repository = temporaryRepository();
    using elsewhere = temporaryFolder();
    const { path: root } = repository;
    using tenon = testHouse(root);
    await tenon.run("init");
    put(
      root,
      "sdd/requirements.md",
      "# Requirements\n\n## Must have\n\n- **FR-001**: When a query is empty, the API shall answer 200.\n- **FR-002**: The API shall log every query.\n\n## Won't have\n\n- **FR-003**: The API shall sing.\n\n## Non-functional requirements\n\n- **NFR-001**: An answer shall come within 1 second.\n",
    );
    put(
      root,
      "sdd/business-rules.md",
      "# Rules\n\n## Constraints\n\n- **BR-001**: When a user is blocked, then refuse.\n",
    );
    await tenon.run("change", "start", "Answer with a total", "--type", "feature", "--size", "medium");
    const folder = "sdd/changes/answer-with-a-total";
    put(
      root,
      `${folder}/spec.md`,
      "# Spec\n\n## Requirements\n\n### ADDED\n\n- FR-004 (must): When a query matches, the API shall answer with the total.\n\n### MODIFIED\n\n- FR-002: The API shall log every query with its time.\n\n### REMOVED\n\n- FR-001: Clients never send it.\n\n## Acceptance criteria\n\n- Given two matches, when one asks, then the total is 2 (FR-004).\n",
    );
    put(root, `${folder}/tasks.md`, "- TASK-001: count\n- TASK-002: show it\n  Depends on TASK-001\n");
    expect(await tenon.run("export", "openspec", elsewhere.path)).toMatchObject({ code: 0 });
    expect(openspec(elsewhere.path, "validate", "--all").out).toMatch(/3 passed, 0 failed/);
    const tasks = fs.readFileSync(join(elsewhere.path, "openspec/changes/answer-with-a-total/tasks.md"), "utf8");
    expect(tasks).toBe("## 1. Tasks\n\n- [ ] 1.1 count\n- [ ] 1.2 show it\n  Depends on 1.1\n");
  });
});
