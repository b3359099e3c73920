import { addBlock, findBlock, hasMark, removeBlock, replaceBlock } from "./text/block.ts";
import { canonical, type Entry, type Node, readJsonc, valueOf } from "./text/jsonc.ts";
import { addEntry, addRoot, isCommented, nodeAt, removeEntry, replaceValue } from "./text/jsonc-edit.ts";
import { type Seam, withNewline } from "./text/newline.ts";
import { addTable, findTable, removeTable, replaceTable } from "./text/toml-tables.ts";

interface Place {
  /** From the root of the scope, with forward slashes. */
  readonly path: string;
}

export type Spot = Place &
  (
    | { readonly kind: "file" }
    | { readonly kind: "block" }
    | { readonly kind: "member"; readonly way: readonly string[] }
    /** An item of a JSON list, identified by a text in it. */
    | { readonly kind: "item"; readonly way: readonly string[]; readonly mark: string }
    | { readonly kind: "table"; readonly way: readonly string[] }
  );

export type Part =
  | (Spot & { readonly kind: "file" | "block" | "table"; readonly text: string })
  | (Spot & { readonly kind: "member" | "item"; readonly value: unknown });

export interface Made {
  readonly way: readonly string[];
  readonly seam: Seam;
}

export interface Put {
  readonly text: string;
  readonly seam?: Seam;
  readonly made: readonly Made[];
}

export class Misfit extends Error {}

export type ReadToml = (text: string) => unknown;

export const spotName = (spot: Spot): string =>
  [spot.path, spot.kind, ...("way" in spot ? spot.way : []), ...(spot.kind === "item" ? [spot.mark] : [])].join(" ");

/** A part's content without its layout. Hashes are made from it. */
export function printOf(part: Part): string {
  return "value" in part ? canonical(part.value) : withNewline(part.text, "\n").trim();
}

export function foundAt(text: string | undefined, spot: Spot, readToml: ReadToml): string | undefined {
  if (text === undefined) return undefined;
  switch (spot.kind) {
    case "file":
      return withNewline(text, "\n").trim();
    case "block":
      return findBlock(text)?.text ?? (hasMark(text) ? "marks that are no pair" : undefined);
    case "table": {
      const value = wayInto(readToml(text.replace(/^\uFEFF/, "")), spot.way);
      return value === undefined ? undefined : (findTable(text, spot.way)?.text ?? `otherwise: ${canonical(value)}`);
    }
    case "item":
    case "member": {
      const { entry } = entryAt(text, spot);
      if (!entry) return undefined;
      return `${canonical(valueOf(entry.value))}${isCommented(readJsonc(text), entry) ? " with comments" : ""}`;
    }
  }
}

export function putPart(text: string, part: Part, readToml: ReadToml): Put {
  switch (part.kind) {
    case "file":
      return { text: part.text, made: [] };
    case "block":
      return { ...addBlock(text, part.text), made: [] };
    case "table": {
      const sewn = addTable(text, part.text.trim());
      checkToml(sewn.text, part.way, readToml);
      return { ...sewn, made: [] };
    }
    case "item":
    case "member":
      return putEntry(text, part);
  }
}

export function replacePart(text: string, part: Part): string {
  if (part.kind === "file") return part.text;
  if (part.kind === "block") return replaceBlock(text, part.text);
  if (part.kind === "table") return replaceTable(text, part.way, part.text.trim());
  const { container, entry } = entryAt(text, part);
  return entry && container ? replaceValue(text, container, entry, part.value) : text;
}

export function takePart(text: string, spot: Spot, seam: Seam | undefined): string {
  if (spot.kind === "file") return "";
  if (spot.kind === "block") return removeBlock(text, seam);
  if (spot.kind === "table") return removeTable(text, spot.way, seam);
  const { way, index } = entryAt(text, spot);
  return removeEntry(text, way, index, seam);
}

type EntrySpot = Extract<Spot, { kind: "member" | "item" }>;

function entryAt(text: string, spot: EntrySpot) {
  const way = spot.kind === "member" ? spot.way.slice(0, -1) : spot.way;
  const node = nodeAt(readJsonc(text).root, way);
  const container = node?.kind === "scalar" ? undefined : node;
  const index =
    spot.kind === "member"
      ? container?.kind === "object"
        ? container.entries.findLastIndex(({ key }) => key === spot.way.at(-1))
        : -1
      : container?.kind === "array"
        ? container.entries.findIndex(({ value }) => text.slice(value.start, value.end).includes(spot.mark))
        : -1;
  const entry: Entry | undefined = container?.entries[index];
  return { way, container, index, entry };
}

function putEntry(before: string, part: Extract<Part, { kind: "member" | "item" }>): Put {
  const made: Made[] = [];
  let text = before;
  if (!readJsonc(text).root) {
    const rooted = addRoot(text);
    text = rooted.text;
    made.push({ way: [], seam: rooted.seam });
  }
  const containers = part.kind === "member" ? part.way.slice(0, -1) : part.way;
  for (let depth = 0; depth < containers.length; depth++) {
    const way = containers.slice(0, depth + 1);
    if (nodeAt(readJsonc(text).root, way)) continue;
    const isList = part.kind === "item" && depth === containers.length - 1;
    const sewn = addEntry(text, objectAt(text, way.slice(0, -1)), way.at(-1), isList ? [] : {});
    text = sewn.text;
    made.push({ way, seam: sewn.seam });
  }
  const sewn =
    part.kind === "member"
      ? addEntry(text, objectAt(text, containers), part.way.at(-1), part.value)
      : addEntry(text, listAt(text, containers), undefined, part.value);
  return { ...sewn, made };
}

function objectAt(text: string, way: readonly string[]) {
  const node = nodeAt(readJsonc(text).root, way);
  if (node?.kind !== "object") throw new Misfit(`${nameOf(way)} is not an object`);
  return node;
}

function listAt(text: string, way: readonly string[]) {
  const node: Node | undefined = nodeAt(readJsonc(text).root, way);
  if (node?.kind !== "array") throw new Misfit(`${nameOf(way)} is not a list`);
  return node;
}

const nameOf = (way: readonly string[]): string => (way.length === 0 ? "what it holds" : way.join("."));

function checkToml(text: string, way: readonly string[], readToml: ReadToml): void {
  try {
    if (wayInto(readToml(text.replace(/^\uFEFF/, "")), way) !== undefined) return;
  } catch {
    // The error below covers it.
  }
  throw new Misfit(`${way.slice(0, -1).join(".")} is not written as tables, [${way.slice(0, -1).join(".")}.name]`);
}

function wayInto(value: unknown, way: readonly string[]): unknown {
  let found = value;
  for (const key of way) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Record<string, unknown>)[key];
  }
  return found;
}
