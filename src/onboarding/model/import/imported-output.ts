import * as z from "zod/mini";
import { formatPlainYaml, parsePlainYaml } from "#kernel/model/plain-yaml.ts";
import type { ImportLayout } from "./import-source.ts";
import { createSlug } from "#kernel/model/slug.ts";
import { type WorkspacePath, getImportedPath } from "#kernel/model/workspace-paths.ts";

/** Folder prefixes that repeat the tool's name. */
const LAYOUT_FOLDERS: Readonly<Record<ImportLayout, RegExp>> = {
  hoofy: /^(?:sdd|docs\/specs|docs)\//,
  "spec-drive": /^\.spec-drive\//,
  "sync-sdd": /^(?:\.claude\/sdd|\.sdd)\//,
  "spec-kit": /^\.specify\//,
  openspec: /^openspec\//,
  kiro: /^\.kiro\//,
};

const SAFE_FILE_NAME = /^[\p{L}\p{N}_][\p{L}\p{N} _.@+=,()-]{0,98}(?<![ .])$|^[\p{L}\p{N}_]$/u;
const DEVICE_FILE_NAME = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Target of a file that is carried over unchanged: `sdd/imported/kiro/specs/login/design.md`. */
export function getCarriedPath(layout: ImportLayout, path: string): WorkspacePath {
  return getImportedPath(layout, path.replace(LAYOUT_FOLDERS[layout], "").split("/").map(createSafeFileName));
}

/** A name that every file system takes. */
export function createSafeFileName(part: string): string {
  const name = part.replace(/^\.+/, "");
  if (SAFE_FILE_NAME.test(name) && !DEVICE_FILE_NAME.test(name)) return name.normalize("NFC");
  const ending = /\.[a-z0-9]{1,8}$/i.exec(name)?.[0].toLowerCase() ?? "";
  return `${createSlug(name.slice(0, name.length - ending.length), "file")}${ending}`;
}

const ImportManifestEntry = z.looseObject({
  source: z.string(),
  sha256: z.string(),
  at: z.string(),
  to: z.readonly(z.array(z.string())),
});
export type ImportManifestEntry = Pick<z.infer<typeof ImportManifestEntry>, "source" | "sha256" | "at" | "to">;

export type ImportManifest = ReadonlyMap<string, ImportManifestEntry>;

const IMPORT_MANIFEST_NOTICE =
  "# Files that tenon import has imported, so that it does not import them twice. Remove an entry to import its file again.\n";

/** The same entries give the same bytes, so that two branches with different imports merge. */
export function formatImportManifest(manifest: ImportManifest): string {
  const files = [...manifest.values()].toSorted((a, b) => (a.source < b.source ? -1 : 1));
  return `${IMPORT_MANIFEST_NOTICE}${formatPlainYaml({ version: 1, files: files.map((each) => ({ ...each })) })}`;
}

/** Returns undefined for an invalid manifest: earlier imports are unknown then. */
export function parseImportManifest(text: string | undefined): ImportManifest | undefined {
  if (text === undefined) return new Map();
  const read = parsePlainYaml(text);
  const files = z.array(ImportManifestEntry).safeParse("value" in read ? read.value["files"] : undefined);
  return files.success ? new Map(files.data.map((entry) => [entry.source, entry])) : undefined;
}
