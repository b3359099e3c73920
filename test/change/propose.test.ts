import fs from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { type TestHouse, testHouse } from "../kit/house.ts";

function put(root: string, path: string, text: string): void {
  fs.mkdirSync(dirname(join(root, path)), { recursive: true });
  fs.writeFileSync(join(root, path), text);
}

interface Proposed {
  readonly type: string;
  readonly size: string;
  readonly because: string[];
  readonly measured: { files: number; best: string[]; requirements: string[] };
  readonly unmeasured: string[];
  readonly begin: object[];
}

async function propose(tenon: TestHouse, ...words: string[]): Promise<Proposed> {
  const { code, out } = await tenon.run("change", "start", ...words, "--json");
  expect(code).toBe(0);
  return (JSON.parse(out) as { proposed: Proposed }).proposed;
}

test("proposes type and size from related files and requirements, and starts nothing", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  for (let i = 0; i < 30; i++) put(root, `src/module-${i}.ts`, `export const list${i} = "the list";\n`);
  for (let i = 0; i < 7; i++) put(root, `src/invoice/part-${i}.ts`, "const overdueInvoice = list();\n");
  put(root, "package-lock.json", "overdue invoice\n");
  put(
    root,
    "sdd/requirements.md",
    "- FR-001: An invoice is overdue after 30 days.\n- FR-002: A list has pages.\n- FR-003: A shop.\n",
  );
  put(root, "sdd/business-rules.md", "- BR-001: When an invoice is overdue Then a reminder is sent.\n");
  git(root, "add", ".");
  git(root, "commit", "-qm", "one");
  using tenon = testHouse(root);
  const proposed = await propose(tenon, "Fix the list of overdue invoices, see FR-002 and FR-099", "--concurrent");
  expect(proposed).toEqual({
    type: "fix",
    size: "medium",
    because: [
      'fix: the description has "fix"',
      '7 files mention "overdue", "invoices": src/invoice/part-0.ts, src/invoice/part-1.ts, src/invoice/part-2.ts, src/invoice/part-3.ts, src/invoice/part-4.ts and 2 more',
      "requirements and rules that mention it: FR-002, FR-001, BR-001",
      "a medium change has at most 20 files and 10 requirements",
    ],
    measured: {
      files: 7,
      best: [0, 1, 2, 3, 4].map((i) => `src/invoice/part-${i}.ts`),
      requirements: ["FR-002", "FR-001", "BR-001"],
    },
    unmeasured: [],
    begin: ["medium", "small", "large"].map((size) => ({
      type: "fix",
      size,
      description: "Fix the list of overdue invoices, see FR-002 and FR-099",
      concurrent: true,
    })),
  });
  expect(fs.existsSync(join(root, "sdd/changes"))).toBe(false);
  expect(fs.existsSync(join(root, ".git/tenon"))).toBe(false);
});

const ADOPTED = [
  "- FR-001: When a client sends `GET /health`, the system shall answer it. (evidence: src/route.ts:1; confidence: high)",
  "- FR-002: When a client sends `GET /orders`, the system shall list a page. (evidence: src/route.ts:2; confidence: high)",
  "- FR-003: When a client sends `GET /items`, the system shall list a page. (evidence: src/route.ts:3; confidence: high)",
  "- FR-004: When a client sends `GET /shops`, the system shall list a page. (evidence: src/route.ts:4; confidence: high)",
].join("\n");

test.each([
  ["Fix typo in page", "fix", "small", []],
  ["Rename the health route", "refactor", "small", ["FR-001"]],
  ["Fix what the client sends", "fix", "medium", []],
])("in a small adopted project, proposes for %j a %s of size %s", async (description, type, size, requirements) => {
  using repository = temporaryRepository();
  put(repository.path, "sdd/requirements.md", ADOPTED);
  using tenon = testHouse(repository.path);
  const proposed = await propose(tenon, description);
  expect([proposed.type, proposed.size, proposed.measured.requirements]).toEqual([type, size, requirements]);
});

test("keeps a given type or size", async () => {
  using repository = temporaryRepository();
  using tenon = testHouse(repository.path);
  const proposed = await propose(tenon, "Fix it", "--type", "refactor");
  expect(proposed).toMatchObject({ type: "refactor", size: "medium" });
  expect(proposed.unmeasured[1]).toBe("Its words are too general to find related files.");
  expect((await propose(tenon, "Fix it", "--size", "large")).begin).toEqual([
    { type: "fix", size: "large", description: "Fix it" },
  ]);
});

test.each([
  ["outside git", temporaryFolder],
  ["in an empty repository", temporaryRepository],
])("%s, proposes from the words alone and reports what it could not measure", async (_, folder) => {
  using place = folder();
  const environment = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(place.path) };
  using tenon = testHouse(place.path, { environment });
  fs.mkdirSync(join(place.path, "sdd"));
  expect(await propose(tenon, "A quick fix of the search")).toEqual({
    type: "fix",
    size: "small",
    because: ['fix: the description has "fix"', 'small: the description has "quick"'],
    measured: { files: 0, best: [], requirements: [] },
    unmeasured: [
      "There are no files to compare.",
      "There are no requirements or rules to compare.",
      ...(_ === "outside git"
        ? ["There is no git repository here, so Tenon cannot warn you when it outgrows its size."]
        : []),
    ],
    begin: ["small", "medium"].map((size) => ({ type: "fix", size, description: "A quick fix of the search" })),
  });
});

test("compares files by name that are too large, too many or not text", async () => {
  using repository = temporaryRepository();
  put(repository.path, "search.bin", `${"x".repeat(70_000)} query`);
  fs.writeFileSync(join(repository.path, "query.png"), Buffer.from([0xff, 0x00, 0xfe]));
  using tenon = testHouse(repository.path);
  expect(await propose(tenon, "Fix the search query")).toMatchObject({
    measured: { files: 2, best: ["query.png", "search.bin"] },
    unmeasured: expect.arrayContaining(["Compared by name only: 1 of 2 files."]) as string[],
  });
});

test("does not count removed requirements", async () => {
  using repository = temporaryRepository();
  put(
    repository.path,
    "sdd/requirements.md",
    "## Must have\n\n- FR-001: An invoice is printed.\n\n## Won't have\n\n- FR-002: An invoice is faxed.\n\n## Removed\n\n- FR-003: An invoice is sent by telex.\n",
  );
  put(
    repository.path,
    "sdd/business-rules.md",
    "## Constraints\n\n- BR-001: When late Then remind.\n\n## Removed\n\n- BR-002: When an invoice is faxed Then wait.\n",
  );
  using tenon = testHouse(repository.path);
  const { measured } = await propose(tenon, "Fix the invoice that is faxed, see FR-003 and BR-002");
  expect(measured.requirements).toEqual(["FR-001"]);
});

test("does not count files that setup wrote as code that would change", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  put(root, "src/roadmap.ts", "export const roadmap = [];\n");
  put(root, "CLAUDE.md", "The roadmap is in docs.\n");
  for (let i = 0; i < 30; i++) put(root, `src/module-${i}.ts`, `export const list${i} = [];\n`);
  using tenon = testHouse(root);
  await tenon.run("init");
  await tenon.run("setup", "claude", "--all");
  git(root, "add", ".");
  git(root, "commit", "-qm", "one");
  const { measured } = await propose(tenon, "Fix the roadmap");
  expect(measured.best).toEqual(["src/roadmap.ts"]);
});

test("ignores files that share one common word, tests and prose", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  put(
    root,
    "src/response.ts",
    "/** Writes links. */\nfunction links(object) { return trimTrailingComma(object, empty); }\n",
  );
  const words = ["trailing", "empty", "object"];
  for (let i = 0; i < 14; i++) put(root, `src/other-${i}.ts`, `const ${words[i % 3]} = ${i};\n`);
  for (let i = 0; i < 30; i++) put(root, `src/filler-${i}.ts`, `export const filler${i} = ${i};\n`);
  for (let i = 0; i < 7; i++) put(root, `test/links-${i}.test.ts`, "links(); // trailing comma of an empty object\n");
  put(root, "docs/links.md", "links without a trailing comma for an empty object\n");
  git(root, "add", ".");
  git(root, "commit", "-qm", "one");
  using tenon = testHouse(root);
  const proposed = await propose(tenon, "Fix the trailing comma in res.links with an empty object");
  expect(proposed).toMatchObject({ size: "small", measured: { files: 1, best: ["src/response.ts"] } });
});

test("prefers the named code to files that share a common word", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  for (let i = 0; i < 14; i++)
    put(root, `examples/${i}.js`, "// an empty object with a trailing comma\nconst links = {};\n");
  put(root, "lib/response.js", "res.links = function (links) {\n  return Object.keys(links);\n};\n");
  using tenon = testHouse(root);
  const fix = "Fix the trailing comma in res.links with an empty object";
  expect(await propose(tenon, fix)).toMatchObject({
    type: "fix",
    size: "small",
    measured: { files: 1, best: ["lib/response.js"] },
    because: expect.arrayContaining(['1 file defines "res.links": lib/response.js']) as string[],
  });
  const { out } = await tenon.run("explore", "record", "Links", "--goals", fix, "--json");
  expect(JSON.parse(out)).toMatchObject({
    suggestion: { type: "fix", size: "small", size_reason: '1 file defines "res.links": lib/response.js' },
  });
});
