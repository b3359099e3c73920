import {
  addMarkedBlock,
  findMarkedBlock,
  hasBlockMark,
  removeMarkedBlock,
  replaceMarkedBlock,
  type InsertionSeparators,
  convertNewlines,
  addTomlTable,
  findTomlTable,
  removeTomlTable,
  replaceTomlTable,
} from "./text-insertion.ts";
import { formatCanonicalJson, type JsoncEntry, parseJsoncText, convertJsoncNode } from "./jsonc-document.ts";
import {
  addJsoncEntry,
  addJsoncRoot,
  hasJsoncComment,
  type JsoncContainer,
  findJsoncNode,
  removeJsoncEntry,
  replaceJsoncValue,
  formatJsoncValue,
} from "./jsonc-editor.ts";
import * as z from "zod/mini";
import { parseJsonc } from "#kernel/model/jsonc-parser.ts";
import { readTreePath } from "#kernel/model/data-tree.ts";
import { type Immutable } from "#kernel/model/record-schema.ts";
import { compareTexts } from "#kernel/model/text-format.ts";
import { CLIENT_IDS } from "./client-catalog.ts";

/** A path from the root of the scope, with forward slashes, and a place in that file. */
export type PartLocation = { readonly path: string } & (
  | { readonly kind: "file" }
  | { readonly kind: "block" }
  | { readonly kind: "member"; readonly way: readonly string[] }
  | { readonly kind: "table"; readonly way: readonly string[] }
  /** An item of a JSON list, identified by a text in it. */
  | { readonly kind: "item"; readonly way: readonly string[]; readonly mark: string }
);

export type SetupPart =
  | (PartLocation & { readonly kind: "file" | "block" | "table"; readonly text: string })
  | (PartLocation & { readonly kind: "member" | "item"; readonly value: unknown });

interface PartInsertion {
  readonly text: string;
  readonly seam?: InsertionSeparators;
  readonly made: readonly CreatedContainer[];
}

class PartMisfit extends Error {}

export type TomlParser = (text: string) => unknown;

export const formatLocationKey = (spot: PartLocation): string =>
  [spot.path, spot.kind, ...("way" in spot ? spot.way : []), ...(spot.kind === "item" ? [spot.mark] : [])].join(" ");

/** A part's content without its layout. Hashes are made from it. */
export const normalizePartContent = (part: SetupPart): string =>
  "value" in part ? formatCanonicalJson(part.value) : convertNewlines(part.text, "\n").trim();

export function readPartContent(
  text: string | undefined,
  spot: PartLocation,
  readToml: TomlParser,
): string | undefined {
  if (text === undefined) return undefined;
  switch (spot.kind) {
    case "file":
      return convertNewlines(text, "\n").trim();
    case "block":
      return findMarkedBlock(text)?.text ?? (hasBlockMark(text) ? "marks that do not match" : undefined);
    case "table": {
      const value = readTreePath(readToml(text.replace(/^\uFEFF/, "")), spot.way);
      return value === undefined
        ? undefined
        : (findTomlTable(text, spot.way)?.text ?? `otherwise: ${formatCanonicalJson(value)}`);
    }
    case "item":
    case "member": {
      const { entry } = findPartEntry(text, spot);
      if (!entry) return undefined;
      return `${formatCanonicalJson(convertJsoncNode(entry.value))}${hasJsoncComment(parseJsoncText(text), entry) ? " with comments" : ""}`;
    }
  }
}

export function insertSetupPart(text: string, part: SetupPart, readToml: TomlParser): PartInsertion {
  switch (part.kind) {
    case "file":
      return { text: part.text, made: [] };
    case "block":
      return { ...addMarkedBlock(text, part.text), made: [] };
    case "table": {
      const sewn = addTomlTable(text, part.text.trim());
      checkTomlTable(sewn.text, part.way, readToml);
      return { ...sewn, made: [] };
    }
    case "item":
    case "member":
      return insertPartEntry(text, part);
  }
}

export function replaceSetupPart(text: string, part: SetupPart): string {
  if (part.kind === "file") return part.text;
  if (part.kind === "block") return replaceMarkedBlock(text, part.text);
  if (part.kind === "table") return replaceTomlTable(text, part.way, part.text.trim());
  const { container, entry } = findPartEntry(text, part);
  return entry && container ? replaceJsoncValue(text, container, entry, part.value) : text;
}

export function removeSetupPart(text: string, spot: PartLocation, seam: InsertionSeparators | undefined): string {
  if (spot.kind === "file") return "";
  if (spot.kind === "block") return removeMarkedBlock(text, seam);
  if (spot.kind === "table") return removeTomlTable(text, spot.way, seam);
  const { way, index } = findPartEntry(text, spot);
  return removeJsoncEntry(text, way, index, seam);
}

type EntryLocation = Extract<PartLocation, { kind: "member" | "item" }>;

function findPartEntry(text: string, spot: EntryLocation) {
  const way = spot.kind === "member" ? spot.way.slice(0, -1) : spot.way;
  const node = findJsoncNode(parseJsoncText(text).root, way);
  const container = node?.kind === "scalar" ? undefined : node;
  let index = -1;
  if (spot.kind === "member" && container?.kind === "object")
    index = container.entries.findLastIndex(({ key }) => key === spot.way.at(-1));
  if (spot.kind === "item" && container?.kind === "array")
    index = container.entries.findIndex(({ value }) => text.slice(value.start, value.end).includes(spot.mark));
  const entry: JsoncEntry | undefined = container?.entries[index];
  return { way, container, index, entry };
}

function insertPartEntry(before: string, part: Extract<SetupPart, { kind: "member" | "item" }>): PartInsertion {
  const made: CreatedContainer[] = [];
  let text = before;
  if (!parseJsoncText(text).root) {
    const rooted = addJsoncRoot(text);
    text = rooted.text;
    made.push({ way: [], seam: rooted.seam });
  }
  const containers = part.kind === "member" ? part.way.slice(0, -1) : part.way;
  for (let depth = 0; depth < containers.length; depth++) {
    const way = containers.slice(0, depth + 1);
    if (findJsoncNode(parseJsoncText(text).root, way)) continue;
    const isList = part.kind === "item" && depth === containers.length - 1;
    const sewn = addJsoncEntry(text, requireContainer(text, way.slice(0, -1), "object"), way.at(-1), isList ? [] : {});
    text = sewn.text;
    made.push({ way, seam: sewn.seam });
  }
  const isMember = part.kind === "member";
  const container = requireContainer(text, containers, isMember ? "object" : "array");
  return { ...addJsoncEntry(text, container, isMember ? part.way.at(-1) : undefined, part.value), made };
}

function requireContainer(text: string, way: readonly string[], kind: "object" | "array"): JsoncContainer {
  const node = findJsoncNode(parseJsoncText(text).root, way);
  if (node?.kind === kind) return node;
  const name = way.length === 0 ? "what it holds" : way.join(".");
  throw new PartMisfit(`${name} is not ${kind === "object" ? "an object" : "a list"}`);
}

function checkTomlTable(text: string, way: readonly string[], readToml: TomlParser): void {
  try {
    if (readTreePath(readToml(text.replace(/^\uFEFF/, "")), way) !== undefined) return;
  } catch {
    // The error below covers it.
  }
  throw new PartMisfit(`${way.slice(0, -1).join(".")} is not written as tables, [${way.slice(0, -1).join(".")}.name]`);
}

/** A path below the root. The manifest may come from an untrusted repository. */
const ScopedPath = z.string().check(
  z.refine((path) => !/[\\\p{Cc}]|^[A-Za-z]:/u.test(path)),
  z.refine((path) => path.split("/").every((part) => !/^(?:\.{0,2}|\.git)$/i.test(part))),
);
const KeyPath = z.array(z.string());
const Hash = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const Separator = z.string().check(z.regex(/^[\s,]*$/));
const Separators = z.object({ lead: Separator, tail: Separator });
const ownedFields = {
  path: ScopedPath,
  clients: z.array(z.enum(CLIENT_IDS)),
  hash: Hash,
  /** The previous hash, in case a write was interrupted. */
  was: z.exactOptional(Hash),
  seam: z.exactOptional(Separators),
};
const keyed = { ...ownedFields, way: KeyPath.check(z.minLength(1)) };

const OwnedPart = z.discriminatedUnion("kind", [
  z.object({ ...ownedFields, kind: z.enum(["file", "block"]) }),
  z.object({ ...keyed, kind: z.enum(["member", "table"]) }),
  z.object({ ...keyed, kind: z.literal("item"), mark: z.string().check(z.minLength(1)) }),
]);

const CreatedContainer = z.object({ way: KeyPath, seam: Separators });
export type CreatedContainer = Immutable<z.infer<typeof CreatedContainer>>;

const SetupManifest = z.object({
  schema: z.literal(1),
  parts: z.array(OwnedPart),
  files: z.array(z.object({ path: ScopedPath, isNew: z.boolean(), made: z.array(CreatedContainer) })),
  folders: z.array(ScopedPath),
});

export type OwnedPart = Immutable<z.infer<typeof OwnedPart>>;
export type SetupManifest = Immutable<Omit<z.infer<typeof SetupManifest>, "schema">>;

export const EMPTY_SETUP_MANIFEST: SetupManifest = { parts: [], files: [], folders: [] };

export const settleSetupManifest = (manifest: SetupManifest): SetupManifest => ({
  ...manifest,
  parts: manifest.parts.map(dropPreviousHash),
});

/** All existing and all planned parts, saved before the plan runs, so that the next run recognizes them. */
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

export function dropPreviousHash(part: OwnedPart): OwnedPart {
  const { was: _, ...rest } = part;
  return rest;
}

/** Sorted by path, in the layout of Prettier's defaults. */
export function formatSetupManifest({ parts, files, folders }: SetupManifest): string {
  const byPath = <T extends { readonly path: string }>(items: readonly T[]): T[] =>
    items.toSorted((a, b) => compareTexts(a.path, b.path));
  const sorted = { schema: 1, parts: byPath(parts), files: byPath(files), folders: folders.toSorted() };
  return `${formatJsoncValue(sorted, { indent: "", unit: "  ", newline: "\n" })}\n`;
}

/** Returns undefined for an invalid manifest: acting on it could change the user's own text. */
export function parseSetupManifest(text: string): SetupManifest | undefined {
  const value = parseJsonc(text);
  if (!SetupManifest.safeParse(value).success) return undefined;
  // The value as read: a schema gives its fields in another order, and the manifest is compared by its bytes.
  const { parts, files, folders } = value as SetupManifest;
  return { parts, files, folders };
}
