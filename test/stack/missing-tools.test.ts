import { expect, test } from "vitest";
import { git, temporaryRepository } from "../kit/folder.ts";
import { connect } from "../kit/client.ts";
import { testHouse } from "../kit/house.ts";
import { packageJson, put } from "./stand.ts";

const NOT_INSTALLED = "Gates cannot run test, coverage, lint: jest, eslint are not installed. Install them: npm ci";

test("status, doctor and the start of work name missing tools, in both doors", async () => {
  using repository = temporaryRepository();
  put(repository.path, {
    "package.json": packageJson(["jest", "eslint"]),
    "package-lock.json": "{}",
    "a.js": "",
  });
  git(repository.path, "add", "--all");
  git(repository.path, "commit", "--quiet", "--message", "Begin");
  using tenon = testHouse(repository.path, { environment: { PATH: process.env["PATH"] } });
  await tenon.run("init");
  expect((await tenon.run("status")).out).toContain(NOT_INSTALLED);
  const doctor = (await tenon.run("doctor")).out;
  expect(doctor).toContain("jest is not installed, so gates cannot run test, coverage");
  expect(doctor).toContain("npm ci");
  expect((await tenon.run("bugfix", "Totals are wrong")).out).toContain(NOT_INSTALLED);
  await using client = await connect("2025-11-25", { cwd: repository.path, words: ["--toolsets", "all"] });
  const answer = await client.call("sdd_feature", { description: "A second total" });
  expect(JSON.stringify(answer)).toContain(NOT_INSTALLED);
  // Installed tools are not mentioned.
  put(repository.path, { "node_modules/.bin/jest": "#!/bin/sh\n", "node_modules/.bin/eslint": "#!/bin/sh\n" });
  const { chmodSync } = await import("node:fs");
  for (const name of ["jest", "eslint"]) chmodSync(`${repository.path}/node_modules/.bin/${name}`, 0o755);
  expect((await tenon.run("status")).out).not.toContain("not installed");
});

test("doctor installs a tool of Python by its name where the project only configures it", async () => {
  using repository = temporaryRepository();
  const setup =
    "[options]\ninstall_requires =\n    rich>=13\n\n[options.extras_require]\ntests =\n    pytest\n    pytest-cov\n";
  put(repository.path, { "pyproject.toml": "[tool.black]\n", "setup.cfg": setup, "a.py": "", "test_a.py": "" });
  using tenon = testHouse(repository.path, { environment: { PATH: "" } });
  await tenon.run("init");
  const doctor = (await tenon.run("doctor")).out;
  expect(doctor).toMatch(/^next: pip install black$/m);
  // Its extras name the tools of its tests.
  expect(doctor).toMatch(/pytest is not installed, so gates cannot run test, coverage/);
});

test("the start of work names a check that its gates need and no tool covers", async () => {
  using repository = temporaryRepository();
  put(repository.path, {
    "package.json": JSON.stringify({ type: "module", scripts: { test: "node --test" } }),
    "a.js": "",
    "a.test.js": "",
  });
  git(repository.path, "add", "--all");
  git(repository.path, "commit", "--quiet", "--message", "Begin");
  using tenon = testHouse(repository.path, { environment: { PATH: process.env["PATH"] } });
  await tenon.run("init");
  const lint =
    "Gates need lint, which is not configured. Tenon looked for eslint, oxlint, @biomejs/biome, xo or standard among the dependencies, or a script lint in package.json. Or the user waives it: gates.waived.lint in sdd/config.yaml.";
  const { out } = await tenon.run("bugfix", "Totals are wrong");
  expect(out).toContain(lint);
  // JavaScript owes no types, and no gate insists on a formatter or a build.
  expect(out).not.toMatch(/Gates need (?:types|format|build|coverage)/);
  expect((await tenon.run("doctor")).out).toMatch(/^gates\s+warning\s+no tool for lint$/m);
  put(repository.path, { "sdd/config.yaml": "gates:\n  waived:\n    lint: This library has no linter\n" });
  expect((await tenon.run("feature", "A second total")).out).not.toContain("Gates need lint");
  expect((await tenon.run("change", "start", "More", "--type", "fix", "--size", "small")).out).not.toContain(
    "Gates need",
  );
});

test("doctor and the start of work name checks that fail for Tenon's own files, and ignored folders", async () => {
  using repository = temporaryRepository();
  const pom = "<project><build><plugin><artifactId>apache-rat-plugin</artifactId></plugin></build></project>";
  put(repository.path, { "pom.xml": pom, "src/main/java/A.java": "", ".gitignore": "/*\n!/src/\n!/pom.xml\n" });
  git(repository.path, "add", "--all");
  git(repository.path, "commit", "--quiet", "--message", "Begin");
  using tenon = testHouse(repository.path, { environment: { PATH: process.env["PATH"] } });
  await tenon.run("init");
  // Git ignores .sdd/ already, and some projects check that nobody edits this file.
  expect(git(repository.path, "status", "--porcelain")).toBe("");
  const license =
    "apache-rat-plugin in pom.xml wants a license header in every file, and Tenon's files in sdd/ have none";
  const doctor = (await tenon.run("doctor")).out;
  expect(doctor).toContain(license);
  expect(doctor).toContain("Exclude them in pom.xml: <exclude>sdd/**</exclude>");
  expect(doctor).toMatch(/^gitignore\s+warning\s+git ignores sdd\/, so nobody else gets the specs$/m);
  expect((await tenon.run("bugfix", "Totals are wrong")).out).toContain(license);
  put(repository.path, { "pom.xml": pom.replace("</plugin>", "<exclude>sdd/**</exclude>$&") });
  put(repository.path, { ".gitignore": "/*\n!/src/\n!/pom.xml\n!/sdd/\n" });
  const after = (await tenon.run("doctor")).out;
  expect(after).not.toContain("license header");
  expect(after).toMatch(/^gitignore\s+ok/m);
});
