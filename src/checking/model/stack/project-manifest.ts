import {
  listStringItems,
  listTreeEntries,
  parseTomlText,
  readTreePath,
  readTreeSection,
} from "#kernel/model/data-tree.ts";
import { parseJsonc } from "#kernel/model/jsonc-parser.ts";
import { listCheckingScripts, listProjectLines } from "./project-commands.ts";

export interface ProjectManifest {
  readonly dependencies: ReadonlySet<string>;
  readonly scripts: ReadonlyMap<string, string>;
  readonly targets: ReadonlyMap<string, readonly string[]>;
  /** Shell lines that the project runs to check itself. */
  readonly lines: readonly string[];
  /** The parsed content, for section lookups; undefined if unreadable. */
  readonly tree?: unknown;
}

export const EMPTY_MANIFEST: ProjectManifest = {
  dependencies: new Set(),
  scripts: new Map(),
  targets: new Map(),
  lines: [],
};

const listMappingKeys = (value: unknown): string[] => listTreeEntries(value).map(([key]) => key);

const MANIFEST_NAMES =
  /^(?:package\.json|tsconfig\.json|pyproject\.toml|Cargo\.toml|rust-toolchain\.toml|Pipfile|go\.mod|[Mm]akefile|GNUmakefile|requirements[\w.-]*\.(?:txt|in)|setup\.cfg|tox\.ini|setup\.py|pom\.xml|(?:build|settings)\.gradle(?:\.kts)?|Gemfile|[\w.-]+\.(?:gemspec|csproj)|composer\.json|noxfile\.py|\.?[Jj]ustfile)$/;

export const isManifestName = (name: string): boolean => MANIFEST_NAMES.test(name);

/** The first matching name decides. An unreadable manifest counts as an empty one. */
const MANIFEST_PARSERS: readonly (readonly [name: RegExp, parse: (text: string) => Partial<ProjectManifest>])[] = [
  [/^package\.json$/, parsePackageManifest],
  [/^tsconfig\.json$/, (text) => ({ tree: parseJsonc(text) })],
  [/^pyproject\.toml$/, parsePyprojectManifest],
  [/\.toml$/, (text) => readDependencySections(parseTomlText(text), CARGO_SECTIONS)],
  [
    /^Pipfile$/,
    (text) => {
      const { dependencies, tree } = readDependencySections(parseTomlText(text), ["packages", "dev-packages"]);
      return { dependencies: normalizeDistributions([...dependencies]), tree };
    },
  ],
  [/^go\.mod$/, parseGoModule],
  [/^pom\.xml$/, (text) => ({ dependencies: collectWords(text, /<artifactId>\s*([\w.-]+)\s*<\/artifactId>/g) })],
  [/\.csproj$/, (text) => ({ dependencies: collectWords(text, /<PackageReference\s[^>]*?Include="([\w.-]+)"/g) })],
  [/\.gradle(?:\.kts)?$/, (text) => ({ dependencies: collectWords(text, GRADLE_WORDS) })],
  [
    /^Gemfile$|\.gemspec$/,
    (text) => ({ dependencies: collectWords(text, /^\s*(?:gem|\w+\.add_\w*dependency)[\s(]+["']([\w.-]+)["']/gm) }),
  ],
  [/^composer\.json$/, parseComposerManifest],
  [/makefile$/i, (text) => ({ targets: parseMakefileTargets(text) })],
  [
    /^requirements/,
    (text) => ({
      dependencies: normalizeDistributions(text.split(/\r?\n/).filter((line) => !/^\s*(?:#|-|$)/.test(line))),
    }),
  ],
  // Section names such as `[tool:pytest]`, and in setup.cfg what a package needs. What tox installs is in its own folders.
  [
    /\.(?:cfg|ini)$/,
    (text) => ({
      dependencies: normalizeDistributions(listSetupRequirements(text)),
      tree: Object.fromEntries([...text.matchAll(/^\[([^\]\r\n]{1,100})\]/gm)].map(([, name = ""]) => [name, {}])),
    }),
  ],
];

export function parseProjectManifest(name: string, text: string): ProjectManifest {
  const [, parse] = MANIFEST_PARSERS.find(([pattern]) => pattern.test(name)) ?? [];
  const manifest = { ...EMPTY_MANIFEST, ...parse?.(text) };
  const lines = [
    ...listProjectLines(name, text),
    ...listCheckingScripts(manifest.scripts),
    ...listCheckingScripts(manifest.targets),
  ];
  return { ...manifest, lines };
}

/** Coordinates such as `"org.junit:junit:4.13"`, and plugins by id or by name: `id("jacoco")`, `java`. */
const GRADLE_WORDS =
  /["'][\w.-]+:([\w.-]+)(?::[^"'\n]*)?["']|\bid[\s(]+["']([\w.-]+)["']|^\s*`?([a-z][\w-]+)`?\s*$|\bplugin: *["']([\w.-]+)["']/gm;

const collectWords = (text: string, pattern: RegExp): ReadonlySet<string> =>
  new Set([...text.matchAll(pattern)].flatMap((found) => found.slice(1).filter((word) => word !== undefined)));

const CARGO_SECTIONS = ["dependencies", "dev-dependencies", "build-dependencies", "workspace.dependencies"];
const PACKAGE_SECTIONS = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];

function readDependencySections(
  tree: unknown,
  sections: readonly string[],
): Pick<ProjectManifest, "dependencies" | "tree"> {
  return {
    dependencies: new Set(sections.flatMap((section) => listMappingKeys(readTreeSection(tree, section)))),
    tree,
  };
}

function parsePackageManifest(text: string): Partial<ProjectManifest> {
  let tree: unknown;
  try {
    tree = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return {};
  }
  // Without the test script that `npm init` writes.
  const scripts = listTreeEntries(readTreeSection(tree, "scripts")).flatMap(([name, line]): [string, string][] =>
    typeof line === "string" && !/no test specified/.test(line) ? [[name, line]] : [],
  );
  return { ...readDependencySections(tree, PACKAGE_SECTIONS), scripts: new Map(scripts) };
}

/** A script of Composer is a line or a list of lines; `@php` and `@other` are not shell. */
function parseComposerManifest(text: string): Partial<ProjectManifest> {
  const tree = parseJsonc(text);
  const scripts = listTreeEntries(readTreeSection(tree, "scripts")).map(
    ([name, value]): [string, readonly string[]] => [
      name,
      (typeof value === "string" ? [value] : listStringItems(value)).filter((line) => !line.startsWith("@")),
    ],
  );
  return { ...readDependencySections(tree, ["require", "require-dev"]), targets: new Map(scripts) };
}

function parsePyprojectManifest(text: string): Partial<ProjectManifest> {
  const tree = parseTomlText(text);
  const listGroups = (place: string): unknown[] =>
    listTreeEntries(readTreeSection(tree, place)).map(([, group]) => group);
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
  return { dependencies: normalizeDistributions(named), tree };
}

/** The lines of `install_requires`, and of all extras. */
function listSetupRequirements(text: string): string[] {
  let [section, key] = ["", ""];
  return text.split(/\r?\n/).flatMap((line) => {
    const head = /^\[([^\]]+)\]/.exec(line)?.[1];
    const [, name, first = ""] = /^(\w[\w.-]*)\s*=\s*(.*)$/.exec(line) ?? [];
    if (head !== undefined || name !== undefined) [section, key] = [head ?? section, name ?? ""];
    const isRead = section === "options.extras_require" || (section === "options" && /_requires?$/.test(key));
    return isRead && key !== "python_requires" ? [name === undefined ? line : first] : [];
  });
}

/** Distribution names, normalized as the Python package index compares them. */
function normalizeDistributions(lines: readonly string[]): ReadonlySet<string> {
  return new Set(
    lines.flatMap((text) => {
      const name = /^\s*([A-Za-z0-9][\w.-]*)/.exec(text.slice(0, 200))?.[1];
      return name === undefined ? [] : [name.toLowerCase().replace(/[-_.]+/g, "-")];
    }),
  );
}

function parseGoModule(text: string): Partial<ProjectManifest> {
  const directives = new Map<string, string[]>();
  let block: string | undefined;
  for (const raw of text.split(/\r?\n/)) {
    const line = raw.replace(/\/\/.*$/, "").trim();
    const [, name, rest = ""] = (block === undefined && /^([a-z]+)\s+(.*)$/.exec(line)) || [];
    const directive = block ?? name;
    if (line === "" || directive === undefined) continue;
    if (block !== undefined && line === ")") block = undefined;
    else if (block === undefined && rest === "(") block = name;
    else directives.set(directive, [...(directives.get(directive) ?? []), block === undefined ? rest : line]);
  }
  const modules = [...(directives.get("require") ?? []), ...(directives.get("tool") ?? [])];
  return {
    dependencies: new Set(modules.map((line) => (line.split(/\s/)[0] ?? "").replace(/\/v\d+$/, ""))),
    tree: Object.fromEntries(directives),
  };
}

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
