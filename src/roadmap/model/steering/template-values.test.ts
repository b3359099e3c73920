import { expect, test } from "vitest";
import type { StackCheck } from "#checking/model/stack/stack-check.ts";
import {
  type SteeringStack,
  createProductValues,
  createStructureValues,
  suggestClientPermissions,
  createTechValues,
} from "./template-values.ts";

const check = (
  kind: StackCheck["kind"],
  tool: string,
  argv: readonly string[],
  more: Partial<StackCheck> = {},
): StackCheck => ({
  kind,
  tool,
  run: { argv },
  expect: "exit-zero",
  timeout_s: 60,
  silence_s: 60,
  ...more,
});
const report = { format: "vitest-json", from: "file" } as const;

const WEB: SteeringStack = {
  directory: "web",
  profile: {
    id: "typescript-react",
    title: "TypeScript and React",
    description: "Programs for browsers.",
    test_framework: "Vitest",
    patterns: { hook: "src/hooks/**/*.ts" },
    conventions: ["Hooks begin with use."],
    enforcement: ["No any."],
  },
  checks: [
    check("test", "vitest", ["vitest", "run", "--reporter=json", "--outputFile={report}"], { report }),
    check("lint", "npm", ["npm", "run", "lint"]),
    check("types", "tsc", ["tsc", "--noEmit"]),
    check("coverage", "vitest", ["vitest", "run", "--coverage.enabled"]),
  ],
};
const API: SteeringStack = {
  directory: ".",
  profile: {
    ...WEB.profile,
    id: "go",
    title: "Go",
    description: "Programs in Go.",
    patterns: {},
    enforcement: ["No any."],
  },
  checks: [
    check("test", "go", ["go", "test", "-json", "./..."], { report }),
    { ...check("build", "make", []), run: { shell: "make\nall" } },
  ],
};

test("derives the technology from the checks that run", () => {
  expect(createTechValues([WEB, API])).toEqual({
    technologies: "- TypeScript and React in web: Programs for browsers.\n- Go: Programs in Go.",
    no_technologies: false,
    types: "- `tsc --noEmit` passes in web.",
    no_types: false,
    quality: "- No any.\n- `npm run lint` passes in web.",
    no_quality: false,
    testing: "- Tests in web: Vitest.\n- Tests: Vitest.\n- `vitest run` passes in web.\n- `go test ./...` passes.",
    no_testing: false,
    tools: "- vitest\n- npm\n- tsc\n- go\n- make",
    no_tools: false,
    commands:
      "# Build\nmake\\u000aall\n# Test in web\nvitest run\n# Test\ngo test ./...\n# Lint in web\nnpm run lint\n# Types in web\ntsc --noEmit",
    no_commands: false,
  });
});

test("names the test arguments of node and permits only these", () => {
  const argv = ["node", "--test", "--test-reporter=junit", "--test-reporter-destination={report}"];
  const plainNode = [{ ...API, checks: [check("test", "node", argv, { report })] }];
  expect([createTechValues(plainNode)["commands"], suggestClientPermissions(plainNode)]).toEqual([
    "# Test\nnode --test",
    ["Bash(node --test:*)"],
  ]);
});

test("derives the structure from the profiles", () => {
  expect(createStructureValues([WEB, API])).toEqual({
    patterns: "- hook: `web/src/hooks/**/*.ts`",
    no_patterns: false,
    conventions: "- Hooks begin with use.",
    no_conventions: false,
  });
});

test("leaves every section open without a profile", () => {
  const absent = (values: object): unknown[] =>
    Object.entries(values)
      .filter(([name]) => name.startsWith("no_"))
      .map(([, is]) => is);
  expect([createTechValues([]), createStructureValues([]), createProductValues({})].flatMap(absent)).toEqual(
    Array(14).fill(true),
  );
});

test("suggests permissions for programs and subcommands, and for no shell line", () => {
  expect(suggestClientPermissions([WEB, API])).toEqual([
    "Bash(go test:*)",
    "Bash(npm run lint:*)",
    "Bash(tsc:*)",
    "Bash(vitest run:*)",
  ]);
});
