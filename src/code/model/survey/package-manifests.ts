import { findNodeAtLocation, type Node, type ParseError, parseTree } from "jsonc-parser";
import {
  listStringItems,
  listTreeEntries,
  parseTomlText,
  readTreePath,
  readTreeSection,
} from "#kernel/model/data-tree.ts";
import type { CodeFinding, ScannedFile, CodeFindingKind } from "./code-finding.ts";
import { getScannedFileName } from "./file-selection.ts";

/** Entries of one list. No hand-written manifest has more. */
const MAX_MANIFEST_ENTRIES = 2_000;

/** Returns nothing for a text that is not a JSON object. */
export function readJsonManifest(sheet: ScannedFile): CodeFinding[] | undefined {
  const tree = parseJsonTree(sheet.text);
  if (!tree) return undefined;
  const file = getScannedFileName(sheet.path);
  const source = sheet.by(file, "declared");
  const readEntries = (section: string): (readonly [name: string, text: string, line: number])[] =>
    (findNodeAtLocation(tree, [section])?.children ?? []).slice(0, MAX_MANIFEST_ENTRIES).flatMap((property) => {
      const [name, text] = (property.children ?? []).map((node): unknown => node.value);
      return typeof name === "string" && typeof text === "string"
        ? [[name, text, sheet.lineAt(property.offset)] as const]
        : [];
    });
  const readText = (kind: CodeFindingKind, key: string, words?: string, says?: string): CodeFinding[] => {
    const node = findNodeAtLocation(tree, [key]);
    const text: unknown = node?.value;
    const line = sheet.lineAt(node?.parent?.offset ?? 0);
    return typeof text === "string" ? [source.find(kind, text, line, { says, words: words ?? text })] : [];
  };
  const isComposer = file === "composer.json";
  const [runtime, development] = isComposer ? ["require", "require-dev"] : ["dependencies", "devDependencies"];
  const name = readText("project", "name");
  const hasBin = typeof findNodeAtLocation(tree, ["bin"])?.value === "string";
  return [
    ...name,
    ...readText("purpose", "description", "description"),
    ...readEntries(isComposer ? "require" : "engines").flatMap(([what, version, line]) => {
      const label = RUNTIME_LABELS[what];
      return label === undefined ? [] : [source.find("runtime", label, line, { words: what, says: version })];
    }),
    ...readEntries(file.startsWith("deno") ? "tasks" : "scripts").map(([what, command, line]) =>
      source.find("script", what, line, { says: command }),
    ),
    ...(hasBin ? name : []).flatMap((project) =>
      readText("command", "bin", "bin").map((command) => ({ ...command, by: "bin", name: project.name })),
    ),
    ...readEntries("bin").map(([what, says, line]) =>
      sheet.by("bin", "declared").find("command", what, line, { says }),
    ),
    ...[runtime, development].flatMap((section) =>
      readEntries(section)
        .filter(([what]) => what !== "php")
        .map(([what, version, line]) =>
          source.find("dependency", what, line, {
            says: version,
            of: section === development ? "development" : undefined,
          }),
        ),
    ),
    ...readText("entry", "main", undefined, "main"),
  ];
}

const RUNTIME_LABELS: Readonly<Record<string, string>> = { node: "Node.js", bun: "Bun", deno: "Deno", php: "PHP" };

function parseJsonTree(text: string): Node | undefined {
  const errors: ParseError[] = [];
  try {
    const tree = parseTree(text.replace(/^\uFEFF/, " "), errors, { allowTrailingComma: true });
    return errors.length === 0 && tree?.type === "object" ? tree : undefined;
  } catch {
    // Deep nesting exhausts the stack.
    return undefined;
  }
}

const PROJECT_FACTS: readonly (readonly [section: string, key: string, kind: CodeFindingKind, name?: string])[] = [
  ...["project", "package", "tool.poetry"].flatMap((section) => [
    [section, "name", "project"] as const,
    [section, "description", "purpose"] as const,
  ]),
  ["project", "requires-python", "runtime", "Python"],
  ["package", "edition", "runtime", "Rust edition"],
  ["package", "rust-version", "runtime", "Rust"],
];

/** Reads `pyproject.toml` and `Cargo.toml`. The parsed tree knows no lines, so the text is searched for them. */
export function readTomlManifest(sheet: ScannedFile): CodeFinding[] {
  const tree = parseTomlText(sheet.text);
  const source = sheet.by(getScannedFileName(sheet.path), "declared");
  const lineOf = (section: string, words: string): number => sheet.lineWith(words, findTomlHeader(sheet, section));
  const facts = PROJECT_FACTS.flatMap(([section, key, kind, name]): CodeFinding[] => {
    const text = readTreeSection(tree, `${section}.${key}`);
    if (typeof text !== "string") return [];
    return name === undefined
      ? [source.find(kind, text, lineOf(section, text))]
      : [source.find(kind, name, lineOf(section, key), { words: key, says: text })];
  });
  const scripts = ["project.scripts", "tool.poetry.scripts"].flatMap((section) =>
    listTreeEntries(readTreeSection(tree, section)).map(([name, text]) =>
      sheet.by("script", "declared").find("command", name, lineOf(section, name), { says: readTomlVersion(text) }),
    ),
  );
  const bins = readTreePath(tree, ["bin"]);
  const commands = (Array.isArray(bins) ? bins : []).flatMap((bin): CodeFinding[] => {
    const name = readTreePath(bin, ["name"]);
    return typeof name === "string" ? [sheet.by("bin", "declared").find("command", name, lineOf("bin", name))] : [];
  });
  const dependencies = listTomlDependencies(tree).map(([section, name, says, isDevelopment]) =>
    source.find("dependency", name, lineOf(section, name), { says, of: isDevelopment ? "development" : undefined }),
  );
  return [...facts, ...scripts, ...commands, ...dependencies];
}

/** The line of a section's header; the first line without one. */
function findTomlHeader({ lines }: ScannedFile, section: string): number {
  const header = /^\s*\[{1,2}([^\]]+)\]{1,2}/;
  return lines.findIndex((line) => header.exec(line)?.[1]?.replaceAll(/["']/g, "").trim() === section) + 1 || 1;
}

type TomlDependency = readonly [section: string, name: string, version: string, isDevelopment: boolean];

function listTomlDependencies(tree: unknown): TomlDependency[] {
  const readTable = (section: string, isDevelopment: boolean): TomlDependency[] =>
    listTreeEntries(readTreePath(tree, section.split("/")))
      .filter(([name]) => name !== "python")
      .map(([name, value]) => [section.replaceAll("/", "."), name, readTomlVersion(value), isDevelopment]);
  const readList = (section: string, list: unknown, isDevelopment: boolean): TomlDependency[] =>
    listStringItems(list).flatMap((item): TomlDependency[] => {
      const [, name, version = ""] = /^([\w.-]+(?:\[[^\]]*\])?)\s*([^;]*)/.exec(item) ?? [];
      return name === undefined ? [] : [[section, name, version.trim(), isDevelopment]];
    });
  const listKeys = (...path: string[]): string[] => listTreeEntries(readTreePath(tree, path)).map(([key]) => key);
  const targets = listKeys("target").map((target) => `target/${target}/`);
  return [
    ...["", "workspace/", ...targets].flatMap((prefix) => [
      ...readTable(`${prefix}dependencies`, false),
      ...readTable(`${prefix}dev-dependencies`, true),
      ...readTable(`${prefix}build-dependencies`, true),
    ]),
    ...readList("project", readTreeSection(tree, "project.dependencies"), false),
    ...["project.optional-dependencies", "dependency-groups"].flatMap((section) =>
      listTreeEntries(readTreeSection(tree, section)).flatMap(([, list]) => readList(section, list, true)),
    ),
    ...readTable("tool/poetry/dependencies", false),
    ...readTable("tool/poetry/dev-dependencies", true),
    ...listKeys("tool", "poetry", "group").flatMap((group) =>
      readTable(`tool/poetry/group/${group}/dependencies`, true),
    ),
  ];
}

const readTomlVersion = (value: unknown): string => {
  const version = typeof value === "string" ? value : readTreePath(value, ["version"]);
  return typeof version === "string" ? version : "";
};

/** A pattern for a manifest: group 1 is the name, group 2 the detail. */
type ManifestPattern = readonly [kind: CodeFindingKind, pattern: RegExp, name?: string];

const GRADLE_PATTERNS: readonly ManifestPattern[] = [
  ["dependency", /\b(?:implementation|api|runtimeOnly)\s*\(?\s*["'][\w.-]+:([\w.-]+)(?::([\w.-]+))?["']/dg],
  ["runtime", /\blanguageVersion\s*=\s*\w+\.of\((())(\d+)\)|\bJavaVersion\.VERSION_(\d+)/dg, "Java"],
];

const MANIFEST_PATTERNS: readonly (readonly [name: RegExp, rows: readonly ManifestPattern[]])[] = [
  [
    /^go\.mod$/,
    [
      ["project", /^module\s+(\S+)/dgm],
      ["runtime", /^(go)\s+([\d.]+)/dgm, "Go"],
      ["dependency", /^(?:require\s+|\t)([\w.-]+\.[\w.-]+\/\S+)\s+(v\S+)[ \t]*$/dgm],
    ],
  ],
  [
    /^requirements[\w.-]*\.txt$/,
    [["dependency", /^([A-Za-z][\w.-]*(?:\[[^\]\n]*\])?)[ \t]*((?:[=<>!~]=?[^;#\s]*)?)/dgm]],
  ],
  [
    /^setup\.cfg$/,
    [
      ["project", /^name\s*=\s*(\S+)/dgm],
      ["dependency", /^[ \t]+([A-Za-z][\w.-]*)((?:[=<>!~]=[^;#\s]*))/dgm],
    ],
  ],
  [
    /^Gemfile$/,
    [
      ["dependency", /^[ \t]*gem\s+["']([\w-]+)["'](?:\s*,\s*["']([^"']+)["'])?/dgm],
      ["runtime", /^(ruby)\s+["']([^"']+)["']/dgm, "Ruby"],
    ],
  ],
  [/\.gradle(?:\.kts)?$/, GRADLE_PATTERNS],
  [
    /^pom\.xml$/,
    [
      ["runtime", /<(java\.version|maven\.compiler\.release)>([\d.]+)</dg, "Java"],
      [
        "dependency",
        /<dependency>(?:(?!<\/dependency>)[\s\S]){0,400}?<artifactId>([\w.-]+)<\/artifactId>(?:\s*<version>([^<]+)<)?/dg,
      ],
    ],
  ],
  [
    /\.csproj$/,
    [
      ["dependency", /<PackageReference\s+Include="([^"]+)"(?:\s+Version="([^"]+)")?/dg],
      ["runtime", /<(TargetFramework)>([^<]+)</dg, ".NET"],
    ],
  ],
  [
    /^mix\.exs$/,
    [
      ["project", /\bapp:\s*:(\w+)/dg],
      ["dependency", /\{:(\w+),\s*"([^"]+)"/dg],
    ],
  ],
];

export function readPatternManifest(sheet: ScannedFile): CodeFinding[] | undefined {
  const by = getScannedFileName(sheet.path);
  const rows = MANIFEST_PATTERNS.find(([name]) => name.test(by))?.[1];
  if (!rows) return undefined;
  const found = rows.flatMap(([kind, pattern, name]) =>
    sheet.hits(pattern).map((hit) =>
      sheet.by(by, "declared").find(kind, name ?? hit.group(1), hit.lineOf(1), {
        words: hit.group(1),
        says: hit.group(2) || hit.group(3) || hit.group(4),
      }),
    ),
  );
  return by === "pom.xml" ? [...readMavenProject(sheet), ...found] : found;
}

/** The first artifact outside a parent or a dependency. */
function readMavenProject(sheet: ScannedFile): CodeFinding[] {
  const blanked = sheet.text.replace(/<(parent|dependencies|build)>[\s\S]*?<\/\1>/g, (part) =>
    part.replace(/[^\n]/g, " "),
  );
  return (
    [
      ["project", /<artifactId>([^<\n]+)<\/artifactId>/d],
      ["purpose", /<description>([^<\n]+)</d],
    ] as const
  ).flatMap(([kind, pattern]) => {
    const match = pattern.exec(blanked);
    const line = sheet.lineAt(match?.indices?.[1]?.[0] ?? 0);
    return match?.[1] === undefined ? [] : [sheet.by("pom.xml", "declared").find(kind, match[1], line)];
  });
}
