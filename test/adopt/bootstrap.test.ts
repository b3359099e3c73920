import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { renderMcpPage } from "#doors/mcp/mcp-render.ts";
import { MCP_TOOLS } from "#doors/mcp/tool-table.ts";
import { countTokens } from "#kernel/adapters/token-count.ts";
import { loadCatalogueOperation } from "#doors/catalogue.ts";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { ask, DOCUMENTS, documentIn, fixture, repositoryOf } from "./repository.ts";

interface Answer {
  readonly passed: boolean;
  readonly written: readonly string[];
  readonly kept: readonly string[];
  readonly made: readonly string[];
  readonly problems: readonly string[];
  readonly lines: readonly string[];
  readonly omitted: number;
}

const bootstrap = (root: string, input: object = {}): Promise<Answer> =>
  ask<Answer>(root, "adopt.bootstrap", { write: true, ...input });
const PATHS = DOCUMENTS.map((name) => `sdd/drafts/${name}`);
const listRequirements = (must: string): string =>
  `# Requirements\n\n### Must have\n\n${must}\n\n### Should have\n\nNone.\n\n## Non-functional requirements\n\nNone.\n`;
const status = (root: string): string => git(root, "status", "--porcelain", "--untracked-files=all", "--ignored");

test("sets up the workspace with the first write and reports it", async () => {
  using repository = fixture("go-nethttp");
  expect(await bootstrap(repository.path)).toMatchObject({
    passed: true,
    written: PATHS,
    kept: [],
    made: [".gitignore", "sdd/config.yaml"],
  });
  expect(fs.readFileSync(join(repository.path, ".gitignore"), "utf8")).toBe(".sdd/\n");
});

test("keeps existing files to the byte, even empty ones, and writes only the rest", async () => {
  using repository = fixture("go-nethttp");
  fs.mkdirSync(join(repository.path, "sdd/drafts"), { recursive: true });
  fs.writeFileSync(join(repository.path, "sdd/drafts/requirements.md"), "");
  const first = await bootstrap(repository.path, {
    requirements: listRequirements("- FR-001: Run. (evidence: cmd/ticketd/main.go:14)"),
  });
  expect(first).toMatchObject({ written: PATHS.slice(1), kept: PATHS.slice(0, 1) });
  expect(documentIn(repository.path, "requirements.md")).toBe("");
  expect(documentIn(repository.path, "design.md")).not.toMatch(/\bN?FR-\d/);
  fs.appendFileSync(join(repository.path, "sdd/drafts/design.md"), "\nMine.\n");
  const before = DOCUMENTS.map((name) => documentIn(repository.path, name));
  expect(await bootstrap(repository.path)).toMatchObject({ written: [], kept: PATHS, made: [] });
  expect(DOCUMENTS.map((name) => documentIn(repository.path, name))).toEqual(before);
});

test("does not write through a link in place of a document", async () => {
  using repository = fixture("go-nethttp");
  using elsewhere = temporaryFolder();
  fs.mkdirSync(join(repository.path, "sdd/drafts"), { recursive: true });
  fs.symlinkSync(join(elsewhere.path, "taken.md"), join(repository.path, "sdd/drafts/requirements.md"));
  using tenon = testHouse(repository.path);
  const { code, err } = await tenon.run("adopt", "--write");
  expect({ code, escaped: fs.readdirSync(elsewhere.path) }).toEqual({ code: 1, escaped: [] });
  expect(err).toContain("error[files.");
});

test("shows a plan first and writes nothing", async () => {
  using repository = fixture("python-fastapi");
  const before = status(repository.path);
  const planned = await ask<Answer>(repository.path, "adopt.bootstrap", { max_tokens: 50_000 });
  expect(planned).toMatchObject({ written: PATHS, made: [".gitignore", "sdd/config.yaml"], omitted: 0 });
  expect(planned.lines.filter((line) => line.startsWith("- FR-")).length).toBeGreaterThan(5);
  expect(status(repository.path)).toBe(before);
});

test("uses given texts in place of the drafts, and the design refers to their ids", async () => {
  using repository = fixture("rust-axum");
  const evidence = "(evidence: src/main.rs:15; confidence: high)";
  const requirements = listRequirements(`- **FR-007**: A visitor is led on by a slug. ${evidence}`);
  await bootstrap(repository.path, { requirements });
  expect(documentIn(repository.path, "requirements.md")).toBe(requirements);
  const design = documentIn(repository.path, "design.md");
  expect(design).toContain("linkd is written mostly in Rust");
  expect(design.match(/^- Carries: .*$/gm)).toEqual(["- Carries: FR-007."]);
});

test("rejects invalid texts with every problem at once and writes nothing", async () => {
  using repository = fixture("rust-axum");
  const before = status(repository.path);
  const answer = await bootstrap(repository.path, {
    requirements: "### Must have\n\n- FR-001: Follow.\n- FR-001: Again.\n- NFR-002: Fast.\n- Shorten.\n- FR-3: List.\n",
    business_rules:
      "## Constraints\n\n- BR-001: Slugs are short.\n- BR-002: When a, then b.\n- BR-002: When c, then d.\n- Free.\n",
    design: "## Components\n\nFR-009 and BR-099 are nowhere.\n",
  });
  expect(answer).toMatchObject({ passed: false, written: [], made: [] });
  expect(answer.problems).toMatchInlineSnapshot(`
    [
      "requirements: NFR-002 does not belong in the functional requirements: ids there begin with FR-.",
      "requirements: A requirement has no id: "Shorten.".",
      "requirements: A requirement has no id: "FR-3: List.".",
      "requirements: The heading "Should have" is missing.",
      "requirements: The heading "Non-functional requirements" is missing.",
      "requirements: FR-001 is defined twice.",
      "requirements: FR-3 is not an id: write FR-003.",
      "business_rules: A constraint has no id: "Free.".",
      "business_rules: The heading "Definitions" is missing.",
      "business_rules: The heading "Facts" is missing.",
      "business_rules: No term is defined: write one per line, "- **Term**: what it means".",
      "business_rules: BR-002 is defined twice.",
      "business_rules: BR-001 is not in the form "When … Then … [Otherwise …]": "Slugs are short.".",
      "design: The heading "Architecture overview" is missing.",
      "design: The heading "Tech stack" is missing.",
      "design: The heading "Data model" is missing.",
      "design: No component is named: give each a heading "### Name", with its ids below.",
      "design: FR-009 refers to nothing: no requirement has that id.",
      "design: BR-099 refers to nothing: no business rule has that id.",
      "requirements: FR-001 names no evidence. End it with "(evidence: path#symbol)".",
      "requirements: FR-001 names no evidence. End it with "(evidence: path#symbol)".",
    ]
  `);
  expect(status(repository.path)).toBe(before);
  using tenon = testHouse(repository.path);
  expect((await tenon.run("adopt", "--requirements", "Nothing in here.")).code).toBe(3);
});

test("keeps the answer within its ceiling, as text and as data", async () => {
  using repository = fixture("typescript-express");
  using tenon = testHouse(repository.path);
  const engine = await tenon.house.open({});
  const operation = await loadCatalogueOperation("adopt.bootstrap");
  const many = Array.from({ length: 200 }, () => "- FR-001: 認証 twice.\n").join("");
  for (const input of [{}, { requirements: `### Must have\n\n${many}` }]) {
    for (const ceiling of [250, 260, 300, 500, 1_000, 3_000, 8_000]) {
      const output = await operation.run(engine, { ...input, max_tokens: ceiling });
      const costs = [JSON.stringify(output), renderMcpPage(operation.page(output), MCP_TOOLS)].map(countTokens);
      expect({ ceiling, over: costs.filter((cost) => cost > ceiling) }).toEqual({ ceiling, over: [] });
    }
  }
});

test("reports that a repository without files cannot be adopted", async () => {
  using repository = temporaryRepository();
  using tenon = testHouse(repository.path);
  const { code, err } = await tenon.run("adopt", "--write");
  expect([code, err]).toMatchInlineSnapshot(`
    [
      1,
      "error[adopt.nothing-there]: Nothing was scanned. The repository has no files yet, except ignored ones.
    try: tenon init
    ",
    ]
  `);
});

test("starts a change on adopted documents, which may name their requirements", async () => {
  using repository = fixture("go-nethttp");
  using tenon = testHouse(repository.path);
  await tenon.run("adopt", "--write");
  await tenon.run("adopt", "accept", "--all");
  await tenon.run("change", "start", "Close tickets twice", "--type", "fix", "--size", "small");
  await tenon.run("change", "advance", "--content", "Closing twice fails; FR-004 is about it.");
  await tenon.run("context", "check");
  const said = (id: string): string => `## Findings\n\n${id} records it.\n\n## Impact\n\nPatch.`;
  expect((await tenon.run("change", "advance", "--content", said("FR-444"))).code).toBe(3);
  expect((await tenon.run("change", "advance", "--content", said("FR-004"))).code).toBe(0);
});

test("writes ids of other tools as plain text", async () => {
  using repository = repositoryOf({
    "package.json": '{ "name": "x", "description": "Does FR-999 and <!-- hides -->" }',
    "a.test.ts": 'import { test } from "vitest";\ntest("FR-777: TASK-001 as ADR-0002 says", () => {});\n',
  });
  await bootstrap(repository.path);
  expect(DOCUMENTS.map((name) => documentIn(repository.path, name)).join("\n")).not.toMatch(
    /FR-[79]|TASK-0|ADR-0|<!--/,
  );
  using tenon = testHouse(repository.path);
  expect((await tenon.run("validate")).code).toBe(0);
});

const REQUIREMENTS_OF = (evidence: string): string =>
  listRequirements(`- **FR-001**: It answers. (evidence: ${evidence}; confidence: high)`);

test.each([
  ["examples/demo.js", 'is a file of kind "example", not product code'],
  ["test/send.test.js", 'is a file of kind "test", not product code'],
  ["lib/gone.js", "is not a file here"],
  ["lib/send.js#drop", "names a symbol that the file does not define"],
  ["lib/send.js:99", "is beyond the end of the file, which has 3 lines"],
])("rejects an agent's text whose evidence %s", async (evidence, why) => {
  using repository = repositoryOf({
    "package.json": '{ "name": "post", "main": "lib/send.js" }',
    "lib/send.js": "/** Sends a letter to its address. */\nexports.send = function send() {};\n",
    "examples/demo.js": 'require("..").send();\n',
    "test/send.test.js": 'require("..").send();\n',
  });
  const answer = await bootstrap(repository.path, { requirements: REQUIREMENTS_OF(evidence) });
  expect(answer).toMatchObject({ passed: false, written: [] });
  expect(answer.problems).toEqual([`requirements: the evidence "${evidence}" of FR-001 ${why}.`]);
  const good = await bootstrap(repository.path, { requirements: REQUIREMENTS_OF("lib/send.js#send") });
  expect(good).toMatchObject({ passed: true });
});

test("rejects names and tests that an agent invents, and takes an honest text", async () => {
  using repository = repositoryOf({
    "package.json": '{ "name": "post", "main": "lib/send.js" }',
    "lib/send.js": "/** Sends a letter to its address. */\nexports.send = function send() {};\n",
    "examples/demo.js": 'require("..").encrypt();\n',
    "test/send.test.js": 'require("..").send();\n',
  });
  const write = (sentence: string, tests: string) =>
    bootstrap(repository.path, {
      requirements: listRequirements(`- **FR-001**: ${sentence} (evidence: lib/send.js#send; tests: ${tests})`),
    });
  const liar = await write("It offers `post.encrypt` and `send()`.", "test/encrypt.test.js, lib/send.js");
  expect(liar).toMatchObject({
    passed: false,
    written: [],
    problems: [
      'requirements: the test "test/encrypt.test.js" of FR-001 is not a file here.',
      'requirements: the test "lib/send.js" of FR-001 is not a test.',
      'requirements: FR-001 quotes "post.encrypt", which no product code contains.',
    ],
  });
  const honest = await write("When a caller uses `post.send`, it answers `GET /x` with `200 OK`.", "test/send.test.js");
  expect(honest).toMatchObject({ passed: true });
});

test("gives an agent as much of the grouped evidence as fits its budget, and counts the rest", async () => {
  const functions = Array.from(
    { length: 40 },
    (_, i) => `/** Does the thing ${i}. */\nexports.thing${i} = function () {};`,
  );
  using repository = repositoryOf({
    "package.json": '{ "name": "post", "main": "index.js" }',
    "index.js": functions.join("\n"),
  });
  const answer = await bootstrap(repository.path, { write: false, max_tokens: 400 });
  expect(answer.lines.length).toBeGreaterThan(0);
  expect(answer.omitted).toBeGreaterThan(0);
  expect(countTokens(JSON.stringify(answer))).toBeLessThanOrEqual(400);
});

test("derives a library's requirements from its exports and tests, never from its examples", async () => {
  using repository = repositoryOf({
    "package.json": '{ "name": "post", "main": "lib/index.js", "dependencies": { "bytes": "1.0.0" } }',
    "lib/index.js": 'var send = require("./send");\nexports.send = send;\nexports.size = require("bytes");\n',
    "lib/send.js": "module.exports = send;\n\n/** Sends a letter to its address. */\nfunction send(letter) {}\n",
    "lib/hidden.js": "/** Not for others. */\nexports.hidden = function () {};\n",
    "examples/app.js": 'var app = require("express")();\napp.get("/demo", show);\napp.get("/other", show);\n',
    "examples/package.json": '{ "name": "demo", "dependencies": { "express": "4.0.0" } }',
    "test/send.test.js": 'var post = require("..");\nit("sends", function () { post.send("a"); });\n',
  });
  await bootstrap(repository.path);
  const text = documentIn(repository.path, "requirements.md");
  expect(text).toContain("Sends a letter to its address");
  expect(text).toContain("evidence: lib/send.js#send, lib/index.js#size; tests: test/send.test.js; confidence: high");
  expect(text).toContain("- bytes");
  expect(text).not.toMatch(/demo|hidden|express\b/i);
});

test("counts drafts only after they are accepted, one by one or all, and undo restores the tree", async () => {
  using repository = fixture("go-nethttp");
  using tenon = testHouse(repository.path);
  const before = git(repository.path, "status", "--porcelain");
  await tenon.run("adopt", "--write");
  expect((await tenon.run("trace", "FR-001")).code).toBe(1);
  expect((await tenon.run("adopt", "accept", "FR-002", "BR-001")).code).toBe(0);
  expect(fs.readFileSync(join(repository.path, "sdd/requirements.md"), "utf8")).toMatch(
    /^- \*\*FR-002\*\*: When a client/m,
  );
  expect(documentIn(repository.path, "requirements.md")).not.toContain("**FR-002**");
  expect((await tenon.run("trace", "FR-002")).out).toContain("cmd/ticketd/main.go:15 FR-002 as evidence");
  const { err } = await tenon.run("adopt", "accept", "FR-002");
  expect(err).toContain("error[adopt.no-draft]: No draft has the id FR-002.");
  expect((await tenon.run("adopt", "accept", "--all")).code).toBe(0);
  expect(fs.readFileSync(join(repository.path, "sdd/requirements.md"), "utf8")).toMatch(/^- \*\*FR-001\*\*/m);
  fs.rmSync(join(repository.path, "sdd"), { recursive: true });
  fs.rmSync(join(repository.path, ".gitignore"), { force: true });
  fs.rmSync(join(repository.path, ".sdd"), { recursive: true });
  await tenon.run("adopt", "--write");
  expect((await tenon.run("adopt", "undo")).code).toBe(0);
  expect(git(repository.path, "status", "--porcelain").replace(/^.*\.sdd\/\n?/m, "")).toBe(before);
});
