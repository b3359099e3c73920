import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DEFAULT_CONFIG } from "#kernel/model/workspace-config.ts";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { packageJson, put, stacksAt } from "./stand.ts";

const WEB = {
  "package.json": packageJson(["vitest", "eslint", "typescript"], { build: "vite build" }),
  "tsconfig.json": "{}",
  "eslint.config.js": "export default [];\n",
  "src/a.ts": "export const a = 1;\n",
};

function commit(root: string): string {
  git(root, "add", "-A");
  git(root, "commit", "-qm", "x");
  return git(root, "rev-parse", "HEAD").trim();
}

const hashes = async (root: string, at?: string): Promise<Record<string, string>> =>
  Object.fromEntries(((await stacksAt(root).definitions(at))?.control ?? []).map(({ path, hash }) => [path, hash]));

test("finds equal definitions in a commit and equal working files", async () => {
  using repository = temporaryRepository();
  put(repository.path, { ...WEB, "sdd/config.yaml": "gates:\n  coverage: 80\n" });
  const base = commit(repository.path);
  const stacks = stacksAt(repository.path);
  const [then, now] = [await stacks.definitions(base), await stacks.definitions()];
  expect(then).toEqual(now);
  expect(now?.gates).toEqual({ ...DEFAULT_CONFIG.gates, coverage: 80 });
  expect(now?.control.map(({ path, part, shown }) => [path, part?.slice(0, 13), shown])).toEqual([
    ["sdd/config.yaml", "gates, stack", undefined],
    ["eslint.config.js", undefined, undefined],
    ["package.json", "scripts, type", ["build: vite build"]],
    ["tsconfig.json", undefined, undefined],
  ]);
});

test("ignores the working copy for the definitions of the base", async () => {
  using repository = temporaryRepository();
  put(repository.path, { ...WEB, "sdd/config.yaml": "gates:\n  coverage: 90\n" });
  const base = commit(repository.path);
  const before = await stacksAt(repository.path).definitions(base);
  put(repository.path, {
    "sdd/config.yaml": "gates:\n  coverage: 0\n  waived: { tests: They take too long }\n",
    "sdd/stacks/easy.yaml": "extends: typescript-react\noff: [test]\n",
    "eslint.config.js": "export default [{ ignores: ['**'] }];\n",
  });
  expect(await stacksAt(repository.path).definitions(base)).toEqual(before);
  const now = await stacksAt(repository.path).definitions();
  expect(now?.gates.coverage).toBe(0);
  expect(now?.control.find(({ path }) => path === "sdd/config.yaml")?.shown).toEqual([
    "waived tests: They take too long",
  ]);
});

test("keeps rules of the base despite a profile in the working copy", async () => {
  using repository = temporaryRepository();
  put(repository.path, WEB);
  const base = commit(repository.path);
  const stacks = stacksAt(repository.path);
  expect(await stacks.onWorkingFiles(base)).toEqual(await stacks.definitions(base));
  put(repository.path, {
    "sdd/config.yaml": "stack:\n  directories: { '.': blind }\n",
    "sdd/stacks/blind.yaml": "extends: typescript-react\ncontrol: [{ file: eslint.config.js }]\n",
    "eslint.config.js": "export default [{ ignores: ['**'] }];\n",
    "src/.eslintrc.json": "{}",
  });
  fs.rmSync(join(repository.path, "tsconfig.json"));
  const [before, now, judged] = [
    await stacks.definitions(base),
    await stacks.definitions(),
    await stacks.onWorkingFiles(base),
  ];
  expect(judged).toEqual({ ...before, control: judged?.control });
  const hash = now?.control.find(({ path }) => path === "eslint.config.js")?.hash;
  expect(judged?.control.map(({ path }) => path)).toEqual(["eslint.config.js", "package.json", "src/.eslintrc.json"]);
  expect(judged?.control.find(({ path }) => path === "eslint.config.js")?.hash).toBe(hash);
  expect(await stacks.onWorkingFiles("f".repeat(40))).toBeUndefined();
});

test.each<[string, Record<string, string>, string[]]>([
  ["a weaker rule", { "eslint.config.js": "export default [{}];\n" }, ["eslint.config.js"]],
  ["a rule set in a folder", { "src/.eslintrc.json": "{}" }, ["src/.eslintrc.json"]],
  [
    "a script",
    { "package.json": packageJson(["vitest", "eslint", "typescript"], { build: "true" }) },
    ["package.json"],
  ],
  ["settings of npm, which choose the shell of scripts", { ".npmrc": "script-shell=./evil\n" }, [".npmrc"]],
  ["the settings of gates", { "sdd/config.yaml": "gates: { coverage: 10 }\n" }, ["sdd/config.yaml"]],
  ["a profile", { "sdd/stacks/x.yaml": "extends: go\n" }, ["sdd/stacks/x.yaml"]],
  [
    "another dependency",
    { "package.json": packageJson(["vitest", "eslint", "typescript", "zod"], { build: "vite build" }) },
    [],
  ],
  ["code", { "src/a.ts": "export const a = 2;\n" }, []],
  ["settings of something else", { "sdd/config.yaml": "memory: { enabled: false }\n" }, []],
])("%s changes exactly the hash of %j", async (_, change, expected) => {
  using repository = temporaryRepository();
  put(repository.path, WEB);
  const before = await hashes(repository.path);
  put(repository.path, change);
  const after = await hashes(repository.path);
  expect(Object.keys(after).filter((path) => after[path] !== before[path])).toEqual(expected);
});

test("ignores the order of keys in a manifest", async () => {
  using repository = temporaryRepository();
  const scripts = { build: "vite build", test: "vitest" };
  put(repository.path, { ...WEB, "package.json": packageJson(["vitest"], scripts) });
  const before = await hashes(repository.path);
  put(repository.path, {
    "package.json": JSON.stringify(
      { scripts: { test: "vitest", build: "vite build" }, devDependencies: { vitest: "1.0.0" } },
      null,
      2,
    ),
  });
  expect(await hashes(repository.path)).toEqual(before);
});

test("reads a commit from the folder of the workspace", async () => {
  using repository = temporaryRepository();
  put(repository.path, { "web/package.json": WEB["package.json"], "web/a.ts": "", "go.mod": "module x\n", "x.go": "" });
  const base = commit(repository.path);
  const then = await stacksAt(join(repository.path, "web")).definitions(base);
  expect(then?.stacks.map(({ directory, profile }) => `${directory} ${profile}`)).toEqual([". typescript-node"]);
});

test("finds no definitions for an unknown commit", async () => {
  using repository = temporaryRepository();
  put(repository.path, WEB);
  const stacks = stacksAt(repository.path);
  for (const strange of ["0".repeat(40), "HEAD", "--help", ""])
    expect(await stacks.definitions(strange)).toBe(undefined);
});

test("works from files outside git", async () => {
  using folder = temporaryFolder();
  put(folder.path, WEB);
  const { detections } = await stacksAt(folder.path).survey();
  expect(detections.map(({ profile }) => profile)).toEqual(["typescript-node"]);
});

test("finds and runs a project's own profile, even where git ignores it", async () => {
  using repository = temporaryRepository();
  put(repository.path, {
    ".gitignore": "sdd/\n",
    "dune-project": "",
    "a.ml": "",
    "sdd/stacks/ocaml.yaml": `title: OCaml
detection:
  at: [dune-project]
  indicators: [{ when: { file: dune-project }, score: 100, says: dune-project }]
checks:
  - { kind: build, tool: dune, argv: [dune, build] }
`,
  });
  const { definitions, detections } = await stacksAt(repository.path).survey();
  expect(definitions.problems).toEqual([]);
  expect(detections.map(({ profile, confidence }) => [profile, confidence])).toEqual([["ocaml", 100]]);
  expect(definitions.stacks[0]?.checks.map(({ run }) => run)).toEqual([{ argv: ["dune", "build"] }]);
});

test.each<[string, Record<string, string>, string]>([
  [
    "an error in the settings",
    { "sdd/config.yaml": "gate: {}\n" },
    'sdd/config.yaml cannot be used. "gate" is not a key',
  ],
  [
    "an error in a profile",
    { "sdd/stacks/x.yaml": "extends: go\ncheck: []\n" },
    'sdd/stacks/x.yaml: "check" is not a key of a profile',
  ],
])("reports %s and runs nothing", async (_, files, expected) => {
  using repository = temporaryRepository();
  put(repository.path, { ...WEB, ...files });
  const { stacks, problems } = (await stacksAt(repository.path).definitions()) ?? {};
  expect([stacks, problems?.[0]]).toEqual([[], expect.stringContaining(expected)]);
});

test("a package from an archive of the repository is shown, and each of its bytes is trusted", async () => {
  using repository = temporaryRepository();
  const manifest = JSON.parse(packageJson(["react", "vitest"])) as Record<string, object>;
  const readControl = async (): Promise<
    readonly { readonly path: string; readonly part?: string; readonly hash: string }[]
  > => (await stacksAt(repository.path).definitions())?.control ?? [];
  put(repository.path, WEB);
  expect((await readControl()).filter(({ part }) => part?.startsWith("packages"))).toEqual([]);
  const devDependencies = { vitest: "file:tools/vitest.tgz" };
  put(repository.path, { ...WEB, "package.json": JSON.stringify({ ...manifest, devDependencies }) });
  const writeArchive = (last: number): void => {
    fs.mkdirSync(join(repository.path, "tools"), { recursive: true });
    fs.writeFileSync(join(repository.path, "tools/vitest.tgz"), Buffer.from([0x1f, 0x8b, 0xff, last]));
  };
  writeArchive(1);
  const before = await readControl();
  expect(before).toContainEqual(
    expect.objectContaining({ path: "package.json", shown: ["vitest: file:tools/vitest.tgz"] }),
  );
  const base = commit(repository.path);
  writeArchive(2);
  const after = await readControl();
  const pick = (all: typeof before): unknown => all.find(({ path }) => path === "tools/vitest.tgz");
  expect(pick(after)).not.toEqual(pick(before));
  expect(pick((await stacksAt(repository.path).definitions(base))?.control.slice() ?? [])).toEqual(pick(before));
});

test("follows no link, in the working files or in a commit", async () => {
  using repository = temporaryRepository();
  using outside = temporaryFolder();
  put(outside.path, { "rules.js": "export default [];\n", "package.json": packageJson(["react", "jest"]) });
  put(repository.path, { ...WEB, "web/a.ts": "" });
  fs.rmSync(join(repository.path, "eslint.config.js"));
  fs.symlinkSync(join(outside.path, "rules.js"), join(repository.path, "eslint.config.js"));
  fs.symlinkSync(join(outside.path, "package.json"), join(repository.path, "web/package.json"));
  const base = commit(repository.path);
  for (const at of [undefined, base]) {
    const found = await stacksAt(repository.path).definitions(at);
    expect(found?.problems).toEqual([
      "eslint.config.js configures the checks, but it is a link, which Tenon does not follow; make it a file",
      "web/package.json configures the checks, but it is a link, which Tenon does not follow; make it a file",
    ]);
    expect(found?.stacks.flatMap(({ checks }) => checks.map(({ tool }) => tool))).not.toContain("jest");
  }
});

test.each<[string, string, string, boolean]>([
  ["counts a rule set that git ignores, because the tool reads it", "vitest.config.ts", "vitest.config.ts", true],
  ["counts an ignored rule set in a folder", "src/.eslintrc.json", ".eslintrc.json", true],
  ["skips files in an ignored folder", "out/tsconfig.json", "out/", false],
  ["skips temporary files of a bundler", "vite.config.ts.timestamp-1.mjs", "*.timestamp-*", false],
])("%s: %s", async (_, path, ignored, counts) => {
  using repository = temporaryRepository();
  put(repository.path, WEB);
  const base = commit(repository.path);
  put(repository.path, { ".git/info/exclude": `${ignored}\n`, [path]: "{}" });
  const stacks = stacksAt(repository.path);
  const judged = [await stacks.definitions(), await stacks.onWorkingFiles(base)];
  expect(judged.map((each) => each?.control.some((file) => file.path === path))).toEqual([counts, counts]);
  expect(judged[0]?.stacks).toEqual((await stacks.definitions(base))?.stacks);
});

test("includes every file that a tsconfig.json extends", async () => {
  using repository = temporaryRepository();
  put(repository.path, {
    ...WEB,
    "tsconfig.json": '{ "extends": ["./config/strict", "@tsconfig/node24", "../out.json"] }',
    "config/strict.json": '{ "extends": "./base.json", // as others do\n }',
    "config/base.json": '{ "extends": "./strict.json" }',
    "config/other.json": "{}",
  });
  commit(repository.path);
  expect(Object.keys(await hashes(repository.path))).toEqual([
    "eslint.config.js",
    "package.json",
    "tsconfig.json",
    "config/strict.json",
    "config/base.json",
  ]);
});

test.each<[string, Record<string, string>, string[]]>([
  ["a file that a script runs", { lint: "node scripts/lint.js src/a.ts" }, ["scripts/lint.js"]],
  ["a file that a nested script runs", { lint: "npm run l", l: "CI=1 bash ./scripts/lint.sh" }, ["scripts/lint.sh"]],
  ["a file that is itself a program", { lint: "cd . && scripts/lint.sh" }, ["scripts/lint.sh"]],
  ["a file that configures a tool", { lint: "standard --config=scripts/lint.js src" }, ["scripts/lint.js"]],
  ["no file that is only read or built", { lint: "standard src/a.ts", build: "node scripts/lint.js" }, []],
])("includes %s: %j", async (_, scripts, expected) => {
  using repository = temporaryRepository();
  put(repository.path, {
    "package.json": packageJson(["vitest"], scripts),
    "src/a.ts": "",
    "scripts/lint.js": "",
    "scripts/lint.sh": "",
  });
  commit(repository.path);
  expect(Object.keys(await hashes(repository.path)).filter((path) => path !== "package.json")).toEqual(expected);
});

test("trust shows every script completely", async () => {
  using repository = temporaryRepository();
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`s${i}`, "true"]));
  const long = `vite build ${" ".repeat(2_000)}; curl example.org`;
  put(repository.path, { ...WEB, "package.json": packageJson(["vitest"], { ...many, build: long, last: "evil" }) });
  commit(repository.path);
  const found = (await stacksAt(repository.path).definitions())?.control.find(({ path }) => path === "package.json");
  expect(found?.shown).toHaveLength(302);
  expect(found?.shown?.slice(-2)).toEqual([`build: ${long}`, "last: evil"]);
});

test.each<[string, Record<string, string>]>([
  [
    "vitest",
    { "vitest.config.ts": 'export default { test: { setupFiles: ["./test/setup"], globalSetup: "test/all.ts" } };\n' },
  ],
  [
    "jest",
    {
      "jest.config.js":
        "module.exports = { setupFilesAfterEnv: ['<rootDir>/test/setup.ts', 'jest-dom'],\n globalSetup: `./test/all.ts` };\n",
    },
  ],
  [
    "package.json",
    {
      "package.json": JSON.stringify({
        devDependencies: { jest: "1" },
        jest: { setupFiles: ["./test/setup.ts", "./test/all.ts"] },
      }),
    },
  ],
])("includes the files that %s loads before the tests", async (_, files) => {
  using repository = temporaryRepository();
  put(repository.path, { ...WEB, ...files, "test/setup.ts": "", "test/all.ts": "", "test/a.test.ts": "" });
  commit(repository.path);
  expect(Object.keys(await hashes(repository.path)).filter((path) => path.startsWith("test/"))).toEqual([
    "test/setup.ts",
    "test/all.ts",
  ]);
});

test("includes a conftest.py that configures pytest, but not one with fixtures", async () => {
  using repository = temporaryRepository();
  put(repository.path, {
    "pyproject.toml": '[project]\nname = "a"\ndependencies = ["pytest"]\n',
    "app/a.py": "a = 1\n",
    "tests/conftest.py": "def pytest_runtest_makereport(item, call):\n    pass\n",
    "tests/unit/conftest.py": "import pytest_asyncio\n\n@pytest_asyncio.fixture\nasync def a():\n    return 1\n",
    "tests/old/conftest.py": 'collect_ignore_glob = ["*"]\n',
  });
  commit(repository.path);
  expect(Object.keys(await hashes(repository.path)).filter((path) => path.startsWith("tests/"))).toEqual([
    "tests/conftest.py",
    "tests/old/conftest.py",
  ]);
});

test("follows the commands of the project's CI, tox and scripts, and names their source", async () => {
  using repository = temporaryRepository();
  put(repository.path, {
    ".github/workflows/ci.yml":
      "jobs:\n  test:\n    steps:\n      - run: pip install .\n      - run: uv run pytest -q -m 'not slow'\n",
    "pyproject.toml": '[project]\nname = "click"\n',
    "src/click/core.py": "x = 1\n",
  });
  const { definitions, origins } = await stacksAt(repository.path).survey();
  expect(definitions.stacks[0]?.checks.map(({ run }) => run)).toEqual([
    { argv: ["pytest", "-m", "not slow", "-o", "junit_family=xunit1", "--junitxml={report}"] },
  ]);
  expect(origins).toEqual([
    { directory: ".", kind: "test", tool: "pytest", from: ".github/workflows/ci.yml: pytest -q -m not slow" },
  ]);
});
