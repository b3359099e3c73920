import { expect, test } from "vitest";
import { findFilePathProblem, PathSet, normalizePathKey } from "./claimed-path.ts";

test.each([
  "src/login.ts",
  "README.md",
  ".github/workflows/ci.yml",
  "a b/c.ts",
  "app/[id]/page.tsx",
  "sddx/a",
  "a..b/c",
])("accepts %s as a claim", (path) => {
  expect(findFilePathProblem(path)).toBe(undefined);
});

test.each([
  ["/etc/passwd", "is not relative to the repository"],
  ["C:/a", "is not relative to the repository"],
  ["src\\a.ts", "has backslashes: write /"],
  ["../a", "leads out of its folder: name the file itself"],
  ["src/../a", "leads out of its folder: name the file itself"],
  ["src/*.ts", "is a pattern: name each file"],
  ["src/", "is a folder: name each file"],
  ["", "has an empty part: remove it"],
  ["./a", "has an empty part: remove it"],
  ["a//b", "has an empty part: remove it"],
  [" a", "is not a file name"],
  ["a\nb", "is not a file name"],
  ["x".repeat(1_025), "is not a file name"],
  [".git/config", "belongs to git or to Tenon itself"],
  [".GIT/config", "belongs to git or to Tenon itself"],
  ["vendor/.git/config", "belongs to git or to Tenon itself"],
  ["sdd/config.yaml", "belongs to git or to Tenon itself"],
  [".sdd", "belongs to git or to Tenon itself"],
])("rejects %j as a claim", (path, problem) => {
  expect(findFilePathProblem(path)).toBe(problem);
});

test("treats two names as one file if some disk does", () => {
  expect(normalizePathKey("src/E\u0301a.ts")).toBe(normalizePathKey("src/éA.ts"));
  const files = new PathSet(["src/E\u0301a.ts"]).add("src/éA.ts");
  expect([files.size, files.has("SRC/éa.ts"), files.has("src/ea.ts")]).toEqual([1, true, false]);
});
