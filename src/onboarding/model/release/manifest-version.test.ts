import { expect, test } from "vitest";
import { readManifestVersion, setCargoLockVersion, setManifestVersion } from "./manifest-version.ts";

const LOCK = `{
  "name": "shop",
  "version": "0.1.0",
  "lockfileVersion": 3,
  "packages": {
    "": {
      "name": "shop",
      "version": "0.1.0",
      "dependencies": { "money": "^0.1.0" }
    },
    "node_modules/money": { "version": "0.1.0" }
  }
}
`;

test.each([
  ["package.json", '{\n  "name": "shop",\n  "version": "0.1.0",\n  "dependencies": { "version": "0.1.0" }\n}\n', 1],
  ["package-lock.json", LOCK, 2],
  ["composer.json", '{ "name": "a/b", "version": "0.1.0" }', 1],
  ["pyproject.toml", '[build-system]\nversion = "9"\n\n[project] # own\nname = "shop"\nversion = "0.1.0"\n', 1],
  ["pyproject.toml", '[tool.poetry]\nname = "shop"\nversion = "0.1.0"\n\n[tool.x]\nversion = "1"\n', 1],
  ["Cargo.toml", '[package]\nname = "shop"\nversion = "0.1.0"\n\n[dependencies.serde]\nversion = "1"\n', 1],
  ["gradle.properties", "org.gradle.daemon=true\nversion=0.1.0\n", 1],
])("the version of %s is read and set, and nothing else changes", (name, text, times) => {
  expect(readManifestVersion(name, text)).toBe("0.1.0");
  const changed = setManifestVersion(name, text, "0.2.0");
  expect(changed.split("0.2.0")).toHaveLength(times + 1);
  expect(setManifestVersion(name, changed, "0.1.0")).toBe(text);
});

test.each([
  ["package.json", '{ "name": "shop", "private": true }'],
  ["package.json", '{ "name": "shop", "engines": { "version": "1.0.0" } }'],
  ["package.json", "not JSON"],
  ["pyproject.toml", '[project]\nname = "shop"\ndynamic = ["version"]\n\n[tool.x]\nversion = "1"\n'],
  ["Cargo.toml", '[package]\nname = "shop"\nversion.workspace = true\n\n[dependencies.serde]\nversion = "1"\n'],
])("%s without a version of its own stays as it is", (name, text) => {
  expect(readManifestVersion(name, text)).toBeUndefined();
  expect(setManifestVersion(name, text, "0.2.0")).toBe(text);
});

test("a lock file of Cargo gets the version of the package, and not of a dependency with its name", () => {
  const manifest = '[package]\nname = "shop"\nversion = "0.1.0"\n';
  const own = '[[package]]\nname = "shop"\nversion = "0.1.0"\ndependencies = []\n';
  const foreign = '[[package]]\nname = "shop"\nversion = "0.0.9"\nsource = "registry"\n\n';
  expect(setCargoLockVersion(manifest, `${foreign}${own}`, "0.2.0")).toBe(`${foreign}${own.replace("0.1.0", "0.2.0")}`);
  expect(setCargoLockVersion(manifest, foreign, "0.2.0")).toBeUndefined();
});
