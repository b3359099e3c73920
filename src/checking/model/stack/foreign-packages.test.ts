import { expect, test } from "vitest";
import { listForeignPackages, listPackageArchives } from "./foreign-packages.ts";

const manifest = (source: string): string => JSON.stringify({ devDependencies: { vitest: source } });

test.each([
  "file:tools/vitest.tgz",
  "file:../vitest",
  "link:./vitest",
  "portal:./vitest",
  "./tools/vitest",
  "npm:fake-vitest@3.0.0",
  "https://example.org/vitest.tgz",
  "git+https://example.org/vitest.git",
  "github:somebody/vitest",
  "somebody/vitest",
])("lists a package from %s", (source) => {
  expect(listForeignPackages("package.json", manifest(source))).toEqual([`vitest: ${source}`]);
});

test.each(["^3.0.0", "3", "latest", "*", ">=1 <2 || 3.x", "workspace:*", "catalog:"])(
  "does not list a version: %s",
  (source) => {
    expect(listForeignPackages("package.json", manifest(source))).toEqual([]);
  },
);

test("lists requirements that are paths, archives or repositories, and no versions", () => {
  const text = [
    "# pytest @ file:///x",
    "pytest==9.2",
    "requests[socks]>=2,<3; python_version > '3.8'",
    "./tools/pytest-9.whl",
    "pytest @ file:tools/pytest.tar.gz",
    "-e ./tools/pytest",
    "git+https://example.org/pytest.git",
    "--extra-index-url https://example.org/simple",
  ].join("\n");
  expect(listForeignPackages("requirements.txt", text)).toEqual(text.split("\n").slice(3));
  expect(listForeignPackages("pyproject.toml", 'dependencies = ["pytest @ file:///x/pytest.whl", "flask>=3"]')).toEqual(
    ["pytest @ file:///x/pytest.whl"],
  );
});

test("lists crates from repositories, from other registries and under other names", () => {
  const lines = [
    'proptest = { git = "https://example.org/proptest" }',
    'rand = { version = "1", registry = "ours" }',
    'criterion = { package = "fake-criterion", version = "1" }',
  ];
  const text = ["[dev-dependencies]", ...lines, 'core = { path = "../core" }', 'serde = "1"', '# a = { git = "x" }'];
  expect(listForeignPackages("Cargo.toml", text.join("\n"))).toEqual(lines);
});

test("finds the archives beside the manifest", () => {
  const lines = ["vitest: file:tools/vitest.tgz", "pytest @ file:../pytest.whl", "./a.whl", "x: https://e.org/x"];
  expect(listPackageArchives("web/package.json", lines)).toEqual(["web/tools/vitest.tgz", "pytest.whl", "web/a.whl"]);
});
