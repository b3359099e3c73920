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
])("%s: %s is a control file", (id, path) => {
  const stack = { ...DEFAULT_CONFIG.stack, directories: { ".": id } };
  const { control } = planWorkspaceStacks(siteOf({ [path]: "" }), shipped, stack);
  expect(control.map((each) => each.path)).toContain(path);
});
