import type { CodeFinding } from "../finding.ts";
import { getScannedFileName } from "../select.ts";
import type { ScannedFile } from "../sheet.ts";

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
