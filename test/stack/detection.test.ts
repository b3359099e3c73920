import { expect, test } from "vitest";
import { detectWorkspaceStacks } from "#checking/model/stack/stack-detection.ts";
import { findNamedProfile } from "#checking/model/stack/stack-profile.ts";
import { DEFAULT_CONFIG } from "#kernel/model/workspace-config.ts";
import { packageJson, shipped, siteOf } from "./stand.ts";

const { stack: USUAL } = DEFAULT_CONFIG;

/** `folder profile confidence`, with a star for the primary one. */
function found(files: Readonly<Record<string, string>>, stack = USUAL): string[] {
  return detectWorkspaceStacks(siteOf(files), shipped, stack).detections.map(
    ({ directory, profile, confidence, isPrimary }) => `${directory} ${profile} ${confidence}${isPrimary ? " *" : ""}`,
  );
}

const REACT = packageJson(["react", "typescript", "vitest"]);
const FASTAPI = "fastapi==0.110 # the framework\nuvicorn[standard]\n";
const CARGO = '[package]\nname = "a"\n';

test.each<[string, Record<string, string>, string[]]>([
  [
    "TC-010: React, a tsconfig and tsx",
    { "package.json": packageJson(["react"]), "tsconfig.json": "{}", "src/App.tsx": "" },
    [". typescript-react 100 *"],
  ],
  [
    "TC-011: FastAPI among the requirements, and main.py",
    { "requirements.txt": FASTAPI, "main.py": "from fastapi import FastAPI\napp = FastAPI(title='x')\n" },
    [". python-fastapi 100 *"],
  ],
  ["TC-060: nothing at all", {}, [". generic 0 *"]],
  [
    "TC-061: TypeScript and Python",
    {
      "web/package.json": REACT,
      "web/src/App.tsx": "",
      "api/requirements.txt": FASTAPI,
      "api/main.py": "",
      "api/b.py": "",
    },
    ["api python-fastapi 100 *", "web typescript-react 100"],
  ],
  ["Go", { "go.mod": "module a\n", "main.go": "" }, [". go 100 *"]],
  ["Go of a version that is not known yet", { "go.mod": "module a\n\ngo 9.9\n" }, [". go 70 *"]],
  ["Rust", { "Cargo.toml": CARGO, "src/main.rs": "" }, [". rust 100 *"]],
  ["Cargo.toml that says nothing", { "Cargo.toml": "", "src/main.rs": "" }, [". generic 0 *"]],
  ["plain JavaScript", { "package.json": "{}", "index.js": "" }, [". typescript-node 60 *"]],
  [
    "JavaScript with tests by Node itself",
    { "package.json": packageJson([], { test: " node  --test " }), "index.js": "" },
    [". typescript-node 80 *"],
  ],
  [
    "TypeScript for Node, with Vitest",
    { "package.json": packageJson(["typescript", "vitest"]), "a.ts": "" },
    [". typescript-node 80 *"],
  ],
  ["a server", { "package.json": packageJson(["express", "typescript"]), "a.ts": "" }, [". typescript-node 100 *"]],
  [
    "a server that has pages too",
    { "package.json": packageJson(["express", "react"], { test: "node --test" }), "a.jsx": "" },
    [". typescript-react 95 *"],
  ],
  ["Vue", { "package.json": packageJson(["vue"]), "a.ts": "" }, [". typescript-react 65 *"]],
  [
    "Django by Poetry",
    { "pyproject.toml": '[tool.poetry.dependencies]\nDjango = "*"\n', "m.py": "" },
    [". python-fastapi 75 *"],
  ],
  [
    "FastAPI in a group of uv",
    { "pyproject.toml": '[dependency-groups]\nweb = ["FastAPI[standard] >= 0.100"]\n', "m.py": "" },
    [". python-fastapi 100 *"],
  ],
  [
    "a package.json for tools alone, in Go",
    { "go.mod": "", "a.go": "", "package.json": packageJson(["prettier"]) },
    [". go 100 *"],
  ],
  [
    "one folder of two stacks",
    { "go.mod": "", "a.go": "", "package.json": REACT, "ui/a.tsx": "" },
    [". go 100", ". typescript-react 100"].map((line, i) => (i === 0 ? `${line} *` : line)),
  ],
  ["a manifest that is not JSON", { "package.json": "{", "a.ts": "" }, [". typescript-node 60 *"]],
  [
    "examples, fixtures and others' code",
    {
      "go.mod": "",
      "a.go": "",
      "examples/web/package.json": REACT,
      "test/fixtures/x/Cargo.toml": CARGO,
      "vendor/y/go.mod": "",
    },
    [". go 100 *"],
  ],
])("detects %s", (_, files, expected) => {
  expect(found(files)).toEqual(expected);
});

test.each<[string, Record<string, string>, string[]]>([
  [
    "counts packages without their own tests as parts of the workspace",
    {
      "package.json": packageJson(["vitest", "typescript"]),
      "packages/ui/package.json": packageJson(["react"]),
      "packages/ui/a.tsx": "",
    },
    [". typescript-react 100 *"],
  ],
  [
    "counts packages with their own tests as stacks, without their container",
    {
      "package.json": packageJson(["typescript"]),
      "tsconfig.json": "{}",
      "packages/a/package.json": REACT,
      "packages/a/a.tsx": "",
      "packages/b/package.json": REACT,
      "packages/b/b.tsx": "",
      "packages/b/c.tsx": "",
    },
    ["packages/a typescript-react 100", "packages/b typescript-react 100 *"],
  ],
  [
    "counts crates as parts of their workspace",
    { "Cargo.toml": '[workspace]\nmembers = ["a"]\n', "a/Cargo.toml": CARGO, "a/src/lib.rs": "" },
    [". rust 100 *"],
  ],
  [
    "counts a crate below a plain one as a stack",
    { "Cargo.toml": CARGO, "src/lib.rs": "", "tools/x/Cargo.toml": CARGO, "tools/x/src/main.rs": "" },
    [". rust 100 *", "tools/x rust 100"],
  ],
  [
    "counts a module below another one as a stack",
    { "go.mod": "", "a.go": "", "tools/go.mod": "", "tools/b.go": "" },
    [". go 100 *", "tools go 100"],
  ],
])("in a monorepo, %s", (_, files, expected) => {
  expect(found(files)).toEqual(expected);
});

const BOTH = {
  "web/package.json": REACT,
  "web/a.tsx": "",
  "api/requirements.txt": FASTAPI,
  "api/main.py": "",
  "api/b.py": "",
};

test.each<[string, Partial<typeof USUAL>, string[]]>([
  [
    "the primary one by its profile",
    { primary: "typescript-react" },
    ["api python-fastapi 100", "web typescript-react 100 *"],
  ],
  ["the primary one by an alias", { primary: "react" }, ["api python-fastapi 100", "web typescript-react 100 *"]],
  ["the primary one by its folder", { primary: "web" }, ["api python-fastapi 100", "web typescript-react 100 *"]],
  ["folders, and thus no others", { directories: { api: "python-django" } }, ["api python-fastapi 100 *"]],
  ["a stack that detection cannot find", { directories: { web: "generic" } }, ["web generic 100 *"]],
])("follows settings that name %s", (_, stack, expected) => {
  expect(found(BOTH, { ...USUAL, ...stack })).toEqual(expected);
});

test.each<[string, Partial<typeof USUAL>, string]>([
  ["an unknown profile", { directories: { api: "cobol" } }, 'unknown profile "cobol"; choose one of typescript-react'],
  ["an unknown folder", { directories: { ui: "go" } }, 'stack.directories: no files in "ui"'],
  ["an unknown primary stack", { primary: "rust" }, '"rust" is neither a profile nor a folder here'],
])("reports settings that name %s", (_, stack, expected) => {
  const [problem] = detectWorkspaceStacks(siteOf(BOTH), shipped, { ...USUAL, ...stack }).problems;
  expect(problem).toContain(expected);
});

test("lists the reasons", () => {
  const [detection] = detectWorkspaceStacks(siteOf(BOTH), shipped, USUAL).detections;
  expect(detection?.because).toEqual([
    "a manifest of Python (+30)",
    "files of Python (+30)",
    "FastAPI among the dependencies (+40)",
  ]);
});

test("ignores the order of files", () => {
  const entries = Object.entries(BOTH);
  expect(found(Object.fromEntries(entries.toReversed()))).toEqual(found(BOTH));
});

test.each([
  ["go-gin", "go"],
  ["go-standard", "go"],
  ["rust-actix", "rust"],
  ["rust-cargo", "rust"],
  ["javascript-react", "typescript-react"],
  ["typescript-nextjs", "typescript-react"],
  ["python-django", "python-fastapi"],
  ["python-flask", "python-fastapi"],
  ["node", "typescript-node"],
  ["rust", "rust"],
  ["cobol", undefined],
  ["__proto__", undefined],
])("resolves %s to %s", (name, id) => {
  expect(findNamedProfile(name, shipped)?.id).toBe(id);
});
