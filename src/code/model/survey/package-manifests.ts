import type { CodeFinding, ScannedFile, CodeFindingKind } from "./code-finding.ts";
import { getScannedFileName } from "./file-selection.ts";

/** Entries of one list. No hand-written manifest has more. */
const MAX_MANIFEST_ENTRIES = 2_000;

type JsonManifestObject = Readonly<Record<string, unknown>>;

export function readJsonManifest(sheet: ScannedFile): CodeFinding[] | undefined {
  const manifest = parseJsonManifest(sheet.text);
  if (!manifest) return undefined;
  const by = getScannedFileName(sheet.path);
  const told = { by, basis: "declared" } as const;
  const at = (key: string, from = 1): number => sheet.lineWith(JSON.stringify(key), from);
  const listed = (section: string): [string, string, number][] => {
    const start = at(section);
    return listTextEntries(manifest[section])
      .slice(0, MAX_MANIFEST_ENTRIES)
      .map(([name, value]) => [name, value, at(name, start)]);
  };
  const { name, description: purpose } = manifest;
  const bins =
    typeof manifest["bin"] === "string" && typeof name === "string" ? [[name, at("bin"), "bin"] as const] : [];
  const scripts = by.startsWith("deno") ? "tasks" : "scripts";
  const engines = listed(by === "composer.json" ? "require" : "engines").filter(([what]) =>
    /^(?:node|bun|deno|php)$/.test(what),
  );
  const runtime = by === "composer.json" ? ["require"] : ["dependencies"];
  const development = by === "composer.json" ? ["require-dev"] : ["devDependencies"];
  return [
    ...(typeof name === "string" ? [sheet.found("project", name, at("name"), name, told)] : []),
    ...(typeof purpose === "string" ? [sheet.found("purpose", purpose, at("description"), "description", told)] : []),
    ...engines.map(([what, version, line]) =>
      sheet.found("runtime", formatRuntimeName(what), line, what, { ...told, says: version }),
    ),
    ...listed(scripts).map(([what, command, line]) =>
      sheet.found("script", what, line, what, { ...told, says: command }),
    ),
    ...bins.map(([what, line, words]) => sheet.found("command", what, line, words, { ...told, by: "bin" })),
    ...(typeof manifest["bin"] === "object" ? listed("bin") : []).map(([what, file, line]) =>
      sheet.found("command", what, line, what, { ...told, by: "bin", says: file }),
    ),
    ...[...runtime, ...development].flatMap((section) =>
      listed(section)
        .filter(([what]) => what !== "php")
        .map(([what, version, line]) =>
          sheet.found("dependency", what, line, what, {
            ...told,
            says: version,
            of: development.includes(section) ? "development" : undefined,
          }),
        ),
    ),
    ...(typeof manifest["main"] === "string"
      ? [sheet.found("entry", manifest["main"], at("main"), manifest["main"], { ...told, says: "main" })]
      : []),
  ];
}

function parseJsonManifest(text: string): JsonManifestObject | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as JsonManifestObject)
      : undefined;
  } catch {
    return undefined;
  }
}

const listTextEntries = (value: unknown): [string, string][] =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, inner]): [string, string][] =>
        typeof inner === "string" ? [[key, inner]] : [],
      )
    : [];

const formatRuntimeName = (name: string): string =>
  ({ node: "Node.js", bun: "Bun", deno: "Deno", php: "PHP" })[name] ?? name;

interface TomlEntry {
  readonly section: string;
  readonly key: string;
  readonly value: string;
  readonly line: number;
}

const TOML_FINDING_SOURCE = { by: "", basis: "declared" } as const;

/** Reads `pyproject.toml` and `Cargo.toml` line by line, as far as usual manifests need. */
export function readTomlManifest(sheet: ScannedFile): CodeFinding[] {
  const by = getScannedFileName(sheet.path);
  const entries = listTomlEntries(sheet);
  const dependencies = entries.flatMap((entry) =>
    by === "Cargo.toml" ? readCrateDependency(entry) : readPythonDependency(entry),
  );
  return [
    ...entries.flatMap((entry): CodeFinding[] => readTomlFact(sheet, entry, by)),
    ...dependencies.map(({ name, version, line, isDevelopment }) =>
      sheet.found("dependency", name, line, name, {
        ...TOML_FINDING_SOURCE,
        by,
        says: version,
        of: isDevelopment ? "development" : undefined,
      }),
    ),
  ];
}

function readTomlFact(sheet: ScannedFile, { section, key, value, line }: TomlEntry, by: string): CodeFinding[] {
  const text = stripTomlQuotes(value);
  const found = { ...TOML_FINDING_SOURCE, by };
  if (/^(?:project|package|tool\.poetry)$/.test(section) && /^(?:name|description)$/.test(key))
    return [sheet.found(key === "name" ? "project" : "purpose", text, line, text, found)];
  if (section === "project" && key === "requires-python")
    return [sheet.found("runtime", "Python", line, key, { ...found, says: text })];
  if (section === "package" && key === "rust-version")
    return [sheet.found("runtime", "Rust", line, key, { ...found, says: text })];
  if (section === "package" && key === "edition")
    return [sheet.found("runtime", "Rust edition", line, key, { ...found, says: text })];
  if (/^(?:project|tool\.poetry)\.scripts$/.test(section))
    return [sheet.found("command", key, line, key, { ...found, by: "script", says: text })];
  if (section === "bin" && key === "name") return [sheet.found("command", text, line, text, { ...found, by: "bin" })];
  return [];
}

interface TomlDependency {
  readonly name: string;
  readonly version: string;
  readonly line: number;
  readonly isDevelopment: boolean;
}

function readCrateDependency({ section, key, value, line }: TomlEntry): TomlDependency[] {
  const kind = /^(?:workspace\.|target\..*\.)?(dev-|build-)?dependencies$/.exec(section);
  if (!kind) return [];
  const version = /version\s*=\s*"([^"]*)"/.exec(value)?.[1] ?? (value.startsWith('"') ? stripTomlQuotes(value) : "");
  return [{ name: key, version, line, isDevelopment: kind[1] !== undefined }];
}

function readPythonDependency({ section, key, value, line }: TomlEntry): TomlDependency[] {
  if (/^tool\.poetry\.(?:group\.\w+\.|dev-)?dependencies$/.test(section) && key !== "python")
    return [
      { name: key, version: stripTomlQuotes(value), line, isDevelopment: section !== "tool.poetry.dependencies" },
    ];
  const isListed =
    (section === "project" && key === "dependencies") ||
    /^(?:project\.optional-dependencies|dependency-groups)$/.test(section);
  const [, name, version = ""] = isListed ? (/^["']([\w.-]+(?:\[[^\]]*\])?)\s*([^"';]*)/.exec(value) ?? []) : [];
  return name === undefined ? [] : [{ name, version: version.trim(), line, isDevelopment: section !== "project" }];
}

/** Keys with their values; each item of a list is an entry of its own. */
function listTomlEntries(sheet: ScannedFile): TomlEntry[] {
  const found: TomlEntry[] = [];
  let section = "";
  let list: string | undefined;
  for (const [i, raw] of sheet.lines.entries()) {
    const text = raw.trim();
    const line = i + 1;
    if (list !== undefined) {
      for (const [item] of text.matchAll(/"[^"]*"|'[^']*'/g)) found.push({ section, key: list, value: item, line });
      if (/\]\s*,?\s*(?:#.*)?$/.test(text.replace(/"[^"]*"|'[^']*'/g, ""))) list = undefined;
      continue;
    }
    const head = /^\[{1,2}([^\]]+)\]{1,2}/.exec(text)?.[1];
    if (head !== undefined) {
      section = head.replaceAll('"', "").trim();
      continue;
    }
    const [, key, value = ""] = /^"?([\w.-]+)"?\s*=\s*(.*)$/.exec(text) ?? [];
    if (key === undefined) continue;
    if (!value.startsWith("[")) found.push({ section, key, value, line });
    else {
      for (const [item] of value.matchAll(/"[^"]*"|'[^']*'/g)) found.push({ section, key, value: item, line });
      if (!/\]\s*(?:#.*)?$/.test(value.replace(/"[^"]*"|'[^']*'/g, ""))) list = key;
    }
  }
  return found;
}

const stripTomlQuotes = (value: string): string =>
  /^(?:"([^"]*)"|'([^']*)')/
    .exec(value)
    ?.slice(1)
    .find((part) => part !== undefined) ?? value;

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
      sheet.found(kind, name ?? hit.group(1), hit.lineOf(1), hit.group(1), {
        by,
        basis: "declared",
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
  const told = { by: "pom.xml", basis: "declared" } as const;
  return (
    [
      ["project", /<artifactId>([^<\n]+)<\/artifactId>/d],
      ["purpose", /<description>([^<\n]+)</d],
    ] as const
  ).flatMap(([kind, pattern]) => {
    const match = pattern.exec(blanked);
    const line = sheet.lineAt(match?.indices?.[1]?.[0] ?? 0);
    return match?.[1] === undefined ? [] : [sheet.found(kind, match[1], line, match[1], told)];
  });
}
