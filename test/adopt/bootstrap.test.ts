import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { renderMcpPage } from "#doors/mcp/mcp-render.ts";
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
  readonly documents: readonly { readonly path: string; readonly text: string }[];
  readonly omitted: number;
}

const bootstrap = (root: string, input: object = {}): Promise<Answer> => ask<Answer>(root, "adopt.bootstrap", input);
const PATHS = DOCUMENTS.map((name) => `sdd/${name}`);
const requirementsOf = (must: string): string =>
  `# Requirements\n\n### Must have\n\n${must}\n\n### Should have\n\nNone.\n\n## Non-functional requirements\n\nNone.\n`;
const status = (root: string): string => git(root, "status", "--porcelain", "--untracked-files=all", "--ignored");

test("a first write sets up the workspace and reports it", async () => {
  using repository = fixture("go-nethttp");
  expect(await bootstrap(repository.path)).toMatchObject({
    passed: true,
    written: PATHS,
    kept: [],
    made: [".gitignore", "sdd/config.yaml"],
  });
  expect(fs.readFileSync(join(repository.path, ".gitignore"), "utf8")).toBe(".sdd/\n");
});

test("what is there is kept to the byte, even if it is empty, and only the rest is written", async () => {
  using repository = fixture("go-nethttp");
  fs.mkdirSync(join(repository.path, "sdd"));
  fs.writeFileSync(join(repository.path, "sdd/requirements.md"), "");
  const first = await bootstrap(repository.path, {
    requirements: requirementsOf("- FR-001: Run."),
  });
  expect(first).toMatchObject({ written: PATHS.slice(1), kept: PATHS.slice(0, 1) });
  expect(documentIn(repository.path, "requirements.md")).toBe("");
  expect(documentIn(repository.path, "design.md")).not.toMatch(/\bN?FR-\d/);
  fs.appendFileSync(join(repository.path, "sdd/design.md"), "\nMine.\n");
  const before = DOCUMENTS.map((name) => documentIn(repository.path, name));
  expect(await bootstrap(repository.path)).toMatchObject({ written: [], kept: PATHS, made: [] });
  expect(DOCUMENTS.map((name) => documentIn(repository.path, name))).toEqual(before);
});

test("does not write through a link in place of a document", async () => {
  using repository = fixture("go-nethttp");
  using elsewhere = temporaryFolder();
  fs.mkdirSync(join(repository.path, "sdd"));
  fs.symlinkSync(join(elsewhere.path, "taken.md"), join(repository.path, "sdd/requirements.md"));
  using tenon = testHouse(repository.path);
  const { code, err } = await tenon.run("adopt");
  expect({ code, escaped: fs.readdirSync(elsewhere.path) }).toEqual({ code: 1, escaped: [] });
  expect(err).toContain("error[files.");
});

test("a dry run shows the documents and writes nothing", async () => {
  using repository = fixture("python-fastapi");
  const before = status(repository.path);
  const { documents, written, made, omitted } = await bootstrap(repository.path, { dry_run: true, max_tokens: 50_000 });
  expect({ written, made, omitted, paths: documents.map(({ path }) => path) }).toEqual({
    written: PATHS,
    made: [".gitignore", "sdd/config.yaml"],
    omitted: 0,
    paths: PATHS,
  });
  expect(status(repository.path)).toBe(before);
  await bootstrap(repository.path);
  expect(documents.map(({ text }) => text)).toEqual(DOCUMENTS.map((name) => documentIn(repository.path, name)));
});

test("texts that are given take the place of the drafts, and the design speaks of their ids", async () => {
  using repository = fixture("rust-axum");
  const evidence = "(evidence: src/main.rs:15; confidence: high)";
  const requirements = requirementsOf(`- **FR-007**: A visitor is led on by a slug. ${evidence}`);
  await bootstrap(repository.path, { requirements, project_name: "Linker" });
  expect(documentIn(repository.path, "requirements.md")).toBe(requirements);
  const design = documentIn(repository.path, "design.md");
  expect(design).toContain("Linker is written mostly in Rust");
  expect(design.match(/^- Carries: .*$/gm)).toEqual(["- Carries: FR-007."]);
});

test("texts that do not hold are refused, with every problem at once, and nothing is written", async () => {
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
    ]
  `);
  expect(status(repository.path)).toBe(before);
  using tenon = testHouse(repository.path);
  expect((await tenon.run("adopt", "--requirements", "Nothing in here.")).code).toBe(3);
});

test("the answer stays below its ceiling, as text and as data", async () => {
  using repository = fixture("typescript-express");
  using tenon = testHouse(repository.path);
  const engine = await tenon.house.open({});
  const operation = await loadCatalogueOperation("adopt.bootstrap");
  const many = Array.from({ length: 200 }, () => "- FR-001: 認証 twice.\n").join("");
  for (const input of [{ dry_run: true }, { dry_run: true, requirements: `### Must have\n\n${many}` }]) {
    for (const ceiling of [250, 260, 300, 500, 1_000, 3_000, 8_000]) {
      const output = await operation.run(engine, { ...input, max_tokens: ceiling });
      const costs = [JSON.stringify(output), renderMcpPage(operation.page(output))].map(countTokens);
      expect({ ceiling, over: costs.filter((cost) => cost > ceiling) }).toEqual({ ceiling, over: [] });
    }
  }
});

test("adopt needs a file", async () => {
  using repository = temporaryRepository();
  using tenon = testHouse(repository.path);
  const { code, err } = await tenon.run("adopt");
  expect([code, err]).toMatchInlineSnapshot(`
    [
      1,
      "error[adopt.nothing-there]: Nothing was scanned. The repository has no files yet, except ignored ones.
    try: tenon init
    ",
    ]
  `);
});

test("a change begins on what was adopted, and may name its requirements", async () => {
  using repository = fixture("go-nethttp");
  using tenon = testHouse(repository.path);
  await tenon.run("adopt");
  await tenon.run("change", "start", "Close tickets twice", "--type", "fix", "--size", "small");
  await tenon.run("change", "advance", "--content", "Closing twice fails; FR-004 is about it.");
  await tenon.run("context", "check");
  const said = (id: string): string => `## Findings\n\n${id} records it.\n\n## Impact\n\nPatch.`;
  expect((await tenon.run("change", "advance", "--content", said("FR-444"))).code).toBe(3);
  expect((await tenon.run("change", "advance", "--content", said("FR-004"))).code).toBe(0);
});

test("ids of other tools are plain text in a draft", async () => {
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
