import { sanitizeText } from "./text-format.ts";

/** A YAML document as a tree with one-based lines. Independent of the parser. */
export type LocatedNode =
  | LocatedMapping
  | { readonly kind: "sequence"; readonly line: number; readonly items: readonly LocatedNode[] }
  | LocatedScalar;

export interface LocatedScalar {
  readonly kind: "scalar";
  readonly line: number;
  readonly value: string | number | boolean | null;
  /** The source text of a scalar that is not a string: `012` stays `012`. */
  readonly text: string;
}

interface LocatedMapping {
  readonly kind: "mapping";
  readonly line: number;
  readonly entries: readonly LocatedEntry[];
}

export interface LocatedEntry {
  readonly key: string;
  readonly line: number;
  readonly value: LocatedNode;
}

/** Path from the root: mapping keys and zero-based sequence indexes. */
export type YamlPath = readonly (string | number)[];

export type YamlValue = string | number | boolean | null | readonly YamlValue[] | { readonly [key: string]: YamlValue };

const findYamlEntry = (node: LocatedNode | undefined, key: string): LocatedEntry | undefined =>
  node?.kind === "mapping" ? node.entries.find((entry) => entry.key === key) : undefined;

export function getYamlChild(node: LocatedNode | undefined, step: string | number): LocatedNode | undefined {
  if (typeof step === "string") return findYamlEntry(node, step)?.value;
  return node?.kind === "sequence" ? node.items[step] : undefined;
}

export const findYamlNode = (root: LocatedNode | undefined, place: YamlPath): LocatedNode | undefined =>
  place.reduce<LocatedNode | undefined>(getYamlChild, root);

export function findYamlLine(root: LocatedNode, place: YamlPath): number {
  let node: LocatedNode = root;
  let { line } = root;
  for (const step of place) {
    const entry = typeof step === "string" ? findYamlEntry(node, step) : undefined;
    const next = entry?.value ?? getYamlChild(node, step);
    if (!next) return line;
    node = next;
    line = entry?.line ?? next.line;
  }
  return line;
}

export const isYamlNull = (node: LocatedNode | undefined): node is undefined =>
  node === undefined || (node.kind === "scalar" && node.value === null);

export function readYamlText(node: LocatedNode | undefined): string | undefined {
  if (node?.kind !== "scalar" || node.value === null) return undefined;
  return typeof node.value === "string" ? node.value : node.text;
}

/** `acceptance_criteria[0].given`. Keys are untrusted, so they are escaped. */
export const formatYamlPath = (place: YamlPath): string =>
  place
    .map((step, i) => (typeof step === "number" ? `[${step}]` : `${i === 0 ? "" : "."}${sanitizeText(step, 60)}`))
    .join("");

export function convertYamlValue(node: LocatedNode): YamlValue {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "sequence") return node.items.map(convertYamlValue);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, convertYamlValue(value)]));
}

export function createYamlNode(value: YamlValue, line: number): LocatedNode {
  if (Array.isArray(value))
    return { kind: "sequence", line, items: value.map((item: YamlValue) => createYamlNode(item, line)) };
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(([key, inner]) => ({ key, line, value: createYamlNode(inner, line) }));
    return { kind: "mapping", line, entries };
  }
  return { kind: "scalar", line, value, text: String(value) };
}

export function* iterateYamlScalars(
  node: LocatedNode,
  place: YamlPath = [],
): Generator<{ readonly node: LocatedScalar; readonly place: YamlPath }> {
  if (node.kind === "scalar") yield { node, place };
  else if (node.kind === "sequence") {
    for (const [i, item] of node.items.entries()) yield* iterateYamlScalars(item, [...place, i]);
  } else for (const { key, value } of node.entries) yield* iterateYamlScalars(value, [...place, key]);
}

/** One edit of a document. Paths refer to the document after the previous edits. */
export type YamlEdit =
  | { readonly kind: "rename"; readonly at: YamlPath; readonly to: string }
  | { readonly kind: "replace"; readonly at: YamlPath; readonly value: YamlValue }
  | {
      readonly kind: "insert";
      readonly at: YamlPath;
      readonly key: string;
      readonly value: YamlValue;
      readonly isFirst?: boolean;
    }
  | { readonly kind: "remove"; readonly at: YamlPath }
  /** Moves a key with its value to the end of another mapping, and removes an emptied source mapping. */
  | { readonly kind: "move"; readonly from: YamlPath; readonly to: YamlPath };

/** Applies an edit to the tree. The text editor must produce the same document. */
export function applyYamlEdit(root: LocatedNode, edit: YamlEdit): LocatedNode {
  switch (edit.kind) {
    case "rename":
      return updateYamlEntries(root, edit.at.slice(0, -1), (entries) =>
        entries.map((entry) => (entry.key === edit.at.at(-1) ? { ...entry, key: edit.to } : entry)),
      );
    case "replace":
      return updateYamlNode(root, edit.at, (node) => createYamlNode(edit.value, node.line));
    case "insert":
      return updateYamlEntries(root, edit.at, (entries, { line }) => {
        const fresh = { key: edit.key, line, value: createYamlNode(edit.value, line) };
        return edit.isFirst ? [fresh, ...entries] : [...entries, fresh];
      });
    case "remove":
      return removeYamlEntry(root, edit.at);
    case "move":
      return moveYamlEntry(root, edit.from, edit.to);
  }
}

function moveYamlEntry(root: LocatedNode, from: YamlPath, to: YamlPath): LocatedNode {
  const parent = from.slice(0, -1);
  const node = findYamlNode(root, parent);
  const entry = findYamlEntry(node, String(from.at(-1)));
  if (!entry || node?.kind !== "mapping") return root;
  const isLast = node.entries.length === 1 && parent.length > 0;
  const without = removeYamlEntry(root, isLast ? parent : from);
  const target = to.slice(0, -1);
  const { line } = entry;
  const moved: LocatedEntry = { ...entry, key: String(to.at(-1)) };
  const isThere = findYamlNode(without, target) !== undefined;
  const made: LocatedEntry = { key: String(target[0]), line, value: { kind: "mapping", line, entries: [moved] } };
  return updateYamlEntries(without, isThere ? target : [], (entries) => [...entries, isThere ? moved : made]);
}

const removeYamlEntry = (root: LocatedNode, place: YamlPath): LocatedNode =>
  updateYamlEntries(root, place.slice(0, -1), (entries) => entries.filter(({ key }) => key !== place.at(-1)));

function updateYamlEntries(
  root: LocatedNode,
  place: YamlPath,
  how: (entries: readonly LocatedEntry[], node: LocatedMapping) => readonly LocatedEntry[],
): LocatedNode {
  return updateYamlNode(root, place, (node) =>
    node.kind === "mapping" ? { ...node, entries: how(node.entries, node) } : node,
  );
}

function updateYamlNode(
  node: LocatedNode,
  [step, ...rest]: YamlPath,
  how: (node: LocatedNode) => LocatedNode,
): LocatedNode {
  if (step === undefined) return how(node);
  if (getYamlChild(node, step) === undefined) return node;
  if (node.kind === "sequence") {
    return { ...node, items: node.items.map((item, i) => (i === step ? updateYamlNode(item, rest, how) : item)) };
  }
  if (node.kind !== "mapping") return node;
  const entries = node.entries.map((entry) =>
    entry.key === step ? { ...entry, value: updateYamlNode(entry.value, rest, how) } : entry,
  );
  return { ...node, entries };
}
