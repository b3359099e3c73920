import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { commitAll, put } from "../kit/repository.ts";
import { featureSpec } from "../kit/specs.ts";

interface Docs {
  readonly written: readonly string[];
  readonly created: readonly string[];
  readonly unchanged: number;
  readonly unknown: readonly string[];
}

async function fill(root: string, ...words: string[]): Promise<Docs> {
  using tenon = testHouse(root, { newId: () => crypto.randomUUID() });
  const { code, out, err } = await tenon.run("index", "--docs", ...words, "--json");
  expect([code, code === 0 ? "" : err]).toEqual([0, ""]);
  return (JSON.parse(out) as { docs: Docs }).docs;
}

const read = (root: string, path: string): string => fs.readFileSync(join(root, path), "utf8");

const CATALOG = `# Components

Mine, above.

<!-- AUTO:component-list -->
<!-- /AUTO -->

Mine, below.
`;
const MATRIX = "# Trace\r\n\r\n<!-- AUTO:BEGIN:matrix -->\r\nold\r\n<!-- AUTO:END:matrix -->\r\n";

function shop(root: string): void {
  put(
    root,
    "src/login.ts",
    "/**\n * Checks whether n < 3 | begins.\n * @spec AUTH-001\n */\nexport function login(): void {}\n",
  );
  put(root, "tests/login.test.ts", '// @spec AUTH-001.AC-1\ntest("lets in", () => undefined);\n');
  put(root, "sdd/specs/AUTH-001.yaml", featureSpec("AUTH-001"));
  put(root, "sdd/specs/AUTH-002.yaml", featureSpec("AUTH-002"));
  put(root, "docs/10-architecture/COMPONENT-CATALOG.md", CATALOG);
  put(root, "docs/90-reference/TRACEABILITY.md", MATRIX);
  put(root, "README.md", "# Shop\n\nHow AUTH-001 is used.\n\n<!-- AUTO:docs -->\n<!-- /AUTO -->\n");
  commitAll(root);
}

test("fills sections, creates pages of features, and changes nothing else", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  shop(root);
  const before = read(root, "sdd/specs/AUTH-001.yaml");
  expect(await fill(root)).toEqual({
    written: ["README.md", "docs/10-architecture/COMPONENT-CATALOG.md", "docs/90-reference/TRACEABILITY.md"],
    created: ["docs/60-features/AUTH-001.md", "docs/60-features/AUTH-002.md"],
    unchanged: 0,
    unknown: [],
    dry_run: false,
  });
  expect(read(root, "docs/10-architecture/COMPONENT-CATALOG.md")).toBe(`# Components

Mine, above.

<!-- AUTO:component-list -->

| Component | Type     | File                                 | What it does                       | Specs    |
| --------- | -------- | ------------------------------------ | ---------------------------------- | -------- |
| \`login\`   | function | [\`src/login.ts\`](../../src/login.ts) | Checks whether n &lt; 3 \\| begins. | AUTH-001 |

<!-- /AUTO -->

Mine, below.
`);
  const matrix = read(root, "docs/90-reference/TRACEABILITY.md");
  expect(matrix.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
  expect(matrix.split("\r\n").filter((line) => line.startsWith("| "))).toEqual([
    "| Spec ID  | Title                  | Code | Tests | Docs |",
    "| -------- | ---------------------- | ---- | ----- | ---- |",
    "| AUTH-001 | Second factor at login | 1    | 1     | 1    |",
    "| AUTH-002 | Second factor at login | ✗    | ✗     | ✗    |",
  ]);
  expect(read(root, "docs/60-features/AUTH-001.md")).toContain("- [`src/login.ts`](../../src/login.ts): `login`");
  expect(read(root, "README.md")).toContain("[Trace](docs/90-reference/TRACEABILITY.md)");
  expect(read(root, "sdd/specs/AUTH-001.yaml")).toBe(before);
});

test("changes nothing the second time, and after a code change only the related sections", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  shop(root);
  put(root, "docs/all.md", "<!-- AUTO:specs -->\n<!-- /AUTO -->\n\n<!-- AUTO:docs -->\n<!-- /AUTO -->\n");
  const { written, created } = await fill(root);
  const paths = [...written, ...created];
  const texts = paths.map((path) => read(root, path));
  for (let i = 0; i < 2; i++) {
    expect(await fill(root)).toMatchObject({ written: [], created: [], unchanged: paths.length });
    expect(paths.map((path) => read(root, path))).toEqual(texts);
  }
  put(root, "src/login.ts", `\n\n\n${read(root, "src/login.ts")}`);
  expect(await fill(root)).toMatchObject({ written: [] });
  put(root, "src/logout.ts", "/** Ends it. @spec AUTH-002 */\nexport const logout = (): void => undefined;\n");
  expect((await fill(root)).written).toEqual([
    "docs/10-architecture/COMPONENT-CATALOG.md",
    "docs/60-features/AUTH-002.md",
    "docs/90-reference/TRACEABILITY.md",
  ]);
});

test("reports and writes nothing in a dry run", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  shop(root);
  expect(await fill(root, "--dry-run")).toMatchObject({
    created: ["docs/60-features/AUTH-001.md", "docs/60-features/AUTH-002.md"],
  });
  expect([
    read(root, "docs/10-architecture/COMPONENT-CATALOG.md"),
    fs.existsSync(join(root, "docs/60-features")),
  ]).toEqual([CATALOG, false]);
});

test("changes no document while one marker is open", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  shop(root);
  put(root, "docs/z.md", "# Z\n\n<!-- AUTO:specs -->\nNever closed, and mine.\n");
  using tenon = testHouse(root, { newId: () => crypto.randomUUID() });
  const { code, err } = await tenon.run("index", "--docs", "--json");
  const { error } = JSON.parse(err.trimEnd().split("\n").at(-1) ?? "") as { error: { code: string; why: string } };
  expect([code, error.code, error.why]).toEqual([
    1,
    "docs.markers",
    '"docs/z.md:3": The marker opens "specs", and nothing closes it.',
  ]);
  expect(read(root, "docs/10-architecture/COMPONENT-CATALOG.md")).toBe(CATALOG);
  expect(read(root, "docs/90-reference/TRACEABILITY.md")).toBe(MATRIX);
  expect(fs.existsSync(join(root, "docs/60-features"))).toBe(false);
});

test("keeps existing pages and unknown sections", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  shop(root);
  put(root, "docs/60-features/AUTH-001.md", "# Mine alone\n");
  put(
    root,
    "docs/odd.md",
    "\ufeff# Odd\n\n<!-- AUTO:weather -->\nsunny\n<!-- /AUTO -->\n\n<!-- AUTO:feature:AUTH-999 -->\n<!-- /AUTO -->\n\n<!-- AUTO:specs -->\n<!-- /AUTO -->",
  );
  const { created, unknown } = await fill(root);
  expect([created, unknown]).toEqual([
    ["docs/60-features/AUTH-002.md"],
    ["docs/odd.md: weather", "docs/odd.md: feature:AUTH-999"],
  ]);
  expect(read(root, "docs/60-features/AUTH-001.md")).toBe("# Mine alone\n");
  const odd = read(root, "docs/odd.md");
  expect([
    odd.startsWith("\ufeff# Odd\n\n<!-- AUTO:weather -->\nsunny\n<!-- /AUTO -->\n"),
    odd.endsWith("<!-- /AUTO -->"),
  ]).toEqual([true, true]);
});

test("does not count generated text as documentation", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  shop(root);
  await fill(root);
  using tenon = testHouse(root, { newId: () => crypto.randomUUID() });
  const { out } = await tenon.run("trace", "AUTH-002", "--json");
  const { docs = [] } = JSON.parse(out) as { docs?: { path: string }[] };
  expect(docs.filter(({ path }) => path.startsWith("docs/"))).toEqual([]);
});

test("writes pages that are clean under Prettier's defaults", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  shop(root);
  put(
    root,
    "src/more.ts",
    "/**\n * Keeps __init__, *stars*, `code | bars`, 1. lists and <b>tags</b>.\n * @spec AUTH-002\n */\nexport const more_of_it = 1;\n",
  );
  put(root, "docs/all.md", "# All\n\n<!-- AUTO:specs -->\n<!-- /AUTO -->\n");
  put(root, "docs/parts.md", "# Parts\n\n<!-- AUTO:components -->\n<!-- /AUTO -->\n");
  put(root, "docs/90-reference/TRACEABILITY.md", MATRIX.replaceAll("\r", ""));
  await fill(root);
  const prettier = join(process.cwd(), "node_modules/.bin/prettier");
  const { stdout, stderr } = spawnSync(prettier, ["--check", "docs", "README.md"], { cwd: root, encoding: "utf8" });
  expect([stdout, stderr]).toEqual(["Checking formatting...\nAll matched files use Prettier code style!\n", ""]);
});

test("keeps another formatter's layout of a section until its content changes", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  shop(root);
  await fill(root);
  const path = "docs/60-features/AUTH-001.md";
  const compact = read(root, path).replaceAll(/ +\|/g, " |").replaceAll(/-{3,}/g, "---").replaceAll(/^- /gm, "* ");
  put(root, path, compact);
  expect((await fill(root)).written).toEqual([]);
  put(root, "sdd/specs/AUTH-001.yaml", featureSpec("AUTH-001", "Another title"));
  expect((await fill(root)).written).toContain(path);
  expect(read(root, path)).toContain("# AUTH-001: Another title");
});
