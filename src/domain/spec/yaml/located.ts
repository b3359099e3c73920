import { plain } from "../../quote.ts";

/** A document as a tree in which every part knows its line, counted from 1. How it was read is not known here. */
export type Located = Mapping | Sequence | Scalar;

export interface Scalar {
  readonly kind: "scalar";
  readonly line: number;
  readonly value: string | number | boolean | null;
  /** As it is written, for what is no text: `012` stays `012`. */
  readonly text: string;
}

interface Sequence {
  readonly kind: "sequence";
  readonly line: number;
  readonly items: readonly Located[];
}

export interface Mapping {
  readonly kind: "mapping";
  readonly line: number;
  readonly entries: readonly Entry[];
}

export interface Entry {
  readonly key: string;
  /** Where the key stands. */
  readonly line: number;
  readonly value: Located;
}

/** The way from the root to a part: keys of mappings, and numbers in sequences from 0. */
export type Place = readonly (string | number)[];

/** A value without lines, as it is to be written. */
export type Plain = string | number | boolean | null | readonly Plain[] | { readonly [key: string]: Plain };

const entryOf = (node: Located | undefined, key: string): Entry | undefined =>
  node?.kind === "mapping" ? node.entries.find((entry) => entry.key === key) : undefined;

export function childOf(node: Located | undefined, step: string | number): Located | undefined {
  if (typeof step === "string") return entryOf(node, step)?.value;
  return node?.kind === "sequence" ? node.items[step] : undefined;
}

export function nodeAt(root: Located | undefined, place: Place): Located | undefined {
  return place.reduce<Located | undefined>(childOf, root);
}

/** The line of a part, or of the nearest thing around it that is there. */
export function lineAt(root: Located, place: Place): number {
  let node: Located = root;
  let { line } = root;
  for (const step of place) {
    const entry = typeof step === "string" ? entryOf(node, step) : undefined;
    const next = entry?.value ?? childOf(node, step);
    if (!next) return line;
    node = next;
    line = entry?.line ?? next.line;
  }
  return line;
}

/** Nothing is said there: no part, `null`, or a key without a value. */
export const isNothing = (node: Located | undefined): node is undefined =>
  node === undefined || (node.kind === "scalar" && node.value === null);

/** What a scalar says as text. */
export const textOf = (node: Located | undefined): string | undefined =>
  node?.kind === "scalar" && node.value !== null
    ? typeof node.value === "string"
      ? node.value
      : node.text
    : undefined;

/** `acceptance_criteria[0].given`; keys may come from anybody, so they are made safe to show. */
export const nameOf = (place: Place): string =>
  place.map((step, i) => (typeof step === "number" ? `[${step}]` : `${i === 0 ? "" : "."}${plain(step, 60)}`)).join("");

export function toPlain(node: Located): Plain {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "sequence") return node.items.map(toPlain);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, toPlain(value)]));
}

/** A value that takes the place of something on that line. */
export function locate(value: Plain, line: number): Located {
  if (Array.isArray(value)) return { kind: "sequence", line, items: value.map((item: Plain) => locate(item, line)) };
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(([key, inner]) => ({ key, line, value: locate(inner, line) }));
    return { kind: "mapping", line, entries };
  }
  const scalar = value;
  return { kind: "scalar", line, value: scalar, text: String(scalar) };
}

/** Every scalar with its place, in the order of the document. */
export function* scalars(
  node: Located,
  place: Place = [],
): Generator<{ readonly node: Scalar; readonly place: Place }> {
  if (node.kind === "scalar") yield { node, place };
  else if (node.kind === "sequence") {
    for (const [i, item] of node.items.entries()) yield* scalars(item, [...place, i]);
  } else for (const { key, value } of node.entries) yield* scalars(value, [...place, key]);
}
