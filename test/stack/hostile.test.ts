import { expect, test } from "vitest";
import { git, temporaryRepository } from "../kit/folder.ts";
import { put, stacksAt } from "./stand.ts";

const deep = (open: string, close: string, n: number): string => `${open.repeat(n)}${close.repeat(n)}`;

/** Manifests that somebody wrote to break whoever reads them. */
const HOSTILE: readonly (readonly [string, Record<string, string>])[] = [
  ["brackets without end", { "package.json": "[".repeat(500_000) }],
  ["comments without end", { "package.json": "{}", "tsconfig.json": "/* ".repeat(300_000) }],
  ["quotes without end", { "package.json": "{}", "tsconfig.json": '"\\'.repeat(400_000) }],
  ["deep JSON", { "package.json": `{"scripts":{"a":"b"},"jest":${deep("[", "]", 100_000)}}` }],
  ["a large package.json", { "package.json": `{"a":"${"x".repeat(2_000_000)}"}` }],
  [
    "many scripts",
    {
      "package.json": JSON.stringify({
        scripts: Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`s${i}`, `npm run s${i + 1}`])),
      }),
    },
  ],
  [
    "many scripts of one name",
    {
      "package.json": `{"scripts":{"test":"run-s *"${Array.from({ length: 5_000 }, (_, i) => `,"a${i}":"run-s *"`).join("")}}}`,
    },
  ],
  [
    "keys of prototypes",
    {
      "package.json":
        '{"__proto__":{"scripts":{"test":"x"}},"constructor":{"prototype":{"a":1}},"scripts":{"__proto__":"x","toString":"y"}}',
    },
  ],
  ["numbers for scripts", { "package.json": '{"scripts":[1,{"a":2}],"dependencies":"react","workspaces":3}' }],
  ["nothing but null", { "package.json": "null", "pyproject.toml": "\0", "go.mod": "((((", "Cargo.toml": "[[[[" }],
  ["deep TOML", { "pyproject.toml": `a = ${deep("[", "]", 50_000)}\n` }],
  ["dotted TOML", { "Cargo.toml": `${"a.".repeat(50_000)}b = 1\n` }],
  ["many tables", { "Cargo.toml": Array.from({ length: 20_000 }, (_, i) => `[a${i}.b]\nc = 1`).join("\n") }],
  [
    "keys of prototypes in TOML",
    {
      "pyproject.toml": '[__proto__]\nfastapi = 1\n[tool.__proto__.ruff]\nx = 1\n["constructor"."prototype"]\ny = 2\n',
    },
  ],
  ["a TOML text without an end", { "pyproject.toml": `a = """${"\\".repeat(200_000)}` }],
  ["a long Makefile", { Makefile: `${"a b c: d\n\techo || true\n".repeat(20_000)}` }],
  ["a Makefile of one line", { Makefile: `${"a".repeat(500_000)}:` }],
  ["a tsconfig of comments", { "package.json": "{}", "tsconfig.json": `${"/*".repeat(200_000)}` }],
  ["a tsconfig of quotes", { "package.json": "{}", "tsconfig.json": '"'.repeat(500_001) }],
  ["a tsconfig of commas", { "package.json": "{}", "tsconfig.json": `${",".repeat(200_000)}${" ".repeat(200_000)}` }],
  ["many requirements", { "requirements.txt": "a-_.".repeat(200_000) }],
  [
    "a YAML bomb",
    {
      "sdd/config.yaml": "a: &a [x]\nb: &b [*a,*a]\nc: [*b,*b]\n",
      "sdd/stacks/x.yaml": `a: ${deep("[", "]", 5_000)}\n`,
    },
  ],
  [
    "many profiles",
    Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`sdd/stacks/p${i}.yaml`, `extends: p${i + 1}\n`])),
  ],
  [
    "names of profiles",
    { "sdd/stacks/__proto__.yaml": "extends: go\n", "sdd/stacks/A b.yaml": "extends: constructor\n" },
  ],
  ["deep folders", { [`${"a/".repeat(300)}package.json`]: "{}", [`${"a/".repeat(300)}b.ts`]: "" }],
  ["bytes that are not text", { "package.json": "\uFFFF\u0000", "eslint.config.js": "\uD800" }],
];

test.each(HOSTILE)("reads %s", async (_, files) => {
  using repository = temporaryRepository();
  put(repository.path, { "src/a.ts": "", "b.py": "", "c.rs": "", "d.go": "", ...files });
  git(repository.path, "add", "-A");
  git(repository.path, "commit", "-qm", "x");
  const stacks = stacksAt(repository.path);
  const now = await stacks.definitions();
  expect(await stacks.definitions(git(repository.path, "rev-parse", "HEAD").trim())).toEqual(now);
  expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  expect(({} as Record<string, unknown>)["ruff"]).toBe(undefined);
  expect(now?.stacks.every(({ checks }) => Array.isArray(checks))).toBe(true);
});

test("reports more manifests than the limit", async () => {
  using repository = temporaryRepository();
  put(repository.path, Object.fromEntries(Array.from({ length: 1_200 }, (_, i) => [`p${i}/package.json`, "{}"])));
  expect((await stacksAt(repository.path).definitions())?.problems).toEqual([
    "There are 1200 manifests, and Tenon reads only 1000: name the folders of the stacks in sdd/config.yaml",
  ]);
});
