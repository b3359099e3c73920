import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { tenonAsync } from "../kit/process.ts";
import { TIDES } from "../kit/project.ts";
import { endStages } from "../kit/stages.ts";
import { type Connection, connect, VERSIONS } from "../kit/client.ts";

const SMALL_FIX = { type: "fix", size: "small" };
const ARTIFACTS = [
  "Login fails with an empty password.",
  "## Findings\n\nNothing else reads it.\n\n## Impact\n\nPatch.",
  "- [ ] TASK-001: Refuse an empty password",
  "## Evidence\n\nTASK-001: the test passes.",
];

const listAll = async ({ client }: Connection) =>
  (await client.request({ method: "resources/list" })).resources.map(({ uri, title }) => [uri, title]);

/** What belongs to the workspace: the guides are everywhere. */
const list = async (connection: Connection) =>
  (await listAll(connection)).filter(([uri]) => !uri?.startsWith("sdd://guides/"));

async function read({ client }: Connection, uri: string): Promise<unknown> {
  const { contents } = await client.readResource({ uri });
  return contents.map((content) => ("text" in content ? [content.uri, content.mimeType, content.text] : content));
}

const values = async ({ client }: Connection, uri: string, name: string, value: string) =>
  (await client.complete({ ref: { type: "ref/resource", uri }, argument: { name, value } })).completion;

test.each(VERSIONS)("shows a %s client the workspace without a tool call", async (version) => {
  using repository = temporaryRepository();
  await using connection = await connect(version, { cwd: repository.path });
  expect(await list(connection)).toEqual([["sdd://status", "Work in progress"]]);
  await connection.call("sdd_change", { ...SMALL_FIX, description: "Fix login" });
  await connection.call("sdd_change_advance", { content: ARTIFACTS[0] });
  expect(await list(connection)).toEqual([
    ["sdd://status", "Work in progress"],
    ["sdd://changes/fix-login", "Fix login"],
  ]);
  expect((await connection.client.listResourceTemplates()).resourceTemplates.map((one) => one.uriTemplate)).toEqual([
    "sdd://changes/{id}",
    "sdd://changes/{id}/{stage}",
    "sdd://project/{document}",
    "sdd://guides/project/{stage}",
    "sdd://guides/change/{stage}",
    "sdd://guides/workflow/feature/{stage}",
    "sdd://guides/workflow/bugfix/{stage}",
    "sdd://guides/workflow/research/{stage}",
  ]);
  const status = await connection.call("sdd_status");
  expect(await read(connection, "sdd://status")).toEqual([
    ["sdd://status", "application/json", JSON.stringify(status.structuredContent, null, 2)],
  ]);
  const change = await connection.call("sdd_change_status", { change_id: "fix-login" });
  expect(await read(connection, "sdd://changes/fix-login")).toEqual([
    ["sdd://changes/fix-login", "application/json", JSON.stringify(change.structuredContent, null, 2)],
  ]);
  expect(await read(connection, "sdd://changes/fix-login/describe")).toEqual([
    ["sdd://changes/fix-login/describe", "text/markdown", `${ARTIFACTS[0]}\n`],
  ]);
});

const PROJECT_STAGES = ["propose", "specify", "business-rules", "clarify", "design", "tasks", "validate"];
const CHANGE_STAGES = ["describe", "propose", "scope", "context-check", "spec", "clarify", "design", "tasks", "verify"];
const WORKFLOW_STAGES = {
  feature: ["discover", "specify", "implement", "verify"],
  bugfix: ["investigate", "specify-fix", "fix", "verify"],
  research: ["explore", "synthesize", "decide"],
};

test.each(VERSIONS)("shows a %s client the guides outside a workspace", async (version) => {
  using folder = temporaryFolder();
  await using connection = await connect(version, { cwd: folder.path, words: ["--toolsets", "all"] });
  expect(await listAll(connection)).toEqual([
    ...PROJECT_STAGES.map((stage) => [`sdd://guides/project/${stage}`, `Guide to ${stage} in a project`]),
    ...CHANGE_STAGES.map((stage) => [`sdd://guides/change/${stage}`, `Guide to ${stage} in a change`]),
    ...Object.entries(WORKFLOW_STAGES).flatMap(([kind, stages]) =>
      stages.map((stage) => [`sdd://guides/workflow/${kind}/${stage}`, `Guide to ${stage} in a ${kind}`]),
    ),
  ]);
  for (const path of ["project/business-rules", "change/verify", "workflow/bugfix/specify-fix"]) {
    const uri = `sdd://guides/${path}`;
    const text = fs.readFileSync(`assets/guides/${path}.md`, "utf8");
    expect(await read(connection, uri)).toEqual([[uri, "text/markdown", text]]);
  }
  for (const path of [
    "project/init",
    "change/validate",
    "project",
    "project/propose/",
    "other/propose",
    "../connect",
  ]) {
    const uri = `sdd://guides/${path}`;
    await expect(connection.client.readResource({ uri })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(uri) as unknown,
    });
  }
  await expect(connection.client.readResource({ uri: "sdd://project/design" })).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining("There is no workspace here.") as unknown,
  });
});

test.each(VERSIONS)("shows a %s client the current documents of the project", async (version) => {
  using repository = temporaryRepository();
  await using connection = await connect(version, { cwd: repository.path });
  fs.mkdirSync(join(repository.path, "sdd"));
  fs.writeFileSync(join(repository.path, "sdd", "business-rules.md"), "# Rules\n");
  fs.writeFileSync(join(repository.path, "sdd", "proposal.md"), "# Proposal\n");
  // Not a document of the pipeline.
  fs.writeFileSync(join(repository.path, "sdd", "notes.md"), "# Notes\n");
  expect(await list(connection)).toEqual([
    ["sdd://status", "Work in progress"],
    ["sdd://project/proposal", "The project's proposal"],
    ["sdd://project/business-rules", "The project's business rules"],
  ]);
  expect(await read(connection, "sdd://project/business-rules")).toEqual([
    ["sdd://project/business-rules", "text/markdown", "# Rules\n"],
  ]);
  for (const uri of ["sdd://project/design", "sdd://project/notes", "sdd://project/../config", "sdd://project/"]) {
    await expect(connection.client.readResource({ uri })).rejects.toMatchObject({ code: -32602 });
  }
});

test.each(VERSIONS)("completes guides and documents for a %s client without a workspace", async (version) => {
  using folder = temporaryFolder();
  await using connection = await connect(version, { cwd: folder.path });
  const cases: readonly (readonly [uri: string, name: string, value: string, values: readonly string[]])[] = [
    ["sdd://guides/project/{stage}", "stage", "", PROJECT_STAGES],
    ["sdd://guides/project/{stage}", "stage", "in", []],
    ["sdd://guides/change/{stage}", "stage", "de", ["describe", "design"]],
    ["sdd://guides/change/{stage}", "id", "", []],
    ["sdd://project/{document}", "document", "c", ["clarifications"]],
    ["sdd://changes/{id}", "id", "", []],
    ["constructor", "stage", "", []],
  ];
  for (const [uri, name, value, expected] of cases) {
    expect([uri, name, value, await values(connection, uri, name, value)]).toEqual([
      uri,
      name,
      value,
      { values: expected, total: expected.length, hasMore: false },
    ]);
  }
});

test("removes an archived change from the list and keeps it readable", async () => {
  using repository = temporaryRepository();
  await using connection = await connect("2026-07-28", { cwd: repository.path });
  await connection.call("sdd_change", { ...SMALL_FIX, description: "Fix login" });
  await endStages(connection, ARTIFACTS, () => undefined);
  await connection.call("sdd_change_archive");
  expect(await list(connection)).toEqual([["sdd://status", "Work in progress"]]);
  expect(await read(connection, "sdd://changes/fix-login/verify")).toEqual([
    ["sdd://changes/fix-login/verify", "text/markdown", `${ARTIFACTS[3]}\n`],
  ]);
  expect(await values(connection, "sdd://changes/{id}", "id", "")).toEqual({
    values: ["fix-login"],
    total: 1,
    hasMore: false,
  });
});

test.each(VERSIONS)("completes ids and stages for a %s client", async (version) => {
  using repository = temporaryRepository();
  await using connection = await connect(version, { cwd: repository.path });
  for (const description of ["Fix login", "Fix logout", "Sort the list"]) {
    await connection.call("sdd_change", { ...SMALL_FIX, description, concurrent: true });
  }
  const cases: readonly (readonly [uri: string, name: string, value: string, values: readonly string[]])[] = [
    ["sdd://changes/{id}", "id", "fix", ["fix-login", "fix-logout"]],
    ["sdd://changes/{id}/{stage}", "id", "s", ["sort-the-list"]],
    [
      "sdd://changes/{id}/{stage}",
      "stage",
      "",
      ["describe", "propose", "scope", "context-check", "spec", "clarify", "design", "tasks", "verify"],
    ],
    ["sdd://changes/{id}/{stage}", "stage", "de", ["describe", "design"]],
    ["sdd://changes/{id}", "stage", "de", []],
    ["sdd://changes/{id}", "id", "../", []],
    ["sdd://nothing/{id}", "id", "", []],
  ];
  for (const [uri, name, value, expected] of cases) {
    expect([uri, name, value, await values(connection, uri, name, value)]).toEqual([
      uri,
      name,
      value,
      { values: expected, total: expected.length, hasMore: false },
    ]);
  }
});

test.each(VERSIONS)("answers an unknown address of a %s client with an error", async (version) => {
  using repository = temporaryRepository();
  await using connection = await connect(version, { cwd: repository.path });
  await connection.call("sdd_change", { ...SMALL_FIX, description: "Fix login" });
  // A small fix has no design; a file of that name is nobody's artifact.
  fs.writeFileSync(join(repository.path, "sdd", "changes", "fix-login", "design.md"), "By hand");
  for (const uri of [
    "sdd://nothing",
    "sdd://changes/no-such-change",
    "sdd://changes/..%2f..%2fetc",
    "sdd://changes/../../etc/passwd",
    "sdd://changes/fix-login/describe",
    "sdd://changes/fix-login/design",
    "sdd://changes/fix-login/change.json",
    "sdd://changes/fix-login/__proto__",
    "file:///etc/passwd",
  ]) {
    await expect(connection.client.readResource({ uri })).rejects.toMatchObject({ code: -32602 });
  }
  // The error names a tool that this client has.
  const unknown = connection.client.readResource({ uri: "sdd://changes/no-such-change" });
  await expect(unknown).rejects.toMatchObject({ message: expect.stringContaining("Next: sdd_status {}") as unknown });
});

/** The newer protocol tells only those who asked to be told. */
async function listen({ client }: Connection, version: string): Promise<void> {
  if (version === "2026-07-28") await client.listen({ resourcesListChanged: true });
}

test.each(VERSIONS)("notifies a %s client of a document that a stage writes", async (version) => {
  using repository = temporaryRepository();
  await using connection = await connect(version, { cwd: repository.path });
  await listen(connection, version);
  await connection.call("sdd_init_project", TIDES.init);
  const before = connection.relisted();
  await connection.call("sdd_create_proposal", TIDES.propose);
  expect(connection.relisted()).toBe(before + 1);
  expect(await list(connection)).toEqual([
    ["sdd://status", "Work in progress"],
    ["sdd://project/proposal", "The project's proposal"],
  ]);
  const written = fs.readFileSync(join(repository.path, "sdd", "proposal.md"), "utf8");
  expect(await read(connection, "sdd://project/proposal")).toEqual([
    ["sdd://project/proposal", "text/markdown", written],
  ]);
});

test.each(VERSIONS)("notifies a %s client of a list that its own call changed", async (version) => {
  using repository = temporaryRepository();
  await using connection = await connect(version, { cwd: repository.path });
  await listen(connection, version);
  await connection.call("sdd_status");
  expect(connection.relisted()).toBe(0);
  await connection.call("sdd_change", { ...SMALL_FIX, description: "Fix login" });
  expect(connection.relisted()).toBe(1);
  await endStages(connection, ARTIFACTS, () => undefined);
  expect(connection.relisted()).toBe(1);
  await connection.call("sdd_change_archive");
  expect(connection.relisted()).toBe(2);
});

test.concurrent.each(VERSIONS)("notifies a %s client of changes by the command line", async (version) => {
  using repository = temporaryRepository();
  await using connection = await connect(version, { cwd: repository.path });
  await listen(connection, version);
  await list(connection);
  const started = connection.nextRelisting();
  await tenonAsync(["change", "start", "Fix login", "--type", "fix", "--size", "small"], { cwd: repository.path });
  await started;
  expect(await list(connection)).toHaveLength(2);
  await tenonAsync(["change", "abandon", "--reason", "Solved upstream"], { cwd: repository.path });
  const archived = connection.nextRelisting();
  await tenonAsync(["change", "archive", "fix-login"], { cwd: repository.path });
  await archived;
  expect(await list(connection)).toHaveLength(1);
});
