import { expect, test } from "vitest";
import { type MemoryWorkspace, openMemoryWorkspace } from "../../../../test/kit/memory-engine.ts";

interface Checked {
  readonly facts: readonly { readonly id: string; readonly severity: string; readonly fact: string }[];
  readonly findings: readonly { readonly kind: string; readonly ref: string; readonly title?: string; text?: string }[];
}

const CLEAR = "## Findings\n\nNothing speaks against it.\n\n## Impact\n\nPatch.";
const REQUIREMENTS = [
  "# Requirements",
  "",
  "## Must have",
  "",
  "- **FR-001**: The API shall list notes.",
  "- **FR-002**: The system shall refuse an upload over 10 MB.",
  "",
].join("\n");
const ADR = { context: "Notes have free fields.", rationale: "One database is enough." };

const start = (workspace: MemoryWorkspace, description: string, size = "small") =>
  workspace.run("change.start", { type: "fix", size, description, concurrent: true });

const check = async (workspace: MemoryWorkspace, change_id?: string): Promise<Checked> =>
  (await workspace.run("context.check", change_id ? { change_id } : {})) as unknown as Checked;

async function advance(workspace: MemoryWorkspace, change_id: string, content: string): Promise<string[]> {
  const { problems } = (await workspace.run("change.advance", { change_id, content })) as {
    problems: { problem: string }[];
  };
  return problems.map(({ problem }) => problem);
}

/** A workspace with a decision in an archived change. */
async function openWithArchivedDecision() {
  const workspace = openMemoryWorkspace({ files: { "sdd/requirements.md": REQUIREMENTS } });
  await start(workspace, "Store the notes");
  await workspace.run("adr.record", { ...ADR, title: "Notes use jsonb columns", decision: "Keep notes in jsonb." });
  await workspace.run("change.abandon", { reason: "Solved" });
  await workspace.run("change.archive", { change_id: "store-the-notes" });
  return workspace;
}

const decisions = ({ findings }: Checked) => findings.filter(({ kind }) => kind === "decision");
const criticals = ({ facts }: Checked) => facts.filter(({ severity }) => severity === "critical");

test("shows decisions of archived changes, with their status and text", async () => {
  const workspace = await openWithArchivedDecision();
  await start(workspace, "Sort the notes by date");
  const checked = await check(workspace);
  expect(decisions(checked)).toEqual([
    {
      kind: "decision",
      ref: "sdd/history/store-the-notes/adrs/ADR-001.md",
      title: "store-the-notes/ADR-001 (accepted) Notes use jsonb columns",
      text: "Keep notes in jsonb.",
    },
  ]);
  expect(checked.findings.find(({ kind }) => kind === "looked")?.text).toContain("1 decision,");
  expect(criticals(checked)).toEqual([]);
});

test("names the successor of a superseded decision", async () => {
  const workspace = await openWithArchivedDecision();
  await workspace.run("adr.record", {
    ...ADR,
    title: "Notes use a document table",
    decision: "Keep notes as documents.",
    supersedes: "store-the-notes/ADR-001",
  });
  await start(workspace, "Store notes in MongoDB instead of Postgres jsonb columns");
  const checked = await check(workspace);
  expect(decisions(checked).map(({ title }) => title)).toContain(
    "store-the-notes/ADR-001 (superseded by ADR-0001) Notes use jsonb columns",
  );
  expect(criticals(checked).map(({ fact }) => fact)).not.toContainEqual(expect.stringContaining("store-the-notes"));
});

test.each([
  [
    "replaces what was decided",
    "Store notes in MongoDB instead of Postgres jsonb columns",
    "Notes use jsonb columns",
    {},
  ],
  [
    "builds the rejected alternative",
    "Write the notes to MongoDB",
    "Notes use jsonb columns",
    { alternatives_rejected: "MongoDB: a second database to run." },
  ],
  [
    "builds the alternative that the title rejects",
    "Keep notes in MongoDB",
    "Use PostgreSQL over MongoDB for notes",
    {},
  ],
  ["does what was ruled out", "Cache the notes in memory", "Never cache notes", { decision: "No cache of notes." }],
])("a change that %s has to answer the decision", async (_, description, title, more) => {
  const workspace = openMemoryWorkspace();
  await workspace.run("adr.record", { ...ADR, decision: "Keep notes in jsonb.", ...more, title, standalone: true });
  await start(workspace, description);
  const { change } = (await workspace.run("change.status", {})) as { change: { id: string } };
  await advance(workspace, change.id, "Notes are lost at a restart.");
  const checked = await check(workspace);
  expect(criticals(checked)).toEqual([
    { id: "CF-1", severity: "critical", fact: expect.stringContaining(`ADR-0001 (accepted), "${title}"`) },
  ]);
  expect(await advance(workspace, change.id, CLEAR)).toEqual([expect.stringMatching(/^CF-1 is not answered/)]);
  const answer = CLEAR.replace("Nothing", "CF-1: the user keeps ADR-0001, and this is a copy only.\nNothing");
  expect(await advance(workspace, change.id, answer)).toEqual([]);
});

test.each([
  ["agrees with the decision", "Sort the notes in their jsonb columns", "accepted"],
  ["is about something else", "Replace the logo instead of the banner", "accepted"],
  ["meets a decision that is only proposed", "Store notes in MongoDB instead of jsonb columns", "proposed"],
])("a change that %s has nothing to answer", async (_, description, status) => {
  const workspace = openMemoryWorkspace();
  const adr = { ...ADR, title: "Notes use jsonb columns", decision: "Keep notes in jsonb.", status };
  await workspace.run("adr.record", { ...adr, standalone: true });
  await start(workspace, description);
  expect(criticals(await check(workspace))).toEqual([]);
});

async function openAtContextCheck() {
  const workspace = openMemoryWorkspace({ files: { "sdd/requirements.md": REQUIREMENTS } });
  await start(workspace, "Raise the upload limit");
  await start(workspace, "Bystander");
  await advance(workspace, "raise-the-upload-limit", "Uploads are refused too early.");
  await check(workspace, "raise-the-upload-limit");
  return workspace;
}

const editRequirements = (workspace: MemoryWorkspace, edit: (text: string) => string): void =>
  void workspace.files.set("sdd/requirements.md", edit(workspace.read("sdd/requirements.md")));

test.each<[string, (workspace: MemoryWorkspace) => unknown]>([
  [
    "its own decision is recorded",
    ({ run }) => run("adr.record", { ...ADR, title: "T", decision: "D", change_id: "raise-the-upload-limit" }),
  ],
  [
    "a decision is recorded elsewhere",
    ({ run }) => run("adr.record", { ...ADR, title: "T", decision: "D", standalone: true }),
  ],
  [
    "an unrelated requirement changes",
    (workspace) => editRequirements(workspace, (text) => text.replace("list notes", "list the notes")),
  ],
  [
    "an unrelated requirement is added above",
    (workspace) =>
      editRequirements(workspace, (text) =>
        text.replace("- **FR-001", "- **FR-009**: The API shall ring a bell.\n- **FR-001"),
      ),
  ],
  ["another change begins", (workspace) => start(workspace, "Another")],
  ["a change ends", ({ run }) => run("change.abandon", { change_id: "bystander", reason: "Solved" })],
  ["README.md changes", ({ files }) => files.set("README.md", "Uploads")],
  [
    "its description is written more precisely",
    ({ files }) => files.set("sdd/changes/raise-the-upload-limit/describe.md", "Uploads over 10 MB are refused."),
  ],
])("a context check holds when %s", async (_, change) => {
  const workspace = await openAtContextCheck();
  await change(workspace);
  expect(await advance(workspace, "raise-the-upload-limit", CLEAR)).toEqual([]);
});

test.each<[string, (workspace: MemoryWorkspace) => unknown, string]>([
  [
    "a requirement that it is about changes",
    (workspace) => editRequirements(workspace, (text) => text.replace("10 MB", "20 MB")),
    "sdd/requirements.md:6: FR-002 changed.",
  ],
  [
    "a requirement that it is about is added",
    (workspace) => editRequirements(workspace, (text) => `${text}- **FR-003**: An upload shall show its progress.\n`),
    "sdd/requirements.md:7: FR-003 is new or changed.",
  ],
  [
    "a requirement that it is about is deleted",
    (workspace) => editRequirements(workspace, (text) => text.replace(/- \*\*FR-002.*\n/, "")),
    "sdd/requirements.md: FR-002 is gone.",
  ],
])("a context check is out of date when %s, and names the lines", async (_, change, lines) => {
  const workspace = await openAtContextCheck();
  await change(workspace);
  const [problem, ...others] = await advance(workspace, "raise-the-upload-limit", CLEAR);
  expect(others).toEqual([]);
  expect(problem).toMatch(/^The context check of \S+ is out of date\. Run it again\. /);
  expect(problem).toContain(lines);
  await check(workspace, "raise-the-upload-limit");
  expect(await advance(workspace, "raise-the-upload-limit", CLEAR)).toEqual([]);
});

test("a context check is out of date when another change starts to name the same requirement", async () => {
  const workspace = openMemoryWorkspace({ files: { "sdd/requirements.md": REQUIREMENTS } });
  await start(workspace, "Raise FR-002");
  await advance(workspace, "raise-fr-002", "Uploads are refused too early.");
  await check(workspace);
  await start(workspace, "Lower FR-002");
  expect(await advance(workspace, "raise-fr-002", CLEAR)).toEqual([
    expect.stringContaining("The open change lower-fr-002 names FR-002 too."),
  ]);
});

test("quotes nothing for headings that every artifact has, or bare numbers", async () => {
  const headings = ["Problem statement", "Target users", "Proposed solution", "Out of scope", "Success criteria"];
  const proposal = headings.map((heading) => `## ${heading}\n\nTides of 5 harbours are shown.\n`).join("\n");
  const workspace = openMemoryWorkspace({ files: { "sdd/proposal.md": `# Tides\n\n${proposal}` } });
  await workspace.run("change.start", { type: "feature", size: "medium", description: "Rotate TLS certificates" });
  const propose = ["Problem", "Solution", "Out of scope", "Success criteria"];
  const text = propose.map((heading) => `## ${heading}\n\nCertificates expire: 5 of 5.\n`).join("\n");
  expect(await advance(workspace, "rotate-tls-certificates", text)).toEqual([]);
  const { findings } = await check(workspace);
  expect(findings.filter(({ kind }) => kind === "section")).toEqual([]);
});
