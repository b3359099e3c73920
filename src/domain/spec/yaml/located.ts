import { sanitizeText } from "../../quote.ts";

/** A YAML document as a tree with one-based lines. Independent of the parser. */
export type Located = Mapping | Sequence | Scalar;

export interface Scalar {
  readonly kind: "scalar";
  readonly line: number;
  readonly value: string | number | boolean | null;
  /** The source text of a scalar that is not a string: `012` stays `012`. */
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
  readonly line: number;
  readonly value: Located;
}

/** Path from the root: mapping keys and zero-based sequence indexes. */
export type Place = readonly (string | number)[];

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

export const isNothing = (node: Located | undefined): node is undefined =>
  node === undefined || (node.kind === "scalar" && node.value === null);

export const textOf = (node: Located | undefined): string | undefined =>
  node?.kind === "scalar" && node.value !== null
    ? typeof node.value === "string"
      ? node.value
      : node.text
    : undefined;

/** `acceptance_criteria[0].given`. Keys are untrusted, so they are escaped. */
export const nameOf = (place: Place): string =>
  place
    .map((step, i) => (typeof step === "number" ? `[${step}]` : `${i === 0 ? "" : "."}${sanitizeText(step, 60)}`))
    .join("");

export function toPlain(node: Located): Plain {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "sequence") return node.items.map(toPlain);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, toPlain(value)]));
}

export function locate(value: Plain, line: number): Located {
  if (Array.isArray(value)) return { kind: "sequence", line, items: value.map((item: Plain) => locate(item, line)) };
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(([key, inner]) => ({ key, line, value: locate(inner, line) }));
    return { kind: "mapping", line, entries };
  }
  const scalar = value;
  return { kind: "scalar", line, value: scalar, text: String(scalar) };
}

export function* scalars(
  node: Located,
  place: Place = [],
): Generator<{ readonly node: Scalar; readonly place: Place }> {
  if (node.kind === "scalar") yield { node, place };
  else if (node.kind === "sequence") {
    for (const [i, item] of node.items.entries()) yield* scalars(item, [...place, i]);
  } else for (const { key, value } of node.entries) yield* scalars(value, [...place, key]);
}
