import { createSlug } from "../slug.ts";
import { type WorkspacePath, getImportedPath } from "../workspace/path.ts";
import type { ImportLayout } from "./found.ts";

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
  const parts = path.replace(LAYOUT_FOLDERS[layout], "").split("/");
  return getImportedPath(layout, parts.map(sanitizeFileName));
}

function sanitizeFileName(said: string): string {
  const name = said.replace(/^\.+/, "");
  if (SAFE_FILE_NAME.test(name) && !DEVICE_FILE_NAME.test(name)) return name.normalize("NFC");
  const ending = /\.[a-z0-9]{1,8}$/i.exec(name)?.[0].toLowerCase() ?? "";
  return `${createSlug(name.slice(0, name.length - ending.length), "file")}${ending}`;
}
