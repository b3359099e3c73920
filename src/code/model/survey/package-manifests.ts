import patterns from "./survey-patterns.json" with { type: "json" };
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
  const readEntries = (section: string): { name: string; says: string; line: number }[] =>
    (findNodeAtLocation(tree, [section])?.children ?? []).slice(0, MAX_MANIFEST_ENTRIES).flatMap((property) => {
      const [name, says] = (property.children ?? []).map((node): unknown => node.value);
      const isText = typeof name === "string" && typeof says === "string";
      return isText ? [{ name, says, line: sheet.lineAt(property.offset) }] : [];
    });
  const readText = (kind: CodeFindingKind, key: string, words?: string, says?: string): CodeFinding[] => {
    const node = findNodeAtLocation(tree, [key]);
    const text: unknown = node?.value;
    const line = sheet.lineAt(node?.parent?.offset ?? 0);
    return typeof text === "string" ? [source.find(kind, text, line, { says, words: words ?? text })] : [];
  };
  const isComposer = file === "composer.json";
  const [runtime, development] = isComposer ? ["require", "require-dev"] : ["dependencies", "devDependencies"];
  const project = readText("project", "name");
  const bin = project.flatMap(({ name }) =>
    readText("command", "bin", "bin").map((command) => ({ ...command, by: "bin", name })),
  );
  const readDependencies = (section: string, of?: string): CodeFinding[] => {
    const packages = readEntries(section).filter(({ name }) => name !== "php");
    return packages.map(({ name, says, line }) => source.find("dependency", name, line, { says, of }));
  };
  return [
    ...project,
    ...readText("purpose", "description", "description"),
    ...readEntries(isComposer ? "require" : "engines").flatMap(({ name, says, line }) => {
      const label = RUNTIME_LABELS[name];
      return label === undefined ? [] : [source.find("runtime", label, line, { words: name, says })];
    }),
    ...readEntries(file.startsWith("deno") ? "tasks" : "scripts").map(({ name, says, line }) =>
      source.find("script", name, line, { says }),
    ),
    ...bin,
    ...readEntries("bin").map(({ name, says, line }) =>
      sheet.by("bin", "declared").find("command", name, line, { says }),
    ),
    ...readDependencies(runtime ?? ""),
    ...readDependencies(development ?? "", "development"),
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
  const headers = sheet.lines.map((line) => {
    return /^\s*\[{1,2}([^\]]+)\]{1,2}/.exec(line)?.[1]?.replaceAll(/["']/g, "").trim();
  });
  /** Below the header of a section; from the first line without one. */
  const lineOf = (section: string, words: string): number => sheet.lineWith(words, headers.indexOf(section) + 1 || 1);
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

const MANIFEST_PATTERNS = patterns.manifests.map(({ file, ...row }) => ({ file: new RegExp(file), row }));
const MANIFEST_KINDS = ["project", "runtime", "dependency"] as const;

/** In each pattern group 1 is the name, and a later group the detail. */
export function readPatternManifest(sheet: ScannedFile): CodeFinding[] {
  const by = getScannedFileName(sheet.path);
  const row = MANIFEST_PATTERNS.find(({ file }) => file.test(by))?.row;
  const found = Object.entries(row ?? {}).flatMap(([key, pattern]) => {
    const kind = MANIFEST_KINDS.find((each) => each === key);
    if (kind === undefined) return [];
    return sheet.hits(new RegExp(pattern, "dgm")).map((hit) => {
      const name = kind === "runtime" ? (row?.runtimeName ?? "") : hit.group(1);
      const says = hit.group(2) || hit.group(3) || hit.group(4);
      return sheet.by(by, "declared").find(kind, name, hit.lineOf(1), { words: hit.group(1), says });
    });
  });
  return by === "pom.xml" ? [...readMavenProject(sheet), ...found] : found;
}

/** The first artifact outside a parent or a dependency. */
function readMavenProject(sheet: ScannedFile): CodeFinding[] {
  const blank = (part: string): string => part.replace(/[^\n]/g, " ");
  const blanked = sheet.text.replace(/<(parent|dependencies|build)>[\s\S]*?<\/\1>/g, blank);
  const readTag = (kind: CodeFindingKind, pattern: RegExp): CodeFinding[] => {
    const match = pattern.exec(blanked);
    const line = sheet.lineAt(match?.indices?.[1]?.[0] ?? 0);
    return match?.[1] === undefined ? [] : [sheet.by("pom.xml", "declared").find(kind, match[1], line)];
  };
  return [
    ...readTag("project", /<artifactId>([^<\n]+)<\/artifactId>/d),
    ...readTag("purpose", /<description>([^<\n]+)</d),
  ];
}
