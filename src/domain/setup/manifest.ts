import { isPlainObject } from "../flow/shape.ts";
import { CLIENT_IDS, type ClientId } from "./clients.ts";
import { type CreatedContainer, type PartLocation, formatLocationKey } from "./part.ts";
import type { InsertionSeparators } from "./text/newline.ts";

export type OwnedPart = PartLocation & {
  readonly clients: readonly ClientId[];
  readonly hash: string;
  /** The previous hash, in case a write was interrupted. */
  readonly was?: string;
  readonly seam?: InsertionSeparators;
};

interface OwnedFile {
  readonly path: string;
  readonly isNew: boolean;
  readonly made: readonly CreatedContainer[];
}

export interface SetupManifest {
  readonly parts: readonly OwnedPart[];
  readonly files: readonly OwnedFile[];
  readonly folders: readonly string[];
}

export const EMPTY_SETUP_MANIFEST: SetupManifest = { parts: [], files: [], folders: [] };

export const isEmptySetupManifest = ({ parts }: SetupManifest): boolean => parts.length === 0;

/**
 * The manifest to save before a plan runs: all existing and all planned parts. After a crash the next run recognizes
 * them.
 */
export function mergeSetupManifests(before: SetupManifest, after: SetupManifest): SetupManifest {
  const more = before.parts.filter(
    (old) => !after.parts.some((part) => formatLocationKey(part) === formatLocationKey(old)),
  );
  const files = before.files.filter((old) => !after.files.some(({ path }) => path === old.path));
  return {
    parts: [...after.parts, ...more],
    files: [...after.files, ...files],
    folders: [...new Set([...before.folders, ...after.folders])],
  };
}

export const settleSetupManifest = (manifest: SetupManifest): SetupManifest => ({
  ...manifest,
  parts: manifest.parts.map(dropPreviousHash),
});

export function dropPreviousHash(part: OwnedPart): OwnedPart {
  const { was: _, ...rest } = part;
  return rest;
}

/** One line per part, so that two branches rarely conflict. */
export function formatSetupManifest({ parts, files, folders }: SetupManifest): string {
  const list = (name: string, items: readonly unknown[]): string =>
    items.length === 0
      ? `  "${name}": []`
      : `  "${name}": [\n${items.map((item) => `    ${JSON.stringify(item)}`).join(",\n")}\n  ]`;
  const byPath = <T extends { readonly path: string }>(items: readonly T[]): T[] =>
    items.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  return `{\n  "schema": 1,\n${[list("parts", byPath(parts)), list("files", byPath(files)), list("folders", folders.toSorted())].join(",\n")}\n}\n`;
}

/** Returns undefined for an invalid manifest: acting on it could change the user's own text. */
export function parseSetupManifest(text: string): SetupManifest | undefined {
  const value = parseManifestJson(text);
  if (!isPlainObject(value) || value["schema"] !== 1) return undefined;
  const { parts, files, folders } = value;
  const isWhole =
    Array.isArray(parts) &&
    parts.every(isOwnedPart) &&
    Array.isArray(files) &&
    files.every(isOwnedFile) &&
    Array.isArray(folders) &&
    folders.every(isScopedPath);
  return isWhole ? { parts: parts as OwnedPart[], files: files as OwnedFile[], folders } : undefined;
}

function parseManifestJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isOwnedPart(part: unknown): boolean {
  if (!isPlainObject(part) || !isScopedPath(part["path"]) || !isManifestHash(part["hash"])) return false;
  if (part["seam"] !== undefined && !isInsertionSeparators(part["seam"])) return false;
  if (part["was"] !== undefined && !isManifestHash(part["was"])) return false;
  const { kind, way, mark, clients } = part;
  if (!isManifestTextList(clients) || !clients.every((client) => CLIENT_IDS.some((id) => id === client))) return false;
  if (kind === "file" || kind === "block") return true;
  if (!isManifestTextList(way) || way.length === 0) return false;
  return kind === "member" || kind === "table" || (kind === "item" && typeof mark === "string" && mark !== "");
}

const isOwnedFile = (file: unknown): boolean =>
  isPlainObject(file) &&
  isScopedPath(file["path"]) &&
  typeof file["isNew"] === "boolean" &&
  Array.isArray(file["made"]) &&
  file["made"].every(
    (made: unknown) => isPlainObject(made) && isManifestTextList(made["way"]) && isInsertionSeparators(made["seam"]),
  );

/** A path below the root. The manifest may come from an untrusted repository. */
const isScopedPath = (path: unknown): path is string =>
  typeof path === "string" &&
  path !== "" &&
  !/[\\\p{Cc}]|^[A-Za-z]:/u.test(path) &&
  path.split("/").every((part) => !/^\.{0,2}$/.test(part) && part.toLowerCase() !== ".git");

const isInsertionSeparators = (seam: unknown): boolean =>
  isPlainObject(seam) &&
  [seam["lead"], seam["tail"]].every((part) => typeof part === "string" && /^[\s,]*$/.test(part));

const isManifestHash = (hash: unknown): boolean => typeof hash === "string" && /^[0-9a-f]{64}$/.test(hash);

const isManifestTextList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string");
