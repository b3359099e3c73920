import { formatPlainYaml } from "../plain-yaml.ts";
import { parsePlainYaml } from "../read-plain-yaml.ts";

export interface ImportManifestEntry {
  readonly source: string;
  readonly sha256: string;
  readonly at: string;
  readonly to: readonly string[];
}

export type ImportManifest = ReadonlyMap<string, ImportManifestEntry>;

const IMPORT_MANIFEST_NOTICE =
  "# What tenon import took over, so that it is not taken twice. Remove an entry to have its file taken again.\n";

/** The same entries give the same bytes, so that two branches with different imports merge. */
export function formatImportManifest(manifest: ImportManifest): string {
  const files = [...manifest.values()].toSorted((a, b) => (a.source < b.source ? -1 : 1));
  return `${IMPORT_MANIFEST_NOTICE}${formatPlainYaml({ version: 1, files: files.map((each) => ({ ...each })) })}`;
}

/** Returns undefined for an invalid manifest: earlier imports are unknown then. */
export function parseImportManifest(text: string | undefined): ImportManifest | undefined {
  if (text === undefined) return new Map();
  const read = parsePlainYaml(text);
  const files = "value" in read ? read.value["files"] : undefined;
  if (!Array.isArray(files)) return undefined;
  const entries = (files as readonly unknown[]).map(parseImportManifestEntry);
  const known = entries.flatMap((entry) => (entry ? [[entry.source, entry] as const] : []));
  return known.length === entries.length ? new Map(known) : undefined;
}

function parseImportManifestEntry(value: unknown): ImportManifestEntry | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { source, sha256, at, to } = value as Readonly<Record<string, unknown>>;
  const isWhole = [source, sha256, at].every((text) => typeof text === "string") && Array.isArray(to);
  return isWhole ? (value as ImportManifestEntry) : undefined;
}
