import { pathToFileURL } from "node:url";
import { isTestPath } from "../scan/test-files.ts";
import { createTreeSitterSyntax } from "../../adapters/syntax/tree-sitter-syntax.ts";
import { expect, test } from "vitest";
import { findKnownPackage } from "./known-packages.ts";
import { citeFileText, rateFindingConfidence, type CodeFinding, type CodeFindingKind } from "./code-finding.ts";
import { classifyFileRole } from "./file-roles.ts";
import { createRepositorySurvey, recognizeFile } from "./repository-survey.ts";
import { findSkipReason } from "./file-selection.ts";

const syntax = createTreeSitterSyntax(pathToFileURL(`${process.cwd()}/dist/grammars/`));

const told = async (path: string, text: string, ...kinds: readonly CodeFindingKind[]): Promise<string[]> =>
  recognizeFile(path, text, await syntax.outline(path, text))
    .findings.filter(({ kind }) => kinds.includes(kind))
    .map(({ kind, of, name, says, line }) =>
      [`${line}`, kind, of, name, says].filter((part) => part !== undefined).join(" "),
    );

const GRADLE =
  "dependencies {\n    implementation(\"org.springframework.boot:spring-boot-starter-web:3.3.0\")\n    implementation 'org.postgresql:postgresql'\n}";
const CSPROJ =
  '<Project>\n<TargetFramework>net8.0</TargetFramework>\n<PackageReference Include="Dapper" Version="2.1" />\n</Project>';

test.each([
  [
    "package.json",
    '{"name":"x","bin":"cli.js","engines":{"node":">=20"},"dependencies":{"koa":"2"}}',
    ["1 project x", "1 runtime Node.js >=20", "1 command x", "1 dependency koa 2"],
  ],
  [
    "composer.json",
    '{\n"name": "a/b",\n"require": {\n"php": "^8.2",\n"laravel/framework": "^11"\n}\n}',
    ["2 project a/b", "4 runtime PHP ^8.2", "5 dependency laravel/framework ^11"],
  ],
  ["deno.json", '{ "name": "@a/b", "tasks": { "dev": "deno run" } }', ["1 project @a/b", "1 script dev deno run"]],
  [
    "requirements.txt",
    "# comment\nDjango==5.0\ncelery[redis]>=5 ; python_version > '3'\n-r other.txt\n",
    ["2 dependency Django ==5.0", "3 dependency celery[redis] >=5"],
  ],
  [
    "setup.cfg",
    "[metadata]\nname = x\n[options]\ninstall_requires =\n    flask>=3\n",
    ["2 project x", "5 dependency flask >=3"],
  ],
  ["Gemfile", 'ruby "3.3.0"\ngem "rails", "~> 7.1"\n', ["1 runtime Ruby 3.3.0", "2 dependency rails ~> 7.1"]],
  [
    "Gemfile",
    'group :test do\n  gem "rspec"\nend\ngem "rack"\n',
    ["2 dependency development rspec", "4 dependency rack"],
  ],
  ["Gemfile", 'gemspec\ngem "rake"\n', ["2 dependency development rake"]],
  [
    "x.gemspec",
    's.name = "x"\ns.required_ruby_version = ">= 3.0"\ns.add_dependency "rack", "~> 3"\ns.add_development_dependency("rspec")\n',
    ["1 project x", "2 runtime Ruby >= 3.0", "3 dependency rack ~> 3", "4 dependency development rspec"],
  ],
  [
    "setup.py",
    'setup(\n  name="x",\n  install_requires=[\n    "click>=8",\n    # a comment\n    "six; python_version < \'3\'",\n  ],\n  extras_require={"test": ["pytest"]},\n  entry_points={"console_scripts": ["x = x.cli:main"]},\n)',
    ["2 project x", "4 dependency click >=8", "6 dependency six", "9 command x x.cli:main"],
  ],
  ["setup.py", 'NEEDS = ["rich"]\nsetup(name="x", install_requires=NEEDS)', ["2 project x", "1 dependency rich"]],
  [
    "setup.cfg",
    "[options]\ninstall_requires =\n    attrs\n[options.extras_require]\ntest =\n    pytest>=7\n[options.entry_points]\nconsole_scripts =\n    x = x:main\n",
    ["3 dependency attrs", "9 command x x:main"],
  ],
  ["requirements-dev.txt", "ruff==0.5\n", ["1 dependency development ruff ==0.5"]],
  [
    "pom.xml",
    "<project><parent><artifactId>up</artifactId></parent><artifactId>x</artifactId>\n<dependencies>\n<dependency><artifactId>gson</artifactId><version>2</version></dependency>\n<dependency><artifactId>junit</artifactId><scope>test</scope></dependency>\n</dependencies>\n<build><plugins><plugin><dependencies><dependency><artifactId>pmd</artifactId></dependency></dependencies></plugin></plugins></build></project>",
    ["1 project x", "3 dependency gson 2", "4 dependency development junit"],
  ],
  [
    "composer.json",
    '{ "require": { "ext-json": "*", "psr/log": "^3" } }',
    ["1 runtime PHP's ext-json *", "1 dependency psr/log ^3"],
  ],
  [
    "package.json",
    '{ "peerDependencies": { "react": "19" }, "optionalDependencies": { "fsevents": "2" } }',
    ["1 dependency fsevents 2, optional", "1 dependency react 19, of the user's project"],
  ],
  ["build.gradle.kts", GRADLE, ["2 dependency spring-boot-starter-web 3.3.0", "3 dependency postgresql"]],
  ["App.csproj", CSPROJ, ["3 dependency Dapper 2.1", "2 runtime .NET net8.0"]],
  [
    "App.csproj",
    '<PackageReference Include="A" PrivateAssets="all" />\n<PackageReference Include="B"><Version>3</Version></PackageReference>',
    ["1 dependency development A", "2 dependency B 3"],
  ],
  ["build.gradle", "dependencies { api libs.guava.core\n testImplementation libs.junit }", ["1 dependency guava-core"]],
  ["mix.exs", 'app: :shop,\n{:phoenix, "~> 1.7"}', ["1 project shop", "2 dependency phoenix ~> 1.7"]],
  [
    "pyproject.toml",
    '[tool.poetry]\nname = "x"\n[tool.poetry.dependencies]\npython = "^3.11"\nflask = "^3"\n[tool.poetry.group.dev.dependencies]\npytest = "*"',
    ["2 project x", "5 dependency flask ^3", "7 dependency development pytest *"],
  ],
  [
    "Cargo.toml",
    '[[bin]]\nname = "tool"\n[dependencies]\nserde.workspace = true\nweb = { package = "http", version = "1", optional = true }\n[dev-dependencies]\nproptest = { version = "1" }',
    ["2 command tool", "4 dependency serde", "5 dependency http 1, optional", "7 dependency development proptest 1"],
  ],
])("reads %s as a manifest", async (path, text, expected) => {
  expect(await told(path, text, "project", "runtime", "command", "script", "dependency")).toEqual(expected);
});

test.each([
  ["Dockerfile", "FROM --platform=linux/amd64 golang:1.22 AS build\nEXPOSE 80", ["1 tool golang:1.22", "2 tool 80"]],
  [
    "compose.yaml",
    "version: '3'\nservices:\n    db:\n        image: \"postgres:16\"\n    web:\n        build: .\nvolumes:\n    data:\n",
    ["3 tool db postgres:16", "5 tool web"],
  ],
  [".gitlab-ci.yml", "test:\n  script:\n    - make test\n", ["1 tool GitLab CI", "3 tool GitLab CI make test"]],
  [
    ".github/workflows/a.yml",
    "jobs:\n  a:\n    steps:\n      - name: T\n        run: npm test\n      - run: |\n          npm ci\n",
    ["1 tool GitHub Actions", "5 tool GitHub Actions npm test"],
  ],
  [".golangci.yml", "\nrun: {}\n", ["2 tool golangci-lint"]],
])("reads %s as part of the stack", async (path, text, expected) => {
  expect(await told(path, text, "tool")).toEqual(expected);
});

test.each([
  [
    "a.test.ts",
    'describe("cart", () => {\n  describe("total", () => {\n    it("adds \\"tax\\"", f);\n  });\n  test.each([1])("of %s", f);\n});\nit("alone", f);',
    ['3 test cart total adds "tax"', "5 test cart of %s", "7 test a alone"],
  ],
  [
    "test_a.py",
    "class TestCart:\n    def test_adds_tax(self): ...\nasync def test_alone(): ...",
    ["2 test cart adds tax", "3 test a alone"],
  ],
  ["a_test.go", "func TestAddsTax(t *testing.T) {}\nfunc helper() {}", ["1 test a adds tax"]],
  [
    "src/a.rs",
    "#[cfg(test)]\nmod tests {\n    #[test]\n    #[should_panic]\n    fn adds_tax() {}\n}",
    ["5 test a adds tax"],
  ],
  ["ATest.kt", "@Test\nfun `adds tax`() {}", ["2 test A adds tax"]],
  ["a_spec.rb", 'describe "cart" do\n  it "adds tax" do\n  end\nend', ["2 test cart adds tax"]],
  ["a.ts", 'it("is no test file", f);', []],
])("finds the test names of %s", async (path, text, expected) => {
  expect(await told(path, text, "test")).toEqual(expected);
});

test.each([
  [
    "a.ts",
    'process.env.A_B; process.env["C"]; process.env.lower; import.meta.env.VITE_X;',
    ["1 variable A_B", "1 variable VITE_X"],
  ],
  ["a.py", 'os.environ.get("AA"); os.getenv("BB")', ["1 variable AA", "1 variable BB"]],
  ["a.rs", 'env::var("AA"); env!("BB")', ["1 variable AA", "1 variable BB"]],
  ["a.rb", 'ENV.fetch("AA"); ENV["BB"]', ["1 variable AA", "1 variable BB"]],
  [".env.example", "AA=secret\n# BB=1\n", ["1 variable AA"]],
  ["a.ts", 'import { program } from "commander";\nprogram.command("send <to>");', ["2 command send"]],
  ["a.go", 'import "github.com/spf13/cobra"\nvar c = &cobra.Command{Use: "send [to]"}', ["2 command send"]],
  ["a.py", 'import argparse\nsub.add_parser("send")', ["2 command send"]],
  ["docs/adr/0001-x.md", "---\nstatus: accepted\n---\n# Use X\n", ["4 decision Use X"]],
  ["docs/decisions/template.md", "# Template\n", []],
  ["AGENTS.md", "\n# Rules\n", ["2 convention AGENTS.md"]],
])("reads %s plainly %#", async (path, text, expected) => {
  expect(await told(path, text, "variable", "command", "decision", "convention")).toEqual(expected);
});

const rest = (basis: CodeFinding["basis"], by = "express"): Pick<CodeFinding, "basis" | "by"> => ({ basis, by });

test.each([
  [rest("declared", "sql"), [], "high"],
  [rest("coded"), ["express"], "high"],
  [rest("coded"), [], "medium"],
  [rest("tested", "vitest"), ["vitest"], "medium"],
  [rest("named", "export"), ["export"], "low"],
])("confidence follows from the evidence: %j among %j is %s", (finding, frameworks, expected) => {
  expect(rateFindingConfidence(finding, new Set(frameworks))).toBe(expected);
});

test.each([
  ["express", "Express"],
  ["@nestjs/core", "NestJS"],
  ["github.com/gin-gonic/gin", "Gin"],
  ["github.com/jackc/pgx/v5", "PostgreSQL"],
  ["gorm.io/gorm", "GORM"],
  ["SQLAlchemy[asyncio]", "SQLAlchemy"],
  ["left-pad", undefined],
  ["example.com/gin", undefined],
])("recognizes %s as %s", (name, label) => {
  expect(findKnownPackage(name)?.label).toBe(label);
});

test.each([
  ["src/a.ts", undefined, false],
  ["src/a.test.ts", undefined, true],
  ["tests/a.py", undefined, true],
  ["src/contest/a.ts", undefined, false],
  ["vendor/a.go", "vendored or built", false],
  ["api/a.pb.go", "generated", false],
  ["yarn.lock", "lock file", false],
  ["pkg/testdata/a.go", "test data", false],
  ["test/fixtures/a.ts", "test data", false],
  ["logo.svg", "not source", false],
  [".prettierrc", undefined, false],
])("skips %s because it is %s; whether it tests: %s", (path, why, tests) => {
  expect([findSkipReason(path), isTestPath(path)]).toEqual([why, tests]);
});

test.each([
  ["a\nb\tc", "a b c"],
  ["`x` <!-- y", "'x' <!- y"],
  ["FR-001 and ADR-0002", "FR 001 and ADR 0002"],
  ["\u001b[2J\u202e", "\\u001b[2J\\u202e"],
  ["x".repeat(200), `${"x".repeat(160)}…`],
])("cites %j as %j", (text, expected) => {
  expect(citeFileText(text)).toBe(expected);
});

test.each([
  ["picocli-examples/src/main/java/Main.java", "example"],
  ["src/main/java/com/example/demo/Shop.java", "product"],
  ["src/main/java/org/x/samples/clinic/Pet.java", "product"],
  ["src/main/java/org/x/examples/Links.java", "example"],
  ["_examples/rest/main.go", "example"],
  ["docs/conf.py", "docs"],
])("takes %s for a file of kind %s", (path, role) => {
  expect(classifyFileRole(path)).toBe(role);
});

test("counts as dependencies what the product needs and other repositories provide", () => {
  const files = {
    "package.json": '{ "name": "root", "workspaces": ["a", "b"] }',
    "a/package.json": '{ "name": "@x/a", "dependencies": { "@x/b": "workspace:*", "zod": "4" } }',
    "b/package.json": '{ "name": "@x/b" }',
    "Cargo.toml": '[workspace.dependencies]\nserde = "1"\nlog = "0.4"',
    "c/Cargo.toml": '[package]\nname = "c"\n[dependencies]\nserde.workspace = true',
    "pyproject.toml": '[project]\nname = "y"\ndependencies = ["rich"]',
    "requirements.txt": "mypy==1\n",
    "go.mod": "module z\n\nrequire github.com/stretchr/testify v1.9.0\n",
  };
  const readings = Object.entries(files).map(([path, text]) => recognizeFile(path, text));
  const { findings } = createRepositorySurvey(Object.keys(files), readings, []);
  const needed = findings.filter(({ kind, of }) => kind === "dependency" && of === undefined);
  expect(needed.map(({ name, says }) => `${name} ${says}`)).toEqual(["zod 4", "serde 1", "rich undefined"]);
});
