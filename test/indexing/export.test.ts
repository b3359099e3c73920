import fs from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { expect, test } from "vitest";
import { temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { commitAll, put } from "../kit/repository.ts";
import { featureSpec } from "../kit/specs.ts";

interface Exported {
  readonly meta: Readonly<Record<string, unknown>> & { readonly left_out: Readonly<Record<string, number>> };
  readonly components: readonly Readonly<Record<string, unknown>>[];
  readonly specs: readonly Readonly<Record<string, unknown>>[];
  readonly docs: readonly Readonly<Record<string, unknown>>[];
  readonly code: readonly Readonly<Record<string, unknown>>[];
  readonly queries: Readonly<Record<string, unknown>>;
  readonly changes: readonly Readonly<Record<string, unknown>>[];
}

const FILE = ".sdd/index.yaml";
const readExportText = (root: string): string => fs.readFileSync(join(root, FILE), "utf8");
const getExport = (root: string): Exported => parse(readExportText(root)) as Exported;

/** What the user is told besides the answer. */
async function index(root: string, ...words: string[]): Promise<string> {
  using tenon = testHouse(root);
  const { code, err } = await tenon.run("index", ...words);
  expect(code).toBe(0);
  return err
    .split("\n")
    .filter((line) => line.startsWith("note: "))
    .join("\n");
}

function shop(root: string): void {
  put(
    root,
    "src/db/users.ts",
    "/** Everybody who may log in. */\nexport function users(): string[] {\n  return [];\n}\n",
  );
  put(
    root,
    "src/auth/login.ts",
    'import { users } from "../db/users.ts";\n\n/**\n * Checks a code and begins a session.\n * @spec AUTH-001\n */\nexport function login(name: string): boolean {\n  return users().includes(name);\n}\n',
  );
  put(
    root,
    "tests/login.test.ts",
    'import { login } from "../src/auth/login.ts";\n\n// @spec AUTH-001.AC-1\ntest("lets in", () => login("ann"));\n',
  );
  put(root, "sdd/specs/AUTH-001.yaml", featureSpec("AUTH-001"));
  put(root, "docs/guide/login.md", "# Logging in\n\nHow AUTH-001 is used.\n");
  commitAll(root, "feat(AUTH-001): log in");
}

test("exports the index for other programs", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  shop(root);
  expect(await index(root)).toBe("");
  const { meta, components, specs, docs, code, changes } = getExport(root);
  expect(meta).toMatchObject({ version: "2.0", schema_version: 2, left_out: { components: 0, specs: 0, docs: 0 } });
  expect(components).toEqual([
    {
      id: "comp-auth-login",
      type: "function",
      path: "src/auth/login.ts:3",
      summary: "Checks a code and begins a session.",
      dependencies: ["comp-db-users"],
    },
    {
      id: "comp-db-users",
      type: "function",
      path: "src/db/users.ts:1",
      summary: "Everybody who may log in.",
      dependencies: [],
    },
  ]);
  expect(specs).toMatchObject([
    {
      id: "AUTH-001",
      trace: {
        code: ["src/auth/login.ts:5"],
        tests: ["tests/login.test.ts:3"],
        docs: expect.arrayContaining(["docs/guide/login.md"]) as unknown,
      },
    },
  ]);
  expect(docs).toMatchObject([{ path: "docs/guide/login.md", type: "guide", last_updated: changes[0]?.["timestamp"] }]);
  expect(code).toMatchObject([
    { path: "src/auth/login.ts", components: ["comp-auth-login"], specs: ["AUTH-001"] },
    { path: "src/db/users.ts", components: ["comp-db-users"], specs: [] },
  ]);
  expect(changes).toMatchObject([{ message: "feat(AUTH-001): log in", spec_id: "AUTH-001", deletions: 0 }]);
});

test("summarizes a page that Tenon fills by its spec", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  shop(root);
  const page = "<!-- AUTO:BEGIN:feature:AUTH-001 -->\n\n# AUTH-001: Log in\n\n<!-- AUTO:END:feature:AUTH-001 -->\n";
  put(root, "docs/60-features/AUTH-001.md", page);
  expect(await index(root)).toBe("");
  const { specs, docs } = getExport(root);
  expect(docs[0]).toMatchObject({ path: "docs/60-features/AUTH-001.md", summary: specs[0]?.["summary"] });
});

test("writes the export again only after a change", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  shop(root);
  await index(root);
  const before = readExportText(root);
  await index(root);
  expect(readExportText(root)).toBe(before);
  put(root, "src/auth/login.ts", "export const gone = 1;\n");
  expect(await index(root)).toBe("");
  expect(getExport(root).specs).toMatchObject([{ trace: { code: [] } }]);
});

test.each<[string, (file: string) => void, RegExp, string[]]>([
  ["is missing", (file) => fs.rmSync(file), /^note: \.sdd\/index\.yaml was missing\. Tenon wrote it again\.$/, []],
  [
    "is of an older version",
    (file) =>
      fs.writeFileSync(file, 'meta:\n  generated: "2025-11-01T15:00:00Z"\n  version: "1.0.0"\ncomponents: []\n'),
    /^note: \.sdd\/index\.yaml was of an older version\. Tenon wrote it again\.$/,
    [],
  ],
  [
    "was torn",
    (file) => fs.truncateSync(file, fs.statSync(file).size - 20),
    /^note: \.sdd\/index\.yaml was damaged\. Tenon kept it as .*index\.yaml\.corrupt-.* and wrote it again\.$/,
    ["index.yaml.corrupt"],
  ],
  [
    "was edited",
    (file) => fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace("Checks", "Skips")),
    /was damaged\. Tenon kept it as/,
    ["index.yaml.corrupt"],
  ],
  [
    "is a folder",
    (file) => {
      fs.rmSync(file);
      fs.mkdirSync(file);
    },
    /was damaged\. Tenon kept it as/,
    ["index.yaml.corrupt"],
  ],
  [
    "is being written by a process that died",
    (file) => fs.writeFileSync(`${file}.id-1.tmp`, "half"),
    /^$/,
    ["index.yaml.id-1.tmp"],
  ],
])("writes an export again that %s", async (_, harm, told, left) => {
  using repository = temporaryRepository();
  const root = repository.path;
  shop(root);
  await index(root);
  const before = getExport(root);
  harm(join(root, FILE));
  expect(await index(root)).toMatch(told);
  expect(getExport(root)).toEqual({ ...before, meta: { ...before.meta, generated: expect.any(String) as unknown } });
  const others = fs.readdirSync(join(root, ".sdd")).filter((name) => name.startsWith("index.yaml."));
  expect(others.map((name) => name.replace(/-\d.*$/, (end) => (end.endsWith(".tmp") ? end : "")))).toEqual(left);
  put(root, "src/more.ts", "export const more = (): number => 1;\n");
  await index(root);
  expect(fs.readdirSync(join(root, ".sdd")).filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

test("does not follow a link out of the workspace", async () => {
  using repository = temporaryRepository();
  using elsewhere = temporaryRepository();
  const root = repository.path;
  shop(root);
  await index(root);
  fs.rmSync(join(root, FILE));
  put(elsewhere.path, "precious", "mine\n");
  fs.symlinkSync(join(elsewhere.path, "precious"), join(root, FILE));
  expect(await index(root)).toMatch(/^note: The index is up to date, but \.sdd\/index\.yaml is not\. .*link/);
  expect(fs.readFileSync(join(elsewhere.path, "precious"), "utf8")).toBe("mine\n");
});

test("exports the most important of many components and counts the others", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  shop(root);
  for (let i = 0; i < 20; i++) {
    const code = Array.from({ length: 25 }, (_, n) => `export function step${i}x${n}(): number {\n  return ${n};\n}\n`);
    put(root, `src/aaa/part${i}.ts`, code.join("\n"));
  }
  await index(root);
  const { components, meta } = getExport(root);
  expect([components.length, meta.left_out["components"]]).toEqual([300, 202]);
  expect(components.map(({ id }) => id)).toEqual(expect.arrayContaining(["comp-auth-login", "comp-db-users"]));
  expect(Buffer.byteLength(readExportText(root))).toBeLessThan(256 * 1024);
});
