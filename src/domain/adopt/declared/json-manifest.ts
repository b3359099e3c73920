import type { CodeFinding } from "../finding.ts";
import type { ScannedFile } from "../sheet.ts";
import { getScannedFileName } from "../select.ts";

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
