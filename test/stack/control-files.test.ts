import { expect, test } from "vitest";
import { planWorkspaceStacks } from "#checking/model/stack/stack-plan.ts";
import { DEFAULT_CONFIG } from "#kernel/model/workspace-config.ts";
import { shipped, siteOf } from "./stand.ts";

const ENTRIES = shipped.flatMap(({ id, control }) => control.map(({ file }) => [id, file] as const));

/** A path that the pattern means: below another folder if it may be there. */
const createExample = (pattern: string): string => pattern.replace("**/", "tests/inner/").replaceAll("*", "x");

test.each(ENTRIES)("%s: a change of %s requires trust again", (id, pattern) => {
  const path = createExample(pattern);
  const stack = { ...DEFAULT_CONFIG.stack, directories: { ".": id } };
  const { control } = planWorkspaceStacks(siteOf({ [path]: "" }), shipped, stack);
  expect(control.map((each) => each.path)).toContain(path);
});

/** What each tool documents that it reads, and an agent could use to leave tests or rules out. */
test.each([
  ["python-fastapi", "pytest.toml"],
  ["python-fastapi", "tests/.pytest.toml"],
  ["python-fastapi", "tests/pytest.ini"],
  ["python-fastapi", "cart/pyproject.toml"],
  ["python-fastapi", "cart/ruff.toml"],
  ["python-fastapi", ".coveragerc.toml"],
  ["python-fastapi", "sitecustomize.py"],
  ["typescript-react", ".c8rc.json"],
  ["typescript-react", ".nycrc"],
  ["typescript-react", "jsconfig.json"],
  ["typescript-react", "node.config.json"],
  ["typescript-react", ".pnpmfile.cjs"],
  ["typescript-react", ".npmrc"],
  ["typescript-react", "packages/cart/vitest.config.ts"],
  ["ruby", ".rspec-local"],
  ["rust", ".config/nextest.toml"],
  ["go", "go.env"],
  ["go", "staticcheck.conf"],
  ["go", "vendor/modules.txt"],
  ["python-fastapi", "noxfile.py"],
  ["python-fastapi", "tox.toml"],
  ["python-fastapi", "Pipfile"],
  ["typescript-node", ".yarnrc"],
  ["typescript-node", ".pnp.cjs"],
  ["typescript-node", ".yarn/releases/yarn-4.9.0.cjs"],
  ["typescript-node", "jest.preset.js"],
  ["typescript-node", "nyc.config.js"],
  ["typescript-node", "spec/support/jasmine.json"],
  ["rust", ".config/insta.yaml"],
  ["rust", ".tarpaulin.toml"],
  ["java-maven", "src/test/resources/META-INF/services/org.junit.platform.launcher.TestExecutionListener"],
  ["java-maven", "src/test/resources/testng.xml"],
  ["java-gradle", "gradle/verification-metadata.xml"],
  ["java-gradle", "lib/lombok.config"],
  ["ruby", "rakelib/test.rake"],
  ["ruby", "gems.rb"],
  ["ruby", ".rubocop"],
  ["php", "psalm-baseline.xml"],
  ["php", "infection.json5"],
  ["php", "php.ini"],
  ["csharp", "src/Cart/.globalconfig"],
  ["csharp", "Directory.Build.rsp"],
  ["csharp", "tests/xunit.runner.json"],
  ["csharp", "rules/strict.ruleset"],
  ["csharp", "Shop.slnx"],
])("%s: %s is a control file", (id, path) => {
  const stack = { ...DEFAULT_CONFIG.stack, directories: { ".": id } };
  const { control } = planWorkspaceStacks(siteOf({ [path]: "" }), shipped, stack);
  expect(control.map((each) => each.path)).toContain(path);
});
