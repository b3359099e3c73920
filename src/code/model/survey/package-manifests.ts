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
import { SHARED_VERSIONS } from "./language-manifests.ts";

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
  const readDependencies = (section: string, of?: string, note = ""): CodeFinding[] =>
    readEntries(section)
      .filter(({ name }) => !isComposer || !COMPOSER_PLATFORM.test(name))
      .map(({ name, says, line }) => source.find("dependency", name, line, { says: `${says}${note}`, of }));
  return [
    ...project,
    ...readText("purpose", "description", "description"),
    ...readEntries(isComposer ? "require" : "engines").flatMap(({ name, says, line }) => {
      const label = RUNTIME_LABELS[name] ?? (isComposer && COMPOSER_PLATFORM.test(name) ? `PHP's ${name}` : undefined);
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
    ...(isComposer ? [] : readDependencies("optionalDependencies", undefined, ", optional")),
    ...(isComposer ? [] : readDependencies("peerDependencies", undefined, ", of the user's project")),
    ...readDependencies(development ?? "", "development"),
    ...readText("entry", "main", undefined, "main"),
  ];
}

/** Parts of the platform, which no registry has. */
const COMPOSER_PLATFORM = /^(?:php(?:-\w+)?|(?:ext|lib)-.+|composer(?:-.+)?|hhvm)$/;
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
  const dependencies = listTomlDependencies(tree).map(([section, name, says, of]) =>
    source.find("dependency", name, lineOf(section, name), { says, of }),
  );
  return [...facts, ...scripts, ...commands, ...dependencies];
}

type TomlDependency = readonly [section: string, name: string, version: string, of: string | undefined];

function listTomlDependencies(tree: unknown): TomlDependency[] {
  const readTable = (section: string, of?: string): TomlDependency[] =>
    listTreeEntries(readTreePath(tree, section.split("/")))
      .filter(([name]) => name !== "python")
      .map(([name, value]) => {
        const renamed = readTreePath(value, ["package"]);
        const note = readTreePath(value, ["optional"]) === true ? ", optional" : "";
        const version = `${readTomlVersion(value)}${note}`.replace(/^, /, "");
        return [section.replaceAll("/", "."), typeof renamed === "string" ? renamed : name, version, of];
      });
  const readList = (section: string, list: unknown, of?: string): TomlDependency[] =>
    listStringItems(list).flatMap((item): TomlDependency[] => {
      const [, name, version = ""] = /^([\w.-]+(?:\[[^\]]*\])?)\s*([^;]*)/.exec(item) ?? [];
      return name === undefined ? [] : [[section, name, version.trim(), of]];
    });
  const listKeys = (...path: string[]): string[] => listTreeEntries(readTreePath(tree, path)).map(([key]) => key);
  const targets = listKeys("target").map((target) => `target/${target}/`);
  return [
    ...["", ...targets].flatMap((prefix) => [
      ...readTable(`${prefix}dependencies`),
      ...readTable(`${prefix}dev-dependencies`, "development"),
      ...readTable(`${prefix}build-dependencies`, "development"),
    ]),
    ...readTable("workspace/dependencies", SHARED_VERSIONS),
    ...readList("project", readTreeSection(tree, "project.dependencies")),
    ...["project.optional-dependencies", "dependency-groups"].flatMap((section) =>
      listTreeEntries(readTreeSection(tree, section)).flatMap(([, list]) => readList(section, list, "development")),
    ),
    ...readTable("tool/poetry/dependencies"),
    ...readTable("tool/poetry/dev-dependencies", "development"),
    ...listKeys("tool", "poetry", "group").flatMap((group) =>
      readTable(`tool/poetry/group/${group}/dependencies`, "development"),
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
  return Object.entries(row ?? {}).flatMap(([key, pattern]) => {
    const kind = MANIFEST_KINDS.find((each) => each === key);
    if (kind === undefined) return [];
    return sheet.hits(new RegExp(pattern, "dgm")).map((hit) => {
      const name = kind === "runtime" ? (row?.runtimeName ?? "") : hit.group(1);
      if (kind === "dependency" && name === "") {
        // An alias of Gradle's version catalog.
        const alias = hit.group(3);
        return sheet.by(by, "declared").find(kind, alias.replaceAll(".", "-"), hit.lineOf(3), { words: alias });
      }
      const says = hit.group(2) || hit.group(3) || hit.group(4);
      return sheet.by(by, "declared").find(kind, name, hit.lineOf(1), { words: hit.group(1), says });
    });
  });
}

/** The dependencies come from code, if `dynamic` names them. */
export const hasDynamicDependencies = (text: string): boolean =>
  listStringItems(readTreeSection(parseTomlText(text), "project.dynamic")).includes("dependencies");
