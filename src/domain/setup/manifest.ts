import { isObject } from "../flow/shape.ts";
import { CLIENT_IDS, type ClientId } from "./clients.ts";
import { type Made, type Spot, spotName } from "./part.ts";
import type { Seam } from "./text/newline.ts";

/** A part that setup wrote, and what it was then. */
export type OwnedPart = Spot & {
  readonly clients: readonly ClientId[];
  readonly hash: string;
  /** What it may still be, where a write was cut off. */
  readonly was?: string;
  readonly seam?: Seam;
};

/** A file that holds such parts. */
interface OwnedFile {
  readonly path: string;
  /** Whether there was none before. */
  readonly isNew: boolean;
  readonly made: readonly Made[];
}

/** What in a repository, or in a home, setup has written. */
export interface Manifest {
  readonly parts: readonly OwnedPart[];
  readonly files: readonly OwnedFile[];
  /** Folders that were not there before. */
  readonly folders: readonly string[];
}

export const NOTHING_OWNED: Manifest = { parts: [], files: [], folders: [] };

export const isNothing = ({ parts }: Manifest): boolean => parts.length === 0;

/**
 * What has to be known before a plan is carried out: all that is there, and all that will be. Whoever is killed on the
 * way leaves this, and the next run takes what it finds for its own.
 */
export function underWay(before: Manifest, after: Manifest): Manifest {
  const more = before.parts.filter((old) => !after.parts.some((part) => spotName(part) === spotName(old)));
  const files = before.files.filter((old) => !after.files.some(({ path }) => path === old.path));
  return {
    parts: [...after.parts, ...more],
    files: [...after.files, ...files],
    folders: [...new Set([...before.folders, ...after.folders])],
  };
}

/** What is known once it is carried out. */
export const settled = (manifest: Manifest): Manifest => ({
  ...manifest,
  parts: manifest.parts.map(asWritten),
});

/** A part of which nothing is left open. */
export function asWritten(part: OwnedPart): OwnedPart {
  const { was: _, ...rest } = part;
  return rest;
}

/** As it is kept: one line a part, so that two branches seldom meet in one. */
export function writeManifest({ parts, files, folders }: Manifest): string {
  const list = (name: string, items: readonly unknown[]): string =>
    items.length === 0
      ? `  "${name}": []`
      : `  "${name}": [\n${items.map((item) => `    ${JSON.stringify(item)}`).join(",\n")}\n  ]`;
  const byPath = <T extends { readonly path: string }>(items: readonly T[]): T[] =>
    items.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  return `{\n  "schema": 1,\n${[list("parts", byPath(parts)), list("files", byPath(files)), list("folders", folders.toSorted())].join(",\n")}\n}\n`;
}

/** Nothing for what is no manifest: whoever wrote it, setup would touch what is not its own. */
export function readManifest(text: string): Manifest | undefined {
  const value = parsed(text);
  if (!isObject(value) || value["schema"] !== 1) return undefined;
  const { parts, files, folders } = value;
  const isWhole =
    Array.isArray(parts) &&
    parts.every(isPart) &&
    Array.isArray(files) &&
    files.every(isFile) &&
    Array.isArray(folders) &&
    folders.every(isPath);
  return isWhole ? { parts: parts as OwnedPart[], files: files as OwnedFile[], folders } : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isPart(part: unknown): boolean {
  if (!isObject(part) || !isPath(part["path"]) || !isHash(part["hash"])) return false;
  if (part["seam"] !== undefined && !isSeam(part["seam"])) return false;
  if (part["was"] !== undefined && !isHash(part["was"])) return false;
  const { kind, way, mark, clients } = part;
  if (!areTexts(clients) || !clients.every((client) => CLIENT_IDS.some((id) => id === client))) return false;
  if (kind === "file" || kind === "block") return true;
  if (!areTexts(way) || way.length === 0) return false;
  return kind === "member" || kind === "table" || (kind === "item" && typeof mark === "string" && mark !== "");
}

const isFile = (file: unknown): boolean =>
  isObject(file) &&
  isPath(file["path"]) &&
  typeof file["isNew"] === "boolean" &&
  Array.isArray(file["made"]) &&
  file["made"].every((made: unknown) => isObject(made) && areTexts(made["way"]) && isSeam(made["seam"]));

/** A place below the root, whatever a stranger wrote. */
const isPath = (path: unknown): path is string =>
  typeof path === "string" &&
  path !== "" &&
  !/[\\\p{Cc}]|^[A-Za-z]:/u.test(path) &&
  path.split("/").every((part) => !/^\.{0,2}$/.test(part) && part.toLowerCase() !== ".git");

const isSeam = (seam: unknown): boolean =>
  isObject(seam) && [seam["lead"], seam["tail"]].every((part) => typeof part === "string" && /^[\s,]*$/.test(part));

const isHash = (hash: unknown): boolean => typeof hash === "string" && /^[0-9a-f]{64}$/.test(hash);

const areTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string");
