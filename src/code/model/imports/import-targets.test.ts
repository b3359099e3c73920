import { expect, test } from "vitest";
import { collectAffectedWords, listImportWords } from "./import-targets.ts";
import { parseImportAliases, isAliasManifest, indexWorkspacePaths } from "./import-context.ts";

const aliases = parseImportAliases(
  new Map([
    ["packages/core/package.json", '{"name": "@web/core"}'],
    ["crates/my-core/Cargo.toml", '[package]\nname = "my-core"\n'],
    ["go.mod", "module example.com/acme\n"],
  ]),
);

test.each([
  ["src/auth/session.ts", ["session"]],
  ["src/auth/session.test.ts", ["session"]],
  ["src/auth/index.ts", ["index", "auth", "."]],
  ["packages/core/src/index.ts", ["index", "src", ".", "core"]],
  ["auth/token.go", ["token", "auth", "."]],
  ["main.go", ["main", ".", "acme"]],
  ["app/__init__.py", ["__init__", "views", "models", "app", "."]],
  ["src/auth.rs", ["auth", "super"]],
  ["crates/my-core/src/lib.rs", ["lib", "src", ".", "super", "crate", "my_core"]],
])("finds %s as a candidate for %j", (path, expected) => {
  const known = { paths: indexWorkspacePaths(["app/views.py", "app/models/old/user.py"]), aliases };
  expect([...collectAffectedWords([path], known)].toSorted()).toEqual(expected.toSorted());
});

test.each([
  ["./auth/session.ts", [], ["auth", "session", "ts"]],
  ["..", [], ["."]],
  ["./", [], ["."]],
  [".", ["models"], [".", "models"]],
  ["@web/core", [], ["web", "core"]],
  ["crate::auth::Session", [], ["crate", "auth", "Session"]],
  ["Acme\\Models\\User", [], ["Acme", "Models", "User"]],
  ["<acme/api-v2.h>", [], ["acme", "api-v2", "h"]],
])("%s %j has the words %j", (specifier, names, expected) => {
  expect(listImportWords({ specifier, names })).toEqual(expected);
});

test.each([
  ["package.json", true],
  ["packages/a/tsconfig.build.json", true],
  ["jsconfig.json", true],
  ["src/Web/Web.csproj", true],
  ["node_modules/a/package.json", false],
  ["my-package.json", false],
  ["src/a.ts", false],
])("%s can contain aliases: %s", (path, expected) => {
  expect(isAliasManifest(path)).toBe(expected);
});

test.each([
  "{",
  "[]",
  "null",
  '{"imports": 3, "exports": [1], "name": {}}',
  '{"compilerOptions": {"paths": {"a": 1}}}',
])("ignores a manifest that contains %s", (text) => {
  const names = ["package.json", "tsconfig.json", "composer.json", "go.mod", "Cargo.toml"];
  const { key } = parseImportAliases(new Map(names.map((name) => [name, text])));
  expect(key).toBe("[[],[],[],[],[]]");
});

test("changes the key when imports must be resolved again, in any order of the manifests", () => {
  const [one, other] = [
    ["a/go.mod", "module a.dev/a\n"],
    ["b/go.mod", "module b.dev/b\n"],
  ] as const;
  expect(parseImportAliases(new Map([one, other])).key).toBe(parseImportAliases(new Map([other, one])).key);
  expect(parseImportAliases(new Map([one])).key).not.toBe(parseImportAliases(new Map([other])).key);
});
