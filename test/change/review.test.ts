import fs from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { renderMcpPage } from "#doors/mcp/mcp-render.ts";
import { MCP_TOOLS } from "#doors/mcp/tool-table.ts";
import { countTokens } from "#kernel/adapters/token-count.ts";
import { loadCatalogueOperation } from "#doors/catalogue.ts";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { type TestHouse, testHouse } from "../kit/house.ts";

function put(root: string, path: string, text: string | Buffer): void {
  fs.mkdirSync(dirname(join(root, path)), { recursive: true });
  fs.writeFileSync(join(root, path), text);
}

function commitAll(root: string): void {
  git(root, "add", "--all");
  git(root, "commit", "-qm", "work");
}

interface Reviewed {
  readonly change_id: string;
  readonly diff?: { since: string; files: number; added: number; removed: number };
  readonly items: { id: string; kind: string; text: string; why: string; evidence: string[] }[];
  readonly facts: string[];
  readonly omitted: number;
}

async function review(tenon: TestHouse, ...words: string[]): Promise<Reviewed> {
  const { out, err } = await tenon.run("change", "review", ...words, "--json");
  return JSON.parse(out || err) as Reviewed;
}

const start = ["change", "start", "Fix the search", "--type", "fix", "--size", "medium"];
const SPEC =
  "## Requirements\n\n### ADDED\n\n- FR-101: A search for nothing is empty.\n\n## Acceptance criteria\n\n- FR-101: so.";

async function begun(root: string): Promise<TestHouse> {
  put(root, "src/search.ts", "export const search = 1;\n");
  put(root, "src/moved.ts", "alpha\nbeta\ngamma\ndelta\n");
  put(root, "src/gone.ts", "x\ny\n");
  put(root, "image.png", Buffer.from([0x89, 0x00, 0xff]));
  put(root, "sdd/requirements.md", "- FR-001: Search results have pages.\n- FR-002: An invoice has a total.\n");
  put(root, "sdd/business-rules.md", "- BR-001: When a total is negative Then it is refused.\n");
  put(root, "sdd/design.md", "## Components\n\n- **Search index**: FR-001\n- **Billing**: FR-002\n");
  commitAll(root);
  const tenon = testHouse(root);
  const decide = ["--context=x", "--decision=x", "--rationale=x"];
  for (const words of [
    ["adr", "record", "Keep the search index in memory", "--standalone", ...decide],
    ["adr", "record", "Ask a search service", "--standalone", "--status", "proposed", ...decide],
    start,
    ["adr", "record", "Answer nothing with nothing", ...decide],
    ["change", "advance", "--content", "It fails. BR-001 is not touched."],
    ["context", "check"],
    ["change", "advance", "--content", "## Findings\n\nNone.\n\n## Impact\n\nPatch."],
    ["change", "advance", "--content", SPEC],
    ["change", "advance", "--content", "- [ ] TASK-001: In `src/search.ts` (FR-101)"],
  ])
    expect(await tenon.run(...words)).toMatchObject({ code: 0 });
  return tenon;
}

test("lists each item with its evidence in the diff, committed or not, and the facts of the diff", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  using tenon = await begun(root);
  const base = git(root, "rev-parse", "HEAD").trim();
  put(root, "src/search.ts", "// FR-101, FR-404\nexport const search = 2;\n");
  git(root, "mv", "src/moved.ts", "src/there.ts");
  commitAll(root);
  fs.rmSync(join(root, "src/gone.ts"));
  put(root, "image.png", Buffer.from([0x89, 0x00, 0xfe]));
  put(root, "src/results.ts", "export const searchResults = pages(); // TODO\n");
  put(root, "package-lock.json", "search results have pages\n");
  expect(await review(tenon)).toEqual({
    change_id: "fix-the-search",
    diff: { since: base.slice(0, 12), files: 5, added: 3, removed: 3 },
    items: [
      {
        id: "FR-101",
        kind: "requirement",
        text: "A search for nothing is empty.",
        why: "the change states it",
        evidence: ["src/search.ts:1 names it"],
      },
      {
        id: "ADR-001",
        kind: "decision",
        text: "Answer nothing with nothing",
        why: "the change states it",
        evidence: [],
      },
      {
        id: "BR-001",
        kind: "rule",
        text: "When a total is negative Then it is refused.",
        why: "the change names it",
        evidence: [],
      },
      {
        id: "FR-001",
        kind: "requirement",
        text: "Search results have pages.",
        why: 'it mentions "search", "results"',
        evidence: ["src/results.ts:1"],
      },
      { id: "Search index", kind: "component", text: "carries FR-001", why: 'it mentions "search"', evidence: [] },
      {
        id: "ADR-0001",
        kind: "decision",
        text: "Keep the search index in memory",
        why: 'it mentions "search"',
        evidence: [],
      },
    ],
    facts: [
      "FR-404 is mentioned at src/search.ts:1, and nothing has that id.",
      "No test was added or changed.",
      "Added TODO notes: src/results.ts:1.",
      "4 files changed that no task names: image.png, src/gone.ts, src/results.ts, src/there.ts.",
    ],
    omitted: 0,
  });
});

test("reviews the active change by default, else the only completed one", async () => {
  using repository = temporaryRepository();
  using tenon = await begun(repository.path);
  const fault = async (...words: string[]): Promise<unknown> =>
    JSON.parse((await tenon.run("change", "review", ...words, "--json")).err) as { code?: string; error?: unknown };
  const evidence = "## Evidence\n\n- TASK-001: done.\n- FR-101: not in code: the search already does it\n";
  const finish = ["change", "advance", "--content", evidence, "--no-code", "Nothing"];
  expect(await tenon.run(...finish)).toMatchObject({ code: 0 });
  expect((await review(tenon)).change_id).toBe("fix-the-search");
  await tenon.run("change", "start", "Another", "--type", "fix", "--size", "small");
  expect((await review(tenon)).change_id).toBe("another");
  expect((await review(tenon, "fix-the-search")).change_id).toBe("fix-the-search");
  await tenon.run("change", "start", "A third", "--type", "fix", "--size", "small", "--concurrent");
  expect(JSON.stringify(await fault())).toContain("change.none-to-review");
  await tenon.run("change", "abandon", "another", "--reason", "x");
  await tenon.run("change", "abandon", "a-third", "--reason", "x");
  await tenon.run("change", "archive", "fix-the-search");
  expect((await review(tenon, "fix-the-search")).diff?.files).toBe(0);
  expect(JSON.stringify(await fault())).toContain("No change is active or completed.");
});

test("lists the items without changes or a commit to compare with, and reports that", async () => {
  using repository = temporaryRepository();
  using tenon = await begun(repository.path);
  expect((await review(tenon)).facts).toEqual(["Nothing has changed since the change started."]);
  using folder = temporaryFolder();
  put(folder.path, "sdd/requirements.md", "- FR-001: A search has pages.\n");
  const environment = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(folder.path) };
  using outside = testHouse(folder.path, { environment });
  await outside.run(...start);
  expect(await review(outside)).toEqual({
    change_id: "fix-the-search",
    items: [
      {
        id: "FR-001",
        kind: "requirement",
        text: "A search has pages.",
        why: 'it mentions "search"',
        evidence: [],
      },
    ],
    facts: ["There is no diff to compare: there is no git repository here."],
    omitted: 0,
  });
  expect((await outside.run("change", "review")).out).not.toContain("the diff does not mention it");
});

test("writes nothing", async () => {
  using repository = temporaryRepository();
  using tenon = await begun(repository.path);
  const before = git(repository.path, "status", "--porcelain=v1", "-uall");
  const engine = await tenon.house.open({});
  const position = await engine.store.position();
  await review(tenon);
  expect(await engine.store.position()).toBe(position);
  expect(git(repository.path, "status", "--porcelain=v1", "-uall")).toBe(before);
});

test("keeps the answer within its ceiling, as text and as data", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  const long = "認証".repeat(100);
  // The dearest id there may be: a token for each letter.
  const name = "q9z8x7w6v5u4t3s2r1p0o9n8m7l6k5j4i3h2g1f0e9d8c7b6a5";
  put(root, "README.md", "x\n");
  put(
    root,
    "sdd/requirements.md",
    Array.from({ length: 60 }, (_, i) => `- FR-${100 + i}: ${name} ${long} ${i}`).join("\n"),
  );
  commitAll(root);
  using tenon = testHouse(root);
  await tenon.run("change", "start", name, "--type", "fix", "--size", "small");
  for (let i = 0; i < 40; i++)
    put(root, `src/${"認".repeat(60)}${i}.ts`, `// FR-${100 + i} FR-${900 + i} TODO ${long}\n`);
  const engine = await tenon.house.open({});
  const operation = await loadCatalogueOperation("change.review");
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.integer({ min: 50, max: 400 }), fc.integer({ min: 400, max: 9_000 })),
      fc.constantFrom("summary", "standard", "full"),
      async (max_tokens, detail_level) => {
        const output = await operation.run(engine, { max_tokens, detail_level });
        const costs = [JSON.stringify(output), renderMcpPage(operation.page(output), MCP_TOOLS)].map(countTokens);
        expect({ max_tokens, over: costs.filter((cost) => cost > max_tokens) }).toEqual({ max_tokens, over: [] });
      },
    ),
    {
      numRuns: 15,
      examples: [
        [50, "summary"],
        [50, "full"],
        [51, "standard"],
      ],
    },
  );
});

test("marks removed and renamed items, and leaves out outdated ones", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  using tenon = await begun(root);
  const deltas = [
    "### ADDED\n\n- FR-101 (should): A search for nothing\n  is empty.",
    "### MODIFIED\n\n- BR-001: When a total is negative Then it is zero.",
    "### REMOVED\n\n- FR-004: Nobody searched by fax.",
    "### RENAMED\n\n- FR-002 → NFR-003",
  ];
  put(root, "sdd/changes/fix-the-search/spec.md", `## Requirements\n\n${deltas.join("\n\n")}\n`);
  put(
    root,
    "sdd/requirements.md",
    "# Requirements\n\n## Must have\n\n- FR-001: Search results have pages.\n- FR-004: Search by fax.\n\n## Won't have\n\n- FR-005: Search results in print.\n\n## Removed\n\n- FR-006: Search results by telex.\n",
  );
  put(
    root,
    "sdd/business-rules.md",
    "## Constraints\n\n- BR-001: x\n\n## Removed\n\n- BR-002: Search results are dear.\n",
  );
  put(root, "src/search.ts", "// FR-005, FR-006, BR-002, NFR-003\n");
  const { items, facts } = await review(tenon);
  expect(items.flatMap(({ id, kind, text }) => (/^(?:N?FR|BR)/.test(id) ? [[id, kind, text]] : []))).toEqual([
    ["FR-101", "requirement", "A search for nothing is empty."],
    ["BR-001", "rule", "When a total is negative Then it is zero."],
    ["FR-004", "requirement", "is removed: Nobody searched by fax."],
    ["FR-002", "requirement", "becomes NFR-003"],
    ["FR-001", "requirement", "Search results have pages."],
  ]);
  expect(facts.filter((fact) => fact.includes("nothing has that id"))).toEqual([]);
});

test("recognizes an id of an archived change, as an audit does", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  using tenon = await begun(root);
  put(root, "sdd/history/old-one/spec.md", "## Requirements\n\n### ADDED\n\n- FR-050: Old.\n");
  put(root, "src/search.ts", "// FR-050, FR-051\n");
  const phantoms = (await review(tenon)).facts.filter((fact) => fact.includes("nothing has that id"));
  expect(phantoms).toEqual(["FR-051 is mentioned at src/search.ts:1, and nothing has that id."]);
  const audited = JSON.parse((await tenon.run("context", "audit", "--json")).out) as {
    findings: { kind: string; ref: string }[];
  };
  expect(audited.findings.flatMap(({ kind, ref }) => (kind === "undefined" ? [ref] : []))).toEqual(["FR-051"]);
});
