import {
  listStringItems,
  listTreeEntries,
  parseTomlText,
  readTreePath,
  readTreeSection,
} from "#kernel/model/data-tree.ts";
import { parseJsonc } from "#kernel/model/jsonc-parser.ts";

export interface ProjectManifest {
  readonly dependencies: ReadonlySet<string>;
  readonly scripts: ReadonlyMap<string, string>;
  readonly targets: ReadonlyMap<string, readonly string[]>;
  /** The parsed content, for section lookups; undefined if unreadable. */
  readonly tree?: unknown;
}

export const EMPTY_MANIFEST: ProjectManifest = { dependencies: new Set(), scripts: new Map(), targets: new Map() };

const listMappingKeys = (value: unknown): string[] => listTreeEntries(value).map(([key]) => key);

const MANIFEST_NAMES =
  /^(?:package\.json|tsconfig\.json|pyproject\.toml|Cargo\.toml|rust-toolchain\.toml|Pipfile|go\.mod|[Mm]akefile|GNUmakefile|requirements[\w.-]*\.(?:txt|in)|setup\.cfg|tox\.ini|setup\.py)$/;

export const isManifestName = (name: string): boolean => MANIFEST_NAMES.test(name);

/** An unreadable manifest counts as an empty one. */
export function parseProjectManifest(name: string, text: string): ProjectManifest {
  if (name === "package.json") return parsePackageManifest(parseJsonText(text));
  if (name === "tsconfig.json") return { ...EMPTY_MANIFEST, tree: parseJsonc(text) };
  if (name === "pyproject.toml") return parsePyprojectManifest(parseTomlText(text));
  if (name.endsWith(".toml")) {
    const tree = parseTomlText(text);
    return { ...EMPTY_MANIFEST, dependencies: new Set(listSectionKeys(tree, CARGO_SECTIONS)), tree };
  }
  if (name === "Pipfile") {
    const tree = parseTomlText(text);
    return {
      ...EMPTY_MANIFEST,
      dependencies: normalizeDistributions(listSectionKeys(tree, ["packages", "dev-packages"])),
      tree,
    };
  }
  if (name === "go.mod") return parseGoModule(text);
  if (/makefile$/i.test(name)) return { ...EMPTY_MANIFEST, targets: parseMakefileTargets(text) };
  if (name.startsWith("requirements")) return { ...EMPTY_MANIFEST, dependencies: parsePythonRequirements(text) };
  if (/\.(?:cfg|ini)$/.test(name)) return { ...EMPTY_MANIFEST, tree: parseIniSections(text) };
  return EMPTY_MANIFEST;
}

function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return undefined;
  }
}

/** The test script that `npm init` writes. */
const PLACEHOLDER_TEST_SCRIPT = /no test specified/;

function parsePackageManifest(tree: unknown): ProjectManifest {
  const scripts = listMappingKeys(readTreeSection(tree, "scripts")).flatMap((name): [string, string][] => {
    const line = readTreePath(tree, ["scripts", name]);
    return typeof line === "string" && !PLACEHOLDER_TEST_SCRIPT.test(line) ? [[name, line]] : [];
  });
  return {
    dependencies: new Set(listSectionKeys(tree, PACKAGE_SECTIONS)),
    scripts: new Map(scripts),
    targets: new Map(),
    tree,
  };
}

function parsePyprojectManifest(tree: unknown): ProjectManifest {
  const listGroups = (place: string): unknown[] => {
    const groups = readTreeSection(tree, place);
    return listMappingKeys(groups).map((group) => readTreePath(groups, [group]));
  };
  const lists = [
    readTreeSection(tree, "project.dependencies"),
    ...listGroups("project.optional-dependencies"),
    ...listGroups("dependency-groups"),
    readTreeSection(tree, "tool.uv.dev-dependencies"),
  ];
  const mappings = [
    readTreeSection(tree, "tool.poetry.dependencies"),
    readTreeSection(tree, "tool.poetry.dev-dependencies"),
    ...listGroups("tool.poetry.group").map((group) => readTreePath(group, ["dependencies"])),
  ];
  const named = [...lists.flatMap(listStringItems), ...mappings.flatMap(listMappingKeys)];
  return { ...EMPTY_MANIFEST, dependencies: normalizeDistributions(named), tree };
}

const listSectionKeys = (tree: unknown, sections: readonly string[]): string[] =>
  sections.flatMap((section) => listMappingKeys(readTreeSection(tree, section)));

const CARGO_SECTIONS = ["dependencies", "dev-dependencies", "build-dependencies", "workspace.dependencies"];
const PACKAGE_SECTIONS = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];

const parsePythonRequirements = (text: string): ReadonlySet<string> =>
  normalizeDistributions(text.split(/\r?\n/).filter((line) => !/^\s*(?:#|-|$)/.test(line)));

/** Distribution names, normalized as the Python package index compares them. */
function normalizeDistributions(lines: readonly string[]): ReadonlySet<string> {
  return new Set(
    lines.flatMap((text) => {
      const name = /^\s*([A-Za-z0-9][\w.-]*)/.exec(text.slice(0, 200))?.[1];
      return name === undefined ? [] : [name.toLowerCase().replace(/[-_.]+/g, "-")];
    }),
  );
}

/** Section names such as `[tool:pytest]`; their contents do not matter. */
function parseIniSections(text: string): unknown {
  const names = text.split(/\r?\n/).flatMap((line) => /^\[([^\]]{1,100})\]/.exec(line)?.[1] ?? []);
  return Object.fromEntries(names.map((name) => [name, {}]));
}

function parseGoModule(text: string): ProjectManifest {
  const directives = new Map<string, string[]>();
  let block: string | undefined;
  for (const raw of text.split(/\r?\n/)) {
    const line = raw.replace(/\/\/.*$/, "").trim();
    if (line === "") continue;
    if (block !== undefined) {
      if (line === ")") block = undefined;
      else addDirectiveLine(directives, block, line);
      continue;
    }
    const [, name, rest = ""] = /^([a-z]+)\s+(.*)$/.exec(line) ?? [];
    if (name === undefined) continue;
    if (rest === "(") block = name;
    else addDirectiveLine(directives, name, rest);
  }
  const modules = [...(directives.get("require") ?? []), ...(directives.get("tool") ?? [])];
  return {
    dependencies: new Set(modules.map((line) => line.split(/\s/)[0] ?? "").map((path) => path.replace(/\/v\d+$/, ""))),
    scripts: new Map(),
    targets: new Map(),
    tree: Object.fromEntries(directives),
  };
}

const addDirectiveLine = (directives: Map<string, string[]>, name: string, line: string): void =>
  void directives.set(name, [...(directives.get(name) ?? []), line]);

/** Targets with literal names, each with its recipe lines. */
function parseMakefileTargets(text: string): ReadonlyMap<string, readonly string[]> {
  const targets = new Map<string, string[]>();
  let now: readonly string[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith("\t")) {
      for (const name of now) targets.get(name)?.push(line.trim());
      continue;
    }
    const [, names, after = ""] = /^([\w./ -]{1,200}?)\s*::?(?!=)(.*)$/.exec(line) ?? [];
    if (names === undefined) {
      if (line.trim() !== "" && !line.startsWith("#")) now = [];
      continue;
    }
    now = names.split(/\s+/).filter((name) => name !== "" && !name.startsWith("."));
    for (const name of now) {
      const lines = targets.get(name) ?? [];
      if (after.includes(";")) lines.push(after.slice(after.indexOf(";") + 1).trim());
      targets.set(name, lines);
    }
  }
  return targets;
}
