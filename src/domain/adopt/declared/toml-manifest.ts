import type { Finding } from "../finding.ts";
import { nameOf } from "../select.ts";
import type { Sheet } from "../sheet.ts";

interface Entry {
  readonly section: string;
  readonly key: string;
  readonly value: string;
  readonly line: number;
}

const told = { by: "", basis: "declared" } as const;

/** Reads `pyproject.toml` and `Cargo.toml` line by line, as far as usual manifests need. */
export function tomlManifest(sheet: Sheet): Finding[] {
  const by = nameOf(sheet.path);
  const entries = entriesOf(sheet);
  const dependencies = entries.flatMap((entry) => (by === "Cargo.toml" ? crate(entry) : distribution(entry)));
  return [
    ...entries.flatMap((entry): Finding[] => about(sheet, entry, by)),
    ...dependencies.map(({ name, version, line, isDevelopment }) =>
      sheet.found("dependency", name, line, name, {
        ...told,
        by,
        says: version,
        of: isDevelopment ? "development" : undefined,
      }),
    ),
  ];
}

function about(sheet: Sheet, { section, key, value, line }: Entry, by: string): Finding[] {
  const text = unquoted(value);
  const found = { ...told, by };
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

interface Dependency {
  readonly name: string;
  readonly version: string;
  readonly line: number;
  readonly isDevelopment: boolean;
}

function crate({ section, key, value, line }: Entry): Dependency[] {
  const kind = /^(?:workspace\.|target\..*\.)?(dev-|build-)?dependencies$/.exec(section);
  if (!kind) return [];
  const version = /version\s*=\s*"([^"]*)"/.exec(value)?.[1] ?? (value.startsWith('"') ? unquoted(value) : "");
  return [{ name: key, version, line, isDevelopment: kind[1] !== undefined }];
}

function distribution({ section, key, value, line }: Entry): Dependency[] {
  if (/^tool\.poetry\.(?:group\.\w+\.|dev-)?dependencies$/.test(section) && key !== "python")
    return [{ name: key, version: unquoted(value), line, isDevelopment: section !== "tool.poetry.dependencies" }];
  const isListed =
    (section === "project" && key === "dependencies") ||
    /^(?:project\.optional-dependencies|dependency-groups)$/.test(section);
  const [, name, version = ""] = isListed ? (/^["']([\w.-]+(?:\[[^\]]*\])?)\s*([^"';]*)/.exec(value) ?? []) : [];
  return name === undefined ? [] : [{ name, version: version.trim(), line, isDevelopment: section !== "project" }];
}

/** Keys with their values; each item of a list is an entry of its own. */
function entriesOf(sheet: Sheet): Entry[] {
  const found: Entry[] = [];
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

const unquoted = (value: string): string =>
  /^(?:"([^"]*)"|'([^']*)')/
    .exec(value)
    ?.slice(1)
    .find((part) => part !== undefined) ?? value;
