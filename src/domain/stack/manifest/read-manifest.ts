import { goModule } from "./go-module.ts";
import { parseJsonc } from "./jsonc.ts";
import { makefile } from "./makefile.ts";
import { at, keysOf, type Manifest, NO_MANIFEST, section, textsOf } from "./manifest.ts";

export type ReadToml = (text: string) => unknown;

const NAMES =
  /^(?:package\.json|tsconfig\.json|pyproject\.toml|Cargo\.toml|rust-toolchain\.toml|Pipfile|go\.mod|[Mm]akefile|GNUmakefile|requirements[\w.-]*\.(?:txt|in)|setup\.cfg|tox\.ini|setup\.py)$/;

export const isManifest = (name: string): boolean => NAMES.test(name);

/** An unreadable manifest counts as an empty one. */
export function readManifest(name: string, text: string, readToml: ReadToml): Manifest {
  if (name === "package.json") return packageJson(parseJson(text));
  if (name === "tsconfig.json") return { ...NO_MANIFEST, tree: parseJsonc(text) };
  if (name === "pyproject.toml") return pyproject(readToml(text));
  if (name === "Cargo.toml") return cargo(readToml(text));
  if (name === "Pipfile") return pipfile(readToml(text));
  if (name.endsWith(".toml")) return { ...NO_MANIFEST, tree: readToml(text) };
  if (name === "go.mod") return goModule(text);
  if (/makefile$/i.test(name)) return { ...NO_MANIFEST, targets: makefile(text) };
  if (name.startsWith("requirements")) return { ...NO_MANIFEST, dependencies: requirements(text) };
  if (/\.(?:cfg|ini)$/.test(name)) return { ...NO_MANIFEST, tree: iniSections(text) };
  return NO_MANIFEST;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return undefined;
  }
}

/** The test script that `npm init` writes. */
const PLACEHOLDER = /no test specified/;

function packageJson(tree: unknown): Manifest {
  const groups = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];
  const scripts = keysOf(section(tree, "scripts")).flatMap((name): [string, string][] => {
    const line = at(tree, ["scripts", name]);
    return typeof line === "string" && !PLACEHOLDER.test(line) ? [[name, line]] : [];
  });
  return {
    dependencies: new Set(groups.flatMap((group) => keysOf(section(tree, group)))),
    scripts: new Map(scripts),
    targets: new Map(),
    tree,
  };
}

function pyproject(tree: unknown): Manifest {
  const lists = (place: string): string[] =>
    keysOf(section(tree, place)).flatMap((group) => textsOf(at(section(tree, place), [group])));
  const groups = keysOf(section(tree, "tool.poetry.group")).flatMap((group) =>
    keysOf(at(tree, ["tool", "poetry", "group", group, "dependencies"])),
  );
  const named = [
    ...textsOf(section(tree, "project.dependencies")),
    ...lists("project.optional-dependencies"),
    ...lists("dependency-groups"),
    ...textsOf(section(tree, "tool.uv.dev-dependencies")),
    ...keysOf(section(tree, "tool.poetry.dependencies")),
    ...keysOf(section(tree, "tool.poetry.dev-dependencies")),
    ...groups,
  ];
  return { ...NO_MANIFEST, dependencies: distributions(named), tree };
}

const pipfile = (tree: unknown): Manifest => ({
  ...NO_MANIFEST,
  dependencies: distributions([...keysOf(section(tree, "packages")), ...keysOf(section(tree, "dev-packages"))]),
  tree,
});

function cargo(tree: unknown): Manifest {
  const groups = ["dependencies", "dev-dependencies", "build-dependencies", "workspace.dependencies"];
  return { ...NO_MANIFEST, dependencies: new Set(groups.flatMap((group) => keysOf(section(tree, group)))), tree };
}

const requirements = (text: string): ReadonlySet<string> =>
  distributions(text.split(/\r?\n/).filter((line) => !/^\s*(?:#|-|$)/.test(line)));

/** Distribution names, normalized as the Python package index compares them. */
function distributions(lines: readonly string[]): ReadonlySet<string> {
  return new Set(
    lines.flatMap((text) => {
      const name = /^\s*([A-Za-z0-9][\w.-]*)/.exec(text.slice(0, 200))?.[1];
      return name === undefined ? [] : [name.toLowerCase().replace(/[-_.]+/g, "-")];
    }),
  );
}

/** Section names such as `[tool:pytest]`; their contents do not matter. */
function iniSections(text: string): unknown {
  const names = text.split(/\r?\n/).flatMap((line) => /^\[([^\]]{1,100})\]/.exec(line)?.[1] ?? []);
  return Object.fromEntries(names.map((name) => [name, {}]));
}
